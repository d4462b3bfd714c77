"""What a model will probably take each night, judged by the last seven days."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from memoryweb.agents.models import Agent
from memoryweb.dreaming.inputs import MEMORY
from memoryweb.dreaming.preview import ANSWERS
from memoryweb.llm import prompts
from memoryweb.llm.tokens import estimate
from memoryweb.memory.conversations import amount_of
from memoryweb.memory.models import File, Message
from memoryweb.runs.models import Run

DAYS = 7
_CHARACTERS = 4  # of a token (`llm.tokens`)


@dataclass(frozen=True)
class Nightly:
    """Roughly, a night."""

    calls: int
    tokens_in: int
    tokens_out: int


def nightly(team_id: UUID, now: datetime) -> Nightly:
    """Of extractions and dreams of the agents that would ask: as many as the rules did."""
    since = now - timedelta(days=DAYS)
    asking = Agent.objects.live().filter(team=team_id)
    asking = asking.exclude(consolidator=Agent.Consolidator.RULES)
    said = Message.objects.filter(conversation__agent__in=asking, timestamp__gte=since)
    messages, characters = amount_of(said)
    ran = Run.objects.filter(agent__in=asking).exclude(status=Run.Status.SKIPPED)
    ran = ran.annotate(at=Coalesce("clock", "created_at")).filter(at__gte=since)
    kinds = dict(ran.order_by().values_list("kind").annotate(Count("pk")))
    dreams = kinds.get(Run.Kind.DREAM, 0)
    windows = ceil(messages / settings.EXTRACTION_WINDOW_MESSAGES)
    extractions = max(kinds.get(Run.Kind.EXTRACTION, 0), windows) if messages else 0
    read = estimate(prompts.load("extraction")) * extractions
    read += characters // _CHARACTERS
    if dreams:
        read += dreams * (estimate(prompts.load("dream")) + _of_a_memory(asking, since))
    calls = extractions + dreams
    return Nightly(ceil(calls / DAYS), ceil(read / DAYS), ceil(calls * ANSWERS / DAYS))


def _of_a_memory(asking: QuerySet[Agent], since: datetime) -> int:
    """Tokens of MEMORY.md and the notes of a dream's window, on average."""
    is_read = Q(path=MEMORY) | Q(note_date__gte=since.date())
    found = (
        File.objects.present()
        .filter(is_read, agent__in=asking)
        .aggregate(size=Sum("size"), memories=Count("owner", distinct=True))
    )
    size: int = found["size"] or 0
    memories: int = found["memories"] + 1  # one shared
    return size // _CHARACTERS // memories
