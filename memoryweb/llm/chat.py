"""A conversation with a model: its answer in plain text, piece by piece."""

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from uuid import UUID

import httpx
from django.utils.translation import gettext as _

from memoryweb.llm import breaker, providers, transport, usage
from memoryweb.llm.client import TOO_LARGE, blame, limit_name_of, retry_after, takes_other_limit
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import ModelError, NoAnswer, TooLarge, from_status
from memoryweb.llm.providers import Reply, Turn
from memoryweb.llm.streams import event_of
from memoryweb.llm.tokens import estimate_messages
from memoryweb.llm.usage import Spent

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
    expected = estimate_messages([system, *(turn.content for turn in turns)])
    breaker.enter(team_id, endpoint.url, deadline - time.monotonic())
    price = endpoint.cost_micros
    micros, tokens = price(expected, max_tokens), expected + max_tokens
    with usage.reserved(
        team_id, tokens, daily_tokens, micros=micros, price=price, chat_with=agent_id
    ) as spent:
        said: list[str] = []
        try:
            reply = yield from _heard(_asked(endpoint, system, turns, max_tokens, deadline), said)
        except GeneratorExit:
            _charge(spent, expected, said)
            raise
        except ModelError as error:
            if error.charged:
                _charge(spent, expected, said)
            blame(error, team_id, endpoint)
            raise
        spent.tokens_in = expected if reply.tokens_in is None else reply.tokens_in
        spent.tokens_out = reply.tokens_out
    breaker.succeeded(team_id, endpoint.url)
    return reply


def _charge(spent: Spent, expected: int, said: Sequence[str]) -> None:
    spent.tokens_in, spent.tokens_out = expected, estimate_messages(["".join(said)])


def _heard(pieces: Pieces, said: list[str]) -> Pieces:
    with closing(pieces):
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                reply: Reply = end.value
                return reply
            said.append(piece)
            yield piece


def _asked(
    endpoint: Endpoint, system: str, turns: Sequence[Turn], max_tokens: int, deadline: float
) -> Pieces:
    limit_name = limit_name_of(endpoint)
    with transport.client(deadline, is_public=endpoint.is_public) as http:
        while True:
            body = providers.chat_body(endpoint, system, turns, max_tokens, limit_name)
            headers = providers.headers(endpoint)
            with transport.opened(http, endpoint.url, headers, body, deadline) as response:
                if response.status_code == 200:
                    return (yield from _read(endpoint, response, deadline))
                refused = transport.read(response, deadline)
            if any(mark in refused.body for mark in TOO_LARGE):
                raise TooLarge(_("The text is too long for the model."))
            if not takes_other_limit(refused, limit_name):
                raise from_status(refused.status, retry_after(refused))
            limit_name = "max_completion_tokens"


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
