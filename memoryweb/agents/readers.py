from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q
from django_scopes import scope

from memoryweb.accounts.teams import system_team_id
from memoryweb.agents.models import GLOBAL_AGENT_ID

if TYPE_CHECKING:
    from memoryweb.agents.models import Agent, Owner


@dataclass(frozen=True)
class Reader:
    """Who is asking, reduced to what decides visibility: an agent, and whose personal memory.

    Without an owner only shared memory is visible: the agent's, and inside `reading` that of
    every team. Whoever makes a Reader has checked that the caller is that owner (or holds a
    break-glass grant for it).
    """

    agent: "Agent"
    owner: "Owner | None" = None

    def sees(self) -> Q:
        """The filter for rows with an `agent` and a nullable `owner` (SPEC §2)."""
        shared = Q(agent__in=[self.agent.pk, GLOBAL_AGENT_ID], owner=None)
        return shared | Q(agent=self.agent, owner=self.owner) if self.owner else shared


@contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Rows of the system's team are found, too: GLOBAL memory, which `sees` lets through.

    For reads alone: every query inside names the reader's agent or goes through `sees`.
    """
    with scope(team=(reader.agent.team_id, system_team_id())):
        yield
