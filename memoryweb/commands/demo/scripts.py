"""The demo's conversations, read from the Markdown files beside this one. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

_HEADING = re.compile(r"## (\d+) days? ago, (\d\d:\d\d)(?: (.+))?")
_SAID = re.compile(r"(\w+): (.+)")
_DATE = re.compile(r"\{(-?\d+)\}")  # so many days from today
SECONDS_BETWEEN = 40


@dataclass(frozen=True)
class Line:
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Scene:
    """One conversation, or one entry of shared notes, which has no title and whose lines a member
    writes or, without a name, the agent."""

    at: datetime
    title: str
    lines: tuple[Line, ...]


def scenes(name: str, today: date) -> list[Scene]:
    """The scenes of `<name>.md`, with their times counted back from today (UTC)."""
    written = (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")
    text = _DATE.sub(lambda found: _date(today + timedelta(days=int(found[1]))), written)
    parts = _HEADING.split(text)[1:]
    return [
        _scene(int(ago), time.fromisoformat(clock), title or "", body, today)
        for ago, clock, title, body in zip(*(parts[n::4] for n in range(4)), strict=True)
    ]


def _date(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _scene(ago: int, clock: time, title: str, body: str, today: date) -> Scene:
    start = datetime.combine(today - timedelta(days=ago), clock, tzinfo=UTC)
    lines = []
    for number, line in enumerate(filter(None, body.strip().split("\n"))):
        said = _SAID.fullmatch(line := line.removeprefix("- "))
        speaker, text = said.groups() if said else ("", line)
        lines.append(Line(speaker, text, start + timedelta(seconds=SECONDS_BETWEEN * number)))
    return Scene(start, title, tuple(lines))
