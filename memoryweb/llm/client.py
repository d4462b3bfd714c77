"""The one way to ask a model: budget, breaker, retries, and an answer that fits its schema."""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Generic, TypeVar
from uuid import UUID

import httpx
import pydantic
from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.llm import breaker, providers, transport, usage
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import (
    ModelError,
    TimedOut,
    TooLarge,
    from_status,
)
from memoryweb.llm.parsing import parse
from memoryweb.llm.prompts import fenced
from memoryweb.llm.providers import Prompt, Reply
from memoryweb.llm.tokens import estimate_messages

TRIES = 3
MAX_ANSWER_TOKENS = 8192
LONGEST_RETRY_AFTER = 3600.0  # seconds; an endpoint may ask for years
RETRIED = {408, 429}
TOO_LARGE = (b"context_length_exceeded", b"maximum context length", b"prompt is too long")

Answer = TypeVar("Answer", bound=pydantic.BaseModel)

# The richest form that an endpoint's model is known to take, as long as this process lives.
_known_forms: dict[tuple[str, str], int] = {}
_known_limits: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Completion(Generic[Answer]):
    """`cost_micros` in millionths of the currency of the endpoint's prices."""

    value: Answer
    tokens_in: int
    tokens_out: int
    model: str
    cost_micros: int


def complete(
    *,
    team_id: UUID,
    role: str,
    system: str,
    data: Mapping[str, object],
    schema: type[Answer],
    deadline: float,
    max_tokens: int = MAX_ANSWER_TOKENS,
    daily_tokens: int | None = None,
    endpoint: Endpoint | None = None,
    chat_with: UUID | None = None,
) -> Completion[Answer]:
    """Ask the model of `role`; raises a ModelError. Never inside a transaction.

    `deadline` is a moment of `time.monotonic()`. `data` is anything JSON can hold. `daily_tokens`
    is the team's own budget, None the installation's; `endpoint` another than the team's choice;
    `chat_with` the agent in whose chat it is asked.
    """
    endpoint = endpoint or endpoint_for(team_id, role)
    prompt = Prompt(system, fenced(data), schema, max_tokens)
    expected = estimate_messages([prompt.system, prompt.user])
    breaker.enter(team_id, endpoint.url, deadline - time.monotonic())
    price = endpoint.cost_micros
    micros, tokens = price(expected, max_tokens), expected + max_tokens
    with usage.reserved(
        team_id, tokens, daily_tokens, micros=micros, price=price, chat_with=chat_with
    ) as spent:
        try:
            reply = _reply(endpoint, prompt, deadline, _Bill(spent, expected))
            value = parse(reply.text, schema)
        except ModelError as error:
            error.tokens_in, error.tokens_out = spent.tokens_in, spent.tokens_out
            error.cost_micros = price(spent.tokens_in, spent.tokens_out)
            blame(error, team_id, endpoint)
            raise
    breaker.succeeded(team_id, endpoint.url)
    used = spent.tokens_in, spent.tokens_out
    return Completion(value, *used, endpoint.model, price(*used))


def blame(error: ModelError, team_id: UUID, endpoint: Endpoint) -> None:
    if error.of_content:
        breaker.succeeded(team_id, endpoint.url)  # it did answer
    elif error.counts:
        is_open = breaker.failed(team_id, endpoint.url)
        # An endpoint that is otherwise well was slow because of this text.
        error.of_content = isinstance(error, TimedOut) and not is_open


@dataclass(frozen=True)
class _Bill:
    """What the tries of one call cost together; `expected` stands for what none of them says."""

    spent: usage.Spent
    expected: int

    def add(self, tokens_in: int | None, tokens_out: int) -> None:
        self.spent.tokens_in += self.expected if tokens_in is None else tokens_in
        self.spent.tokens_out += tokens_out

    @contextmanager
    def charging(self) -> Iterator[None]:
        """A try that failed may have to be paid for, too."""
        try:
            yield
        except ModelError as error:
            if error.charged:
                self.add(error.tokens_in or None, error.tokens_out)
            raise


def _reply(endpoint: Endpoint, prompt: Prompt, deadline: float, bill: _Bill) -> Reply:
    """Through the forms that the endpoint may know, from the strictest to the plainest."""
    known = endpoint.url, endpoint.model
    forms = providers.forms(endpoint)
    limit_name = limit_name_of(endpoint)
    place = _known_forms.get(known, 0)
    with transport.client(deadline, is_public=endpoint.is_public) as http:
        while True:
            body = providers.body(endpoint, prompt, forms[place], limit_name)
            response = _tried(http, endpoint, body, deadline, bill)
            if response.status == 200:
                _known_forms[known], _known_limits[known] = place, limit_name
                with bill.charging():
                    reply = providers.read(endpoint, response)
                bill.add(reply.tokens_in, reply.tokens_out)
                return reply
            if any(mark in response.body for mark in TOO_LARGE):
                raise TooLarge(_("The text is too long for the model."))
            if response.status not in {400, 422}:
                raise from_status(response.status, retry_after(response))
            if takes_other_limit(response, limit_name):
                limit_name = "max_completion_tokens"
            elif place + 1 < len(forms):
                place += 1
            else:
                raise from_status(response.status, None)


def limit_name_of(endpoint: Endpoint) -> str:
    return _known_limits.get((endpoint.url, endpoint.model), "max_tokens")


def takes_other_limit(response: transport.Response, limit_name: str) -> bool:
    is_refusal = response.status in {400, 422} and limit_name == "max_tokens"
    return is_refusal and b"max_completion_tokens" in response.body


def _tried(
    http: httpx.Client, endpoint: Endpoint, body: bytes, deadline: float, bill: _Bill
) -> transport.Response:
    """The response of the first try that is worth reading; the last one's error otherwise."""
    for attempt in range(1, TRIES + 1):
        pause = _jitter(attempt)
        try:
            with bill.charging():
                response = transport.post(
                    http, endpoint.url, providers.headers(endpoint), body, deadline
                )
        except transport.ConnectionLost as error:
            failure: ModelError = error
        else:
            if response.status not in RETRIED and response.status < 500:
                return response
            asked = retry_after(response)
            failure = from_status(response.status, asked)
            pause = pause if asked is None else asked
        if attempt == TRIES or time.monotonic() + pause >= deadline:
            raise failure
        time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def _jitter(attempt: int) -> float:
    seconds: float = settings.MODEL_BACKOFF_SECONDS * 2 ** (attempt - 1)
    return seconds * random.uniform(0.5, 1.5)


def retry_after(response: transport.Response) -> float | None:
    """Seconds or an HTTP date, at most an hour; None when there is none or it makes no sense."""
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), LONGEST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    seconds = (moment - datetime.now(UTC)).total_seconds()
    return min(max(0.0, seconds), LONGEST_RETRY_AFTER)
