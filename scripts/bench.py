"""How fast the main paths are, on an installation of its own: figures and ratios, no verdict.

python -m scripts.bench
python scripts/postgres.py python -m scripts.bench
"""

import os
import sys
import tempfile
from importlib import import_module

import django
from django.core.management import call_command


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
    with tempfile.TemporaryDirectory(prefix="memoryweb-bench-") as home:
        os.environ["MEMORYWEB_HOME"] = home
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        # Models can be imported only now.
        import_module("scripts.measures").run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
