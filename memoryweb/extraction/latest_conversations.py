"""What the latest conversations taught."""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memoryweb.agents.models import Agent
from memoryweb.extraction.models import Extraction
from memoryweb.memory.models import Conversation, Evidence, Fact
from memoryweb.memory.visible.hidden import hidden_facts


def latest(agent: Agent, which: Q) -> "QuerySet[Conversation]":
    """The latest first. `noted`: an extraction wrote something down."""
    wrote = Extraction.objects.filter(conversation=OuterRef("pk"), status=Extraction.Status.APPLIED)
    found = Conversation.objects.filter(which, agent=agent, message_count__gt=0)
    return found.annotate(noted=Exists(wrote)).order_by("-last_message_at", "-created_at")


def taught_by(
    talks: Collection[Conversation], owner_id: UUID | None
) -> dict[UUID, dict[Fact, bool]]:
    """Conversation → statements of that memory that stand on it; False: known already. What was
    asked to be forgotten is left out."""
    said = Evidence.objects.filter(message__conversation__in=talks, fact__owner=owner_id)
    said = said.exclude(fact__in=hidden_facts()).exclude(fact__state=Fact.State.PENDING)
    earlier = Evidence.objects.filter(fact=OuterRef("fact"), said_at__lt=OuterRef("said_at"))
    earlier = earlier.exclude(message__conversation=OuterRef("message__conversation"))
    rows = said.select_related("fact").annotate(
        talk=F("message__conversation"), is_new=~Exists(earlier)
    )
    found: dict[UUID, dict[Fact, bool]] = defaultdict(dict)
    for row in rows.order_by("said_at", "pk"):
        found[row.talk][row.fact] = found[row.talk].get(row.fact, False) or row.is_new
    return found
