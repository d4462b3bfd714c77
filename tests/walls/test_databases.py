"""The gate tries both databases in every room where they can differ."""

import re
from pathlib import Path

from tests.conftest import ROOMS_OF_BOTH_DATABASES

ROOT = Path(__file__).parents[2] / "memoryweb"
OF_ITS_OWN = re.compile(
    r"select_for_update|RawSQL|\.cursor\(\) as|connection\.vendor|Subquery|JSONField"
    r"|(?:Check|Unique)Constraint|\.iterator\(|migrations\.Migration"
)


def test_no_room_with_sql_of_its_own_is_left_out() -> None:
    rooms = {
        path.relative_to(ROOT).parts[0]
        for path in ROOT.glob("*/**/*.py")
        if OF_ITS_OWN.search(path.read_text(encoding="utf-8"))
    }
    assert "memory" in rooms
    assert rooms - {"sqlite"} <= ROOMS_OF_BOTH_DATABASES  # the backend of one database
