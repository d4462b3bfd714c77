"""The image of docs/compose has all that a running installation reads."""

import re

from tests.workers import ROOT


def test_the_image_has_every_folder_that_the_code_reads() -> None:
    read = {
        name
        for path in (ROOT / "memoryweb").rglob("*.py")
        for name in re.findall(r'BASE_DIR\)? / "(\w+)"', path.read_text(encoding="utf-8"))
        if (ROOT / name).is_dir()
    } - {"var"}
    copied = set(re.findall(r"COPY (\w+) ", (ROOT / "docs/compose/compose.yaml").read_text()))
    assert read >= {"docs", "locale", "static", "templates"}
    assert read | {"memoryweb"} <= copied
