"""Line origins: where each line of a file's current text came from, kept in step by diff."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q, QuerySet

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.core.row_batches import insert, remove, shift
from memoryweb.markdown.diff import carry
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.models import AuthorKind, File, LineOrigin, PastOrigin, Revision


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
    revision that wrote a line which comes back; one that is still there keeps its own origins.
    One that `sums_up` tells of its sources together, and keeps few of those with the same root."""

    sources: tuple[Source, ...] = ()
    durable: bool = False
    asked: bool = False
    category: str = ""
    also: tuple[int, ...] = ()
    by: Revision | None = None
    sums_up: bool = False


# What a line that is gone keeps of its origins, to have it back when it comes back.
_KEPT = (
    *("team_id", "file_id", "line", "since", "durable", "asked", "category"),
    *("source_file_id", "source_revision", "source_line", "message_id", "root_id"),
)


@PreparedQuery
def speakers_of(files: Collection[uuid.UUID]) -> "QuerySet[LineOrigin]":
    """The origins of the lines of some files, with all that tells who said them, and no texts."""
    rows = LineOrigin.objects.filter(file__in=files).select_related(
        *("source_file", "root__user", "message__token__user"),
        "message__conversation__owner__person",
    )
    return rows.defer(
        "source_file__raw_content", "root__raw_text", "message__raw_content"
    ).order_by("pk")


def protected_lines(file: File) -> set[int]:
    """Lines that no machine may change: pinned ones, a person's until released, and those that
    wait for a person."""
    held = LineOrigin.objects.filter(
        Q(author_kind=AuthorKind.PERSON, released=False) | ~Q(marks=""), file=file
    ).values_list("line", flat=True)
    return pinned_lines(file.raw_content) | set(held)


def follow(
    file: File,
    before: str,
    revision: Revision,
    content: str,
    origins: Mapping[int, Origin],
) -> list[LineOrigin]:
    """Bring the file's origins from the text `before` to `content`, which `revision` holds.

    Rows of lines that stay are not written again: where lines move, their numbers do. Those of
    new lines are returned, for the caller to flag and to save.
    """
    old_lines, lines = before.split("\n"), content.split("\n")
    carried = carry(old_lines, lines)
    stays = {
        new: old
        for new, old in carried.same.items()
        if (given := origins.get(new)) is None or given.by
    }
    fresh = [n for n, line in enumerate(lines, start=1) if n not in stays and line.strip()]
    gone = set(range(1, len(old_lines) + 1)).difference(stays.values())
    old_rows = _rows(file, gone.union(*(one.also for one in origins.values())))
    found = {
        n: _with_older(origins[n], old_rows)
        if n in origins
        else _inherited(old_rows, carried.changed.get(n))
        for n in fresh
    }
    left = [row for line in gone for row in old_rows.get(line, ())]
    insert(_past(row, revision) for row in left if _tells_more(row))
    rows = LineOrigin.objects.filter(file=file)
    remove(rows, [row.pk for row in left])
    if before:  # else nothing stood there that could move
        shift(rows, ["line"], {old: (new - old,) for new, old in stays.items()})
    return list(new_rows(file, revision, found))


def new_rows(file: File, revision: Revision, origins: Mapping[int, Origin]) -> Iterator[LineOrigin]:
    """Of lines that the revision brings, not saved yet."""
    for line, origin in origins.items():
        by = origin.by or revision
        if by.author_kind == AuthorKind.SYSTEM and not origin.sources:
            continue
        for one in origin.sources or (Source(),):
            yield LineOrigin(
                team_id=file.team_id,
                file_id=file.pk,
                line=line,
                since=by.number,
                author_kind=by.author_kind,
                user_id=by.user_id,
                run_id=by.run_id,
                source_file_id=one.file_id,
                source_revision=one.revision,
                source_line=one.line,
                message_id=one.message_id,
                root_id=_root(by, one),
                durable=origin.durable,
                asked=origin.asked,
                category=origin.category,
            )


def _rows(file: File, lines: Collection[int]) -> dict[int, list[LineOrigin]]:
    """Line → its origins, of those lines."""
    found = defaultdict(list)
    if lines:
        span = (min(lines), max(lines))
        for row in LineOrigin.objects.filter(file=file, line__range=span).order_by("line", "pk"):
            if row.line in lines:
                found[row.line].append(row)
    return found


def _tells_more(row: LineOrigin) -> bool:
    """Than the file's revisions do."""
    stands_on = row.source_file_id or row.message_id
    return bool(stands_on or row.durable or row.asked or row.category)


def _past(row: LineOrigin, revision: Revision) -> PastOrigin:
    kept = {name: getattr(row, name) for name in _KEPT}
    return PastOrigin(gone=revision.number, **kept)


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


def _root(by: Revision, source: Source) -> int:
    """What a person wrote is their own word, whatever it stood on before."""
    if source.root_id is None or by.author_kind == AuthorKind.PERSON:
        return by.pk
    return source.root_id


def lines_of_people(files: Iterable[File]) -> Mapping[uuid.UUID, set[int]]:
    """Lines that a person wrote and has not released: machines keep them as they are."""
    persons = LineOrigin.objects.filter(author_kind=AuthorKind.PERSON, released=False)
    found: dict[uuid.UUID, set[int]] = defaultdict(set)
    for key, line in persons.filter(file__in=list(files)).values_list("file", "line"):
        found[key].add(line)
    return found


def origins_at(file: File, line: int) -> list[LineOrigin]:
    rows = file.origins.filter(line=line).select_related(
        "source_file__owner", "message__conversation__owner", "run", "user"
    )
    return list(rows.order_by("pk"))


def origins_on(files: Collection[uuid.UUID], lines: Collection[int]) -> "QuerySet[LineOrigin]":
    """Of these lines of each of these files, with all that says where they come from."""
    rows = LineOrigin.objects.filter(file__in=files, line__in=lines).select_related(
        "user", "run", "source_file", "message__conversation", "root__token"
    )
    return rows.defer("source_file__raw_content", "root__raw_text").order_by("line", "pk")


def lines_from_messages(message_ids: Iterable[int]) -> "QuerySet[LineOrigin]":
    """The lines of current texts that were written down from these messages, with their files."""
    said = LineOrigin.objects.filter(message__in=list(message_ids), source_file=None)
    return (
        said.filter(file__deleted_at=None)
        .select_related("file")
        .order_by("file__folded_path", "line")
    )


_BY_HAND = Q(message=None) & ~Q(author_kind__in=(AuthorKind.EXTRACTION, AuthorKind.DREAM))


def noted(talks: Sequence[Any], files: Any) -> "QuerySet[LineOrigin]":
    """The lines of daily notes that were taken from these conversations, and those of these files
    that somebody wrote by hand."""
    which = Q(message__conversation__in=talks) | _BY_HAND & Q(file__in=files)
    found = LineOrigin.objects.filter(which, file__note_date__isnull=False, source_file=None)
    found = found.filter(file__deleted_at=None).select_related("message", "user")
    shown = ("file", "line", "author_kind", "root", "user", "message__conversation")
    return found.only(*shown).order_by("file", "line", "pk")
