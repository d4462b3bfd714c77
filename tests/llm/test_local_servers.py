"""Servers as people run them: slow to read, small of context, still loading, sparing of words."""

import json
import threading
from typing import Any

import pytest
from pydantic import BaseModel, Field

from memoryweb.llm import transport, usage
from memoryweb.llm.exceptions import Loading, TimedOut, TooLarge
from memoryweb.llm.models import Breaker, Usage
from memoryweb.llm.tokens import estimate
from tests.fakes import Behaviour, ModelServer
from tests.llm.asking import TEAM, ask
from tests.llm.refusals import GRAMMAR, LOADING, TEMPERATURE, TOO_LARGE

pytestmark = pytest.mark.django_db


def _usage() -> tuple[int, int, int]:
    row = Usage.objects.get(team_id=TEAM)
    return row.reserved, row.used_in, row.used_out


def test_a_server_may_read_for_longer_than_it_may_be_silent(
    model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_IDLE_SECONDS, settings.MODEL_FIRST_BYTE_SECONDS = 0.1, 5
    model_server.then(Behaviour(json.dumps({"text": "x"}), reads=0.5))
    assert ask().value.text == "x"


def test_headers_alone_are_no_answer_yet(model_server: ModelServer, settings: Any) -> None:
    """vLLM sends them before it has read the prompt."""
    settings.MODEL_IDLE_SECONDS, settings.MODEL_FIRST_BYTE_SECONDS = 0.1, 5
    model_server.then(Behaviour(json.dumps({"text": "x"}), thinks=0.5))
    assert ask().value.text == "x"


def test_the_first_byte_has_a_limit_that_is_named(model_server: ModelServer, settings: Any) -> None:
    settings.MODEL_IDLE_SECONDS, settings.MODEL_FIRST_BYTE_SECONDS = 5, 0.2
    model_server.hang()
    with pytest.raises(TimedOut, match="MEMORYWEB_MODEL_FIRST_BYTE_SECONDS"):
        ask()


def test_silence_in_the_answer_has_a_limit_that_is_named(
    model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_IDLE_SECONDS = 0.2
    rest = threading.Event()
    model_server.then(Behaviour(json.dumps({"text": "x" * 500}), held=rest))
    with pytest.raises(TimedOut, match="MEMORYWEB_MODEL_IDLE_SECONDS"):
        ask()
    rest.set()


def test_the_next_call_on_a_connection_may_read_as_long(
    model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_IDLE_SECONDS, settings.MODEL_FIRST_BYTE_SECONDS = 0.1, 5
    model_server.status(500)
    model_server.then(Behaviour(json.dumps({"text": "x"}), reads=0.5))
    assert ask().value.text == "x"


def test_the_time_limit_names_its_settings(model_server: ModelServer) -> None:
    model_server.hang()
    with pytest.raises(TimedOut, match="MEMORYWEB_EXTRACTION_TIMEOUT_SECONDS"):
        ask(seconds=0.3)


@pytest.mark.parametrize(("status", "body"), TOO_LARGE, ids=lambda value: str(value)[:60])
def test_a_full_context_is_told_as_that_at_once(
    model_server: ModelServer, status: int, body: bytes
) -> None:
    model_server.raw(body, status=status)
    with pytest.raises(TooLarge, match="MEMORYWEB_MODEL_WINDOW"):
        ask()
    assert len(model_server.requests) == 1
    assert not Breaker.objects.filter(failures__gt=0).exists()


def test_a_full_context_may_be_told_in_the_stream(model_server: ModelServer) -> None:
    event = b'data: {"error": {"message": "Context size has been exceeded.", "code": 500}}\n\n'
    model_server.raw(event, headers={"Content-Type": "text/event-stream"})
    with pytest.raises(TooLarge):
        ask()


def test_a_text_about_contexts_is_no_refusal(model_server: ModelServer) -> None:
    model_server.answer({"text": "The request exceeds the available context size, they said."})
    assert ask().value.text.startswith("The request")


def test_a_model_that_is_loading_is_waited_for(model_server: ModelServer) -> None:
    for _ in range(6):
        model_server.raw(LOADING, status=503)
    model_server.answer({"text": "at last"})
    assert ask().value.text == "at last"


def test_loading_for_too_long_is_no_failure_of_the_endpoint(model_server: ModelServer) -> None:
    model_server.default = lambda _: Behaviour(status=503, raw=LOADING, streams=False)
    for _ in range(usage.FAILURES + 1):
        with pytest.raises(Loading) as raised:
            ask(seconds=5)
    assert raised.value.transient
    assert usage.open_until(TEAM) is None


class Listing(BaseModel):
    lines: tuple[str, ...] = Field(default=(), max_length=1_000)
    about: str = Field(default="", max_length=8_000)


def test_what_an_answer_may_hold_is_bounded_for_the_endpoint_too(
    model_server: ModelServer,
) -> None:
    """llama.cpp takes no bound of 2,000 or more."""
    model_server.answer({"text": "x"})
    ask()
    schema = model_server.requests[0].body["response_format"]["json_schema"]["schema"]
    assert 0 < schema["properties"]["text"]["maxLength"] < 2_000
    bounded = transport.strict(Listing.model_json_schema(), most_items=40)
    assert bounded["properties"]["lines"]["maxItems"] == 40
    assert bounded["properties"]["about"]["maxLength"] < 2_000


def test_an_endpoint_that_takes_no_bounds_gets_the_schema_without(
    model_server: ModelServer,
) -> None:
    model_server.raw(GRAMMAR, status=400)
    for _ in range(2):
        model_server.answer({"text": "x"})
        ask()
    first, second, third = (
        r.body["response_format"]["json_schema"]["schema"]["properties"]["text"]
        for r in model_server.requests
    )
    assert "maxLength" in first
    assert "maxLength" not in second
    assert second == third


def test_a_low_temperature_is_asked_for_where_it_is_taken(model_server: ModelServer) -> None:
    model_server.raw(TEMPERATURE, status=400)
    for _ in range(2):
        model_server.answer({"text": "x"})
        ask()
    first, second, third = model_server.requests
    assert 0 < first.body["temperature"] <= 0.3
    assert "temperature" not in second.body
    assert "temperature" not in third.body
    assert third.form == "json_schema"


def test_anthropic_is_asked_without_a_temperature_that_it_refuses(
    model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_PROVIDER = "anthropic"
    model_server.status(400, "`temperature` is deprecated for this model.")
    model_server.answer({"text": "x"})
    ask()
    assert ["temperature" in r.body for r in model_server.requests] == [True, False]


def test_a_short_text_is_not_given_8192_tokens_to_answer(model_server: ModelServer) -> None:
    for size in (10, 10_000, 100_000):
        model_server.answer({"text": "x"})
        ask({"note": "x" * size})
    short, long, longest = (r.body["max_tokens"] for r in model_server.requests)
    assert short < 2_500 < long < longest
    assert longest == 8_192


def test_an_answer_has_to_fit_into_the_window(model_server: ModelServer, settings: Any) -> None:
    settings.MODEL_WINDOW = 2_048
    model_server.answer({"text": "x"})
    ask({"note": "x" * 2_000})
    asked = model_server.requests[0].body["max_tokens"]
    assert 256 <= asked <= 2_048 - 500


def test_a_timed_out_answer_is_booked_with_what_was_reserved(model_server: ModelServer) -> None:
    model_server.hang()
    with pytest.raises(TimedOut) as raised:
        ask(seconds=0.3, max_tokens=700)
    reserved, used_in, used_out = _usage()
    assert (reserved, used_out) == (0, 700)
    assert used_in > 80
    assert (raised.value.tokens_in, raised.value.tokens_out) == (used_in, used_out)


def test_an_answer_that_stops_on_its_way_is_booked_with_what_came(
    model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_IDLE_SECONDS = 0.2
    text = json.dumps({"text": "word " * 1_500})
    rest = threading.Event()
    model_server.then(Behaviour(text, held=rest))
    with pytest.raises(TimedOut):
        ask(max_tokens=8_000)
    rest.set()
    _reserved, _used_in, used_out = _usage()
    assert estimate(text) // 4 < used_out < 8_000


def test_a_daily_limit_holds_for_answers_that_time_out(
    model_server: ModelServer, settings: Any
) -> None:
    """Each asks for 1,000 tokens and is given up: no more than 5,000 are ever asked for."""
    model_server.default = lambda _: Behaviour(hang=True)
    for _ in range(usage.FAILURES - 1):
        with pytest.raises(TimedOut):
            ask(seconds=0.2, max_tokens=1_000, daily_tokens=5_000)
    reserved, used_in, used_out = _usage()
    assert used_out == 4_000
    assert used_in + used_out <= 5_000
    assert reserved == 0


GERMAN = "Donaudampfschifffahrtsgesellschaftskapitän Müller wünscht sich Überraschungsgeschenke. "


@pytest.mark.parametrize("real", [1.6, 2.0, 3.3], ids=["German", "Chinese", "ids"])
def test_what_a_call_may_take_is_learned_from_what_calls_took(
    model_server: ModelServer, real: float
) -> None:
    def counted(received: Any) -> Behaviour:
        sent = estimate(received.system) + estimate(received.user) + 8
        return Behaviour(json.dumps({"text": "x"}), tokens=(round(sent * real), 20))

    model_server.default = counted
    ask({"note": GERMAN * 50})
    learned = transport.dialect_of(f"{model_server.url}/chat/completions", "fake-model")
    sent = [model_server.requests[0].system, model_server.requests[0].user]
    reported = round((sum(map(estimate, sent)) + 8) * real)
    assert learned.tokens(sent) >= reported * 0.99


def test_an_endpoint_cannot_make_calls_look_endless(model_server: ModelServer) -> None:
    model_server.answer({"text": "x"}, tokens=(9_999_999, 1))
    ask(daily_tokens=50_000_000)
    assert transport.dialect_of(f"{model_server.url}/chat/completions", "fake-model").factor <= 4


def test_before_anything_is_learned_a_language_of_long_words_is_reckoned_with(
    model_server: ModelServer,
) -> None:
    assert transport.dialect_of("https://models.example/v1", "new").factor >= 1.6
