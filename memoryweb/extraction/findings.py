"""What an extractor found in a window, whichever it was: stored before anything is done with it.

Of a model's answer only what cites the window, with its secrets masked.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictStr

from memoryweb.conversations.models import Message
from memoryweb.extraction.rules import NoteLine
from memoryweb.extraction.rules.text import one_line
from memoryweb.language.categories import categorise
from memoryweb.language.secrets import credentials
from memoryweb.llm.exceptions import BadAnswer
from memoryweb.llm.parsing import Text, clean

MAX_LINES = 200
MAX_LINE_CHARACTERS = 2_000
MAX_DAILY_CHARACTERS = 50_000
MAX_FILE_CHARACTERS = 200_000


def _id(value: object) -> object:
    """Ids are strings, but a model that was given "12" may well answer 12."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else clean(value)


MessageId = Annotated[StrictStr, BeforeValidator(_id), Field(max_length=255)]


class ExtractedLine(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)

    text: Annotated[Text, Field(min_length=1, max_length=MAX_LINE_CHARACTERS)]
    message_ids: tuple[MessageId, ...] = Field(alias="messageIds", default=(), max_length=100)
    durable: StrictBool = False


class ExtractionAnswer(BaseModel):
    """What a model must answer: SPEC §4's JSON, with its limits."""

    model_config = ConfigDict(frozen=True)

    should_update: StrictBool
    reason: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)]
    daily_entry: Annotated[Text, Field(max_length=MAX_DAILY_CHARACTERS)] = ""
    memory_update: Annotated[Text, Field(max_length=MAX_FILE_CHARACTERS)] = ""
    profile_update: Annotated[Text, Field(max_length=MAX_FILE_CHARACTERS)] = ""
    lines: tuple[ExtractedLine, ...] = Field(default=(), max_length=MAX_LINES)


_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)  # a pin is a person's to set
_TIME = re.compile(r"^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\s+")


@dataclass(frozen=True)
class Line:
    """One line for the daily note; `messages` are primary keys."""

    text: str
    messages: tuple[int, ...]
    durable: bool
    asked: bool
    category: str


@dataclass(frozen=True)
class Findings:
    """`memory` and `profile` are whole new texts, empty for none. `seen` says which revisions of
    those files the extractor was given (0 for a file that wasn't there), `had_secret` that a
    secret was masked in one of them."""

    lines: tuple[Line, ...] = ()
    memory: str = ""
    profile: str = ""
    reason: str = ""
    seen: Mapping[str, int] = field(default_factory=dict)
    had_secret: bool = False

    def packed(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def unpacked(cls, stored: Mapping[str, Any]) -> "Findings":
        lines = tuple(
            Line(**{**line, "messages": tuple(line["messages"])}) for line in stored["lines"]
        )
        return cls(**{**stored, "lines": lines})


def from_rules(found: Iterable[NoteLine]) -> Findings:
    """The rules were given primary keys for ids."""
    return Findings(
        tuple(
            Line(
                text=line.text,
                messages=tuple(int(name) for name in line.message_ids),
                durable=line.durable,
                asked=line.asked,
                category=line.category.value,
            )
            for line in found
        )
    )


def from_answer(
    answer: ExtractionAnswer, turns: Sequence[Message], seen: Mapping[str, int]
) -> Findings:
    """Raises BadAnswer when lines were written and none cites a message of the window."""
    reason = credentials.mask(one_line(answer.reason))[0]
    if not answer.should_update:
        return Findings(reason=reason, seen=seen)
    lines = _cited(answer, turns) if answer.lines else _uncited(answer.daily_entry, turns)
    if answer.lines and not lines:
        raise BadAnswer(_("The model's lines cite no message of the conversation."))
    memory, in_memory = _document(answer.memory_update)
    profile, in_profile = _document(answer.profile_update)
    return Findings(
        lines=tuple(lines),
        memory=memory,
        profile=profile,
        reason=reason,
        seen=seen,
        had_secret=bool(in_memory or in_profile),
    )


def _cited(answer: ExtractionAnswer, turns: Sequence[Message]) -> list[Line]:
    """Ids that aren't of the window are dropped, and lines that then stand on nothing."""
    known = {turn.external_id: turn.pk for turn in turns}
    found = []
    for line in answer.lines:
        messages = tuple(dict.fromkeys(known[name] for name in line.message_ids if name in known))
        text = _bare(line.text)
        if messages and text:
            found.append(_line(text, messages, durable=line.durable))
    return found


def _uncited(daily_entry: str, turns: Sequence[Message]) -> list[Line]:
    """A plain entry stands on everything that people said in the window, and is not durable."""
    said = tuple(turn.pk for turn in turns if turn.role == Message.Role.USER)
    texts = (_bare(line) for line in daily_entry.split("\n") if not line.startswith("#"))
    return [_line(text, said, durable=False) for text in texts if text]


def _line(text: str, messages: tuple[int, ...], *, durable: bool) -> Line:
    return Line(text, messages, durable, asked=False, category=categorise(text).value)


def _bare(text: str) -> str:
    return _TIME.sub("", credentials.mask(one_line(_COMMENT.sub(" ", text)))[0])


def _document(text: str) -> tuple[str, int]:
    """A secret must not even wait in the stored answer; the guard is told that one was there."""
    return credentials.mask(text.strip() + "\n") if text.strip() else ("", 0)
