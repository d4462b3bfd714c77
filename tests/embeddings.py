"""An embedding endpoint on loopback with vectors made by hand: a topic each direction."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Team
from memoryweb.audit.record import SYSTEM
from memoryweb.llm import choices, embedding
from memoryweb.llm.models import TeamEmbedding
from memoryweb.memory import vectors
from memoryweb.memory.models import Passage
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.fakes import Behaviour, ModelServer, Received

TOPICS = (
    ("ferry", "boat", "harbour", "crossing the water"),
    ("tea", "drink", "kettle"),
    ("dentist", "teeth", "toothache"),
    ("garden", "roses", "flowers"),
    ("secret", "quetzalcoatlus4711"),
)
Vectors = Callable[[str], list[Any]]


def by_topic(text: str) -> list[float]:
    """What is of no topic lies in a direction of its own."""
    said = text.casefold()
    found = [float(any(word in said for word in topic)) for topic in TOPICS]
    return [*found, 0.3]


def answered(made: Vectors) -> Callable[[Received], Behaviour]:
    def answer(received: Received) -> Behaviour:
        data = [
            {"index": at, "embedding": made(text)} for at, text in enumerate(received.body["input"])
        ]
        return body({"data": data, "usage": {"prompt_tokens": 7}})

    return answer


def body(answer: object, **how: Any) -> Behaviour:
    return Behaviour(raw=json.dumps(answer).encode(), streams=False, **how)


def sent(server: ModelServer) -> list[str]:
    """All texts that went to the endpoint, queries too."""
    return [text for received in server.requests for text in received.body["input"]]


@pytest.fixture
def embeddings(
    model_server: ModelServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> ModelServer:
    monkeypatch.setattr(embedding, "_resting", {})
    settings.EMBEDDING_BASE_URL = model_server.url
    settings.EMBEDDING_MODEL = "topics"
    settings.MODEL_PROVIDER = ""
    model_server.default = answered(by_topic)
    return model_server


def enable(team: Team, choice: str = "installation") -> None:
    choices.choose(team_id=team.pk, choice=choice, by=SYSTEM, table=TeamEmbedding)


def make() -> list[Run]:
    """As a minute and its workers do."""
    with scopes_disabled():
        vectors.queue_due(timezone.now())
    return [run for run in engine.run_pending() if run.kind == Run.Kind.VECTORS]


def with_vectors() -> set[str]:
    with scopes_disabled():
        return {row.said for row in Passage.objects.exclude(vector=None)}


def by_hash(text: str) -> list[float]:
    """64 numbers that only this text has."""
    made = random.Random(text)
    return [made.gauss(0, 1) for _ in range(64)]
