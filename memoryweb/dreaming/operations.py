"""Operations on statements: what a night may do to memory, and what it is judged by. Pure.

Both consolidators answer with operations; `engine.decide` proves each one by itself.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Literal

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from memoryweb.language.extraction_rules import Claim, Kind, claim_of, of_speaker
from memoryweb.language.normal_form import normalise
from memoryweb.llm.parsing import AnswerPart, Text
from memoryweb.markdown.marks import Ended, escaped, living
from memoryweb.memory.statements.trust import START

MEMORY, PROFILE = "MEMORY.md", "PROFILE.md"  # where statements stand: one of the two
NOBODY = "*"  # whoever noted it spoke for nobody: the agent, the system, an import


class Does(StrEnum):
    ADD = "add"
    END = "end"
    REPLACE = "replace"
    MERGE = "merge"
    RETIRE = "retire"


class Why(StrEnum):
    """Why a statement leaves the file; but for `ROOM`, `facts.Fact.Why` has the same words."""

    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    DUPLICATE = "duplicate"
    ASKED = "asked"
    UNPROVED = "unproved"  # of earlier nights, which took some on trust
    ROOM = "room"  # it still holds, without a place in the prompt


class Waits(StrEnum):
    """What a person decides about."""

    RIVAL = "rival"
    OUTSIDE = "outside"
    TEST = "test"


@dataclass(frozen=True)
class Operation:
    """`old` are ids of living statements, `sources` refs of note lines or ids of statements."""

    does: Does
    text: str = ""
    old: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    why: Why = Why.SUPERSEDED
    words: str = ""  # of the old statement, letter for letter, that hold no longer
    on: date | None = None  # since when; None: since that was said
    kind: Kind | None = None  # of the text, where more than its words is known
    had_secret: bool = False  # and has none any more: nothing keeps one


@dataclass(frozen=True)
class Utterance:
    """`said_at` is None where nobody knows when. `speaker` is "" for the owner of the memory;
    `weight` orders the classes of sources, the least trusted first; `name` is what others call
    them."""

    said_at: datetime | None = None
    speaker: str = NOBODY
    weight: int = 0
    is_word: bool = False  # their own, not what somebody tells of them
    name: str = ""


@dataclass(frozen=True)
class CitableLine:
    """A note line that may be cited."""

    ref: str
    text: str
    by: Utterance
    is_outside: bool = False
    claim: Claim = field(default_factory=Claim)

    @property
    def statement(self) -> "LivingStatement":
        return LivingStatement(self.ref, self.text, self.claim, self.by, sources=(self.ref,))


@dataclass(frozen=True)
class LivingStatement:
    """A statement that holds: one of the file, one without room there, or one of this night.
    `text` is its sentence, of which some words may have `ended`."""

    id: str
    text: str
    claim: Claim
    by: Utterance
    is_persons: bool = False  # written, edited or confirmed by one
    is_pinned: bool = False
    is_flagged: bool = False
    is_hidden: bool = False  # its owner said otherwise
    is_timed: bool = False  # somebody chose a last day for all of it
    against: tuple[str, ...] = ()  # note lines of the message that says so
    awaits: bool = False  # such a line, which may come within a day
    stands: bool = True  # in the file
    path: str = MEMORY  # of that file
    value: float = START  # trust and use, for the room it is given
    sources: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # ids of those whose sources it stands on, too
    ended: tuple[Ended, ...] = ()

    @property
    def living(self) -> str:
        """What of the sentence still holds."""
        return living(self.text, self.ended)

    @property
    def marks(self) -> tuple[tuple[str, Ended], ...]:
        return tuple((self.text, it) for it in self.ended)

    @property
    def line(self) -> CitableLine:
        """As something that was said."""
        return CitableLine(self.id, self.text, self.by, claim=self.claim)

    @property
    def is_outdated(self) -> bool:
        """To be settled tonight; a pin stays, as its owner has it."""
        return self.is_hidden and not self.is_pinned and not self.awaits

    @property
    def is_fixed(self) -> bool:
        """No machine moves it, but for its owner's own later word."""
        return self.is_pinned or self.is_flagged or self.is_persons


@dataclass(frozen=True)
class Correction:
    """What left: nothing said until then brings it back. What a person took back only the
    owner's own word does."""

    text: str
    claim: Claim
    at: datetime
    is_persons: bool = True


@dataclass(frozen=True)
class Material:
    """All that a night's operations are judged by. `today` is the date in the agent's zone;
    `names` may stand in any text: whom the memory is about."""

    today: date
    living: tuple[LivingStatement, ...] = ()
    said: tuple[CitableLine, ...] = ()
    corrections: tuple[Correction, ...] = ()
    rejected: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    is_outside: bool = False  # whoever answers has read words from outside the team
    is_forgotten: Callable[[str], bool] = lambda _text: False
    freed: frozenset[tuple[str, Ended]] = frozenset()  # ended by what was taken back since
    language: str = "en"  # of the agent: of headings and the diary


@dataclass(frozen=True)
class Marked:
    """A statement before, and with the marks that it has now."""

    was: LivingStatement
    ended: tuple[Ended, ...]

    @property
    def now(self) -> LivingStatement:
        one = replace(self.was, ended=self.ended, is_hidden=False, against=())
        is_same = normalise(one.claim.value) in normalise(one.living)
        return one if is_same else replace(one, claim=claim_of(one.living))

    @property
    def newly(self) -> tuple[Ended, ...]:
        return tuple(one for one in self.ended if one not in self.was.ended)


@dataclass(frozen=True)
class Result:
    """What became of an operation. `code` is "" where it was carried out, else one of
    `reasons.LEFT_OUT` with its values. `gone` left memory because of `why`, `new` came in;
    `marked` stays, with other words of it ended than before."""

    operation: Operation
    code: str = ""
    values: Mapping[str, str | int] = field(default_factory=dict)
    gone: tuple[LivingStatement, ...] = ()
    new: LivingStatement | None = None
    against: LivingStatement | None = None
    why: Why = Why.SUPERSEDED
    waits: Waits | None = None
    marked: Marked | None = None

    @property
    def is_applied(self) -> bool:
        return not self.code and self.waits is None

    @property
    def is_beside(self) -> bool:
        """It came in, and whether it takes the place of `against` a person decides."""
        return self.is_applied and self.new is not None and self.against is not None


def meant(claim: Claim, text: str, by: Utterance, names: Collection[str]) -> Claim:
    """Whom it is about: "I" is whoever speaks, and "" whom the memory is about, by any of their
    `names`."""
    claim = of_speaker(claim, text, by.name if by.speaker else "")
    is_about = any(claim.subject == normalise(name) for name in names)
    return replace(claim, subject="") if is_about else claim


def is_later(one: datetime | None, other: datetime | None) -> bool:
    """What has no time overtakes nothing; anything with one overtakes what has none."""
    return one is not None and (other is None or one > other)


# What a model must answer to a dream: operations on statements (SPEC §5.4), with their limits.

MAX_OPERATIONS = 1_000
MAX_LINE_CHARACTERS = 4_000
MAX_DIARY_CHARACTERS = 8_000


def _list(value: object) -> object:
    """One id alone is as good as a list of one."""
    return [value] if isinstance(value, str) else value


Refs = Annotated[
    tuple[Annotated[Text, Field(max_length=100)], ...],
    BeforeValidator(_list),
    Field(max_length=100),
]


class OperationAnswer(AnswerPart):
    """`old` are ids of statements, `sources` ids of note lines or statements, as they were given.
    A reason that isn't one of ours is no reason."""

    sources: Refs = ()  # models write in this order: what it stands on comes first
    old: Refs = ()
    why: Annotated[Text, Field(max_length=100)] = ""
    op: Literal["add", "end", "replace", "merge", "retire"]
    text: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)] = ""
    words: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)] = ""
    on: Annotated[Text, Field(max_length=100)] = ""
    had_secret: SkipJsonSchema[bool] = False  # set when it is masked, before it is stored

    @property
    def operation(self) -> Operation:
        known: dict[str, Why] = {why.value: why for why in Why}
        text = escaped(" ".join(self.text.split())).removeprefix("- ")  # its marks end nothing
        why = known.get(self.why.casefold(), Why.SUPERSEDED)
        return Operation(
            Does(self.op),
            text,
            self.old,
            self.sources,
            why,
            self.words.strip(),
            _day(self.on),
            had_secret=self.had_secret,
        )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


class DreamAnswer(AnswerPart):
    operations: tuple[OperationAnswer, ...] = Field(max_length=MAX_OPERATIONS)
    diary: Annotated[Text, Field(max_length=MAX_DIARY_CHARACTERS)] = ""


# Why something was left out, or left memory: codes, which are what is stored, and their sentences.
# They name numbers and places, never the text of a note: they are shown without it.

UNJUDGED = "too_many"
LEFT_OUT: Mapping[str, Promise] = {
    "unknown_statement": _("It names a statement that doesn't exist."),
    "empty": _("It says nothing."),
    "too_long": _("It's longer than {limit} characters."),
    "no_source": _("It has no note line as its source."),
    "secret": _("It looks like a secret."),
    "address": _("It has a web or e-mail address that isn't in its sources."),
    "unsupported": _("It says something that isn't in its sources."),
    "unrelated": _("Its source speaks of something else."),
    "pinned": _("Pinned lines stay as they are."),
    "flagged": _("The line is flagged. A person has to look at it first."),
    "orders": _("It reads like an order to the assistant."),
    "persons_word": _("A person wrote or confirmed it, and hasn't said otherwise since."),
    "forgotten": _("It was erased."),
    "corrected": _("A person took it back, and hasn't said it again since."),
    "left": _("It left memory, and nobody has said it since."),
    "over": _("Its time is over."),
    "cancels": _("It only cancels something: there is nothing to learn."),
    "rejected": _("A person rejected it before."),
    "known": _("Another statement says the same."),
    "ahead": _("It begins another day. Until then the old one holds."),
    "no_words": _("It ends words that the statement doesn't have."),
    "loses": _("The merged line would lose part of what the others say."),
    "outdated": _("MEMORY.md already has something newer."),
    "undated": _("Nobody knows when it was said, so it replaces nothing."),
    "untold": _("Somebody else said it, or its source is trusted less."),
    "unproved": _("Nothing said later shows that it's no longer true."),
    "unproved_too_many": _("This dream has already removed as much as it may without proof."),
    UNJUDGED: _("One night reads {limit} changes at most."),
    "rival": _("It contradicts another statement, so a person decides."),
    "outside": _("It comes from outside the team, so a person decides."),
    "test": _("It would turn a memory test red, so a person decides."),
    "full": _("MEMORY.md has no room for it. It's still known, but not in the prompt."),
}

LEFT: Mapping[Why, Promise] = {
    Why.SUPERSEDED: _("A newer value replaced it."),
    Why.EXPIRED: _("Its time is over."),
    Why.CANCELLED: _("It was said to be over or cancelled."),
    Why.DUPLICATE: _("Another statement says the same."),
    Why.ASKED: _("The person it is about said otherwise."),
    Why.UNPROVED: _("Something newer was said about it. That it no longer holds isn't proved."),
    Why.ROOM: _("MEMORY.md has no room for it. It's still known, but not in the prompt."),
}


OUTCOMES = ("add", "end", "replace", "merge", "retire", "back", "waits", "left_out")
# What becomes of what waits, once a person decides.
DECIDED: Mapping[str, Promise] = {"accepted": _("accepted"), "rejected": _("rejected")}
WAITS: Mapping[str, Promise] = {
    "rival": LEFT_OUT["rival"],
    "outside": LEFT_OUT["outside"],
    "test": LEFT_OUT["test"],
    "policy": _("This agent asks a person before it changes memory."),
    "current": _("The notes changed twice while the dream was at work."),
}


def told_ended(ended: Iterable[Ended]) -> str:
    said = _("No longer so since {date}: “{words}”.")
    return " ".join(said.format(date=day_told(one.on), words=one.words) for one in ended)


def day_told(day: date) -> str:
    """Without the year, where that is this one."""
    return date_format(day, str(_("j F") if day.year == timezone.localdate().year else _("j F Y")))


def left_out(code: str, values: Mapping[str, str | int]) -> str:
    return str(LEFT_OUT[code]).format(**values)
