"""How much a database works for something, counted in its own steps and not in time."""

from collections.abc import Callable

import pytest
from django.db import connection

GRAIN = 10
counts_steps = pytest.mark.only_on("sqlite", why="only SQLite counts its steps")


def database_steps(act: Callable[[], object]) -> int:
    """Tens of instructions of SQLite's virtual machine. The first call warms all caches."""
    act()
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, GRAIN)
    try:
        act()
    finally:
        connection.connection.set_progress_handler(None, GRAIN)
    return steps
