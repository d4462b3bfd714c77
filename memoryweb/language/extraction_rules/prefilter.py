"""Which words a text must have one of where a pattern matches: most patterns need not be tried."""

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

# Python's own reader of patterns, of which no types are known.
_parser, op = import_module("re._parser"), import_module("re._constants")

_REPEATS = frozenset({op.MAX_REPEAT, op.MIN_REPEAT})


def needed(pattern: str) -> frozenset[str]:
    """In lower case, to be found anywhere in the text's; empty: it may match whatever."""
    return _needed(_parser.parse(pattern, re.IGNORECASE))


def _needed(parts: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """The most telling of what its parts need, each of which must match."""
    found, word = [], ""
    for kind, given in parts:
        if kind is op.LITERAL:
            word += chr(given).lower()
            continue
        found.append(frozenset({word}))
        word = ""
        if kind is op.SUBPATTERN:
            found.append(_needed(given[-1]))
        elif kind in _REPEATS and given[0] > 0:
            found.append(_needed(given[2]))
        elif kind is op.BRANCH:
            ways = [_needed(way) for way in given[1]]
            found.append(frozenset().union(*ways) if all(ways) else frozenset())
    return max((*found, frozenset({word})), key=_tells) - {""}


def _tells(words: frozenset[str]) -> tuple[int, int]:
    return min(map(len, words), default=0), -len(words)
