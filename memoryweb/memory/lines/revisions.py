"""Reading a file's past."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import DateTimeField, Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent
from memoryweb.core.row_batches import batches
from memoryweb.markdown.diff import carry
from memoryweb.markdown.line_deltas import Replayed
from memoryweb.memory.models import AuthorKind, File, LineOrigin, Revision
from memoryweb.memory.models.writer import Memory

Cited = tuple[UUID | None, int | None, int | None]  # file, revision and line
MACHINES = frozenset({AuthorKind.AGENT, AuthorKind.DREAM, AuthorKind.EXTRACTION})
_PART = ("number", "base", "raw_text", "edits")


def content_of(file: File, number: int) -> str:
    """The whole content at a revision. Raises Revision.DoesNotExist."""
    if number == file.revision:
        return file.raw_content
    found = contents_of({file.pk: [number]})[file.pk]
    if number not in found:
        raise Revision.DoesNotExist
    return found[number]


def contents_of(wanted: Mapping[UUID, Collection[int]]) -> dict[UUID, dict[int, str]]:
    """File → the whole contents at some of its revisions, in a statement for many files."""
    found: dict[UUID, dict[int, str]] = {key: {} for key in wanted}
    for some in batches((_span(key, numbers) for key, numbers in wanted.items() if numbers), 200):
        for key, number, text in _replayed(reduce(or_, some)):
            if number in wanted[key]:
                found[key][number] = text.text
    return found


def cited_lines(sources: Iterable[Cited]) -> dict[Cited, str]:
    """Each as it was then; without what names no line of a file."""
    wanted: dict[UUID, set[int]] = defaultdict(set)
    known = [(file, at, line) for file, at, line in set(sources) if file and at and line]
    for file, revision, _line in known:
        wanted[file].add(revision)
    texts = contents_of(wanted)
    return {one: texts[one[0]][one[1]].split("\n")[one[2] - 1] for one in known}


def _replayed(parts: Q) -> Iterator[tuple[UUID, int, Replayed]]:
    """Of each file from a whole text on."""
    rows = Revision.objects.filter(parts).order_by("file", "number")
    text = Replayed()
    for key, number, base, part, edits in rows.values_list("file", *_PART):
        text.add(part, edits, is_whole=number == base)
        yield key, number, text


def line_now(file: File, line: int, revision: int) -> tuple[str, int]:
    """The line's text then, and its number in the current text; 0 where it is gone."""
    then, now = content_of(file, revision).split("\n"), file.raw_content.split("\n")
    text = then[line - 1] if line <= len(then) else ""
    if line <= len(now) and now[line - 1] == text:
        return text, line
    return text, now.index(text) + 1 if text in now else 0


def last_changed(file: File) -> tuple[set[int], int, int]:
    """The lines that the last revision brought or worded otherwise, the first place that it
    touched, and how many lines it took away."""
    before = content_of(file, file.revision - 1) if file.revision > 1 else ""
    old, new = before.split("\n"), file.raw_content.split("\n")
    carried = carry(old, new)
    stayed = carried.same.keys()
    lines = {n for n, line in enumerate(new, 1) if n not in stayed and line.strip()}
    gone = sum(1 for line in old if line.strip()) - sum(1 for line in new if line.strip())
    pairs = zip(old, new, strict=False)
    touched = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(old), len(new)))
    text = [n for n, line in enumerate(new, 1) if line.strip()] or [1]
    near = next((n for n in text if n >= touched), text[-1])
    return lines, min(lines, default=near), max(0, gone)


def _span(file_id: UUID, numbers: Collection[int]) -> Q:
    """From the whole text that the first of these revisions is made of to the last of them."""
    first = Revision.objects.filter(file=file_id, number__gte=min(numbers)).order_by("number")
    base = Subquery(first.values("base")[:1])
    return Q(file=file_id, number__gte=base, number__lte=max(numbers))


def history_of(file: File) -> "QuerySet[Revision]":
    """Newest first, without the texts, with all that says who wrote each."""
    rows = Revision.objects.filter(file=file).select_related(*AUTHORS)
    return rows.defer("raw_text").order_by("-number")


AUTHORS = ("user", "integration", "token", "run__owner", "conversation__owner")


def writers_of(file: File) -> list[User]:
    """The people who wrote revisions of the file, by name.

    Asked of each person: a file may have a hundred thousand revisions, and few who wrote them.
    """
    wrote = Revision.objects.filter(file=file, user=OuterRef("pk"))
    return list(User.objects.filter(Exists(wrote)).order_by("name", "pk"))


def renames_of(file: File, numbers: Collection[int]) -> dict[int, str]:
    """Which of these revisions gave the file another name → the name before."""
    both = {near for number in numbers for near in (number - 1, number)}
    rows = Revision.objects.filter(file=file, number__in=both).exclude(path="")
    paths = dict(rows.values_list("number", "path"))
    return {
        number: paths[number - 1]
        for number in numbers
        if number in paths and paths.get(number - 1, paths[number]) != paths[number]
    }


# Time travel: one workspace as it was at any moment, and what changed between two.
#
# A simulated night happened at the moment that its run took for now, like everywhere else; where
# what it read was written later, no view of an earlier moment shows what it wrote.

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class Past:
    """A file at a moment: its name then, and the revision that was current. `size` is in bytes."""

    file: File
    path: str
    number: int
    content: str = ""
    sha256: str = ""
    size: int = 0
    written_at: datetime | None = None


@dataclass(frozen=True)
class Change:
    """What became of one file between two moments; `before` is None where it was not there."""

    kind: str  # added | removed | renamed | changed
    before: Past | None
    after: Past | None

    @property
    def path(self) -> str:
        past = self.after or self.before
        return past.path if past else ""


def happened() -> Coalesce:
    return Coalesce(F("run__clock"), F("created_at"), output_field=DateTimeField())


def workspace_at(agent_id: UUID, owner_id: UUID | None, moment: datetime) -> list[Past]:
    """Every file that was there, by name, with its whole text."""
    return with_texts(files_at(agent_id, owner_id, moment))


def files_at(agent_id: UUID, owner_id: UUID | None, moment: datetime) -> list[Past]:
    """As `workspace_at` without the texts, in one statement."""
    rows = _latest(agent_id, owner_id, moment).select_related("file", "run")
    pasts = [
        _past(row) for row in rows.defer("raw_text", "file__raw_content") if not row.is_deletion
    ]
    return sorted(pasts, key=lambda past: past.path.casefold())


def with_texts(pasts: Sequence[Past]) -> list[Past]:
    """The same files with their texts: one statement for every 200 of them."""
    texts = contents_of({past.file.pk: [past.number] for past in pasts})
    return [replace(past, content=texts[past.file.pk][past.number]) for past in pasts]


def changes(before: Iterable[Past], after: Iterable[Past]) -> list[Change]:
    """By name. A file that has its name and its text still is left away."""
    then = {past.file.pk: past for past in before}
    now = {past.file.pk: past for past in after}
    found = [_change(then.get(key), now.get(key)) for key in {**then, **now}]
    return sorted((one for one in found if one), key=lambda one: one.path.casefold())


def before_last_dream(memory: Memory) -> datetime | None:
    """Just before a dream last changed the workspace."""
    wrote = Revision.objects.filter(run=OuterRef("pk"), author_kind=AuthorKind.DREAM)
    dreams = memory.agent.runs.filter(Exists(wrote), owner=memory.owner_id)
    latest = dreams.order_by(Coalesce("clock", "finished_at", "created_at").desc())
    return _before(Revision.objects.filter(run=latest.values("pk")[:1]))


def before_last_import(memory: Memory) -> datetime | None:
    wrote = Revision.objects.filter(batch=OuterRef("pk"))
    batches = memory.agent.imports.filter(Exists(wrote), owner=memory.owner_id)
    latest = batches.order_by("-created_at")
    return _before(Revision.objects.filter(batch=latest.values("pk")[:1]))


def _before(rows: "QuerySet[Revision]") -> datetime | None:
    """A whole millisecond, as addresses and inputs carry it."""
    last: datetime | None = rows.aggregate(last=Max(happened()))["last"]
    if last is None:
        return None
    return (last - _INSTANT).replace(microsecond=(last - _INSTANT).microsecond // 1000 * 1000)


def _latest(agent_id: UUID, owner_id: UUID | None, moment: datetime) -> "QuerySet[Revision]":
    """Of each file: by time where its revisions are in order, else back from the newest."""
    rows = Revision.objects.filter(file=OuterRef("pk"))
    ordered = rows.filter(number__gte=OuterRef("ordered_from"), created_at__lte=moment)
    others = rows.filter(number__lt=OuterRef("ordered_from"))
    others = others.alias(at=happened()).filter(at__lte=moment)
    others = others.filter(Q(run__clock=None) | ~Exists(_read_by_then(moment)))
    last = Coalesce(
        Subquery(ordered.order_by("-created_at", "-number").values("pk")[:1]),
        Subquery(others.order_by("-number").values("pk")[:1]),
    )
    files = File.objects.of(agent_id, owner_id).annotate(last=last)
    return Revision.objects.filter(pk__in=files.values("last"))


def _read_by_then(moment: datetime) -> "QuerySet[Revision]":
    """What a simulated run had before it that was written after the moment: the notes of its
    workspace, and the file itself. Its own text may say any of it."""
    before = Revision.objects.filter(
        pk__lt=OuterRef("pk"),
        file__agent=OuterRef("file__agent"),
        file__scope=OuterRef("file__scope"),
    )
    same_owner = Q(file__owner=OuterRef("file__owner")) | Q(file__owner=None)
    source = Q(file=OuterRef("file")) | Q(file__note_date__isnull=False)
    return before.filter(same_owner, source).alias(at=happened()).filter(at__gt=moment)


def _past(row: Revision) -> Past:
    return Past(
        row.file,
        row.path or row.file.path,
        row.number,
        sha256=row.sha256,
        size=row.size,
        written_at=(row.run and row.run.clock) or row.created_at,
    )


def _change(before: Past | None, after: Past | None) -> Change | None:
    if before is None or after is None:
        return Change("added" if before is None else "removed", before, after)
    if before.path != after.path:
        return Change("renamed", before, after)
    return Change("changed", before, after) if before.sha256 != after.sha256 else None


def author_name(row: Revision | LineOrigin, agent: Agent) -> str:
    """`Alice Berg`, `Alice Berg (token “cli”)`, or the agent, whatever of it wrote."""
    if row.author_kind in MACHINES:
        return agent.name
    # Of a row, Django translates the labels of all choices.
    kind = str(AuthorKind(row.author_kind).label)
    if row.author_kind == AuthorKind.PERSON and row.user:
        wrote = row if isinstance(row, Revision) else row.root
        if wrote is None or wrote.token is None:
            return str(row.user)
        return _("{person} (token “{name}”)").format(person=row.user, name=wrote.token.name)
    if isinstance(row, Revision) and row.integration:
        return f"{kind} · {row.integration.name}"
    return kind
