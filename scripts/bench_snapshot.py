"""What a preview of a full snapshot costs beside inflating it: time, and memory on top.

python -m scripts.bench_snapshot
python scripts/postgres.py python -m scripts.bench_snapshot
"""

import sys
from importlib import import_module

from scripts.installation import fresh_installation


def main() -> int:
    with fresh_installation():
        # Models can be imported only now.
        import_module("scripts.snapshot_measures").run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
