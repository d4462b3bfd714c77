"""Line origins: where each line of a file's current text came from, kept in step by diff."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from django.db.models import Q

from memoryweb.workspace.diff import carry
from memoryweb.workspace.models import AuthorKind, File, LineOrigin, PastOrigin, Revision
from memoryweb.workspace.pins import pinned_lines


@dataclass(frozen=True)
class Source:
    """A line of another file at a revision, or a message."""

    file_id: uuid.UUID | None = None
    revision: int | None = None
    line: int | None = None
    message_id: int | None = None


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


@dataclass
class _Plan:
    rows: list[LineOrigin] = field(default_factory=list)
    gone: list[PastOrigin] = field(default_factory=list)
    moved: bool = False


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
) -> None:
    """Bring the file's origins from the text `before` to `content`, which `revision` holds."""
    old_rows = defaultdict(list)
    for row in LineOrigin.objects.filter(file=file):
        old_rows[row.line].append(row)
    plan = _plan(old_rows, before, revision, content, origins)
    if plan.moved:
        LineOrigin.objects.filter(file=file).delete()
    LineOrigin.objects.bulk_create(plan.rows)
    PastOrigin.objects.bulk_create(plan.gone)


def add(file: File, revision: Revision, origins: Mapping[int, Origin]) -> None:
    """Origins of appended lines: nothing else moved."""
    LineOrigin.objects.bulk_create(
        row for line, origin in origins.items() for row in _new(file, revision, line, origin)
    )


def _plan(
    old_rows: Mapping[int, list[LineOrigin]],
    before: str,
    revision: Revision,
    content: str,
    origins: Mapping[int, Origin],
) -> _Plan:
    lines = content.split("\n")
    carried = carry(before.split("\n"), lines)
    kept: list[LineOrigin] = []
    fresh: list[LineOrigin] = []
    stayed: set[int] = set()
    moved = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        old, given = carried.same.get(number), origins.get(number)
        if old is not None and (given is None or given.by):
            moved = moved or old != number
            stayed.add(old)
            kept += [_at(row, number) for row in old_rows.get(old, [])]
            continue
        origin = (
            _with_older(given, old_rows)
            if given
            else _inherited(old_rows, carried.changed.get(number))
        )
        fresh += _new(revision.file, origin.by or revision, number, origin)
    dropped = [row for old, rows in old_rows.items() if old not in stayed for row in rows]
    gone = [_past(row, revision) for row in dropped if _is_untold(row)]
    if moved or dropped:
        return _Plan(kept + fresh, gone, moved=True)
    return _Plan(fresh)


def _is_untold(row: LineOrigin) -> bool:
    """Who wrote a line and when, its file's revisions tell as well."""
    stands = row.source_file_id or row.message_id
    return bool(stands or row.durable or row.asked or row.category)


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
        durable=row.durable,
        asked=row.asked,
        category=row.category,
    )


def _at(row: LineOrigin, line: int) -> LineOrigin:
    row.pk = None
    row._state.adding = True
    row.line = line
    return row


def _with_older(origin: Origin, old_rows: Mapping[int, list[LineOrigin]]) -> Origin:
    older = (row for line in origin.also for row in old_rows.get(line, ()))
    return replace(origin, sources=tuple(dict.fromkeys([*origin.sources, *_sources(older)])))


def _inherited(old_rows: Mapping[int, list[LineOrigin]], old: int | None) -> Origin:
    """A changed line still stands on the sources of the line it was."""
    rows = old_rows.get(old, []) if old else []
    first = rows[0] if rows else None
    return Origin(
        tuple(_sources(rows)),
        durable=bool(first and first.durable),
        asked=bool(first and first.asked),
        category=first.category if first else "",
    )


def _sources(rows: Iterable[LineOrigin]) -> Iterator[Source]:
    for row in rows:
        if row.source_file_id or row.message_id:
            yield Source(row.source_file_id, row.source_revision, row.source_line, row.message_id)


def _new(file: File, revision: Revision, line: int, origin: Origin) -> list[LineOrigin]:
    if revision.author_kind == AuthorKind.SYSTEM and not origin.sources:
        return []
    return [
        LineOrigin(
            team_id=file.team_id,
            file=file,
            line=line,
            since=revision.number,
            author_kind=revision.author_kind,
            user_id=revision.user_id,
            run_id=revision.run_id,
            source_file_id=source.file_id,
            source_revision=source.revision,
            source_line=source.line,
            message_id=source.message_id,
            durable=origin.durable,
            asked=origin.asked,
            category=origin.category,
        )
        for source in origin.sources or (Source(),)
    ]
