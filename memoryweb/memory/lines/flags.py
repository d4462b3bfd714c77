"""Flagged lines: what a machine wrote and a person should look at before it is used (SPEC §6, §15).

A flagged line stays in its file. Until a person keeps it, no dream promotes or changes it, no
model is given it, and it enters no prompt. The column `marks` holds a line's flags.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.db.models import Q, QuerySet
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.audit import keys
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language import line_flags
from memoryweb.markdown.file_kinds import WritingKind
from memoryweb.markdown.marks import part
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import models
from memoryweb.memory.lines.source_classes import source_of_message
from memoryweb.memory.models.review import Kind, follow

# A change can bring thousands of suspects: the search for their words in other files, inside the
# writer's transaction, stops here. What is not found is flagged, so a limit lets nothing through.
_MOST_FILES, _MOST_LOOKED_UP = 40, 20


def files_of(team: Team) -> "QuerySet[models.File]":
    return models.File.objects.filter(
        team=team, deleted_at=None, agent__archived_at=None
    ).select_related("agent", "owner__integration", "owner__person")


def print_of(line: str) -> str:
    """Tells a line from another one that stands in its place by now."""
    return hashlib.sha256(part(line)[0].encode("utf-8", "surrogatepass")).hexdigest()[:32]


def lines_with(file: models.File, line_print: str) -> list[int]:
    """Numbers of the lines of the current text that have this print."""
    lines = enumerate(file.raw_content.split("\n"), start=1)
    return [number for number, line in lines if print_of(line) == line_print]


def line_at(file: models.File, number: int) -> str:
    lines = file.raw_content.split("\n")
    return lines[number - 1] if number <= len(lines) else ""


def flagged_lines(file: models.File) -> set[int]:
    """Numbers of the lines of the current text that wait for a person."""
    return flagged_of([file])[file.pk]


def flagged_of(files: Iterable[models.File]) -> Mapping[UUID, set[int]]:
    """The same for many files, in one statement. Global ones are the system's."""
    found: dict[UUID, set[int]] = defaultdict(set)
    shown = list(files)
    with scope(team=tuple({file.team_id for file in shown})):
        for file_id, line in _flagged(tuple(file.pk for file in shown)):
            found[file_id].add(line)
    return found


@PreparedQuery
def _flagged(files: Collection[UUID]) -> QuerySet[models.LineOrigin, tuple[UUID, int]]:
    rows = models.LineOrigin.objects.filter(~Q(marks=""), file__in=files)
    return rows.values_list("file", "line")


def without_flagged(content: str, flagged: Collection[int]) -> str:
    """The text with those lines left empty, so that every other keeps its number."""
    if not flagged:
        return content
    lines = content.split("\n")
    return "\n".join("" if n in flagged else line for n, line in enumerate(lines, start=1))


def flag(file: models.File, line: int, code: str) -> None:
    """Have a person look at a line for what it says, whatever its words look like; what it is
    flagged for already stays."""
    rows = list(models.LineOrigin.objects.filter(file=file, line=line))
    for row in rows:
        row.marks = ",".join(sorted({*row.marks.split(","), code} - {""}))
    models.LineOrigin.objects.bulk_update(rows, ["marks"])
    follow(Kind.FLAG, [file.pk])


@dataclass(frozen=True)
class NewLines:
    """New lines of a file: origins not saved yet. `stood` is what stood there before, without
    what was flagged: that makes nothing known. `was_flagged`: of what stood some may have gone."""

    file: models.File
    stood: str
    rows: Sequence[models.LineOrigin]
    was_flagged: bool = False


def flag_new(files: Sequence[NewLines]) -> None:
    """Flag what machines brought. What came in at once with it makes nothing known."""
    rows = {one.file.pk: [row for row in one.rows if _is_machines(row)] for one in files}
    if any(rows.values()):
        stood = cache(lambda: line_flags.KnownLines(one.stood for one in files))
        for one in files:
            _flag(one.file, rows[one.file.pk], stood, beside=rows)


def _is_machines(row: models.LineOrigin) -> bool:
    """A run's line that a person took up is theirs."""
    is_taken_up = row.author_kind in models.RUNS and row.user_id is not None
    return row.author_kind in models.MACHINES and not is_taken_up


def _flag(
    file: models.File,
    rows: Sequence[models.LineOrigin],
    stood: Callable[[], line_flags.KnownLines],
    *,
    beside: Collection[UUID],
) -> None:
    lines = file.raw_content.split("\n")
    brought = sorted({row.line for row in rows if row.line <= len(lines)})
    across = line_flags.orders_across(lines, brought)
    suspects = {
        n: said for n in brought if line_flags.flags_of(said := said_in(file, lines[n - 1]))
    }
    kept = _kept(file, {lines[n - 1] for n in across | suspects.keys()})
    suspects = {n: said for n, said in suspects.items() if lines[n - 1] not in kept}
    found = {n: {line_flags.ORDERS} for n in across if lines[n - 1] not in kept}
    if suspects:
        known = stood() | _elsewhere(file, list(suspects.values())[:_MOST_LOOKED_UP], beside)
        for n, said in suspects.items():
            found[n] = found.get(n, set()) | line_flags.flags_of(said, known)
    for code, is_own in line_flags.OWN_WORDS.items():
        suspected = [row for row in rows if code in found.get(row.line, ())]
        for n in _own_words(file, suspected, is_own):
            found[n] = found[n] - {code}
    for row in rows:
        row.marks = ",".join(sorted(found.get(row.line, ())))


def _own_words(
    file: models.File,
    rows: Sequence[models.LineOrigin],
    is_own: Callable[[str, str], bool],
) -> set[int]:
    """Of these lines, those in which the owner told the assistant how to answer them, or their own
    address, in their own memory: nobody else is answered by it."""
    if file.owner_id is None or not rows:
        return set()
    lines = file.raw_content.split("\n")
    ids = {row.message_id for row in rows if row.message_id}
    with_owner = models.Message.objects.select_related("conversation__owner__person")
    messages = with_owner.in_bulk(ids) if ids else {}
    theirs: dict[int, bool] = {}
    for row in rows:
        message = messages.get(row.message_id or 0)
        is_theirs = (
            message is not None
            and row.author_kind == models.AuthorKind.EXTRACTION
            and message.conversation.owner_id == file.owner_id
            and source_of_message(message.conversation, message) == models.SourceClass.OWNER
            and is_own(message.raw_content, lines[row.line - 1])
        )
        theirs[row.line] = theirs.get(row.line, True) and is_theirs
    return {line for line, own in theirs.items() if own}


def let_stand(file: models.File, lines: Collection[str]) -> None:
    """A person saw these lines, so they are not flagged again, wherever they come in from. In
    shared memory that holds for the team, else for the owner."""
    models.KeptLine.objects.bulk_create(
        models.KeptLine(team_id=file.team_id, owner_id=file.owner_id, fingerprint=_keyed(line))
        for line in sorted(set(lines) - _kept(file, lines))
    )


def let_stand_no_more(file: models.File, line: str) -> None:
    """Takes that back."""
    kept = models.KeptLine.objects.filter(team=file.team_id, owner=file.owner_id)
    kept.filter(fingerprint=_keyed(line)).delete()


def said_in(file: models.File, line: str) -> str:
    """HISTORY quotes messages as they were, each behind its role, which is ours."""
    if kind_of(file.path).written is not WritingKind.HISTORY:
        return line
    return line.partition(": ")[2] if line.startswith("- ") else ""


def _kept(file: models.File, lines: Collection[str]) -> set[str]:
    """Those of the lines that a person let stand already."""
    if not lines:
        return set()
    prints = {line: _keyed(line) for line in lines}
    its = set(prints.values())
    rows = models.KeptLine.objects.filter(_reach(file), team=file.team_id, fingerprint__in=its)
    kept = set(rows.values_list("fingerprint", flat=True))
    return {line for line, print_ in prints.items() if print_ in kept}


def _keyed(line: str) -> str:
    return keys.print_of("memoryweb.provenance.flags", part(line)[0].strip(), "sha1")


def _reach(file: models.File) -> Q:
    return Q(owner=None) | Q(owner=file.owner_id) if file.owner_id else Q(owner=None)


def _elsewhere(
    file: models.File, suspects: Iterable[str], beside: Collection[UUID]
) -> line_flags.KnownLines:
    """What other files of that reach hold that has words of the suspects, but for what is flagged
    there, and for the files `beside` it."""
    holds = Q()
    for word in sorted({word for said in suspects for word in line_flags.telling_words(said)}):
        holds |= Q(raw_content__icontains=word)
    if not holds:
        return line_flags.KnownLines()
    files = models.File.objects.filter(_reach(file), holds, agent=file.agent_id, deleted_at=None)
    found = list(files.exclude(pk__in=beside).only("raw_content", "team")[:_MOST_FILES])
    flagged = flagged_of(found)
    return line_flags.KnownLines(without_flagged(one.raw_content, flagged[one.pk]) for one in found)
