"""One side of `bench_pairs`: the rows of the working directory's tree, as they are asked for.

python pair_worker.py FOLDER   (of ../shared/data/locomo; a row's name a line on standard input)
"""

import json
import os
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, os.getcwd())  # whose `memoryweb` and `scripts` these are

from scripts.installation import fresh_installation


def main() -> None:
    with fresh_installation():
        rows = import_module("pair_rows").Rows(Path(sys.argv[1]))  # models can be imported only now
        print(json.dumps({"rows": [*rows.acts]}), flush=True)
        for line in sys.stdin:
            print(json.dumps(rows.measured(line.strip())), flush=True)


if __name__ == "__main__":
    main()
