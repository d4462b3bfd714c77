"""Who wrote each line of any revision and what it stands on, also of lines that have gone.

Lines of the current text have line origins, gone ones past origins. Of what has neither, the
revisions tell who wrote it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memoryweb.provenance.blame import Later, Version, blame, later
from memoryweb.provenance.origins import Origin, Source
from memoryweb.workspace.models import File, LineOrigin, PastOrigin, Revision

_COLUMNS = (
    "since",
    "source_file",
    "source_revision",
    "source_line",
    "message",
    "message__conversation",
    "message__position",
    "durable",
    "asked",
    "category",
)


@dataclass(frozen=True)
class Said:
    """A message by its place."""

    conversation_id: UUID
    position: int


@dataclass(frozen=True)
class Wrote:
    """`since` is the revision that brought the line; `said` are the messages it stands on."""

    since: int
    origin: Origin = field(default_factory=Origin)
    said: tuple[Said, ...] = ()


@dataclass(frozen=True)
class Authorship:
    """Of every line of a revision, in order."""

    lines: Sequence[str]
    wrote: Sequence[Wrote]


def authorship(file: File, number: int) -> Authorship:
    """What a line stands on is as it was when it last lived. In seven statements at most."""
    chain = Revision.objects.filter(file=file).order_by("number")
    restored = chain.filter(number__lte=number).exclude(restored_from=None)
    sources = {n for n in restored.values_list("restored_from", flat=True) if n is not None}
    found = blame(_versions(chain.filter(number__lte=number)), sources)
    after = later(found.lines, _versions(chain.filter(number__gt=number)))
    wrote = [Wrote(since) for since in found.brought]
    for line, rows in _rows(file, number, after).items():
        wrote[line - 1] = _wrote(rows, found.brought[line - 1], number)
    return Authorship(found.lines, wrote)


def blame_of(file: File, number: int) -> list[int]:
    """For every line of a revision the number of the one that brought it."""
    return [one.since for one in authorship(file, number).wrote]


def returning(file: File, number: int) -> dict[int, Origin]:
    """Lines of a revision with what they have back when they are written again."""
    wrote = authorship(file, number).wrote
    writers = _writers(file, wrote)
    return {line: replace(wrote[line - 1].origin, by=by) for line, by in writers.items()}


def messages_behind(wrote: Iterable[Wrote]) -> list[Said | None]:
    """For each line a message that it stands on, itself or by the note line it was taken from."""
    lines = list(wrote)
    behind = _by_notes({source for one in lines for source in one.origin.sources})
    return [next(iter(one.said), None) or _first(one, behind) for one in lines]


def _writers(file: File, wrote: Sequence[Wrote]) -> dict[int, Revision]:
    found = Revision.objects.filter(file=file, number__in={one.since for one in wrote})
    by_number = {one.number: one for one in found.defer("text")}
    return {
        line: by_number[one.since]
        for line, one in enumerate(wrote, start=1)
        if one.since in by_number
    }


def _versions(rows: "QuerySet[Revision]") -> Iterable[Version]:
    for n, text, base, old in rows.values_list(
        "number", "text", "base", "restored_from"
    ).iterator():
        yield Version(n, text, is_delta=base != n, restored_from=old)


def _rows(file: File, number: int, after: Later) -> dict[int, list[dict[str, Any]]]:
    """Line at the revision → its origins, whether it is still there or not."""
    found = defaultdict(list)
    there = {now: line for line, now in after.there.items()}
    for row in LineOrigin.objects.filter(file=file).order_by("pk").values("line", *_COLUMNS):
        if row["line"] in there:
            found[there[row["line"]]].append(row)
    gone = {place: line for line, place in after.gone.items()}
    past = PastOrigin.objects.filter(file=file, gone__gt=number).order_by("pk")
    for row in past.values("gone", "line", *_COLUMNS) if gone else ():
        if (row["gone"], row["line"]) in gone:
            found[gone[row["gone"], row["line"]]].append(row)
    return dict(found)


def _wrote(rows: Sequence[dict[str, Any]], brought: int, number: int) -> Wrote:
    """A line that a later revision took up again was the former's until then."""
    first = rows[0]
    return Wrote(
        first["since"] if first["since"] <= number else brought,
        Origin(
            tuple(
                Source(r["source_file"], r["source_revision"], r["source_line"], r["message"])
                for r in rows
                if r["source_file"] or r["message"]
            ),
            durable=first["durable"],
            asked=first["asked"],
            category=first["category"],
        ),
        tuple(
            Said(r["message__conversation"], r["message__position"]) for r in rows if r["message"]
        ),
    )


def _by_notes(sources: Iterable[Source]) -> Mapping[Source, Said]:
    """Only of notes that were no more than added to since: their lines have their numbers still."""
    taken = {(one.file_id, one.line): one for one in sources if one.file_id and one.line}
    if not taken:
        return {}
    notes = LineOrigin.objects.filter(
        Q(message__isnull=False), file__in={file_id for file_id, _line in taken}
    ).order_by("-pk")
    found = {}
    for file_id, base, line, talk, position in notes.values_list(
        "file", "file__base_revision", "line", "message__conversation", "message__position"
    ):
        one = taken.get((file_id, line))
        if one is not None and base <= (one.revision or 0):
            found[one] = Said(talk, position)
    return found


def _first(wrote: Wrote, behind: Mapping[Source, Said]) -> Said | None:
    return next((behind[one] for one in wrote.origin.sources if one in behind), None)
