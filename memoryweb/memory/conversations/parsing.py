"""What a batch of messages may look like, checked field by field before anything is stored."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.refusals import BatchRefused

MAX_MESSAGES = 1_000
MAX_BATCH_BYTES = 8 * 1024 * 1024
MAX_MESSAGE_BYTES = 256 * 1024
MAX_ID = 255
MAX_NAME = 120
MAX_TOOLS = 100

_SURROGATE = re.compile("[\ud800-\udfff]")
_ROLES = frozenset(Message.Role.values)
_TOOL = re.compile(r"[\w.:/-]{1,100}")
_SENT = [one for one in Conversation.Source.values if one != Conversation.Source.MEM0]
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class NewMessage:
    """A message that was checked. `timestamp` is in UTC; None: the moment it arrives."""

    role: str
    content: str
    id: str | None = None
    name: str = ""
    timestamp: datetime | None = None
    tools_used: tuple[str, ...] = ()


@dataclass(frozen=True)
class Batch:
    messages: tuple[NewMessage, ...]
    source: str = Conversation.Source.API
    group: bool = False
    ephemeral: bool = False
    finished: bool = False


def parse_batch(body: Mapping[str, Any]) -> Batch:
    """The body of POST …/messages, without its owner. Raises BatchRefused."""
    source = body.get("source", Conversation.Source.API)
    if source not in _SENT:
        raise _not_one_of("source", _SENT)
    flags = {name: _flag(body, name) for name in ("group", "ephemeral", "finished")}
    return Batch(parse_messages(body.get("messages")), source=source, **flags)


def parse_messages(values: object) -> tuple[NewMessage, ...]:
    """Raises BatchRefused with the first field that can't be taken."""
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise BatchRefused("messages", _("“messages” must be a list of messages."))
    if not values:
        raise BatchRefused("messages", _("“messages” is empty; send at least one message."))
    if len(values) > MAX_MESSAGES:
        raise _refused(
            "messages",
            _("A batch holds at most {most} messages; this one has {count}."),
            "too_large",
            most=MAX_MESSAGES,
            count=len(values),
        )
    messages = tuple(
        _dated(parse_message(value, f"messages[{index}]") for index, value in enumerate(values))
    )
    check_size(messages)
    _check_ids(messages)
    return messages


def check_size(messages: Iterable[NewMessage]) -> None:
    """Raises BatchRefused."""
    if sum(len(message.content.encode()) for message in messages) > MAX_BATCH_BYTES:
        raise BatchRefused("messages", _("A batch holds at most 8 MiB of text."), "too_large")


def dated(message: NewMessage, earlier: datetime | None) -> NewMessage:
    """A message without a time was said when the one before it was."""
    return replace(message, timestamp=earlier) if message.timestamp is None else message


def parse_message(value: object, field: str) -> NewMessage:
    """One message; `field` is its name in a refusal. Raises BatchRefused."""
    if not isinstance(value, Mapping):
        raise _refused(field, _("{field} must be an object."))
    role = value.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise _not_one_of(f"{field}.role", Message.Role.values)
    tools = _tools(value.get("toolsUsed"), f"{field}.toolsUsed")
    return NewMessage(
        role=role,
        content=_content(value.get("content"), f"{field}.content", role, bool(tools)),
        id=_identifier(value.get("id"), f"{field}.id"),
        name=_name(value.get("name"), f"{field}.name"),
        timestamp=_timestamp(value.get("timestamp"), f"{field}.timestamp"),
        tools_used=tools,
    )


def conversation_id(value: object, field: str = "conversationId") -> str:
    """Raises BatchRefused."""
    identifier = _identifier(value, field)
    if identifier is None:
        raise _refused(field, _("{field} is missing."))
    return identifier


def _refused(field: str, sentence: str, code: str = "invalid", **told: object) -> BatchRefused:
    return BatchRefused(field, sentence.format(field=field, **told), code)


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise _refused(name, _("{field} must be true or false."))
    return value


def _not_one_of(field: str, values: Sequence[str]) -> BatchRefused:
    listed = ", ".join(f"“{value}”" for value in values)
    return _refused(field, _("{field} must be one of {list}."), list=listed)


def _content(value: object, field: str, role: str, has_tools: bool) -> str:
    """Blank only where a turn can consist of tools: an assistant's, a tool's."""
    text = _text(value, field)
    if len(text.encode()) > MAX_MESSAGE_BYTES:
        raise _refused(field, _("{field} is larger than 256 KiB; split the message."), "too_large")
    if not text.strip() and role in {"user", "system"} and not has_tools:
        raise _refused(field, _("{field} is blank."))
    return text


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _refused(field, _("{field} must be a string."))
    if "\0" in value:
        raise _refused(field, _("{field} holds a NUL character."))
    if _SURROGATE.search(value):
        raise _refused(field, _("{field} contains half a character (a lone surrogate)."))
    return value


def _identifier(value: object, field: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise _refused(field, _("{field} must be a string: large numbers lose digits in JSON."))
    text = _text(value, field)
    if not 1 <= len(text) <= MAX_ID or not text.strip():
        raise _refused(field, _("{field} must have 1 to {most} characters."), most=MAX_ID)
    if any(unicodedata.category(char) == "Cc" for char in text):
        raise _refused(field, _("{field} may not contain control characters."))
    return text


def _name(value: object, field: str) -> str:
    if value is None:
        return ""
    name = " ".join(_text(value, field).split())
    if len(name) > MAX_NAME:
        raise _refused(field, _("{field} may have at most {most} characters."), most=MAX_NAME)
    return name


def _timestamp(value: object, field: str) -> datetime | None:
    """ISO 8601 with a time of day; without an offset it is UTC. The future is taken as sent."""
    if value is None:
        return None
    if not isinstance(value, str) or len(value) < len("2026-01-01T00:00"):
        raise _not_a_time(field)
    try:
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _not_a_time(field) from None
    if moment < _EARLIEST:
        raise _refused(field, _("{field} lies before 1970."))
    return moment


def _not_a_time(field: str) -> BatchRefused:
    told = _("{field} must be a time in ISO 8601, such as 2026-03-01T09:30:00Z.")
    return _refused(field, told)


def _tools(value: object, field: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_TOOLS:
        raise _refused(field, _("{field} must be a list of at most {most} names."), most=MAX_TOOLS)
    for index, name in enumerate(value):
        if not isinstance(name, str) or not _TOOL.fullmatch(name):
            raise _refused(
                f"{field}[{index}]",
                _("{field} must be a tool's name: letters, digits and . : / _ -"),
            )
    return tuple(value)


def _dated(messages: Iterable[NewMessage]) -> Iterator[NewMessage]:
    earlier = None
    for message in messages:
        told = dated(message, earlier)
        earlier = told.timestamp
        yield told


def _check_ids(messages: Sequence[NewMessage]) -> None:
    seen: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.id is None:
            continue
        if message.id in seen:
            raise _refused(
                f"messages[{index}].id",
                _("messages[{index}].id repeats the id of messages[{first}]."),
                index=index,
                first=seen[message.id],
            )
        seen[message.id] = index


# JSONL in: one message a line, read twice (checked, then taken), never held whole in memory.

MAX_LINE_BYTES = 2 * 1024 * 1024  # JSON escapes can make six bytes of one


def check(lines: Iterable[bytes]) -> int:
    """Read the whole file and count its messages.

    Raises BatchRefused with the line (`line 12.role`) that can't be taken.
    """
    seen: dict[tuple[str, str], int] = {}
    count = 0
    for number, conversation, message in _messages(lines):
        count += 1
        if message.id is None:
            continue
        first = seen.setdefault((conversation, message.id), number)
        if first != number:
            raise _refused(
                f"line {number}.id",
                _("Line {line} has the id of line {first}, in the same conversation."),
                line=number,
                first=first,
            )
    if not count:
        raise BatchRefused("file", _("The file holds no messages."))
    return count


def batches(lines: Iterable[bytes]) -> Iterator[tuple[str, tuple[NewMessage, ...]]]:
    """Batches of one conversation each, conversations in the order in which they begin.

    Lines of several conversations may be mixed; each keeps its own order.
    """
    waiting: dict[str, list[NewMessage]] = {}
    latest: dict[str, datetime | None] = {}
    count = size = 0
    for _number, conversation, read in _messages(lines):
        message = dated(read, latest.get(conversation))
        latest[conversation] = message.timestamp
        waiting.setdefault(conversation, []).append(message)
        count += 1
        size += len(message.content)
        if count == MAX_MESSAGES or size > MAX_BATCH_BYTES // 4:
            yield from ((name, tuple(messages)) for name, messages in waiting.items())
            waiting, count, size = {}, 0, 0
    yield from ((name, tuple(messages)) for name, messages in waiting.items())


def _messages(lines: Iterable[bytes]) -> Iterator[tuple[int, str, NewMessage]]:
    for number, raw in enumerate(lines, start=1):
        if raw.strip(b"\xef\xbb\xbf \t\r\n"):
            value = _object(raw, number)
            name = conversation_id(value.get("conversation"), f"line {number}.conversation")
            yield number, name, parse_message(value, f"line {number}")


def _object(raw: bytes, number: int) -> dict[str, Any]:
    field = f"line {number}"
    if len(raw) > MAX_LINE_BYTES:
        raise _refused(field, _("Line {line} is longer than 2 MiB."), "too_large", line=number)
    try:
        value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        raise _refused(field, _("Line {line} is not UTF-8."), line=number) from None
    except (ValueError, RecursionError):
        raise _refused(field, _("Line {line} is not JSON."), line=number) from None
    if not isinstance(value, dict):
        raise _refused(field, _("Line {line} is not a JSON object."), line=number)
    return value
