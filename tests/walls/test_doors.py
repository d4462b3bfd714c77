"""Each noun of memory has a door, its `__init__`: other rooms import that and nothing behind it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMORY = "memoryweb.memory"
SHARED = {"models", "lines", "statements", "index", "visible", "writing"}
NOUNS = {path.parent.name for path in (ROOT / "memoryweb/memory").glob("*/__init__.py")}
NOUNS -= SHARED | {"migrations"}
# An `apps.py` only wires handlers to the engine.
MODULES = [path for path in (ROOT / "memoryweb").rglob("*.py") if path.name != "apps.py"]


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_nobody_imports_what_is_behind_the_door(noun: str) -> None:
    room = ROOT / "memoryweb/memory" / noun
    behind = f"{MEMORY}.{noun}."
    modules = {path.stem for path in room.iterdir()}
    passed = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        if not path.is_relative_to(room)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module
        and (
            node.module.startswith(behind)
            or (node.module == behind[:-1] and {name.name for name in node.names} & modules)
        )
    ]
    assert passed == []


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_no_name_of_a_door_hides_a_module_behind_it(noun: str) -> None:
    """`from … import export` would be the function here and the module there."""
    room = ROOT / "memoryweb/memory" / noun
    door = ast.parse((room / "__init__.py").read_text())
    names = {
        name.asname or name.name
        for node in door.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert names & {path.stem for path in room.iterdir()} == set()
