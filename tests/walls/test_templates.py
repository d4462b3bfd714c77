"""Templates stay readable: one element a line, no line that runs off the screen."""

from pathlib import Path

from django.conf import settings

LONGEST = 120


def test_no_line_of_a_template_is_longer_than_a_screen_is_wide() -> None:
    assert [
        f"{path.name}:{number}"
        for path in sorted((Path(settings.BASE_DIR) / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ] == []
