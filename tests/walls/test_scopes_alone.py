"""Each query names its team, and is asked within its scope: one of the two would do."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WALLS = [
    "test_web_looks",
    "test_web_roles",
    "test_web_changes",
    "test_api_access",
    "test_owners_never_mix",
    "test_mcp",
]


@pytest.mark.slow
@pytest.mark.parametrize("wall", WALLS)
def test_without_the_filters_the_scopes_let_no_row_of_another_team_cross(
    wall: str, tmp_path: Path
) -> None:
    plugin = ["-p", "tests.walls.unfiltered", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin, f"tests/walls/{wall}.py", "-m", "not slow"],
        cwd=ROOT,
        env=os.environ | {"MEMORYWEB_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    found = re.search(r"(\d+) filters by team were taken out", done.stdout)
    assert found is not None
    assert int(found[1]) > 0
