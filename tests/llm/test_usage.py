import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memoryweb.llm import usage
from memoryweb.llm.exceptions import BudgetSpent, ModelError, Unfinished
from memoryweb.llm.models import TeamModel, Usage
from tests.fakes import Behaviour, ModelServer
from tests.llm.asking import TEAM, ask

pytestmark = pytest.mark.databases

EXPECTED = 130  # what `ask` sends, as it is estimated


@pytest.mark.django_db
def test_what_was_used_is_settled_and_nothing_stays_reserved(model_server: ModelServer) -> None:
    model_server.answer({"text": "x"}, tokens=(120, 15))
    ask()
    row = Usage.objects.get(team_id=TEAM)
    assert (row.reserved, row.used_in, row.used_out) == (0, 120, 15)


@pytest.mark.django_db
def test_a_failed_answer_is_paid_for_as_well(model_server: ModelServer) -> None:
    model_server.answer({"text": "x"}, finish="length", tokens=(120, 15))
    with pytest.raises(Unfinished):
        ask()
    row = Usage.objects.get(team_id=TEAM)
    assert (row.reserved, row.used_in, row.used_out) == (0, 120, 15)


@pytest.mark.django_db
def test_a_bad_answer_says_what_it_cost(model_server: ModelServer) -> None:
    model_server.text("not JSON", tokens=(120, 15))
    with pytest.raises(ModelError) as raised:
        ask()
    assert (raised.value.tokens_in, raised.value.tokens_out) == (120, 15)


def _refusal(**usage: int) -> bytes:
    message = {"refusal": "No."}
    choices = [{"message": message, "finish_reason": "stop"}]
    return json.dumps({"choices": choices, "usage": usage}).encode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reply", "spent"),
    [
        (
            Behaviour(raw=_refusal(prompt_tokens=120, completion_tokens=15), streams=False),
            (120, 15),
        ),
        (Behaviour(" ", tokens=(120, 15)), (120, 15)),
        (Behaviour('{"text": ', tokens=(120, 15)), (120, 15)),
        (Behaviour('{"text": "x"}', finish="length", tokens=None), (EXPECTED, 13)),
        (Behaviour(raw=_refusal(), streams=False), (EXPECTED, 7)),
    ],
    ids=["refused", "empty", "damaged", "cut off, nothing said", "refused, nothing said"],
)
def test_an_answer_that_cannot_be_used_is_counted_and_settled(
    model_server: ModelServer, reply: Behaviour, spent: tuple[int, int]
) -> None:
    model_server.then(reply)
    with pytest.raises(ModelError) as raised:
        ask()
    row = Usage.objects.get(team_id=TEAM)
    assert (row.reserved, row.used_in, row.used_out) == (0, *spent)
    assert (raised.value.tokens_in, raised.value.tokens_out) == spent


@pytest.mark.django_db
def test_an_answer_that_was_torn_off_is_paid_for_beside_the_one_that_came(
    model_server: ModelServer,
) -> None:
    model_server.truncate({"text": "half of it"})
    model_server.answer({"text": "whole"}, tokens=(120, 15))
    ask()
    row = Usage.objects.get(team_id=TEAM)
    assert (row.reserved, row.used_in, row.used_out) == (0, 120 + EXPECTED, 15 + 7)


@pytest.mark.django_db
@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_refused_request_costs_nothing(model_server: ModelServer, status: int) -> None:
    for _ in range(3):
        model_server.status(status)
    with pytest.raises(ModelError):
        ask()
    assert usage.today(TEAM) == usage.Today(0, 0, 2_000_000)


@pytest.mark.django_db
def test_a_spent_budget_sends_nothing(model_server: ModelServer, settings: Any) -> None:
    settings.DAILY_TOKENS = 2000
    with pytest.raises(BudgetSpent) as raised:
        ask()
    assert model_server.requests == []
    assert 0 < (raised.value.retry_after or 0) <= 86_400


@pytest.mark.django_db
def test_a_team_may_have_a_budget_of_its_own(model_server: ModelServer) -> None:
    with pytest.raises(BudgetSpent):
        ask(daily_tokens=2000)
    model_server.answer({"text": "x"})
    ask(daily_tokens=3000)


@pytest.mark.django_db
def test_a_team_may_say_what_a_day_may_cost(model_server: ModelServer, settings: Any) -> None:
    settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT = 2.0, 10.0
    limited = TeamModel.objects.create(team_id=TEAM, daily_micros=50_000)
    with pytest.raises(BudgetSpent):  # its answer may take 8,000 tokens, that is 0.08
        ask(max_tokens=8000)
    assert model_server.requests == []
    limited.daily_micros = 100_000
    limited.save()
    model_server.answer({"text": "x"}, tokens=(500, 8000))
    ask(max_tokens=8000)
    today = usage.today(TEAM)
    assert (today.cost, today.reserved_micros, today.most_cost) == (0.081, 0, 0.1)
    assert (today.is_nearly_spent, today.is_spent) == (True, False)
    with pytest.raises(BudgetSpent):
        ask(max_tokens=8000)


@pytest.mark.django_db
def test_the_next_utc_day_begins_with_nothing_used(monkeypatch: pytest.MonkeyPatch) -> None:
    _set_clock(monkeypatch, datetime(2031, 3, 1, 23, 59, tzinfo=UTC))
    with usage.reserved(TEAM, 10, 10) as spent:
        spent.tokens_in = 10
    assert usage.today(TEAM, 10).is_spent
    _set_clock(monkeypatch, datetime(2031, 3, 2, 0, 0, tzinfo=UTC))
    assert not usage.today(TEAM, 10).is_spent


@pytest.mark.django_db
def test_a_call_over_midnight_is_settled_on_the_day_it_was_reserved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _set_clock(monkeypatch, datetime(2031, 3, 1, 23, 59, tzinfo=UTC))
    with usage.reserved(TEAM, 10, 10) as spent:
        _set_clock(monkeypatch, datetime(2031, 3, 2, 0, 1, tzinfo=UTC))
        spent.tokens_in = 7
    row = Usage.objects.get(team_id=TEAM)
    assert (row.day.day, row.reserved, row.used_in) == (1, 0, 7)


@pytest.mark.django_db(transaction=True)
def test_many_at_once_never_overdraw() -> None:
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: _use(7), range(16)))
    assert outcomes.count(True) == 14
    assert usage.today(TEAM, 100).used == 98


def _use(tokens: int) -> bool:
    try:
        with usage.reserved(TEAM, tokens, 100) as spent:
            spent.tokens_out = tokens
    except BudgetSpent:
        return False
    finally:
        connection.close()
    return True


def _set_clock(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    monkeypatch.setattr(timezone, "now", lambda: moment)
