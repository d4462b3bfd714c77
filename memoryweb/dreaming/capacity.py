"""Which statements MEMORY.md has room for, where it has not for all. Pure."""

from collections.abc import Iterable
from datetime import UTC, datetime

from memoryweb.dreaming.operations import Living
from memoryweb.language.extraction_rules import Kind
from memoryweb.markdown.file_kinds import CORE

CAP = CORE["MEMORY.md"].limit or 0  # characters: what no prompt is given is no memory
AMPLE = CAP // 2  # a file shorter than that takes in what may be worth keeping, too
_MARGIN = 40  # a heading, perhaps
_STEADY = frozenset({Kind.IDENTITY, Kind.HEALTH})
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def leaving(living: Iterable[Living], excess: int) -> list[Living]:
    """The least worth having, as many as it takes; never what people wrote or pinned."""
    found = []
    for one in sorted((one for one in living if one.stands and not one.is_fixed), key=_worth):
        if excess <= 0:
            break
        excess -= _size(one)
        found.append(one)
    return found


def returning(living: Iterable[Living], room: int) -> list[Living]:
    """Of those that had no room the most worth having."""
    found = []
    for one in sorted((one for one in living if not one.stands), key=_worth, reverse=True):
        if _size(one) + _MARGIN > room:
            break
        room -= _size(one) + _MARGIN
        found.append(one)
    return found


def _worth(one: Living) -> tuple[bool, bool, bool, float, datetime, str]:
    kind = one.claim.kind
    at = one.by.said_at or _LONG_AGO
    is_steady, is_durable = kind in _STEADY, one.claim.durable  # else it came where there was room
    return kind is Kind.INSTRUCTION, is_steady, is_durable, one.value, at, one.id


def _size(one: Living) -> int:
    return len(one.text) + len("- \n")
