"""Who writes, and where."""

from dataclasses import dataclass
from uuid import UUID

from memoryweb.accounts.models import Integration, Token, User
from memoryweb.agents.models import Agent, Owner
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, Import


@dataclass(frozen=True)
class Place:
    """Where a file stands: the agent's shared workspace, or one owner's."""

    agent: Agent
    owner: Owner | None
    path: str

    @property
    def owner_id(self) -> UUID | None:
        return self.owner.pk if self.owner else None


@dataclass(frozen=True)
class Writer:
    """`is_tool`: the agent itself called one of its tools; else an integration wrote by itself."""

    kind: AuthorKind
    user: User | None = None
    integration: Integration | None = None
    run: Run | None = None
    token: Token | None = None
    conversation_id: UUID | None = None
    batch: Import | None = None
    is_tool: bool = False

    @property
    def is_machine(self) -> bool:
        return self.kind in {AuthorKind.DREAM, AuthorKind.EXTRACTION, AuthorKind.AGENT}

    @property
    def is_approved(self) -> bool:
        """A person took up what a machine had proposed."""
        return self.kind in {AuthorKind.DREAM, AuthorKind.EXTRACTION} and self.user is not None
