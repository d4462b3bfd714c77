"""What a token's page tells of its calls, and what it never tells."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Token
from memoryweb.api import models, request_log
from memoryweb.api.models import Call
from tests.api.callers import Callers
from tests.world import World, signed_in

pytestmark = pytest.mark.databases


@pytest.fixture(autouse=True)
def _on(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.API_LOG = True
    monkeypatch.setattr(request_log, "_tally", request_log._Tally())


def test_a_refused_call_is_told_by_its_route_and_code_alone(
    world: World, callers: Callers, path: str
) -> None:
    callers.member.get(f"{path}/workspace/files/secret-plans-of-ada.md?owner=shared")
    [call] = _calls()
    assert (call.method, call.status, call.code) == ("GET", 404, "not_found")
    assert "<" in call.route
    assert "of-ada" not in str(vars(call)).lower()


def test_equal_calls_are_one_row_a_minute(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _n in range(3):
        callers.member.get("/agents")
    assert [call.times for call in _calls()] == [1]
    later = timezone.now() + timedelta(minutes=2)
    monkeypatch.setattr("memoryweb.api.request_log.timezone.now", lambda: later)
    callers.member.get("/agents")
    assert [call.times for call in _calls()] == [1, 3]


def test_a_call_costs_no_statement_of_its_own(callers: Callers) -> None:
    callers.member.get("/agents")
    with CaptureQueriesContext(
        connection,
    ) as counted:
        callers.member.get("/agents")
    assert not [one for one in counted.captured_queries if "api_call" in one["sql"]]


def test_a_log_that_can_not_be_written_takes_nothing_from_the_answer(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_kind: Any) -> None:
        raise DatabaseError

    monkeypatch.setattr(request_log._Tally, "due", refuse)
    assert callers.member.get("/agents").status_code == 200


def test_what_is_old_goes_and_the_rest_stays_bounded(
    world: World, callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "MOST_CALLS", 3)
    now, token = timezone.now(), Token.objects.filter(team=world.team).latest("created_at")
    with scopes_disabled():
        for n in (*range(5), 8 * 24 * 60):
            at = now - timedelta(minutes=n)
            Call.objects.create(team=world.team, token=token, at=at, status=200, times=n)
    models.purge_calls(now)
    assert [call.times for call in _calls()] == [2, 1, 0]


def test_its_holder_and_admins_see_a_tokens_errors(world: World, callers: Callers) -> None:
    callers.member.get("/agents/nothing")
    token = Token.objects.get(user=world.bob, team=world.team)
    address = f"/t/{world.team.slug}/settings/tokens/{token.pk}/"
    for person in (world.bob, world.alice):
        assert "<code>not_found</code>" in signed_in(person).get(address).content.decode()
    assert signed_in(world.vera).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def _calls() -> list[Call]:
    with scopes_disabled():
        return list(Call.objects.order_by("at", "pk"))
