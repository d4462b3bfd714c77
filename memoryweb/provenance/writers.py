"""Who writes, and where."""

from dataclasses import dataclass
from enum import StrEnum
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


class Principal(StrEnum):
    """Who is behind a write, by whichever door it comes. An import is a way in, not one of them."""

    PERSON = "person"
    SYSTEM = "system"  # seed files, and commands of whoever runs the installation
    AGENT = "agent"  # a tool that an agent called with its person's token
    INTEGRATION = "integration"  # a program's token: what it writes, and the tools it calls
    EXTRACTION = "extraction"
    DREAM = "dream"


@dataclass(frozen=True)
class Writer:
    """`is_tool`: the agent itself called one of its tools, in which `speaker` had a say; else an
    integration wrote by itself. `is_vouched`: all that a run wrote stands on members' words.
    `is_approved`: a person took up what a machine had proposed."""

    kind: AuthorKind
    user: User | None = None
    integration: Integration | None = None
    run: Run | None = None
    token: Token | None = None
    conversation_id: UUID | None = None
    batch: Import | None = None
    is_tool: bool = False
    speaker: Owner | None = None
    is_vouched: bool = False
    is_approved: bool = False

    @property
    def principal(self) -> Principal:
        if self.kind in {AuthorKind.AGENT, AuthorKind.IMPORT} and self.integration is not None:
            return Principal.INTEGRATION
        if self.kind == AuthorKind.IMPORT:
            return Principal.PERSON if self.user is not None else Principal.SYSTEM
        return Principal(self.kind)

    @property
    def is_program(self) -> bool:
        """It was shown covers in place of lines that wait for a person. Dreams and extractions have
        guards of their own, and what a person took up is theirs."""
        return self.principal in {Principal.AGENT, Principal.INTEGRATION}

    @property
    def is_machine(self) -> bool:
        return self.kind in {AuthorKind.DREAM, AuthorKind.EXTRACTION, AuthorKind.AGENT}
