"""Proving that what waits is what its causes say, and making it so: for databases that are older
than the table, and whenever somebody wants to know."""

from typing import Any

from django.db import connection
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.memory.models import ReviewItem
from memoryweb.memory.models.review_items import Difference, differences, follow
from memoryweb.memory.models.transaction import write_transaction


def check(team: Team) -> list[Difference]:
    """What differs twice: a change that is written between the halves of a look differs once."""
    with scope(team=team):
        found = [difference for kind in ReviewItem.Kind for difference in differences(kind)]
        kinds = dict.fromkeys(difference.kind for difference in found)
        again = (difference for kind in kinds for difference in differences(kind))
        return [difference for difference in again if difference in found]


def repair(team: Team) -> list[Difference]:
    """What differed."""
    with write_transaction(team):
        return [difference for kind in ReviewItem.Kind for difference in follow(kind)]


def fill_missing(**_signal: Any) -> None:
    """Receiver of `post_migrate`: what waited before this table, unless the way leads back."""
    if ReviewItem._meta.db_table not in connection.introspection.table_names():
        return
    for team in Team.objects.order_by("slug"):
        # A team of which nothing waits is not written to: its chain begins with its first event.
        if any(difference.problem == "missing" for difference in check(team)):
            repair(team)
