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
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.pins import pinned_ranges
from memoryweb.memory.models import Contradiction, Fact, File
from memoryweb.memory.statements.bullets import statements_of

_OPEN = Contradiction.State.OPEN
_DAY = re.compile(r" \(\d{4}-\d\d-\d\d\)$")
_SEE = re.compile(r" \(see also \d{4}-\d\d-\d\d\)$")


def behind(day: date) -> str:
    """What a prompt puts at the end of a line; four tokens by our estimate."""
    return f" ({day:%Y-%m-%d})"


def told_of(files: Collection[File], zone: ZoneInfo | None) -> Mapping[UUID, Mapping[int, str]]:
    """What stands behind the last line of every statement of each file of which it is known when
    it was said (in that zone; none: without days), or what of it has ended where it is pinned; in
    one statement."""
    found: dict[UUID, dict[int, str]] = defaultdict(dict)
    if not files:
        return found
    is_told = Q(raw_ended__isnull=False) | (Q(said_at__isnull=False) if zone else Q())
    with scope(team=tuple({file.team_id for file in files})):
        facts = list(Fact.objects.filter(is_told, file__in=files).select_related("contradiction"))
        ends = {(fact.file_id, fact.fingerprint): fact.ended for fact in facts if fact.ended}
        behind_all = _behind_all(facts, zone) if zone else ()
        by_print = {(fact.file_id, fact.fingerprint): text for fact, text in behind_all}
    for file in files:
        for one in statements_of(file.raw_content, file.path) if by_print or ends else ():
            key = file.pk, one.print
            unmarked = (it.told for it in ends.get(key, ()) if it not in one.ended)  # it is pinned
            if text := "".join([*(f" {it}" for it in unmarked), by_print.get(key, "")]):
                found[file.pk][one.end] = text
    return found


def pinned_ends(files: Collection[File]) -> Mapping[UUID, Mapping[int, str]]:
    """What of pinned statements has ended, which their lines can't say; asks nothing where no file
    has a pinned one."""
    telling = [file for file in files if kind_of(file.path).holds_facts]
    return told_of([file for file in telling if pinned_ranges(file.raw_content)], None)


def with_ends(file: File, text: str) -> str:
    """For a page: its text, with the marks that its pinned lines don't have."""
    lines = text.split("\n")
    ends: dict[str, Collection[Ended]] = {}
    if pinned_ranges(text) and kind_of(file.path).holds_facts:
        facts = Fact.objects.filter(file=file, raw_ended__isnull=False)
        ends = {fact.fingerprint: fact.ended for fact in facts}
    for one in statements_of(text, file.path) if ends else ():
        line = lines[one.end - 1]
        for it in ends.get(one.print, ()) if not one.ended else ():
            line = marks.marked(line, [it]) if it.words in line else f"{line} {it.told}"
        lines[one.end - 1] = line
    return "\n".join(lines)


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
    them: with their marks as they stand there, and without what was told behind."""
    old, lines = file.raw_content.split("\n"), content.split("\n")
    there = {*old}
    read = [at for at, line in enumerate(lines) if line not in there and {*")…"} & {*line}]
    shown = _shown(file, old) if read else {}
    for at in read:
        if found := shown.get(_SEE.sub("", lines[at])):
            lines[at] = found.pop(0) if len(found) > 1 else found[0]
    return "\n".join(lines)


def _shown(file: File, lines: Sequence[str]) -> Mapping[str, list[str]]:
    """As a prompt may have told a line, with its days or without → the lines of the file."""
    found: dict[str, list[str]] = defaultdict(list)
    behind = told_of([file], file.agent.zone)[file.pk]
    for number, line in enumerate(lines, start=1):
        text = _SEE.sub("", behind.get(number, ""))
        for told in filter(None, {marks.told(line), marks.shortened(line)}):
            for one in {told, told + _DAY.sub("", text), told + text}:
                found[one].append(line)
    return found
