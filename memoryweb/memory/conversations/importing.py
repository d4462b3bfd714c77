"""JSONL in: one message a line, read twice (checked, then taken), never held whole in memory."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.memory.conversations.parsing import (
    MAX_BATCH_BYTES,
    MAX_MESSAGES,
    NewMessage,
    conversation_id,
    dated,
    parse_message,
)
from memoryweb.memory.models.refusals import BatchRefused

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
            raise BatchRefused(
                f"line {number}.id",
                _("Line {line} has the id of line {first}, in the same conversation.").format(
                    line=number, first=first
                ),
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
        raise BatchRefused(
            field, _("Line {line} is longer than 2 MiB.").format(line=number), "too_large"
        )
    try:
        value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        raise BatchRefused(field, _("Line {line} is not UTF-8.").format(line=number)) from None
    except (ValueError, RecursionError):
        raise BatchRefused(field, _("Line {line} is not JSON.").format(line=number)) from None
    if not isinstance(value, dict):
        raise BatchRefused(field, _("Line {line} is not a JSON object.").format(line=number))
    return value
