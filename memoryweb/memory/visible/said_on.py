"""On which day a statement of a file was said: prompts tell it behind the line, and a program that
writes back what it read doesn't store it (SPEC §8.1)."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from django_scopes import scope

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


def without_days(file: File, content: str) -> str:
    """What a program wrote, without the days that a prompt told behind lines that stand there."""
    stood = set(file.raw_content.split("\n"))
    lines = content.split("\n")
    told = {n: match for n, line in enumerate(lines) if (match := _told(line, stood))}
    if not told:
        return content
    days = days_of([file], file.agent.zone)[file.pk]
    known = {line: days.get(n) for n, line in enumerate(file.raw_content.split("\n"), start=1)}
    for n, match in told.items():
        day = known[match[1]]
        if day and match[2] == day.isoformat():
            lines[n] = match[1]
    return "\n".join(lines)


def _told(line: str, stood: Collection[str]) -> re.Match[str] | None:
    match = None if line in stood else _TOLD.fullmatch(line)
    return match if match and match[1] in stood else None
