"""The database's own full-text index over passages: it finds, `ranking` ranks.

It follows the table by itself (triggers on SQLite, a generated column on PostgreSQL), so it is in
step in every transaction, whoever writes. What a table's rebuild by Django drops is made again
after every `migrate`, and a system check fails without it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
    """Token → passage → how often. `places` says where those passages stand, `extent` how much
    there is to find, `near` how near some passages are in meaning, weighed."""

    postings: Mapping[str, Mapping[int, int]]
    places: Places
    extent: Extent
    near: Mapping[int, float] = field(default_factory=dict)


# Token → passage → how often, where those stand, and scope key → passages and words below it.
_Rows = tuple[dict[str, Mapping[int, int]], Places, dict[str, tuple[int, int]]]


class _Index(Protocol):
    def create(self, cursor: CursorWrapper) -> None: ...
    def drop(self, cursor: CursorWrapper) -> None: ...
    def missing(self, cursor: CursorWrapper) -> list[str]: ...
    def rebuild(self, cursor: CursorWrapper) -> None: ...
    def is_sound(self, cursor: CursorWrapper) -> bool: ...
    def merge(self, cursor: CursorWrapper, begun: bool) -> bool | None: ...
    def find(
        self, cursor: CursorWrapper, reaches: Sequence[str], words: Sequence[str]
    ) -> _Rows: ...


def find(
    groups: Sequence[Collection[str]], words: Sequence[str], using: str = DEFAULT_DB_ALIAS
) -> list[Found]:
    """For each group of scope keys the passages that have some of the words, each behind its field.

    In one statement for many groups as for one.
    """
    if not words:
        return [Found({}, Places({}, {}), Extent(0, 0)) for _group in groups]
    reaches = list({reach: None for group in groups for reach in group})
    with connections[using].cursor() as cursor:
        found = _index(connections[using]).find(cursor, reaches, words)
    return [_of_group(group, words, found, is_all=len(groups) == 1) for group in groups]


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
    reaches: Collection[str], words: Sequence[str], found: _Rows, *, is_all: bool
) -> Found:
    postings, places, sizes = found
    extent = Extent(*(sum(sizes.get(reach, (0, 0))[at] for reach in reaches) for at in (0, 1)))
    if is_all:
        return Found(postings, places, extent)
    tokens = (reach + word for reach in reaches for word in words)
    own = {token: postings[token] for token in tokens if token in postings}
    wanted = set[int]().union(*own.values())
    return Found(own, places.of(wanted), extent)


def _missing(connection: BaseDatabaseWrapper) -> list[str]:
    if "recall_passage" not in connection.introspection.table_names():
        return []
    with connection.cursor() as cursor:
        return _index(connection).missing(cursor)


def _index(connection: BaseDatabaseWrapper) -> _Index:
    return sqlite if connection.vendor == "sqlite" else postgres
