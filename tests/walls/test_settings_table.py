import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
NAME = re.compile(r"MEMORYWEB_[A-Z_]+")


def test_every_setting_stands_in_the_table_and_no_other() -> None:
    code = [
        *(ROOT / "memoryweb").rglob("settings.py"),
        ROOT / "memoryweb/commands/management/commands/first_start.py",
    ]
    read = {name for path in code for name in NAME.findall(path.read_text(encoding="utf-8"))}
    table = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    told = {row.split("`")[1] for row in table.splitlines() if row.startswith("| `MEMORYWEB_")}
    assert read == told
