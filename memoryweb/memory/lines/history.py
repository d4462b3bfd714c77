"""Who wrote each line of any revision and what it stands on, also of lines that have gone.

Lines of the current text have line origins, gone ones past origins. Of what has neither, the
revisions tell who wrote it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.markdown.diff import carry
from memoryweb.markdown.line_deltas import Replayed
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import File, LineOrigin, PastOrigin, Revision

# Who wrote each line: the revision that brought it, found by following lines forward. Pure.


@dataclass(frozen=True)
class Version:
    """One revision of a file. `text` is the whole text, or what was added to the one before."""

    number: int
    text: str
    is_appended: bool = False
    restored_from: int | None = None


@dataclass(frozen=True)
class Blame:
    """The lines of a version, and for each the number of the one that brought it."""

    lines: Sequence[str]
    brought: Sequence[int]


@dataclass(frozen=True)
class Later:
    """What became of the lines of a version: their numbers then, by their number in the last
    version (`there`), or by the version that took them away and their number just before it."""

    gone: dict[tuple[int, int], int]
    there: dict[int, int]


def blame(versions: Iterable[Version], restored: Collection[int | None] = ()) -> Blame:
    """`versions` are all from the first, in order. Text that was restored was written when it was
    first written: `restored` are the numbers that some version brings back.
    """
    lines: list[str] = []
    brought: list[int] = []
    kept: dict[int, Blame] = {}
    for version in versions:
        if version.is_appended:
            _append(lines, brought, version)
        else:
            after = version.text.split("\n")
            found = [version.number] * len(after)
            if version.restored_from in kept:
                _carry(kept[version.restored_from], after, found)
            _carry(Blame(lines, brought), after, found)
            lines, brought = after, found
        if version.number in restored:
            kept[version.number] = Blame(list(lines), list(brought))
    return Blame(lines, brought)


def later(lines: Sequence[str], versions: Iterable[Version]) -> Later:
    """`versions` are all that follow the one with these lines, in order."""
    gone: dict[tuple[int, int], int] = {}
    there = {line: line for line in range(1, len(lines) + 1)}
    text = list(lines)
    for version in versions:
        if version.is_appended:
            _append(text, [], version)
            continue
        after = version.text.split("\n")
        now = {old: new for new, old in carry(text, after).same.items()}
        gone |= {(version.number, at): line for at, line in there.items() if at not in now}
        there = {now[at]: line for at, line in there.items() if at in now}
        if not there:
            break
        text = after
    return Later(gone, there)


def _append(lines: list[str], brought: list[int], version: Version) -> None:
    """In place: the rest of a long file is not looked at again."""
    first, *more = version.text.split("\n")
    last = lines.pop() if lines else ""
    lines += [last + first, *more]
    since = brought.pop() if brought else version.number
    brought += [version.number if first else since, *[version.number] * len(more)]


def _carry(before: Blame, after: list[str], found: list[int]) -> None:
    for number, old in carry(before.lines, after).same.items():
        found[number - 1] = before.brought[old - 1]


_Place = tuple[UUID | None, int | None, int | None]  # file, revision, line
_Root = tuple[int | None, int | None, object]  # message, revision, and whose message it is
_SOURCE = ("source_file", "source_revision", "source_line", "message", "root")
_COLUMNS = (
    *_SOURCE,
    "since",
    "message__conversation",
    "message__position",
    "durable",
    "asked",
    "category",
)


@dataclass(frozen=True)
class MessagePlace:
    """A message by its place."""

    conversation_id: UUID
    position: int


@dataclass(frozen=True)
class Wrote:
    """`since` is the revision that brought the line; `said` are the messages it stands on."""

    since: int
    origin: Origin = field(default_factory=Origin)
    said: tuple[MessagePlace, ...] = ()


@dataclass(frozen=True)
class Authorship:
    """Of every line of a revision, in order."""

    lines: Sequence[str]
    wrote: Sequence[Wrote]


def authorship(file: File, number: int) -> Authorship:
    """What a line stands on is as it was when it last lived. In seven statements at most."""
    chain = Revision.objects.filter(file=file).order_by("number")
    until = chain.filter(number__lte=number)
    restored = until.filter(restored_from__isnull=False)
    found = blame(_versions(until), set(restored.values_list("restored_from", flat=True)))
    since = chain.filter(number__gt=number) if number < file.revision else chain.none()
    after = later(found.lines, _versions(since, found.lines))
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
    found = Revision.objects.filter(file=file, number__in={one.since for one in wrote})
    writers = {one.number: one for one in found.defer("raw_text")}
    return {
        line: replace(one.origin, by=writers[one.since])
        for line, one in enumerate(wrote, start=1)
        if one.since in writers
    }


def rooted(origins: Mapping[int, Origin]) -> Mapping[int, Origin]:
    """The same with the roots of every line that is a source: the messages behind it and the
    revisions that wrote them down."""
    return all_rooted([origins])[0]


def all_rooted(texts: Sequence[Mapping[int, Origin]]) -> list[Mapping[int, Origin]]:
    """Of several texts at once."""
    sources = {one for text in texts for origin in text.values() for one in origin.sources}
    behind = _behind({one for one in sources if one.file_id and one.root_id is None})
    return [
        {line: replace(one, sources=tuple(_roots(one, behind))) for line, one in text.items()}
        for text in texts
    ]


def _roots(origin: Origin, behind: Mapping[_Place, list[_Root]]) -> Iterable[Source]:
    """A line that sums up a hundred others needs one of each revision and sender: all that came
    from a source is found by these."""
    found: dict[object, Source] = {}
    for one in origin.sources:
        itself = (one.message_id, one.root_id, one.message_id)
        for message_id, root_id, sender in behind.get(_place(one), [itself]):
            key = (root_id, sender) if origin.sums_up else len(found)
            found.setdefault(key, replace(one, message_id=message_id, root_id=root_id))
    return found.values()


def _behind(sources: Collection[Source]) -> dict[_Place, list[_Root]]:
    """Where the files moved on meanwhile, what the lines stood on then."""
    found: dict[_Place, list[_Root]] = defaultdict(list)
    files, lines = ({one.file_id for one in sources}, {one.line for one in sources})
    told = _placed(tuple(files - {None}), tuple(lines - {None}))
    for file_id, revision, line, message_id, root_id, *sender in told:
        found[file_id, revision, line].append((message_id, root_id, tuple(sender)))
    moved = {(one.file_id, one.revision) for one in sources if _place(one) not in found}
    there = File.objects.defer("raw_content").in_bulk({key for key, _number in moved})
    for key, number in moved:
        file = there.get(key) if key else None
        if file is None or number is None or number == file.revision:
            continue
        for line, origin in returning(file, number).items():
            by = origin.by.pk if origin.by else None
            stands_on = origin.sources or (Source(),)
            found[key, number, line] = [
                (one.message_id, one.root_id or by, one.message_id) for one in stands_on
            ]
    return found


@PreparedQuery
def _placed(files: Collection[UUID], lines: Collection[int]) -> QuerySet[LineOrigin, Any]:
    rows = LineOrigin.objects.filter(file__in=files, line__in=lines).order_by("pk")
    places = ("file", "file__revision", "line", "message", "root")
    return rows.values_list(*places, "message__conversation", "message__token")


def _place(source: Source) -> _Place:
    return source.file_id, source.revision, source.line


def _versions(rows: "QuerySet[Revision]", lines: Sequence[str] = ()) -> Iterable[Version]:
    """`lines` are those of the one before."""
    text = Replayed("\n".join(lines))
    columns = ("number", "base", "raw_text", "edits", "restored_from")
    for n, base, part, edits, restored_from in rows.values_list(*columns).iterator():
        text.add(part, edits, is_whole=base == n)
        is_appended = base != n and edits is None
        yield Version(n, part if is_appended else text.text, is_appended, restored_from)


def _rows(file: File, number: int, after: Later) -> dict[int, list[dict[str, Any]]]:
    """Line at the revision → its origins, whether it is still there or not."""
    found = defaultdict(list)
    for row in LineOrigin.objects.filter(file=file).order_by("pk").values("line", *_COLUMNS):
        if row["line"] in after.there:
            found[after.there[row["line"]]].append(row)
    past = PastOrigin.objects.filter(file=file, gone__gt=number).order_by("pk")
    for row in past.values("gone", "line", *_COLUMNS) if after.gone else ():
        if (row["gone"], row["line"]) in after.gone:
            found[after.gone[row["gone"], row["line"]]].append(row)
    return dict(found)


def _wrote(rows: Sequence[dict[str, Any]], brought: int, number: int) -> Wrote:
    """A line that a later revision took up again was the former's until then."""
    first = rows[0]
    return Wrote(
        first["since"] if first["since"] <= number else brought,
        Origin(
            tuple(
                Source(*(r[name] for name in _SOURCE))
                for r in rows
                if r["source_file"] or r["message"]
            ),
            durable=first["durable"],
            asked=first["asked"],
            category=first["category"],
        ),
        tuple(
            MessagePlace(r["message__conversation"], r["message__position"])
            for r in rows
            if r["message"]
        ),
    )
