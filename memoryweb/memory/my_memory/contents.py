"""What is kept about a person: statements, and lines of their own files that are none. Whoever
calls has checked whose owners these are."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.extraction_rules import Kind
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.file_kinds import KINDS as FILE_KINDS
from memoryweb.memory import models
from memoryweb.memory.lines.files import of_kinds
from memoryweb.memory.statements.listing import lines_of, saying
from memoryweb.memory.statements.validity import in_states
from memoryweb.memory.visible.hidden import is_meant, remembered_of
from memoryweb.memory.visible.readable import ReadableFile, To, readable_files

Place = tuple[UUID, int]  # a file, and the first line of a block

KINDS = ("memory", "profile", "other", "notes", "diary")
_OF_KIND = {
    section: of_kinds((kind for kind in FILE_KINDS if kind.section == section), at="file__")
    for section in KINDS
    if section != "other"
}
_STANDING = (models.Fact.State.ACTIVE, models.Fact.State.DISPUTED)
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?:[0-2]\d:[0-5]\d\s+)?")

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
# Each with an end within reach: a text of opening signs alone takes no more than one pass.
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]{1,2000})\)")
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)(.{1,200}?)(?<=\S)\1")


@dataclass(frozen=True)
class SentenceFilter:
    """All words of `query`, one agent; of lines, some `kinds` (none: all)."""

    query: str = ""
    kinds: Collection[str] = ()
    agent_id: UUID | None = None

    @property
    def words(self) -> list[str]:
        return self.query.split()[:16]


@dataclass(frozen=True)
class Sentence:
    """Of a file, where it is no statement. `text` is what may be reworded: without bullet and
    time, which stand in `marker`; `written` tells who said or wrote it."""

    file: models.File
    block: Block
    lines: tuple[str, ...]
    written: models.LineOrigin | None = None

    @property
    def marker(self) -> str:
        return marker_of(self.lines[0], self.block)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)[len(self.marker) :]


def statements(
    owner_ids: Collection[UUID], wanted: SentenceFilter, day: date, *, ended: bool = False
) -> "QuerySet[Any]":
    """That hold on that day, how they want to be answered first; or that have `ended`, the latest
    first. None that is to be forgotten."""
    states = models.Fact.OVER if ended else _STANDING
    found = models.Fact.objects.filter(in_states(states, day), owner__in=owner_ids)
    found = remembered_of(found.filter(agent__archived_at=None))
    if ended:
        found = found.exclude(why__in=(models.Fact.Why.DUPLICATE, models.Fact.Why.REWORDED))
    if wanted.agent_id:
        found = found.filter(agent=wanted.agent_id)
    for word in wanted.words:
        found = found.filter(saying(word))
    is_wish = Case(When(kind=Kind.INSTRUCTION, then=0), default=1)
    first = F("changed_at").desc() if ended else is_wish
    latest = Coalesce("said_at", "created_at").desc()
    listed: QuerySet[Any] = found.select_related("agent", "owner__integration", "confirmed_by")
    return listed.order_by(first, latest, "pk")


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
    for word in wanted.words:
        found = found.saying(word)
    return _ordered(found).only("file", "line")


def sentences(found: Iterable[models.Passage]) -> list[Sentence]:
    """Those of a page of passages that are no statements, each with who said it; not those that
    are to be forgotten."""
    shown = [row for row in found if row.file_id]
    files = _files(tuple({row.file_id for row in shown}))
    known = {
        (file.pk, block.line): sentence(file, text, block)
        for file, text in zip(files, readable_files(files, To.PAGE), strict=True)
        for block in blocks(text.text)
        if block.line not in text.hidden | {*lines_of(file).values()}
    }
    made = [known[row.file_id, row.line] for row in shown if (row.file_id, row.line) in known]
    first: dict[Place, models.LineOrigin] = {}
    for row in _written(
        tuple({one.file.pk for one in made}), tuple({one.block.line for one in made})
    ):
        first.setdefault((row.file_id, row.line), row)
    return [replace(one, written=first.get((one.file.pk, one.block.line))) for one in made]


@PreparedQuery
def _files(ids: Collection[UUID]) -> "QuerySet[Any]":
    found = models.File.objects.filter(pk__in=ids).annotate(is_meant=is_meant(file="pk"))
    return found.select_related("agent", "owner__integration", "owner")


@PreparedQuery
def _written(files: Collection[UUID], lines: Collection[int]) -> "QuerySet[models.LineOrigin]":
    rows = models.LineOrigin.objects.filter(file__in=files, line__in=lines)
    rows = rows.select_related("message").order_by("line", "pk")
    said = ("message__role", "message__name", "message__timestamp")
    return rows.only("file", "line", "author_kind", *said)


def sentence(file: models.File, text: ReadableFile, block: Block) -> Sentence:
    return Sentence(file, block, tuple(text.lines[block.line - 1 : block.end]))


def own_fact(team: Team, owner_ids: Collection[UUID], fact_id: UUID) -> models.Fact | None:
    """A statement of one of these owners, of an agent that is not archived."""
    found = models.Fact.objects.filter(team=team, owner__in=owner_ids, pk=fact_id)
    shown = ("agent", "owner__integration", "file", "confirmed_by")
    return found.filter(agent__archived_at=None).select_related(*shown).first()


def own_file(team: Team, owner_ids: Collection[UUID], file_id: UUID) -> models.File | None:
    """The same of a file that is present."""
    found = models.File.objects.present().filter(team=team, owner__in=owner_ids, pk=file_id)
    shown = ("agent", "owner__integration")
    return found.filter(agent__archived_at=None).select_related(*shown).first()


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


# How much is kept about somebody.


@dataclass(frozen=True)
class Kept:
    """What one agent keeps about some owners."""

    agent: Agent
    files: int
    conversations: int
    tests: int


def kept_about(team: Team, owner_ids: Collection[UUID]) -> list[Kept]:
    """In one statement, however many agents there are."""
    return [
        Kept(one, one.kept_files, one.kept_talks, one.kept_tests)
        for one in (_kept(team.pk, tuple(owner_ids)) if owner_ids else ())
    ]


@PreparedQuery
def _kept(team: Any, owner_ids: Collection[UUID]) -> "QuerySet[Any]":
    files = models.File.objects.filter(owner__in=owner_ids, deleted_at=None)
    talks = models.Conversation.objects.filter(owner__in=owner_ids)
    tests = models.MemoryTest.objects.filter(owner__in=owner_ids)
    kept = {"kept_files": files, "kept_talks": talks, "kept_tests": tests}
    agents = Agent.objects.live().filter(team=team)
    agents = agents.annotate(**{name: _of_each(rows) for name, rows in kept.items()})
    return agents.filter(Q(kept_files__gt=0) | Q(kept_talks__gt=0) | Q(kept_tests__gt=0))


def _of_each(rows: "QuerySet[Any]") -> Coalesce:
    counted = rows.filter(agent=OuterRef("pk")).order_by().values("agent").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n")), 0)
