from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from memoryweb.llm import usage
from memoryweb.llm.exceptions import (
    BadAnswer,
    BreakerOpen,
    ModelError,
    TimedOut,
    TooLarge,
    Unfinished,
)
from tests.fakes import ModelServer
from tests.llm.asking import TEAM, ask

pytestmark = pytest.mark.django_db

URL = "https://models.example/v1/chat/completions"
NOON = datetime(2031, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOON)


def test_five_failures_in_a_row_open_it(model_server: ModelServer) -> None:
    for _ in range(5):
        model_server.raw(b"<html>Not a model</html>")
        with pytest.raises(ModelError):
            ask()
    with pytest.raises(BreakerOpen) as raised:
        ask()
    assert raised.value.retry_after == 900
    assert len(model_server.requests) == 5
    assert usage.open_until(TEAM) == NOON + timedelta(minutes=15)


def test_a_success_in_between_begins_the_count_anew(model_server: ModelServer) -> None:
    for body in [b"no", b"no", b"no", b"no", b"", b"no"]:
        if body:
            model_server.raw(body)
        else:
            model_server.answer({"text": "yes"})
    for _ in range(6):
        try:
            ask()
        except ModelError:
            continue
    model_server.answer({"text": "x"})
    ask()
    assert len(model_server.requests) == 7


def test_a_text_that_is_too_long_is_not_the_endpoints_failure(model_server: ModelServer) -> None:
    for _ in range(6):
        model_server.status(413)
        with pytest.raises(TooLarge):
            ask()


@pytest.mark.parametrize("said", ["not JSON", '{"text": 5}', "", "{"])
def test_what_a_model_says_is_never_the_endpoints_failure(
    model_server: ModelServer, said: str
) -> None:
    for _ in range(6):
        model_server.text(said)
        model_server.answer({"text": "half"}, finish="length")
        for _ in range(2):
            with pytest.raises((BadAnswer, Unfinished)):
                ask()


def test_any_answer_shows_that_the_endpoint_is_back(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        model_server.raw(b"no")
        with pytest.raises(ModelError):
            ask()
    _set_clock(monkeypatch, NOON + timedelta(minutes=16))
    model_server.text("not JSON")
    with pytest.raises(BadAnswer):
        ask()
    assert usage.open_until(TEAM) is None


def test_silence_is_the_texts_fault_until_the_endpoint_is_left_alone(
    model_server: ModelServer,
) -> None:
    seen = []
    for _ in range(5):
        model_server.hang()
        with pytest.raises(TimedOut) as raised:
            ask(seconds=0.05)
        seen.append(raised.value.of_content)
    assert seen == [True, True, True, True, False]


def test_another_team_and_another_endpoint_are_not_held_up() -> None:
    _open()
    with pytest.raises(BreakerOpen):
        usage.enter_breaker(TEAM, URL, 60)
    usage.enter_breaker(uuid4(), URL, 60)
    usage.enter_breaker(TEAM, "https://other.example/v1/messages", 60)


def test_afterwards_one_call_is_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    _open()
    _set_clock(monkeypatch, NOON + timedelta(minutes=15))
    usage.enter_breaker(TEAM, URL, 60)
    with pytest.raises(BreakerOpen):
        usage.enter_breaker(TEAM, URL, 60)


def test_a_failed_trial_opens_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    _open()
    later = NOON + timedelta(minutes=16)
    _set_clock(monkeypatch, later)
    usage.enter_breaker(TEAM, URL, 60)
    usage.endpoint_failed(TEAM, URL)
    assert usage.open_until(TEAM) == later + timedelta(minutes=15)


def test_a_trial_that_succeeds_closes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _open()
    _set_clock(monkeypatch, NOON + timedelta(minutes=16))
    usage.enter_breaker(TEAM, URL, 60)
    usage.endpoint_answered(TEAM, URL)
    usage.enter_breaker(TEAM, URL, 60)
    assert usage.open_until(TEAM) is None


def test_a_trial_that_never_ended_lets_another_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    _open()
    _set_clock(monkeypatch, NOON + timedelta(minutes=16))
    usage.enter_breaker(TEAM, URL, 60)
    with pytest.raises(BreakerOpen):
        usage.enter_breaker(TEAM, URL, 60)
    _set_clock(monkeypatch, NOON + timedelta(minutes=18))
    usage.enter_breaker(TEAM, URL, 60)


def test_one_that_a_clock_opened_for_a_month_is_not_open(monkeypatch: pytest.MonkeyPatch) -> None:
    _set_clock(monkeypatch, NOON + timedelta(days=30))
    _open()
    _set_clock(monkeypatch, NOON)
    assert usage.open_until(TEAM) is None
    usage.enter_breaker(TEAM, URL, 60)


def _open() -> None:
    for _ in range(5):
        usage.endpoint_failed(TEAM, URL)


def _set_clock(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    monkeypatch.setattr(timezone, "now", lambda: moment)
