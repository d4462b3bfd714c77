"""Who writes, and where."""

from dataclasses import dataclass
from uuid import UUID

from memoryweb.accounts.models import Integration, Token, User
from memoryweb.agents.models import Agent, Owner
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.files import Import
from memoryweb.runs.models import Run


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
    """`is_tool`: the agent itself called one of its tools, in which `speaker` had a say; else an
    integration wrote by itself. `is_vouched`: all that a run wrote stands on members' words.
    `is_approved`: a person took up what a machine had proposed. `no_secrets`: a person says so of
    what looks like a password in what they type."""

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
    no_secrets: bool = False

    @property
    def behind(self) -> AuthorKind:
        """Who is behind a write, by whichever door it comes: a person, a run, the installation
        itself, or a program: an integration, an agent's tool, or a token that was not made to act
        as its person."""
        if self.kind != AuthorKind.IMPORT:
            return self.kind
        is_token = self.token is not None and not self.token.act_as_person
        if self.integration is not None or is_token:
            return AuthorKind.AGENT
        return AuthorKind.PERSON if self.user is not None else AuthorKind.SYSTEM

    @property
    def is_program(self) -> bool:
        """It was shown placeholders for lines that wait for a person. Dreams and extractions have
        guards of their own, and what a person took up is theirs."""
        return self.behind is AuthorKind.AGENT

    @property
    def is_own_hand(self) -> bool:
        """A person writes it themselves: what they say again counts again."""
        return self.kind is AuthorKind.PERSON and not self.is_approved

    @property
    def is_machine(self) -> bool:
        """By itself: an import's secrets and lines are looked at before, in its preview."""
        return self.kind.is_machine and self.kind is not AuthorKind.IMPORT
