"""What prompts tell behind a line of a file: on which day it was said, and what of it has ended. A
program that writes back what it read doesn't store it (SPEC §8.1)."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from django_scopes import scope

from memoryweb.markdown import marks
from memoryweb.memory.models import Fact, File
from memoryweb.memory.statements.bullets import statements_of

_TOLD = re.compile(r"(.*\S) \((\d{4}-\d\d-\d\d)\)")


def behind(day: date) -> str:
    """What a prompt puts at the end of a line; four tokens by our estimate."""
    return f" ({day:%Y-%m-%d})"


def days_of(files: Collection[File], zone: ZoneInfo) -> Mapping[UUID, Mapping[int, date]]:
    """Of each file the last line of every statement of which it is known; in one statement."""
    found: dict[UUID, dict[int, date]] = defaultdict(dict)
    if not files:
        return found
    by_print: dict[UUID, dict[str, date]] = defaultdict(dict)
    with scope(team=tuple({file.team_id for file in files})):
        rows = Fact.objects.filter(file__in=files, said_at__isnull=False).order_by("said_at")
        for file_id, print_, at in rows.values_list("file", "fingerprint", "said_at"):
            if file_id and at:
                by_print[file_id][print_] = at.astimezone(zone).date()
    for file in files:
        days = by_print.get(file.pk)
        for one in statements_of(file.raw_content, file.path) if days else ():
            if days and one.print in days:
                found[file.pk][one.end] = days[one.print]
    return found


def as_it_stands(file: File, content: str) -> str:
    """What a program wrote, with the lines of the file where it wrote back what a prompt said of
    them: with their marks as they stand there, and without the day behind."""
    old = file.raw_content.split("\n")
    told = {marks.told(line): n for n, line in reversed([*enumerate(old, start=1)])}
    lines = content.split("\n")
    read = {at: found for at, line in enumerate(lines) if (found := _read(line, told, old))}
    is_dated = any(day for _number, day in read.values())
    days = days_of([file], file.agent.zone)[file.pk] if is_dated else {}
    for at, (number, day) in read.items():
        if not day or day == str(days.get(number)):
            lines[at] = old[number - 1]
    return "\n".join(lines)


def _read(line: str, told: Mapping[str, int], old: Sequence[str]) -> tuple[int, str] | None:
    """Which line it is of those that a prompt told, and on which day; None as it stands there."""
    if (number := told.get(line)) is not None:
        return (number, "") if line != old[number - 1] else None
    match = _TOLD.fullmatch(line)
    return (told[match[1]], match[2]) if match and match[1] in told else None
