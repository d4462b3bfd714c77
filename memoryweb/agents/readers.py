from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q

if TYPE_CHECKING:
    from memoryweb.agents.models import Agent, Owner


@dataclass(frozen=True)
class Reader:
    """Who is asking, reduced to what decides visibility: an agent, and whose personal memory.

    Without an owner only the agent's shared memory is visible. Whoever makes a Reader has
    checked that the caller is that owner (or holds a break-glass grant for it).
    """

    agent: "Agent"
    owner: "Owner | None" = None

    def sees(self) -> Q:
        """The filter for rows with an `agent` and a nullable `owner` (SPEC §2)."""
        own = Q(owner=self.owner) if self.owner else Q(pk__in=[])
        return Q(agent=self.agent) & (Q(owner=None) | own)
