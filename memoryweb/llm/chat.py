"""A conversation with a model: its answer in plain text, piece by piece."""

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from uuid import UUID

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.core import places
from memoryweb.llm import breaker, dialects, providers, transport, usage
from memoryweb.llm.client import LONGEST_PAUSE, blame, refusal
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import Loading, ModelError, NoAnswer, TooLarge
from memoryweb.llm.providers import Reply, Turn, event_of
from memoryweb.llm.usage import TokenSpend

Pieces = Generator[str, None, Reply]


def answer(
    *,
    team_id: UUID,
    agent_id: UUID,
    system: str,
    turns: Sequence[Turn],
    deadline: float,
    max_tokens: int,
    daily_tokens: int | None = None,
) -> Pieces:
    """The pieces as they come, and the whole in the end; raises a ModelError.

    One try: who waits for it may ask again. Never inside a transaction. Whoever stops reading
    closes the connection; what was answered until then is paid for.
    """
    endpoint = endpoint_for(team_id, "chat")
    texts = [system, *(turn.content for turn in turns)]
    dialect = dialects.of(endpoint.url, endpoint.model)
    expected = dialect.tokens(texts)
    breaker.enter(team_id, endpoint.url, deadline - time.monotonic())
    price = endpoint.cost_micros
    micros, tokens = price(expected, max_tokens), expected + max_tokens
    with usage.reserved(
        team_id, tokens, daily_tokens, micros=micros, price=price, chat_with=agent_id
    ) as spent:
        said: list[str] = []
        try:
            asked = _asked(endpoint, system, turns, max_tokens, deadline)
            reply = yield from _heard(asked, said)
        except GeneratorExit:
            _charge(spent, expected, dialect.tokens(["".join(said)]))
            raise
        except ModelError as error:
            if error.charged:
                _charge(spent, expected, dialect.tokens(["".join(said)]) if said else max_tokens)
            blame(error, team_id, endpoint)
            raise
        _charge(spent, expected if reply.tokens_in is None else reply.tokens_in, reply.tokens_out)
    breaker.succeeded(team_id, endpoint.url)
    return reply


def _charge(spent: TokenSpend, tokens_in: int, tokens_out: int) -> None:
    spent.tokens_in, spent.tokens_out = tokens_in, tokens_out


def _heard(pieces: Pieces, said: list[str]) -> Pieces:
    with closing(pieces):
        while True:
            try:
                with places.left():
                    piece = next(pieces)
            except StopIteration as end:
                reply: Reply = end.value
                return reply
            said.append(piece)
            yield piece


def _asked(
    endpoint: Endpoint, system: str, turns: Sequence[Turn], max_tokens: int, deadline: float
) -> Pieces:
    dialect, headers = dialects.of(endpoint.url, endpoint.model), providers.headers(endpoint)
    texts = [system, *(turn.content for turn in turns)]
    with transport.client(deadline, is_public=endpoint.is_public) as http:
        while True:
            body = providers.chat_body(endpoint, system, turns, max_tokens, dialect.limit_name)
            with transport.opened(http, endpoint.url, headers, body, deadline) as response:
                if response.status_code == 200:
                    reply = yield from _read(endpoint, response, deadline)
                    learned = dialect.learned(texts, reply.tokens_in)
                    dialects.remember(endpoint.url, endpoint.model, learned)
                    return reply
                answer = transport.read(response, deadline)
            refused, other = refusal(answer), dialect.after(answer, ())
            if isinstance(refused, Loading) and time.monotonic() + LONGEST_PAUSE < deadline:
                time.sleep(min(LONGEST_PAUSE, 4 * settings.MODEL_BACKOFF_SECONDS))
            elif other is None or isinstance(refused, TooLarge):
                raise refused
            else:
                dialect = other


def _read(endpoint: Endpoint, response: httpx.Response, deadline: float) -> Pieces:
    if "text/event-stream" not in response.headers.get("content-type", ""):
        reply = providers.read(endpoint, transport.read(response, deadline))
        yield reply.text
        return reply
    stream = providers.stream_of(endpoint)
    try:
        for line in transport.lines(response, deadline):
            if (event := event_of(line)) and (piece := stream.take(event)):
                yield piece
    except (ValueError, RecursionError):
        raise NoAnswer(_("The model endpoint's answer is not JSON.")) from None
    return providers.reply_of(endpoint, stream.answer)
