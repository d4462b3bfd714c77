"""The one way to ask an embedding endpoint: texts in, vectors out, in OpenAI's format.

Those of memory's texts are made in runs, under the rules of models: budget, breaker, deadline. A
query's stands in a request: it has a third of a second, and is tried once.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from math import ceil, isfinite
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from memoryweb.audit.record import Actor
from memoryweb.core import slots
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.llm import choices, client, providers, transport, usage
from memoryweb.llm.endpoint import Endpoint, check_local
from memoryweb.llm.exceptions import BreakerOpen, ModelError, NoAnswer
from memoryweb.llm.models import TeamEmbedding
from memoryweb.llm.parsing import loads
from memoryweb.llm.tokens import SAFE, estimate_messages

QUERY_SECONDS, TRIAL_SECONDS = 0.3, 20.0
REST_SECONDS = 30.0  # after a query's call failed, for one team and address in one process
TRIAL = "Good morning."  # that any endpoint takes
MOST_CHARACTERS = 2_000  # of a text: most models read no more than 512 tokens
MOST_NUMBERS = 8_192  # of a vector

Vector = list[float]
_resting: dict[tuple[UUID, str], float] = {}


def choose(*, team_id: UUID, choice: str, by: Actor, daily_tokens: int | None) -> TeamEmbedding:
    """One that answers. Raises a ModelError. Never inside a transaction."""
    row = choices.of(team_id, TeamEmbedding)
    row.choice = TeamEmbedding.Choice(choice)
    if endpoint := choices.endpoint_of(row):
        until = time.monotonic() + TRIAL_SECONDS
        embed(team_id, endpoint, [TRIAL], deadline=until, daily_tokens=daily_tokens)
    return choices.choose(team_id=team_id, choice=choice, by=by, table=TeamEmbedding)


@PreparedQuery
def with_vectors(team_id: UUID) -> "QuerySet[TeamEmbedding]":
    """What the team has chosen, where it has vectors; one row or none."""
    rows = TeamEmbedding.objects.filter(team_id=team_id, dimension__isnull=False)
    return rows.exclude(choice=TeamEmbedding.Choice.NONE)


def name_of(endpoint: Endpoint | None) -> str:
    """Of address and model: what one makes is compared with nothing that another one made."""
    said = f"{endpoint.url}\n{endpoint.model}".encode() if endpoint else b""
    return hashlib.sha256(said).hexdigest()


def space_of(name: str, dimension: int) -> int:
    """The same with the dimension, as a number that fits a column."""
    return int(hashlib.sha256(f"{name} {dimension}".encode()).hexdigest()[:15], 16)


def embed(
    team_id: UUID,
    endpoint: Endpoint,
    texts: Sequence[str],
    *,
    deadline: float,
    daily_tokens: int | None = None,
    dimension: int | None = None,
) -> tuple[list[Vector], int]:
    """A vector for each text, all of one length, or of `dimension`, and the tokens that it took.
    Raises a ModelError. Never inside a transaction. `deadline` is a moment of
    `time.monotonic()`."""
    usage.enter_breaker(team_id, endpoint.url, deadline - time.monotonic())
    expected = ceil(SAFE * estimate_messages(texts))
    price = endpoint.cost_micros
    micros = price(expected, 0)
    with usage.reserved(team_id, expected, daily_tokens, micros=micros, price=price) as spent:
        try:
            vectors, tokens = _asked(endpoint, texts, deadline, dimension)
        except ModelError as error:
            spent.tokens_in = expected if error.charged else 0
            client.blame(error, team_id, endpoint)
            raise
        spent.tokens_in = expected if tokens is None else tokens
    usage.endpoint_answered(team_id, endpoint.url)
    return vectors, spent.tokens_in


def of_query(row: TeamEmbedding, text: str, *, local_only: bool) -> Vector:
    """Raises a ModelError; one that failed is left alone for a while, so that others needn't wait
    for it as well. What it takes counts towards no budget: it is too little to write down."""
    endpoint = choices.endpoint_of(row)
    if endpoint is None or name_of(endpoint) != row.made_for:
        raise NoAnswer(_("The embedding endpoint has changed."))
    check_local(endpoint, local_only=local_only)
    key, now = (row.team_id, endpoint.url), time.monotonic()
    if now < _resting.get(key, 0):
        raise BreakerOpen(_("The embedding endpoint failed just now."))
    try:
        texts, until = [text[:MOST_CHARACTERS]], now + QUERY_SECONDS
        vectors, _tokens = _asked(endpoint, texts, until, row.dimension)
    except ModelError:
        _resting[key] = time.monotonic() + REST_SECONDS
        raise
    return vectors[0]


def _asked(
    endpoint: Endpoint, texts: Sequence[str], deadline: float, dimension: int | None
) -> tuple[list[Vector], int | None]:
    body = json.dumps({"model": endpoint.model, "input": texts, "encoding_format": "float"})
    headers = providers.headers(endpoint)
    with slots.left(), transport.client(deadline, is_public=endpoint.is_public) as http:
        response = transport.post(http, endpoint.url, headers, body.encode(), deadline)
    if response.status != 200:
        raise client.refusal(response)
    try:
        answer = providers.mapping(loads(response.body))
    except (ValueError, RecursionError):
        raise NoAnswer(_("The model endpoint's answer is not JSON.")) from None
    tokens = providers.mapping(answer.get("usage")).get("prompt_tokens")
    return _vectors(answer.get("data"), len(texts), dimension), providers.count(tokens)


def _vectors(data: Any, wanted: int, dimension: int | None) -> list[Vector]:
    """In the order of the texts. Raises NoAnswer for anything but numbers, as many of each."""
    items = data if isinstance(data, list) and len(data) == wanted else []
    found: dict[int, Vector] = {}
    for at, item in enumerate(map(providers.mapping, items)):
        numbers, index = item.get("embedding"), item.get("index", at)
        if type(index) is int and isinstance(numbers, list) and _are_numbers(numbers):
            found[index] = numbers
    sizes = {len(one) for one in found.values()}
    if found.keys() != set(range(wanted)) or len(sizes | {dimension or min(sizes)}) != 1:
        raise NoAnswer(_("The embedding endpoint's answer is not what was asked for."))
    return [found[at] for at in range(wanted)]


def _are_numbers(values: list[Any]) -> bool:
    if not 0 < len(values) <= MOST_NUMBERS or {*map(type, values)} - {float, int}:
        return False
    try:
        return all(map(isfinite, values))
    except OverflowError:  # an integer of hundreds of digits
        return False
