"""Numpy takes 30 MB and a tenth of a second: who compares no vectors doesn't load it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADS_ALL = """
import sys, django
from importlib import import_module
django.setup()
for name in sys.argv[1:]:
    import_module(name)
assert "memoryweb.runs.supervisor" in sys.modules
print("numpy" in sys.modules)
"""
NEARNESS = "memoryweb.memory.index.nearness"


def test_no_module_but_one_imports_it() -> None:
    files = [path for path in (ROOT / "memoryweb").rglob("*.py") if "migrations" not in path.parts]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files]
    rest = [name.removesuffix(".__init__") for name in names if name != NEARNESS]
    assert len(rest) == len(names) - 1
    assert _loads(*rest) == "False"
    assert _loads("memoryweb.runs.supervisor", NEARNESS) == "True"


def _loads(*names: str) -> str:
    command = [sys.executable, "-c", LOADS_ALL, *names]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, env=_environment()
    ).stdout.strip()


def _environment() -> dict[str, str]:
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "memoryweb.settings"}
