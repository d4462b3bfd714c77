"""The way out for text: what a reader is given of files, messages and statements.

`Look` asks once for all that a page or an answer is about to show, and gives small objects with
what may be read. Rooms above this one never read a `raw_` field of a model (a wall sees to it);
texts of their own they pass as values: `Look.then` for another text of a file, `away_from` for
what a run has told.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.markdown.marks import Ended
from memoryweb.memory.lines.flags import without_flagged
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import Evidence, Fact, File, Message, Passage, Proposal
from memoryweb.memory.statements.listing import said_of
from memoryweb.memory.visible import outdated, placeholders
from memoryweb.memory.visible.hidden import MARK, HiddenText, hidden, is_meant

_Row = TypeVar("_Row", File, Message, Passage)
TO_BE_FORGOTTEN = _("Hidden: it is to be forgotten")


class To(Enum):
    """Where the text goes."""

    PAGE = auto()  # a person reads it
    PROGRAM = auto()  # an agent, or whoever calls with an integration's token
    HOST = auto()  # of a model; given what a program is


@dataclass(frozen=True)
class ReadableFile:
    """`hidden`: numbers of the lines in whose place something else stands; numbers stay."""

    id: UUID
    path: str
    text: str
    hidden: frozenset[int] = frozenset()

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """Empty where there is none of that number."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    @property
    def remaining(self) -> str:
        """With the hidden lines left empty, so that every other keeps its number."""
        return without_flagged(self.text, self.hidden)


@dataclass(frozen=True)
class ReadableMessage:
    """`text` is empty where all of it is to be forgotten; `is_cut`: some of it is."""

    id: int
    text: str
    is_cut: bool = False

    @property
    def shown(self) -> str:
        """The same for a person, who is told that something was there."""
        return self.text or (MARK if self.is_cut else "")


@dataclass(frozen=True)
class ReadableFact:
    """A statement and what of it has ended. One that is to be forgotten says only that."""

    id: UUID
    text: str
    value: str
    is_hidden: bool = False
    ended: tuple[Ended, ...] = ()


@PreparedQuery
def cited(facts: Collection[UUID]) -> "QuerySet[Any]":
    """What statements stand on, as pages tell it, the latest first."""
    said = ("said_at", "fact", "first", "last")
    message = ("team", "role", "name", "timestamp", "created_at", "position", "raw_content")
    talk = ("conversation__agent", "conversation__source", "conversation__owner__team")
    root = ("number", "author_kind", "created_at", "file__path", "file__owner", "file__agent__name")
    wrote = ("user__name", "user__email", "run__clock", "integration__name", "token__name")
    names = (
        *(f"message__{one}" for one in (*message, *talk)),
        *(f"root__{one}" for one in (*root, *wrote)),
    )
    rows = said_of(facts).only(*said, *names)
    return rows.annotate(is_meant=is_meant(message="message"))


class Look:
    """At most two statements to the database, however many texts there are; none before the first
    text is asked for. What was not named when the look began can't be read through it (KeyError).
    Of rows that their query annotated with `is_meant`, `is_hidden` or `has_withheld` nothing is
    asked again.
    """

    def __init__(
        self,
        to: To,
        *,
        files: Iterable[File] = (),
        messages: Iterable[Message] = (),
        facts: Iterable[Fact] = (),
    ) -> None:
        self.to = to
        self._files = {one.pk: one for one in files}
        self._messages = {one.pk: one for one in messages}
        self._facts = {one.pk: one for one in facts}

    @cached_property
    def hidden(self) -> HiddenText:
        """What is to be forgotten of all that this look is about."""
        files, messages = _may_hide(self._files), _may_hide(self._messages)
        unknown = {pk: one for pk, one in self._facts.items() if not hasattr(one, "is_hidden")}
        known = frozenset(pk for pk, fact in self._facts.items() if getattr(fact, "is_hidden", 0))
        which = None
        if unknown or all(hasattr(one, "is_meant") for one in (*files, *messages)):
            which = Q(fact__in=[*unknown]) | Q(file__in=files) | Q(message__in=messages)
        teams = {fact.team_id for fact in unknown.values()}
        found = hidden(files=files, messages=messages, teams=teams, which=which)
        return HiddenText(found.facts | known, found.prints, found.spans) if known else found

    @cached_property
    def _withheld(self) -> Mapping[UUID, set[int]]:
        """Lines that no program is given."""
        unknown = [one for one in self._files.values() if getattr(one, "has_withheld", True)]
        return outdated.withheld_of(unknown)

    def file(self, file: File) -> ReadableFile:
        """The current text."""
        its = self._files[file.pk]
        if self.to is To.PAGE:
            away = self.hidden.lines_of(its)
            text = placeholders.for_people(its, away=self.hidden)
        else:
            away = self._withheld[its.pk]
            text = placeholders.with_placeholders(its, away)
        return ReadableFile(its.pk, its.path, text, frozenset(away))

    def then(self, file: File, text: str) -> str:
        """Another text of the file: an earlier one, or one that is proposed for it."""
        its = self._files[file.pk]
        if self.to is To.PAGE:
            return placeholders.for_people(its, text, away=self.hidden)
        return placeholders.shown_then(its, text)

    def at(self, file: File, number: int | None) -> str:
        """The text at one of its revisions; empty before the first."""
        return self.then(file, content_of(file, number)) if number else ""

    def proposed(self, proposal: Proposal) -> str:
        """The whole text that is proposed for a file of this look."""
        return self.then(proposal.file, proposal.raw_content)

    def message(self, message: Message) -> ReadableMessage:
        its = self._messages[message.pk]
        return ReadableMessage(its.pk, self.hidden.said(its), its.pk in self.hidden.spans)

    def quote(self, evidence: Evidence) -> str:
        """What a statement cites of its message; the mark where anything of that is hidden."""
        is_cut = evidence.message_id in self.hidden.spans
        return MARK if is_cut else evidence.raw_quote

    def fact(self, fact: Fact) -> ReadableFact:
        its = self._facts[fact.pk]
        if its.pk in self.hidden.facts:
            return ReadableFact(its.pk, str(TO_BE_FORGOTTEN), "", is_hidden=True)
        return ReadableFact(its.pk, its.raw_text, its.raw_value, ended=its.ended)


def _may_hide(rows: Mapping[Any, _Row]) -> list[_Row]:
    """Those that a request may be about, as far as is known."""
    return [row for row in rows.values() if getattr(row, "is_meant", True)]


@PreparedQuery
def files_at_path(agent_id: UUID, owner_id: UUID | None, folded: str) -> "QuerySet[File]":
    """The one of that name in one workspace, deleted or not."""
    files = File.objects.of(agent_id, owner_id).filter(folded_path=folded)
    return files.annotate(has_withheld=outdated.has_withheld())


def readable_file(file: File, to: To) -> ReadableFile:
    """Its current text."""
    return Look(to, files=[file]).file(file)


def readable_files(files: Sequence[File], to: To) -> Iterator[ReadableFile]:
    """Their current texts."""
    look = Look(to, files=files)
    return map(look.file, files)


def readable_messages(messages: Sequence[Message], to: To) -> Iterator[ReadableMessage]:
    look = Look(to, messages=messages)
    return map(look.message, messages)


def readable_facts(facts: Sequence[Fact], to: To) -> Iterator[ReadableFact]:
    look = Look(to, facts=facts)
    return map(look.fact, facts)


def statement(fact: Fact, to: To) -> ReadableFact:
    """One statement alone: of rows that `remembered` gave nothing more is asked."""
    return Look(to, facts=[fact]).fact(fact)


def without_hidden(rows: Mapping[int, Passage]) -> dict[int, Passage]:
    """Of found passages, with their file or message, those that say nothing that is to be
    forgotten, whenever it was said."""
    asked = _may_hide(rows)
    away = hidden(
        files=[row.file for row in asked if row.file],
        messages=[row.message for row in asked if row.message],
    )

    def says(row: Passage) -> bool:
        if row.message_id:
            return row.message_id in away.spans
        return row.file_id is not None and bool(away.lines_in(row.file_id, row.raw_text))

    return {key: row for key, row in rows.items() if not (away and says(row))}
