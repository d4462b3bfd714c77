"""How fast the main paths are, on an installation of its own: figures and ratios, no verdict.

python -m scripts.bench
python scripts/postgres.py python -m scripts.bench
"""

import sys
from importlib import import_module

from scripts.installation import fresh_installation


def main() -> int:
    with fresh_installation():
        # Models can be imported only now.
        for name in (
            "measures",
            "room_measures",
            "call_measures",
            "history_measures",
            "waiting_measures",
        ):
            import_module(f"scripts.{name}").run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
