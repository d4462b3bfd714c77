"""What prompts tell behind a line of a file: on which day it was said, what of it has ended, and
since when something newer may hold in its place. A program that writes back what it read doesn't
store it (SPEC §8.1)."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q
from django_scopes import scope

from memoryweb.markdown import marks
from memoryweb.markdown.marks import Ended
from memoryweb.memory.models import Contradiction, Fact, File
from memoryweb.memory.statements.bullets import statements_of

_OPEN = Contradiction.State.OPEN
_TOLD = re.compile(r"(.*\S)( \(\d{4}-\d\d-\d\d\))(?: \(see also \d{4}-\d\d-\d\d\))?")


def behind(day: date) -> str:
    """What a prompt puts at the end of a line; four tokens by our estimate."""
    return f" ({day:%Y-%m-%d})"


def told_of(files: Collection[File], zone: ZoneInfo) -> Mapping[UUID, Mapping[int, str]]:
    """What stands behind the last line of every statement of each file of which it is known when
    it was said, or what of it has ended where it is pinned; in one statement."""
    found: dict[UUID, dict[int, str]] = defaultdict(dict)
    if not files:
        return found
    by_print: dict[tuple[UUID | None, str], str] = {}
    ends: dict[tuple[UUID | None, str], Collection[Ended]] = {}
    with scope(team=tuple({file.team_id for file in files})):
        is_told = Q(said_at__isnull=False) | Q(raw_ended__isnull=False)
        facts = list(Fact.objects.filter(is_told, file__in=files).select_related("contradiction"))
        ends = {(fact.file_id, fact.fingerprint): fact.ended for fact in facts if fact.ended}
        for fact, text in _behind_all(facts, zone):
            by_print[fact.file_id, fact.fingerprint] = text
    for file in files:
        for one in statements_of(file.raw_content, file.path) if by_print or ends else ():
            key = file.pk, one.print
            unmarked = (it.told for it in ends.get(key, ()) if it not in one.ended)  # it is pinned
            if text := "".join([*(f" {it}" for it in unmarked), by_print.get(key, "")]):
                found[file.pk][one.end] = text
    return found


def _behind_all(facts: Collection[Fact], zone: ZoneInfo) -> Iterator[tuple[Fact, str]]:
    """Of the older one of a question the newer one's day, too, while that is open."""
    rows = [(one, one.said_at.astimezone(zone).date()) for one in facts if one.said_at]
    asked = [
        (one, day, found)
        for one, day in rows
        if (found := one.contradiction) and found.is_question and found.state == _OPEN
    ]
    newer = {found.pk: day for one, day, found in asked if not found.is_about(one)}
    older = {one.pk: newer.get(found.pk) for one, _day, found in asked if found.is_about(one)}
    for one, day in sorted(rows, key=lambda row: row[1]):
        since = older.get(one.pk)
        yield one, behind(day) + (f" (see also {since:%Y-%m-%d})" if since else "")


def as_it_stands(file: File, content: str) -> str:
    """What a program wrote, with the lines of the file where it wrote back what a prompt said of
    them: with their marks as they stand there, and without the day behind."""
    old = file.raw_content.split("\n")
    told = {marks.told(line): n for n, line in reversed([*enumerate(old, start=1)])}
    lines = content.split("\n")
    read = {at: found for at, line in enumerate(lines) if (found := _read(line, told, old))}
    is_dated = any(day for _number, day in read.values())
    days = told_of([file], file.agent.zone)[file.pk] if is_dated else {}
    for at, (number, day) in read.items():
        if days.get(number, "").startswith(day):
            lines[at] = old[number - 1]
    return "\n".join(lines)


def _read(line: str, told: Mapping[str, int], old: Sequence[str]) -> tuple[int, str] | None:
    """Which line it is of those that a prompt told, and on which day; None as it stands there."""
    if (number := told.get(line)) is not None:
        return (number, "") if line != old[number - 1] else None
    match = _TOLD.fullmatch(line)
    return (told[match[1]], match[2]) if match and match[1] in told else None
