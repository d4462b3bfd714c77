"""Which tokens have written to an agent's files."""

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
