"""What an extractor found in a window, whichever it was: stored before anything is done with it.

Of a model's answer only what cites the window, with its secrets masked.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, tzinfo
from typing import Annotated, Any, TypeVar

from django.conf import settings
from django.utils.translation import gettext_lazy, ngettext
from pydantic import BeforeValidator, Field, StrictBool, StrictStr

from memoryweb.extraction.rules_extractor import LONGEST, NoteLine
from memoryweb.language.extraction_rules import Kind, claim_of
from memoryweb.language.note_line import without_time
from memoryweb.language.secrets import credentials
from memoryweb.language.sentences import one_line
from memoryweb.language.statement_comparison import Lookup
from memoryweb.language.support import Citation, is_said
from memoryweb.language.support_words import REPLY
from memoryweb.llm.exceptions import BadAnswer
from memoryweb.llm.parsing import AnswerPart, Text, clean
from memoryweb.memory.conversations import Window
from memoryweb.memory.models import Message

MAX_LINES = 200
MAX_LINE_CHARACTERS = 2_000
MAX_REQUESTS = 20


def _id(value: object) -> object:
    """Ids are strings, but a model that was given "12" may well answer 12."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else clean(value)


MessageId = Annotated[StrictStr, BeforeValidator(_id), Field(max_length=255)]


class ExtractedLine(AnswerPart):
    message_ids: tuple[MessageId, ...] = Field(alias="messageIds", default=(), max_length=100)
    text: Annotated[Text, Field(min_length=1, max_length=MAX_LINE_CHARACTERS)]
    durable: StrictBool = False


class ExtractedRequest(AnswerPart):
    """What a person asked to be forgotten, as a model understood it."""

    message_ids: tuple[MessageId, ...] = Field(alias="messageIds", default=(), max_length=100)
    about: Annotated[Text, Field(min_length=1, max_length=MAX_LINE_CHARACTERS)]


class ExtractionAnswer(AnswerPart):
    """What a model must answer: SPEC §4's JSON, with its limits."""

    should_update: StrictBool
    reason: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)]
    lines: tuple[ExtractedLine, ...] = Field(default=(), max_length=MAX_LINES)
    requests: tuple[ExtractedRequest, ...] = Field(default=(), max_length=MAX_REQUESTS)


_UNCITED = gettext_lazy("The model's lines cite no message of the conversation.")
_Stored = TypeVar("_Stored", "Line", "Request")
_DELICATE = frozenset({Kind.IDENTITY.value, Kind.HEALTH.value})
_MONEY = re.compile(
    r"[€$£¥]|\b(?:salar\w+|earn\w*|incomes?|rents?|mortgages?|debts?|loans?|euros?|dollars?|pounds?"
    r"|gehalt|verdien\w*|miete|schulden|kredit\w*)\b|[円元]|工资|房租|贷款|給料|家賃|ローン",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)  # a pin is a person's to set


@dataclass(frozen=True)
class Line:
    """One line for the daily note; `messages` are primary keys, `category` is the claim's kind."""

    text: str
    messages: tuple[int, ...]
    durable: bool
    asked: bool
    category: str


@dataclass(frozen=True)
class Request:
    """What somebody seems to want forgotten: offered to a person, never acted on."""

    about: str
    messages: tuple[int, ...]


@dataclass(frozen=True)
class Findings:
    lines: tuple[Line, ...] = ()
    requests: tuple[Request, ...] = ()
    reason: str = ""

    def packed(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def unpacked(cls, stored: Mapping[str, Any]) -> "Findings":
        return cls(
            tuple(_unpacked(Line, line) for line in stored["lines"]),
            tuple(
                _unpacked(Request, one)
                for one in stored.get("requests", ())
                if one.get("kind", "forget") == "forget"  # answers to earlier versions had others
            ),
            stored.get("reason", ""),
        )


def _unpacked(what: type[_Stored], stored: Mapping[str, Any]) -> _Stored:
    known = {one.name: stored[one.name] for one in fields(what)}
    return what(**{**known, "messages": tuple(stored["messages"])})


def from_rules(found: Iterable[NoteLine]) -> Findings:
    """The rules were given primary keys for ids."""
    return Findings(
        tuple(
            Line(
                text=line.text,
                messages=tuple(int(name) for name in line.message_ids),
                durable=line.durable,
                asked=line.asked,
                category=line.kind.value,
            )
            for line in found
        )
    )


def from_answer(
    answer: ExtractionAnswer,
    window: Window,
    *,
    owner: str = "",
    zone: tzinfo = UTC,
    prefix: str = "",
) -> Findings:
    """`owner`: the name of whoever speaks without one; `prefix`: of the ids of a window that shared
    a call, whose reason is of none alone. Raises BadAnswer when lines were written and none cites a
    message of a window that was alone; what its messages don't say is left out."""
    reason, known = "" if prefix else _masked(answer.reason), _Known(window.heard, prefix)
    requests = tuple(_requests(answer, known))
    if not answer.should_update:
        return Findings(requests=requests, reason=reason)
    lines = _cited(answer, known)
    if answer.lines and not lines and not prefix:
        raise BadAnswer(_UNCITED)
    turns = {turn.pk: turn for turn in window.heard}
    said = _Said(turns, window.texts, owner, zone)
    kept = tuple(_of_people(line, turns) for line in lines if said.says(line))
    if left := len(lines) - len(kept):
        why = ngettext(
            "{n} line says what its messages don't, and was skipped.",
            "{n} lines say what their messages don't, and were skipped.",
            left,
        )
        reason = f"{reason} {why.format(n=left)}".strip()
    return Findings(kept, requests, reason)


def _is_yes(line: Line, said: Sequence[str]) -> bool:
    """Who a person is, their health and their money: what they only said yes or no to, they never
    said."""
    bare = (found for text in said if (found := REPLY.match(text)))
    is_bare = bool(said) and sum(found.end() == len(found.string) for found in bare) == len(said)
    return is_bare and (line.category in _DELICATE or bool(_MONEY.search(line.text)))


@dataclass(frozen=True)
class _Said:
    """What lines are held against: the messages of the window, and who speaks in it."""

    turns: Mapping[int, Message]
    texts: Mapping[int, str]
    owner: str
    zone: tzinfo

    def says(self, line: Line) -> bool:
        cited = [self.turns[pk] for pk in line.messages]
        if _is_yes(line, [self.texts[one.pk] for one in cited if one.role == Message.Role.USER]):
            return False
        names, everybody = set(map(self._name, cited)), set(map(self._name, self.turns.values()))
        who, colon, _what = line.text.partition(":")
        if colon and who in everybody - names:
            return False  # in somebody else's name
        by = {name for name in names if name and re.match(rf"{re.escape(name)}\b", line.text)}
        heard = [one for turn in cited for one in self._heard(turn, by)]
        return is_said(line.text, heard, names=names - {""})

    def _name(self, turn: Message) -> str:
        return turn.name or (self.owner if turn.role == Message.Role.USER else "")

    def _heard(self, turn: Message, by: Collection[str]) -> Iterator[Citation]:
        """On its day as the model was told it, and as the person lived it. What others say lends
        words to a line in the name of one of those who speak."""
        text = self.texts[turn.pk][: settings.EXTRACTION_MESSAGE_CHARACTERS]
        is_asked = turn.role != Message.Role.USER or bool(by and self._name(turn) not in by)
        for day in {turn.timestamp.astimezone(zone).date() for zone in (UTC, self.zone)}:
            yield Citation(text, day, is_asked=is_asked)


def check_cited(answer: ExtractionAnswer, ids: Collection[str]) -> None:
    """Raises BadAnswer when lines were written and none cites a message of those."""
    cited = {name for line in answer.lines for name in line.message_ids}
    if answer.should_update and answer.lines and cited.isdisjoint(ids):
        raise BadAnswer(_UNCITED)


def _of_people(line: Line, turns: Mapping[int, Message]) -> Line:
    """What somebody answered is their word, though a question lent words to it."""
    people = tuple(pk for pk in line.messages if turns[pk].role == Message.Role.USER)
    return replace(line, messages=people or line.messages)


@dataclass(frozen=True)
class _Known:
    """Messages by the ids that the model was given."""

    turns: Sequence[Message]
    prefix: str

    def keys(self, names: Iterable[str], *, people: bool = False) -> tuple[int, ...]:
        turns = (one for one in self.turns if not people or one.role == Message.Role.USER)
        known = {f"{self.prefix}{turn.external_id}": turn.pk for turn in turns}
        return tuple(dict.fromkeys(known[name] for name in names if name in known))


def _requests(answer: ExtractionAnswer, known: _Known) -> Iterator[Request]:
    """Only what people themselves asked for."""
    for one in answer.requests:
        if messages := known.keys(one.message_ids, people=True):
            yield Request(_masked(one.about), messages)


def _cited(answer: ExtractionAnswer, known: _Known) -> list[Line]:
    """Ids that aren't of the window are dropped, and lines that then stand on nothing."""
    found = []
    for line in answer.lines:
        messages, text = known.keys(line.message_ids), _bare(line.text)
        if messages and text:
            kind = claim_of(text).kind.value
            found.append(Line(text, messages, line.durable, asked=False, category=kind))
    return found


def _bare(text: str) -> str:
    return without_time(_masked(_COMMENT.sub(" ", text)))


def _masked(text: str) -> str:
    return credentials.mask(one_line(text, LONGEST))[0]


def fresh(lines: Sequence[Line], known: Lookup) -> Iterator[Line]:
    """Without what the note says already, in the same words or nearly."""
    for line in lines:
        if next(known.covering(line.text), None) is None:
            known.add(line.text)
            yield line
