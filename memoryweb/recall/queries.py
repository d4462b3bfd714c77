"""Named reads of what was given to agents."""

from django.db.models import QuerySet

from memoryweb.agents.models import Agent
from memoryweb.recall.models import Injection


def injections_of(agent: Agent) -> "QuerySet[Injection]":
    """The latest first."""
    return Injection.objects.filter(agent=agent).order_by("-at", "-pk")
