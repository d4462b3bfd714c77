"""Line origins: where each line of a file's current text came from, kept in step by diff."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from memoryweb import bulk
from memoryweb.markdown.diff import carry
from memoryweb.markdown.pins import pinned_lines
from memoryweb.provenance.models import LineOrigin, PastOrigin
from memoryweb.workspace.models import AuthorKind, File, Revision


@dataclass(frozen=True)
class Source:
    """A line of another file at a revision, or a message. Of a line also what that one stands on
    in the end: the message, and the revision that wrote it down."""

    file_id: uuid.UUID | None = None
    revision: int | None = None
    line: int | None = None
    message_id: int | None = None
    root_id: int | None = None


@dataclass(frozen=True)
class Origin:
    """`also` are lines of the text before on whose sources this line stands, too. `by` is the
    revision that wrote a line which comes back; one that is still there keeps its own origins."""

    sources: tuple[Source, ...] = ()
    durable: bool = False
    asked: bool = False
    category: str = ""
    also: tuple[int, ...] = ()
    by: Revision | None = None


# What tells more of a gone line than its file's revisions do.
_TOLD = Q(source_file__isnull=False) | Q(message__isnull=False) | Q(durable=True) | Q(asked=True)
_COLUMNS = (
    *("line", "since", "author_kind", "user_id", "run_id"),
    *("source_file_id", "source_revision", "source_line", "message_id", "root_id"),
    *("durable", "asked", "category"),
)


def origins_of(file: File) -> dict[int, list[LineOrigin]]:
    """Line number → its origins, with source files, messages, runs and people at hand."""
    found = defaultdict(list)
    rows = LineOrigin.objects.filter(file=file).select_related(
        "source_file", "message__conversation", "run", "user"
    )
    for row in rows.order_by("line", "pk"):
        found[row.line].append(row)
    return dict(found)


def protected_lines(file: File) -> set[int]:
    """Lines that no machine may change: pinned ones, a person's until released, and those that
    wait for a person."""
    held = LineOrigin.objects.filter(
        Q(author_kind=AuthorKind.PERSON, released=False) | ~Q(marks=""), file=file
    ).values_list("line", flat=True)
    return pinned_lines(file.content) | set(held)


def follow(
    file: File,
    before: str,
    revision: Revision,
    content: str,
    origins: Mapping[int, Origin],
) -> set[int]:
    """Bring the file's origins from the text `before` to `content`, which `revision` holds; the
    numbers of the lines whose origins are new.

    Rows of lines that stay are not written again: where lines move, their numbers do.
    """
    old_lines, lines = before.split("\n"), content.split("\n")
    carried = carry(old_lines, lines)
    stays = {
        new: old
        for new, old in carried.same.items()
        if (given := origins.get(new)) is None or given.by
    }
    fresh = [n for n, line in enumerate(lines, start=1) if n not in stays and line.strip()]
    gone = sorted(set(range(1, len(old_lines) + 1)).difference(stays.values()))
    also = {line for one in origins.values() for line in one.also}
    told = _told(file, {*gone, *also}, whole=also)
    PastOrigin.objects.bulk_create(
        _past(row, revision) for line in gone for row in told.get(line, ())
    )
    bulk.remove(LineOrigin, file.pk, list(_spans(gone)))
    if any(lines[number - 1].strip() for number in stays):  # a blank line has no rows
        bulk.shift(LineOrigin, file.pk, ["line"], list(_shifts(stays)))
    found = {
        n: _with_older(origins[n], told)
        if n in origins
        else _inherited(told, carried.changed.get(n))
        for n in fresh
    }
    add(file, revision, found)
    return set(fresh)


def add(file: File, revision: Revision, origins: Mapping[int, Origin]) -> None:
    """Origins of new lines: nothing else moves."""
    bulk.insert(
        LineOrigin(team_id=file.team_id, file_id=file.pk),
        _COLUMNS,
        (row for line, origin in origins.items() for row in _new(revision, line, origin)),
    )


def _told(
    file: File, lines: Collection[int], *, whole: Collection[int]
) -> dict[int, list[LineOrigin]]:
    """Line → those of its origins that say more than who wrote it; of `whole` lines all."""
    found = defaultdict(list)
    if lines:
        says_more = _TOLD | ~Q(category="") | Q(line__in=whole)
        span = (min(lines), max(lines))
        told = LineOrigin.objects.filter(says_more, file=file, line__range=span)
        for row in told.order_by("pk"):
            found[row.line].append(row)
    return {line: found[line] for line in found.keys() & lines}


def _spans(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as stretches: the first and the last of each."""
    return ((first, last) for first, last, _by in _runs((number, 0) for number in numbers))


def _shifts(stays: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    """Stretches of old lines that move, and by how much."""
    return _runs(sorted((old, new - old) for new, old in stays.items() if new != old))


def _runs(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    first = last = by = 0
    for number, value in pairs:
        if first and (number, value) == (last + 1, by):
            last = number
            continue
        if first:
            yield first, last, by
        first = last = number
        by = value
    if first:
        yield first, last, by


def _past(row: LineOrigin, revision: Revision) -> PastOrigin:
    return PastOrigin(
        team_id=row.team_id,
        file_id=row.file_id,
        gone=revision.number,
        line=row.line,
        since=row.since,
        source_file_id=row.source_file_id,
        source_revision=row.source_revision,
        source_line=row.source_line,
        message_id=row.message_id,
        root_id=row.root_id,
        durable=row.durable,
        asked=row.asked,
        category=row.category,
    )


def _with_older(origin: Origin, old_rows: Mapping[int, list[LineOrigin]]) -> Origin:
    older = (_source(row) for line in origin.also for row in old_rows.get(line, ()))
    return replace(origin, sources=tuple(dict.fromkeys([*origin.sources, *older])))


def _inherited(old_rows: Mapping[int, list[LineOrigin]], old: int | None) -> Origin:
    """A changed line still stands on the sources of the line it was."""
    rows = old_rows.get(old, []) if old else []
    first = rows[0] if rows else None
    return Origin(
        tuple(_kept(row) for row in rows if row.source_file_id or row.message_id),
        durable=bool(first and first.durable),
        asked=bool(first and first.asked),
        category=first.category if first else "",
    )


def _kept(row: LineOrigin) -> Source:
    """Whoever changes a line that no other stands under has written it down anew."""
    return _source(row) if row.source_file_id else Source(message_id=row.message_id)


def _source(row: LineOrigin) -> Source:
    return Source(
        row.source_file_id, row.source_revision, row.source_line, row.message_id, row.root_id
    )


def _new(revision: Revision, line: int, origin: Origin) -> list[tuple[Any, ...]]:
    """Its rows, as `_COLUMNS` says."""
    by = origin.by or revision
    if by.author_kind == AuthorKind.SYSTEM and not origin.sources:
        return []
    wrote = (line, by.number, str(by.author_kind), by.user_id, by.run_id)
    says = (origin.durable, origin.asked, origin.category)
    return [
        (*wrote, one.file_id, one.revision, one.line, one.message_id, _root(by, one), *says)
        for one in origin.sources or (Source(),)
    ]


def _root(by: Revision, source: Source) -> int:
    """What a person wrote is their own word, whatever it stood on before."""
    if source.root_id is None or by.author_kind == AuthorKind.PERSON:
        return by.pk
    return source.root_id
