"""How long a search takes, alone and beside other agents' memory, and beside FTS5's own ranking.

    python -m scripts.bench_search [BLOCKS OF OTHERS]
    python scripts/postgres.py python -m scripts.bench_search 1000000

The agent has 20,000 blocks. Without an argument the others have 100,000.
"""

import sys
from importlib import import_module

from scripts.installation import fresh_installation

OTHERS = 100_000


def main() -> int:
    others = int(sys.argv[1]) if len(sys.argv) > 1 else OTHERS
    with fresh_installation():
        # Models can be imported only now.
        import_module("scripts.search_measures").run(others)
    return 0


if __name__ == "__main__":
    sys.exit(main())
