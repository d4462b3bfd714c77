"""Proving that what waits is what its causes say, and making it so: for databases that are older
than the table, and whenever somebody wants to know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.memory.models import ReviewItem
from memoryweb.memory.models.review_items import Difference, differences, follow
from memoryweb.memory.models.transaction import write_transaction


@dataclass(frozen=True)
class Compared:
    """`waiting`: how many of each kind there are; `found` is what differed."""

    waiting: Mapping[str, int]
    found: Sequence[Difference]


def check(team: Team) -> Compared:
    with scope(team=team):
        return _compared([one for kind in ReviewItem.Kind for one in differences(kind)])


def repair(team: Team) -> Compared:
    with write_transaction(team):
        return _compared([one for kind in ReviewItem.Kind for one in follow(kind)])


def fill_missing(**_signal: Any) -> None:
    """Receiver of `post_migrate`: what waited before this table, unless the way leads back."""
    if ReviewItem._meta.db_table not in connection.introspection.table_names():
        return
    for team in Team.objects.order_by("slug"):
        with scope(team=team):
            is_filled = ReviewItem.objects.exists()
        if not is_filled:
            repair(team)


def _compared(found: Sequence[Difference]) -> Compared:
    waiting = ReviewItem.objects.filter(state=ReviewItem.State.OPEN).order_by("kind")
    counts = waiting.values_list("kind").annotate(n=Count("pk"))
    return Compared(dict(counts), found)
