"""Trust is one sum, in Python and as a filter of the database."""

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.language.extraction_rules import Kind
from memoryweb.memory.models import Evidence, Fact, Vote
from memoryweb.memory.statements.listing import narrowed, values_of, weighed, weight_of
from memoryweb.memory.statements.trust import Band, band, trust
from memoryweb.memory.statements.validity import state_on
from tests.facts.making import made
from tests.world import World

NOW = timezone.now()
UTC = ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("helpful", "unhelpful", "confirmed", "days", "fades", "value"),
    [
        (0, 0, False, 0, True, 0.5),
        (1, 0, True, 60, False, 0.8),
        (1, 0, False, 60, True, 0.3),
        (0, 9, False, 0, True, 0.0),
        (9, 0, True, 0, True, 1.0),
        (0, 0, False, -5, True, 0.5),
    ],
)
def test_it_adds_what_people_said_and_fades(
    helpful: int, unhelpful: int, confirmed: bool, days: int, fades: bool, value: float
) -> None:
    found = trust(helpful, unhelpful, confirmed=confirmed, days_since=days, fades=fades)
    assert found == pytest.approx(value)


@pytest.mark.parametrize(("value", "name"), [(0.6, "high"), (0.3, "medium"), (0.29, "low")])
def test_it_has_three_bands(value: float, name: str) -> None:
    assert band(value) == name


def test_the_database_filters_by_the_same_sum(world: World) -> None:
    for days in (0, 10, 44, 45, 100, 400):
        for helpful, unhelpful in ((0, 0), (2, 0), (0, 1), (0, 3), (8, 0)):
            _weighed(world, days, helpful, unhelpful)
    with scope(team=world.team):
        everything = list(weighed(world.agent.facts.all()))
        for one in Band:
            expected = {f.pk for f in everything if weight_of(f, NOW).band == one}
            assert expected
            assert {f.pk for f in narrowed(_all(world), NOW, UTC, trusted=one)} == expected
        for least in (0.05, 0.25, 0.5, 0.7, 1.0):
            expected = {f.pk for f in everything if weight_of(f, NOW).value >= least}
            assert {f.pk for f in narrowed(_all(world), NOW, UTC, at_least=least)} == expected


def test_it_is_narrowed_by_words_kind_state_and_subject(world: World) -> None:
    wanted = made(world, "Marta likes tea.", kind=Kind.PREFERENCE, subject="marta")
    made(world, "Marta likes coffee.", subject="marta", state=Fact.State.RETIRED)
    made(world, "Tea is served at five.")
    with scope(team=world.team):
        for asked in (
            {"words": "marta", "states": [Fact.State.ACTIVE]},
            {"kind": "preference"},
            {"words": "TEA", "subject": "marta"},
        ):
            assert list(narrowed(_all(world), NOW, UTC, **asked)) == [wanted]


def test_what_is_over_is_listed_as_such_whoever_retired_it(world: World) -> None:
    made(world, "The fair lasts.", valid_to=date(9999, 1, 1))
    for n, state in enumerate((Fact.State.ACTIVE, Fact.State.DISPUTED, Fact.State.RETIRED)):
        made(world, f"Fair {n} is over.", valid_to=date(2001, 1, 1), state=state)
    with scope(team=world.team):
        for state in Fact.State:
            shown = {one.pk for one in narrowed(_all(world), NOW, UTC, states=[state])}
            everything = world.agent.facts.all()
            assert shown == {f.pk for f in everything if state_on(f, NOW.date()) == state}


def test_its_values_are_what_was_said_of_one_key_in_one_workspace(world: World) -> None:
    key: dict[str, Any] = {"subject": "marta", "attribute": "city"}
    old = made(world, "Marta lives in Hamburg.", **key, state=Fact.State.SUPERSEDED)
    made(world, "Marta lives in Bremen.", **key, owner=world.bobs_memory)
    new = made(world, "Marta lives in Berlin.", **key)
    plain = made(world, "Tea is at five.", superseded_by=new)
    made(world, "Coffee is at six.")
    with scope(team=world.team):
        assert {one.pk for one in values_of(new)} == {new.pk, old.pk, plain.pk}
        assert {one.pk for one in values_of(plain)} == {new.pk, plain.pk}


def _all(world: World) -> Any:
    return weighed(world.agent.facts.all())


def _weighed(world: World, days: int, helpful: int, unhelpful: int) -> None:
    at = NOW - timedelta(days=days)
    for kind, confirmed in ((Kind.OTHER, None), (Kind.HEALTH, None), (Kind.PLAN, NOW)):
        fact = made(world, f"{kind} {days}", kind=kind, confirmed_at=confirmed, said_at=at)
        with scope(team=world.team):
            Evidence.objects.create(team=world.team, fact=fact, said_at=at)
            Evidence.objects.create(team=world.team, fact=fact, said_at=None)
            for n, user in enumerate(_people(world, helpful + unhelpful)):
                vote = {"team": world.team, "fact": fact, "user": user}
                Vote.objects.create(**vote, helpful=n < helpful)


def _people(world: World, count: int) -> Any:
    users = type(world.alice).objects
    for n in range(users.count(), count):
        users.create_user(email=f"voter{n}@example.org", password=None)
    return users.order_by("pk")[:count]
