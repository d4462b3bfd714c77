"""The database's own full-text index over passages: it finds, `ranking` ranks.

It follows the table by itself (triggers on SQLite, a generated column on PostgreSQL), so it is in
step in every transaction, whoever writes. What a table's rebuild by Django drops is made again
after every `migrate`, and a system check fails without it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from memoryweb.search import index_postgres, index_sqlite
from memoryweb.search.ranking import Extent, Places

_EXTENTS_APART = """
SELECT reach FROM (
    SELECT reach, passages, words FROM recall_extent WHERE passages <> 0
    UNION ALL SELECT reach, count(*), sum(length) FROM recall_passage GROUP BY reach
) AS said GROUP BY reach, passages, words HAVING count(*) <> 2 LIMIT 1
"""


@dataclass(frozen=True)
class Found:
    """Token → passage → how often. `places` says where those passages stand."""

    postings: Mapping[str, Counter[int]]
    places: Places


class _Index(Protocol):
    def create(self, cursor: CursorWrapper) -> None: ...
    def drop(self, cursor: CursorWrapper) -> None: ...
    def missing(self, cursor: CursorWrapper) -> list[str]: ...
    def rebuild(self, cursor: CursorWrapper) -> None: ...
    def is_sound(self, cursor: CursorWrapper) -> bool: ...
    def find(
        self, cursor: CursorWrapper, tokens: Sequence[str]
    ) -> tuple[dict[str, Counter[int]], Places]: ...


def find(tokens: Collection[str], using: str = DEFAULT_DB_ALIAS) -> Found:
    """The passages that have some of these tokens, which carry their scope keys."""
    if not tokens:
        return Found({}, Places((), (), ()))
    with connections[using].cursor() as cursor:
        return Found(*_index(connections[using]).find(cursor, list(tokens)))


def extent(reaches: Sequence[str], using: str = DEFAULT_DB_ALIAS) -> Extent:
    """How much stands under these scope keys, without counting it."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(passages), 0), coalesce(sum(words), 0) FROM recall_extent"
            f" WHERE reach IN ({', '.join(['%s'] * len(reaches))})",
            list(reaches),
        )
        passages, words = cursor.fetchone()
    return Extent(int(passages), int(words))


def create(using: str = DEFAULT_DB_ALIAS, **_signal: object) -> None:
    """Receiver of `post_migrate`; fills what it had to make."""
    connection = connections[using]
    if "recall_passage" not in connection.introspection.table_names():
        return
    # Made and filled, or not at all: an index that is there is taken for a full one.
    with transaction.atomic(using), connection.cursor() as cursor:
        if _index(connection).missing(cursor):
            _index(connection).create(cursor)
            _index(connection).rebuild(cursor)


def drop(using: str = DEFAULT_DB_ALIAS) -> None:
    with connections[using].cursor() as cursor:
        _index(connections[using]).drop(cursor)


def rebuild(using: str = DEFAULT_DB_ALIAS) -> None:
    with connections[using].cursor() as cursor:
        _index(connections[using]).rebuild(cursor)


def is_sound(using: str = DEFAULT_DB_ALIAS) -> bool:
    """Whether the index holds exactly the tokens of the table, and the extents its sums."""
    with connections[using].cursor() as cursor:
        cursor.execute(_EXTENTS_APART)
        extents_apart = cursor.fetchone()
        return _index(connections[using]).is_sound(cursor) and extents_apart is None


def check(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    return [
        Error(
            f"The search index does not follow the passages: {name} is missing.",
            hint="Run “manage.py migrate”; it creates the index again.",
            id="recall.E001",
        )
        for using in databases or ()
        for name in _missing(connections[using])
    ]


def _missing(connection: BaseDatabaseWrapper) -> list[str]:
    if "recall_passage" not in connection.introspection.table_names():
        return []
    with connection.cursor() as cursor:
        return _index(connection).missing(cursor)


def _index(connection: BaseDatabaseWrapper) -> _Index:
    return index_sqlite if connection.vendor == "sqlite" else index_postgres
