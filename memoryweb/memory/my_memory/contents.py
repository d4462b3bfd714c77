"""What is kept about a person, sentence by sentence: the blocks of their own files, each with
where it came from. Whoever calls has checked whose owners these are."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
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
        owner__in=owner_ids,
        kind=models.Passage.Kind.FILE,
        file__deleted_at=None,
        agent__archived_at=None,
    )
    if wanted.kinds:
        found = found.filter(_any(wanted.kinds))
    if wanted.agent_id:
        found = found.filter(agent=wanted.agent_id)
    for word in wanted.query.split()[:16]:
        found = found.saying(word)
    is_note = Q(file__note_date__isnull=False)
    return _ordered(found).annotate(is_note=is_note).only("file", "line")


def standing_and_noted(
    team: Team, owner_ids: Collection[UUID], shown: slice, notes: int
) -> list[Any]:
    """A part of what stands, then the latest notes, in one statement."""
    return _listed(shown.start, shown.stop, notes)(team.pk, tuple(owner_ids))


@lru_cache(128)
def _listed(first: int, stop: int, notes: int) -> PreparedQuery[Any]:
    def build(team: Any, owner_ids: Collection[UUID]) -> "QuerySet[Any]":
        standing = passages(team, owner_ids, SentenceFilter(kinds=STANDING))[first:stop]
        latest = passages(team, owner_ids, SentenceFilter(kinds=("notes",)))[:notes]
        which = Q(pk__in=standing.values("pk")) | Q(pk__in=latest.values("pk"))
        return passages(team, owner_ids, SentenceFilter()).filter(which)

    return PreparedQuery(build)


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
    for row in _written(tuple(_files_of(made)), tuple(_lines_of(made))):
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
    return replace(one, origins=_origins([one], owner_ids)[one.place])


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
        "agent__folded_name",
        "file__folded_path",
        "file",
        line,
    )


def _origins(made: Sequence[Sentence], owner_ids: Collection[UUID]) -> Mapping[Place, Origins]:
    rows = _rows(_files_of(made), _lines_of(made))
    messages = [row.message for its in rows.values() for row in its if row.message]
    look = Look(To.PAGE, messages=messages)
    return {one.place: _of(one, rows, set(owner_ids), look) for one in made}


def _of(
    one: Sentence,
    rows: Mapping[Place, Sequence[models.LineOrigin]],
    own: Collection[UUID],
    look: Look,
) -> Origins:
    mine = [row for n in _numbers(one.block) for row in rows.get((one.file.pk, n), ())]
    stands_on = tuple(
        row
        for row in mine
        if row.source_file and row.source_line and row.source_file.owner_id in own
    )
    heard = {
        row.message.pk: (row.message, look.message(row.message).shown)
        for row in mine
        if row.message and row.message.conversation.owner_id in own
    }
    since = min((row.since for row in mine), default=1)
    return Origins(mine[0] if mine else None, since, stands_on, tuple(heard.values()))


def _rows(files: Collection[UUID], lines: Collection[int]) -> dict[Place, list[models.LineOrigin]]:
    found: dict[Place, list[models.LineOrigin]] = {}
    rows: QuerySet[Any] = origins_on(files, lines).annotate(is_meant=is_meant(message="message"))
    for row in rows:
        if row.message:
            row.message.is_meant = row.is_meant
        found.setdefault((row.file_id, row.line), []).append(row)
    return found


def _files_of(made: Iterable[Sentence]) -> set[UUID]:
    return {one.file.pk for one in made}


def _lines_of(made: Iterable[Sentence]) -> set[int]:
    return {number for one in made for number in _numbers(one.block)}


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
            kept_standing=_of_each(standing, "agent", Count("pk")),
            kept_told=_of_each(told.standing(), "agent", Count("pk")),
            kept_ending=_of_each(ending(owner_ids, soon), "agent", Count("pk")),
        )
    )
    return agents.filter(Q(kept_files__gt=0) | Q(kept_talks__gt=0))


def _of_each(rows: "QuerySet[Any]", agent: str, count: Count) -> Coalesce:
    counted = rows.filter(**{agent: OuterRef("pk")}).order_by().values(agent).annotate(n=count)
    return Coalesce(Subquery(counted.values("n")), 0)


# When a sentence was last given to an agent: by search and tools, or as a part of a prompt.

LOOKED_BACK = timedelta(days=90)
Use = tuple[UUID, str]  # a file, and the hash of a line


@dataclass(frozen=True)
class _Span:
    revision: int
    first: int
    last: int
    at: datetime


def last_uses(sentences: Iterable[Sentence], now: datetime) -> dict[Place, datetime]:
    """Of the last 90 days, in one statement."""
    shown = list(sentences)
    recalled, injected = _uses(shown, now - LOOKED_BACK)
    found: dict[Place, datetime] = {}
    for one in shown:
        moments = [span.at for span in injected.get(one.file.pk, ()) if _covers(span, one)]
        if recall := recalled.get((one.file.pk, keyed_hash(one.block.text))):
            moments.append(recall)
        if moments:
            found[one.place] = max(moments)
    return found


def _uses(
    shown: Iterable[Sentence], since: datetime
) -> tuple[Mapping[Use, datetime], Mapping[UUID, list[_Span]]]:
    """When each line was recalled, and which lines of each file were injected."""
    uses = {(one.file.pk, keyed_hash(one.block.text)) for one in shown}
    files = {file for file, _hash in uses}
    recalls = models.RecallEvent.objects.filter(
        file__in=files, line_hash__in={line for _file, line in uses}, at__gte=since
    ).annotate(revision=Value(0), first_line=Value(0), last_line=Value(0))
    spans = models.InjectedSpan.objects.filter(file__in=files, injection__at__gte=since)
    spans = spans.annotate(line_hash=Value(""))
    columns = ("file_id", "line_hash", "revision", "first_line", "last_line")
    recalled, injected = {}, defaultdict(list)
    latest = recalls.order_by().values_list(*columns).annotate(last=Max("at"))
    of_spans = spans.order_by().values_list(*columns).annotate(last=Max("injection__at"))
    for file, line, revision, first, last, at in latest.union(of_spans, all=True):
        if line:
            recalled[file, line] = at
        else:
            injected[file].append(_Span(revision or 0, first, last, at))
    return recalled, injected


def _covers(span: _Span, one: Sentence) -> bool:
    """Lines move from revision to revision: of an older one only a whole beginning counts."""
    if span.revision == one.file.revision:
        return span.first <= one.block.line and one.block.end <= span.last
    is_old = one.origins.since <= span.revision < one.file.revision
    return is_old and span.first <= 1 and one.block.end <= span.last
