"""What the pages for whoever changes the code name is where they say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = (ROOT, ROOT / "memoryweb", ROOT / "memoryweb/memory", ROOT / "tests")
NAMED = re.compile(r"`([\w/*]+(?:\.py|\.txt|\.md|/))`")
# Files of a workspace, not of the code.
WORKSPACE = {"structured/", "MEMORY.md"}


@pytest.mark.parametrize("page", ["architecture.md", "adding.md", "package-map.md"])
def test_what_a_page_names_is_there(page: str) -> None:
    names = set(NAMED.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))) - WORKSPACE
    assert len(names) > 5
    gone = [name for name in sorted(names) if not any(list(place.glob(name)) for place in PLACES)]
    assert gone == []


def test_the_map_has_a_line_for_each_room() -> None:
    rows = re.findall(
        r"^\| `([\w/]+?)(?:\.py|/)` \|", (ROOT / "docs/package-map.md").read_text(), re.M
    )
    rooms = {path.parent.name for path in (ROOT / "memoryweb").glob("*/__init__.py")} - {"memory"}
    nouns = {
        f"memory/{path.stem if path.is_file() else path.name}"
        for path in (ROOT / "memoryweb/memory").iterdir()
        if path.name.removesuffix(".py") not in ("__init__", "apps", "migrations", "__pycache__")
    }
    assert set(rows) == rooms | nouns
