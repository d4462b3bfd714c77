"""Each noun of memory has a door, its `__init__`: other rooms import that and nothing behind it."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMORY = "memoryweb.memory"
SHARED = {"models", "lines", "statements", "index", "visible", "writing"}
NOUNS = {path.parent.name for path in (ROOT / "memoryweb/memory").glob("*/__init__.py")}
NOUNS -= SHARED | {"migrations"}


@dataclass(frozen=True)
class Import:
    """One `from module import names`."""

    path: Path
    line: int
    module: str
    names: frozenset[str]


@cache
def _imports() -> list[Import]:
    """Read once, for all nouns. An `apps.py` only wires handlers to the engine."""
    modules = [path for path in (ROOT / "memoryweb").rglob("*.py") if path.name != "apps.py"]
    return [
        Import(path, node.lineno, node.module, frozenset(name.name for name in node.names))
        for path in modules
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
    ]


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_nobody_imports_what_is_behind_the_door(noun: str) -> None:
    room = ROOT / "memoryweb/memory" / noun
    door = f"{MEMORY}.{noun}"
    modules = {path.stem for path in room.iterdir()}
    passed = [
        f"{one.path.relative_to(ROOT)}:{one.line}"
        for one in _imports()
        if not one.path.is_relative_to(room)
        if one.module.startswith(f"{door}.") or (one.module == door and one.names & modules)
    ]
    assert passed == []


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_no_name_of_a_door_hides_a_module_behind_it(noun: str) -> None:
    """`from … import export` would be the function here and the module there."""
    room = ROOT / "memoryweb/memory" / noun
    assert _offered(room) & {path.stem for path in room.iterdir()} == set()


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_a_door_offers_only_what_is_asked_for(noun: str) -> None:
    """It imports what it offers, lists it nowhere else, and nothing stays that nobody calls."""
    room = ROOT / "memoryweb/memory" / noun
    door = f"{MEMORY}.{noun}"
    callers = {
        one.path
        for one in _imports()
        if not one.path.is_relative_to(room)
        if one.module == door or (one.module == MEMORY and noun in one.names)
    }
    said = "\n".join(path.read_text() for path in callers)
    assert [name for name in sorted(_offered(room)) if not re.search(rf"\b{name}\b", said)] == []


def _offered(room: Path) -> set[str]:
    door = ast.parse((room / "__init__.py").read_text())
    imports = (node for node in door.body if isinstance(node, ast.ImportFrom))
    return {name.asname or name.name for node in imports for name in node.names}
