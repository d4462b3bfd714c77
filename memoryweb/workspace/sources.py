"""Which tokens have written to an agent's files."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from uuid import UUID

from django.db.models import Count, OuterRef, QuerySet, Subquery

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Agent
from memoryweb.workspace.models import Revision


def tokens_that_wrote(agent: Agent, tokens: "QuerySet[Token]") -> "QuerySet[Token]":
    """The latest first, with the revisions counted as `wrote`."""
    wrote = Revision.objects.filter(file__agent=agent, token=OuterRef("pk")).order_by()
    counted = wrote.values("token").annotate(n=Count("pk")).values("n")
    found: QuerySet[Token] = tokens.annotate(wrote=Subquery(counted)).filter(wrote__gt=0)
    return found.select_related("user", "integration").order_by("-created_at")


def agents_written_by(tokens: Collection[Token]) -> Mapping[UUID, list[tuple[UUID, str]]]:
    """Token → the agents, as (id, name), in whose files it has written."""
    rows = Revision.objects.filter(token__in=tokens, file__agent__archived_at=None).order_by()
    names = rows.values_list("token", "file__agent", "file__agent__name").distinct()
    found: dict[UUID, list[tuple[UUID, str]]] = defaultdict(list)
    for token_id, agent_id, name in sorted(names, key=lambda row: row[2].casefold()):
        found[token_id].append((agent_id, name))
    return found
