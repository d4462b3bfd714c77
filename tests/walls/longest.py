"""How much is written in one transaction: whoever else writes waits for its end."""

from collections.abc import Callable
from typing import Any

from django.db import connection


def longest_transaction(look: Callable[[], object]) -> int:
    """Statements of the longest one that it opens. Tests stand in one, so that theirs are the
    outermost savepoints."""
    open_ones: list[str] = []
    longest = now = 0

    def note(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        nonlocal longest, now
        word, _space, name = sql.partition(" ")
        if word == "SAVEPOINT":
            now = now if open_ones else 0
            open_ones.append(name)
        elif word == "RELEASE":
            open_ones.pop()
        elif word != "ROLLBACK" and open_ones:
            now += 1
            longest = max(longest, now)
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        look()
    return longest
