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

from memoryweb.memory.index import postgres, sqlite
from memoryweb.memory.index.ranking import Extent, Places

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
    def merge(self, cursor: CursorWrapper, begun: bool) -> bool | None: ...
    def find(
        self, cursor: CursorWrapper, tokens: Sequence[str]
    ) -> tuple[dict[str, Counter[int]], Places]: ...


def find(groups: Sequence[Collection[str]], using: str = DEFAULT_DB_ALIAS) -> list[Found]:
    """For each group the passages that have some of its tokens, which carry their scope keys.

    In as many statements for many groups as for one.
    """
    tokens = list({token: None for group in groups for token in group})
    if not tokens:
        return [Found({}, Places({}, {})) for _group in groups]
    with connections[using].cursor() as cursor:
        postings, places = _index(connections[using]).find(cursor, tokens)
    if len(groups) == 1:
        return [Found(postings, places)]
    return [_of_group(group, postings, places) for group in groups]


def extents(groups: Sequence[Sequence[str]], using: str = DEFAULT_DB_ALIAS) -> list[Extent]:
    """For each group how much stands under its scope keys, without counting it."""
    reaches = {reach for group in groups for reach in group}
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT reach, passages, words FROM recall_extent"
            f" WHERE reach IN ({', '.join(['%s'] * len(reaches))})",
            list(reaches),
        )
        sizes = {reach: (passages, words) for reach, passages, words in cursor.fetchall()}
    found = ([sizes[reach] for reach in group if reach in sizes] for group in groups)
    return [Extent(sum(n for n, _words in of), sum(words for _n, words in of)) for of in found]


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


def merge(*, begun: bool, using: str = DEFAULT_DB_ALIAS) -> bool | None:
    """One short step of bringing the index into one piece, in which nothing is left of what was
    taken out of it: whether that has begun, for the next step, and None when it is done. Each step
    is a transaction of its own."""
    with transaction.atomic(using), connections[using].cursor() as cursor:
        return _index(connections[using]).merge(cursor, begun)


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


def _of_group(
    tokens: Collection[str], postings: Mapping[str, Counter[int]], places: Places
) -> Found:
    own = {token: postings[token] for token in tokens if token in postings}
    wanted = set[int]().union(*own.values())
    return Found(own, places.of(wanted))


def _missing(connection: BaseDatabaseWrapper) -> list[str]:
    if "recall_passage" not in connection.introspection.table_names():
        return []
    with connection.cursor() as cursor:
        return _index(connection).missing(cursor)


def _index(connection: BaseDatabaseWrapper) -> _Index:
    return sqlite if connection.vendor == "sqlite" else postgres
