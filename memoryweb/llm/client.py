"""The one way to ask a model: budget, breaker, retries, and an answer that fits its schema."""

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, Generic, TypeVar
from uuid import UUID

import httpx
import pydantic
from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.core import slots
from memoryweb.llm import providers, transport, usage
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import Loading, ModelError, NoAnswer, TimedOut, TooLarge, from_answer
from memoryweb.llm.parsing import parse
from memoryweb.llm.prompts import fenced
from memoryweb.llm.providers import Prompt, Reply, Turn, event_of
from memoryweb.llm.tokens import estimate
from memoryweb.llm.transport import Dialect
from memoryweb.llm.usage import TokenSpend

TRIES = 3
MAX_ANSWER_TOKENS, LEAST_ANSWER_TOKENS = 8192, 512
ANSWER_TO_NOTHING = 2048  # tokens: thoughts of a model that thinks are among them
LONGEST_RETRY_AFTER = 3600.0  # seconds; an endpoint may ask for years
LONGEST_PAUSE = 5.0  # seconds between two looks at a server that is loading its model

Answer = TypeVar("Answer", bound=pydantic.BaseModel)


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
    max_tokens: int | None = None,
    daily_tokens: int | None = None,
    endpoint: Endpoint | None = None,
    local_only: bool,
    chat_with: UUID | None = None,
) -> Completion[Answer]:
    """Ask the model of `role`; raises a ModelError. Never inside a transaction.

    `deadline`: of `time.monotonic()`. Without `max_tokens` the answer may be as long as `data`.
    `local_only`: of an agent that asks no other. `chat_with`: the agent in whose chat it is.
    """
    endpoint = endpoint or endpoint_for(team_id, role, local_only=local_only)
    dialect, user = transport.dialect_of(endpoint.url, endpoint.model), fenced(data)
    expected = dialect.tokens([system, user])
    prompt = Prompt(system, user, schema, _room(max_tokens, user, expected))
    usage.enter_breaker(team_id, endpoint.url, deadline - time.monotonic())
    price = endpoint.cost_micros
    micros, tokens = price(expected, prompt.max_tokens), expected + prompt.max_tokens
    with usage.reserved(
        team_id, tokens, daily_tokens, micros=micros, price=price, chat_with=chat_with
    ) as spent:
        try:
            reply = _reply(dialect, deadline, _Bill(endpoint, prompt, spent, expected))
            value = parse(reply.text, schema)
        except ModelError as error:
            error.tokens_in, error.tokens_out = spent.tokens_in, spent.tokens_out
            error.cost_micros = price(spent.tokens_in, spent.tokens_out)
            blame(error, team_id, endpoint)
            raise
    usage.endpoint_answered(team_id, endpoint.url)
    cost = price(spent.tokens_in, spent.tokens_out)
    return Completion(value, spent.tokens_in, spent.tokens_out, endpoint.model, cost)


def _room(asked: int | None, user: str, expected: int) -> int:
    """Tokens for an answer, of what the window leaves."""
    most = asked or min(MAX_ANSWER_TOKENS, ANSWER_TO_NOTHING + estimate(user))
    return min(most, max(LEAST_ANSWER_TOKENS, settings.MODEL_WINDOW - expected))


def blame(error: ModelError, team_id: UUID, endpoint: Endpoint) -> None:
    if error.of_content:
        usage.endpoint_answered(team_id, endpoint.url)  # it did answer
    elif error.counts:
        is_open = usage.endpoint_failed(team_id, endpoint.url)
        # An endpoint that is otherwise well was slow because of this text.
        error.of_content = isinstance(error, TimedOut) and not is_open


@dataclass(frozen=True)
class _Bill:
    """What the tries of one call cost together; `expected` stands for what none of them says."""

    endpoint: Endpoint
    prompt: Prompt
    spent: usage.TokenSpend
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
                self.add(error.tokens_in or None, self.written(error))
            raise

    def written(self, error: ModelError) -> int:
        """Where nothing came, who knows how much was written for nobody."""
        if error.arrived is None:
            return error.tokens_out
        return providers.arrived(self.endpoint, error.arrived) or self.prompt.max_tokens


def _reply(dialect: Dialect, deadline: float, bill: _Bill) -> Reply:
    """Through the forms that the endpoint may know, from the strictest to the plainest."""
    endpoint, prompt, asking = bill.endpoint, bill.prompt, dialect
    with slots.left(), transport.client(deadline, is_public=endpoint.is_public) as http:
        while True:
            response = _tried(http, providers.body(endpoint, prompt, asking), deadline, bill)
            if response.status == 200:
                with bill.charging():
                    reply = providers.read(endpoint, response)
                bill.add(reply.tokens_in, reply.tokens_out)
                learned = asking.learned([prompt.system, prompt.user], reply.tokens_in)
                transport.remember_dialect(endpoint.url, endpoint.model, learned)
                return reply
            refused = refusal(response)
            other = asking.after(response, providers.forms(endpoint))
            if other is None or isinstance(refused, TooLarge):
                raise refused
            asking = other


def _tried(http: httpx.Client, body: bytes, deadline: float, bill: _Bill) -> transport.Response:
    """The response of the first try that is worth reading; the last one's error otherwise."""
    url, headers = bill.endpoint.url, providers.headers(bill.endpoint)
    for attempt in count(1):
        pause = _jitter(attempt)
        try:
            with bill.charging():
                response = transport.post(http, url, headers, body, deadline)
        except transport.ConnectionLost as error:
            failure: ModelError = error
        else:
            if response.status == 200:
                return response
            failure = refusal(response)
            if not failure.transient:
                return response
            pause = pause if failure.retry_after is None else failure.retry_after
        is_loading = isinstance(failure, Loading)
        # Asked at the last moment it would seem to have hung.
        least = max(pause, LONGEST_PAUSE) if is_loading else pause
        if (attempt >= TRIES and not is_loading) or time.monotonic() + least >= deadline:
            raise failure
        time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def refusal(response: transport.Response) -> ModelError:
    return from_answer(response.status, response.body, retry_after(response))


def _jitter(attempt: int) -> float:
    seconds: float = settings.MODEL_BACKOFF_SECONDS * 2 ** min(attempt - 1, 10)
    return min(LONGEST_PAUSE, seconds) * random.uniform(0.5, 1.5)


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


# A conversation with a model: its answer piece by piece.

Pieces = Generator[str, None, Reply]


@dataclass(frozen=True)
class Question:
    """`texts` and `max_tokens` are what it may cost; `body` is what is sent, by the name that the
    endpoint has for its limit; `read` yields the answer and puts its words aside as they come.
    `is_whole`: nothing comes before all is written."""

    texts: Sequence[str]
    max_tokens: int
    body: Callable[[Endpoint, str], bytes]
    read: Callable[[Endpoint, httpx.Response, float, list[str]], Pieces]
    is_whole: bool = False


def in_words(system: str, turns: Sequence[Turn], max_tokens: int) -> Question:
    """Answered in plain text."""

    def body(endpoint: Endpoint, limit_name: str) -> bytes:
        return providers.chat_body(endpoint, system, turns, max_tokens, limit_name)

    return Question([system, *(turn.content for turn in turns)], max_tokens, body, _read)


def answer(
    question: Question,
    *,
    endpoint: Endpoint,
    team_id: UUID,
    agent_id: UUID,
    deadline: float,
    daily_tokens: int | None = None,
) -> Pieces:
    """The pieces as they come, and the whole in the end; raises a ModelError.

    One try, never inside a transaction. Whoever stops reading pays for what came until then.
    """
    dialect, max_tokens = transport.dialect_of(endpoint.url, endpoint.model), question.max_tokens
    expected = dialect.tokens(question.texts)
    usage.enter_breaker(team_id, endpoint.url, deadline - time.monotonic())
    price = endpoint.cost_micros
    micros, tokens = price(expected, max_tokens), expected + max_tokens
    with usage.reserved(
        team_id, tokens, daily_tokens, micros=micros, price=price, chat_with=agent_id
    ) as spent:
        said: list[str] = []
        try:
            reply = yield from _heard(_asked(endpoint, question, deadline, said))
        except GeneratorExit:
            _charge(spent, expected, dialect.tokens(["".join(said)]))
            raise
        except ModelError as error:
            if error.charged:
                _charge(spent, expected, dialect.tokens(["".join(said)]) if said else max_tokens)
            blame(error, team_id, endpoint)
            raise
        _charge(spent, expected if reply.tokens_in is None else reply.tokens_in, reply.tokens_out)
    usage.endpoint_answered(team_id, endpoint.url)
    return reply


def _charge(spent: TokenSpend, tokens_in: int, tokens_out: int) -> None:
    spent.tokens_in, spent.tokens_out = tokens_in, tokens_out


def _heard(pieces: Pieces) -> Pieces:
    with closing(pieces):
        while True:
            try:
                with slots.left():
                    piece = next(pieces)
            except StopIteration as end:
                reply: Reply = end.value
                return reply
            yield piece


def _asked(endpoint: Endpoint, question: Question, deadline: float, said: list[str]) -> Pieces:
    dialect, headers = (
        transport.dialect_of(endpoint.url, endpoint.model),
        providers.headers(endpoint),
    )
    patience = deadline - time.monotonic() if question.is_whole else None
    with transport.client(deadline, is_public=endpoint.is_public, patience=patience) as http:
        while True:
            body = question.body(endpoint, dialect.limit_name)
            with transport.opened(http, endpoint.url, headers, body, deadline) as response:
                if response.status_code == 200:
                    reply = yield from question.read(endpoint, response, deadline, said)
                    learned = dialect.learned(question.texts, reply.tokens_in)
                    transport.remember_dialect(endpoint.url, endpoint.model, learned)
                    return reply
                answer = transport.read(response, deadline)
            refused, other = refusal(answer), dialect.after(answer, ())
            if isinstance(refused, Loading) and time.monotonic() + LONGEST_PAUSE < deadline:
                time.sleep(min(LONGEST_PAUSE, 4 * settings.MODEL_BACKOFF_SECONDS))
            elif other is None or isinstance(refused, TooLarge):
                raise refused
            else:
                dialect = other


def _read(endpoint: Endpoint, response: httpx.Response, deadline: float, said: list[str]) -> Pieces:
    if not transport.is_stream(response.headers):
        reply = providers.read(endpoint, transport.read(response, deadline))
        said.append(reply.text)
        yield reply.text
        return reply
    stream = providers.stream_of(endpoint)
    for event in events(response, deadline):
        if piece := stream.take(event):
            said.append(piece)
            yield piece
    return providers.reply_of(endpoint, stream.answer)


def events(response: httpx.Response, deadline: float) -> Iterator[dict[str, Any]]:
    """Of a stream, as they come. Raises NoAnswer."""
    try:
        for line in transport.lines(response, deadline):
            if event := event_of(line):
                yield event
    except (ValueError, RecursionError):
        raise NoAnswer(_("The model endpoint's answer is not JSON.")) from None
