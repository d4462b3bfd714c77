"""Whether a statement holds today, computed whenever it is read (SPEC §5.4). Pure.

A last day ends at midnight where the agent is; an end that is no date stays as words.
"""

from collections.abc import Collection
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Q

from memoryweb.memory.models import Fact

_LIVES = frozenset({Fact.State.ACTIVE, Fact.State.DISPUTED})


def today(now: datetime, zone: ZoneInfo) -> date:
    return now.astimezone(zone).date()


def is_over(fact: Fact, day: date) -> bool:
    return fact.valid_to is not None and fact.valid_to < day


def state_on(fact: Fact, day: date) -> Fact.State:
    """Its state, but for one that nobody has retired since its time was over."""
    state = Fact.State(fact.state)
    return Fact.State.EXPIRED if state in _LIVES and is_over(fact, day) else state


def in_states(states: Collection[str], day: date) -> Q:
    """The filter for statements that `state_on` gives one of those states."""
    past = Q(state__in=set(states) - _LIVES)
    if Fact.State.EXPIRED in states:
        past |= Q(state__in=_LIVES) & ~holds_on(day)
    return past | Q(state__in=_LIVES & set(states)) & holds_on(day)


def holds_on(day: date) -> Q:
    """The filter for statements whose time is not over."""
    return Q(valid_to=None) | Q(valid_to__gte=day)
