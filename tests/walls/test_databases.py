"""What can differ between the databases is tried on both by the gate: each module with SQL, locks,
constraints, JSON or cursors of its own names a marked test (tests/walls/databases.py)."""

import re
from pathlib import Path

import pytest

from tests.conftest import MARK
from tests.walls.databases import MIGRATIONS, TESTED

ROOT = Path(__file__).parents[2]
OF_ITS_OWN = re.compile(
    r"select_for_update|RawSQL|\.cursor\(\)|\.vendor\b|\.iterator\(|\.explain\("
    r"|Subquery\(|(?<!class )Exists\(|Window\([A-Z\n]|JSONField\(|__has_key|_conflicts="
    r"|(?:Check|Unique|Exclusion)Constraint\(|Run(?:SQL|Python)\("
    r"|(?:Integrity|Operational|Database)Error\b|\b(?:tsvector|VIRTUAL TABLE)\b"
)


def _modules() -> set[str]:
    """Without the backend of one database; migrations are one entry, which an upgrade runs."""
    found = set()
    for path in ROOT.glob("memoryweb/**/*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if OF_ITS_OWN.search(path.read_text(encoding="utf-8")):
            found.add(MIGRATIONS if ".migrations." in name else name)
    return {name for name in found if not name.startswith("memoryweb.core.sqlite")}


def test_every_module_that_can_differ_has_an_entry_and_no_other() -> None:
    assert _modules() == TESTED.keys()


@pytest.mark.parametrize("path", sorted(set(TESTED.values())))
def test_the_test_of_an_entry_is_marked(path: str) -> None:
    assert MARK in (ROOT / "tests" / path).read_text(encoding="utf-8")
