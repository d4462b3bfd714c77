"""What is kept about a person, sentence by sentence: the blocks of their own files, each with
where it came from. Whoever calls has checked whose owners these are."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.extraction_rules import Kind
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.file_kinds import KINDS as FILE_KINDS
from memoryweb.markdown.marks import Ended, ended_in
from memoryweb.memory import models
from memoryweb.memory.index.recalls import keyed_hash
from memoryweb.memory.lines.files import of_kinds
from memoryweb.memory.lines.origins import origins_on
from memoryweb.memory.prompt import wishes_about
from memoryweb.memory.statements.listing import lines_of
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.visible.outdated import ending
from memoryweb.memory.visible.readable import Look, ReadableFile, To, readable_files

Place = tuple[UUID, int]  # a file, and the first line of a block

KINDS = ("memory", "profile", "other", "notes", "diary")
_OF_KIND = {
    section: of_kinds((kind for kind in FILE_KINDS if kind.section == section), at="file__")
    for section in KINDS
    if section != "other"
}
STANDING = ("memory", "profile", "other")
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?:[0-2]\d:[0-5]\d\s+)?")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
# Each with an end within reach: a text of opening signs alone takes no more than one pass.
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]{1,2000})\)")
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)(.{1,200}?)(?<=\S)\1")


@dataclass(frozen=True)
class SentenceFilter:
    """Which sentences: all words of `query`, some `kinds` (none: all), one agent."""

    query: str = ""
    kinds: Collection[str] = ()
    agent_id: UUID | None = None


@dataclass(frozen=True)
class Origins:
    """Who wrote a sentence, the note lines it stands on, and what was said, as it may be read."""

    written: models.LineOrigin | None = None
    since: int = 1
    notes: tuple[models.LineOrigin, ...] = ()
    said: tuple[tuple[models.Message, str], ...] = ()


@dataclass(frozen=True)
class Sentence:
    """`text` is what may be reworded: without bullet and time, which stand in `marker`."""

    file: models.File
    block: Block
    lines: tuple[str, ...]
    origins: Origins = field(default_factory=Origins)

    @property
    def place(self) -> Place:
        return self.file.pk, self.block.line

    @property
    def marker(self) -> str:
        return marker_of(self.lines[0], self.block)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)[len(self.marker) :]

    @property
    def plain(self) -> str:
        return plain(self.text)

    @property
    def ended(self) -> tuple[Ended, ...]:
        """What of `plain` holds no longer."""
        return tuple(replace(one, words=plain(one.words)) for one in ended_in(self.text))


def passages(
    team: Team, owner_ids: Collection[UUID], wanted: SentenceFilter
) -> "QuerySet[models.Passage]":
    """What stands first, then notes, newest first, then diary and history."""
    found = models.Passage.objects.filter(
        team=team,
        file__owner__in=owner_ids,
        file__deleted_at=None,
        file__agent__archived_at=None,
    )
    if wanted.kinds:
        found = found.filter(_any(wanted.kinds))
    if wanted.agent_id:
        found = found.filter(file__agent=wanted.agent_id)
    for word in wanted.query.split()[:16]:
        found = found.saying(word)
    is_note = Q(file__note_date__isnull=False)
    return _ordered(found).annotate(is_note=is_note).only("file", "line")


def wish_passages(team: Team, owner_ids: Collection[UUID]) -> list[models.Passage]:
    """Of how these owners want to be answered, as their prompts say it."""
    places = Q(pk__in=[])
    for wish in wishes_about(owner_ids):
        file = wish.fact.file
        if file is not None and (line := lines_of(file).get(wish.fact.fingerprint)):
            places |= Q(file=file, line=line)
    return list(passages(team, owner_ids, SentenceFilter()).filter(places)) if places else []


def sentences(found: Iterable[models.Passage]) -> list[Sentence]:
    """The sentences of a page of passages, each with who wrote it; not those that are to be
    forgotten."""
    shown = [row for row in found if row.file_id]
    files = _files(tuple({row.file_id for row in shown}))
    known = {
        (file.pk, block.line): sentence(file, text, block)
        for file, text in zip(files, readable_files(files, To.PAGE), strict=True)
        for block in blocks(text.text)
        if block.line not in text.hidden
    }
    made = [known[row.file_id, row.line] for row in shown if (row.file_id, row.line) in known]
    first: dict[Place, models.LineOrigin] = {}
    lines = {number for one in made for number in _numbers(one.block)}
    for row in _written(tuple({one.file.pk for one in made}), tuple(lines)):
        first.setdefault((row.file_id, row.line), row)
    wrote = [[first.get((one.file.pk, n)) for n in _numbers(one.block)] for one in made]
    origins = (Origins(next(filter(None, rows), None)) for rows in wrote)
    return [replace(one, origins=its) for one, its in zip(made, origins, strict=True)]


@PreparedQuery
def _files(ids: Collection[UUID]) -> "QuerySet[Any]":
    found = models.File.objects.filter(pk__in=ids).annotate(is_meant=is_meant(file="pk"))
    return found.select_related("agent", "owner__integration", "owner")


@PreparedQuery
def _written(files: Collection[UUID], lines: Collection[int]) -> "QuerySet[models.LineOrigin]":
    rows = models.LineOrigin.objects.filter(file__in=files, line__in=lines)
    rows = rows.select_related("user", "run", "root__token").order_by("line", "pk")
    run, root = ("run__clock", "run__created_at"), ("root__user", "root__token__name")
    user = ("user__name", "user__email")
    return rows.only("file", "line", "since", "author_kind", *user, *run, *root)


def in_full(one: Sentence, owner_ids: Collection[UUID]) -> Sentence:
    """With all that it stands on."""
    rows = origins_on({one.file.pk}, _numbers(one.block))
    found: list[Any] = list(rows.annotate(is_meant=is_meant(message="message")))
    heard = [row.message for row in found if row.message]
    for row in found:
        if row.message:
            row.message.is_meant = row.is_meant
    look = Look(To.PAGE, messages=heard)
    own = {one.pk: one for one in heard if one.conversation.owner_id in owner_ids}
    said = tuple((one, look.message(one).shown) for one in own.values())
    notes = tuple(
        row
        for row in found
        if row.source_file and row.source_line and row.source_file.owner_id in owner_ids
    )
    since = min((row.since for row in found), default=1)
    return replace(one, origins=Origins(one.origins.written, since, notes, said))


def sentence(file: models.File, text: ReadableFile, block: Block) -> Sentence:
    return Sentence(file, block, tuple(text.lines[block.line - 1 : block.end]))


def own_file(team: Team, owner_ids: Collection[UUID], file_id: UUID) -> models.File | None:
    """A present file of one of these owners, of an agent that is not archived."""
    files = models.File.objects.present().filter(
        team=team, owner__in=owner_ids, agent__archived_at=None, pk=file_id
    )
    return files.select_related("agent", "owner").first()


def marker_of(line: str, block: Block) -> str:
    """The bullet, tick box and journal time that a sentence begins with; they stay as they are."""
    found = _MARKER.match(line) if block.kind == "bullet" else None
    return found[0] if found else line[: len(line) - len(line.lstrip())]


def plain(text: str) -> str:
    """As people read it: one line without Markdown's signs."""
    bare = _LINK.sub(r"\1 (\2)", _COMMENT.sub(" ", text))
    return " ".join(_EMPHASIS.sub(r"\2", bare).split())


def _any(kinds: Collection[str]) -> Q:
    found = Q(pk__in=[])
    for kind in kinds:
        if kind in _OF_KIND:
            found |= _OF_KIND[kind]
        else:
            found |= ~_any(_OF_KIND)
    return found


def _ordered(found: "QuerySet[models.Passage]") -> "QuerySet[models.Passage]":
    ranks = [When(_OF_KIND[kind], then=Value(KINDS.index(kind))) for kind in _OF_KIND]
    rank = Case(*ranks, default=Value(KINDS.index("other")), output_field=IntegerField())
    # In a note the latest line comes first, elsewhere the first one.
    line = Case(When(file__note_date__isnull=False, then=-F("line")), default=F("line"))
    return found.order_by(
        rank,
        F("file__note_date").desc(nulls_last=True),
        "file__agent__folded_name",
        "file__folded_path",
        "file",
        line,
    )


def _numbers(block: Block) -> range:
    return range(block.line, block.end + 1)


# How much is kept about somebody.


@dataclass(frozen=True)
class Kept:
    """What one agent keeps about some owners."""

    agent: Agent
    files: int
    conversations: int
    standing: int = 0  # sentences outside notes and diary
    instructions: int = 0
    ending: int = 0  # that a person wanted remembered until today or tomorrow


def kept_about(team: Team, owner_ids: Collection[UUID]) -> list[Kept]:
    """In one statement, however many agents there are."""
    today = timezone.localdate()
    soon = today, today + timedelta(days=1)
    return [
        Kept(
            *(one, one.kept_files, one.kept_talks),
            *(one.kept_standing, one.kept_told, one.kept_ending),
        )
        for one in (_kept(team.pk, tuple(owner_ids), soon) if owner_ids else ())
    ]


@PreparedQuery
def _kept(team: Any, owner_ids: Collection[UUID], soon: tuple[date, date]) -> "QuerySet[Any]":
    files = models.File.objects.filter(owner__in=owner_ids, deleted_at=None)
    talks = models.Conversation.objects.filter(owner__in=owner_ids)
    standing = passages(team, owner_ids, SentenceFilter(kinds=STANDING))
    told = models.Fact.objects.filter(owner__in=owner_ids, kind=Kind.INSTRUCTION).living()
    agents = (
        Agent.objects.live()
        .filter(team=team)
        .annotate(
            kept_files=_of_each(files, "agent", Count("pk")),
            kept_talks=_of_each(talks, "agent", Count("pk")),
            kept_standing=_of_each(standing, "file__agent", Count("pk")),
            kept_told=_of_each(told.standing(), "agent", Count("pk")),
            kept_ending=_of_each(ending(owner_ids, soon), "agent", Count("pk")),
        )
    )
    return agents.filter(Q(kept_files__gt=0) | Q(kept_talks__gt=0))


def _of_each(rows: "QuerySet[Any]", agent: str, count: Count) -> Coalesce:
    counted = rows.filter(**{agent: OuterRef("pk")}).order_by().values(agent).annotate(n=count)
    return Coalesce(Subquery(counted.values("n")), 0)


LOOKED_BACK = timedelta(days=90)


def last_use(one: Sentence, now: datetime) -> datetime | None:
    """When it was last given to an agent: by search and tools, or as a part of a prompt."""
    since, file = now - LOOKED_BACK, one.file
    recalls = models.RecallEvent.objects.filter(file=file, at__gte=since)
    recalls = recalls.filter(line_hash=keyed_hash(one.block.text))
    # Lines move from revision to revision: of an older one only a whole beginning counts.
    is_now = Q(revision=file.revision, first_line__lte=one.block.line)
    is_old = Q(revision__gte=one.origins.since, revision__lt=file.revision, first_line__lte=1)
    spans = models.InjectedSpan.objects.filter(is_now | is_old, last_line__gte=one.block.end)
    spans = spans.filter(file=file, injection__at__gte=since)
    recalled = recalls.aggregate(at=Max("at"))["at"]
    injected = spans.aggregate(at=Max("injection__at"))["at"]
    return max(filter(None, (recalled, injected)), default=None)
