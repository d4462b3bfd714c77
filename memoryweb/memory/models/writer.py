"""Who writes, where, and in which transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.models import Integration, Team, Token, User
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import speaker_id
from memoryweb.audit import record as chain
from memoryweb.audit.record import SYSTEM, Actor, Entry
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.files import File, FileQuerySet, Import
from memoryweb.memory.models.refusals import SecretRefused
from memoryweb.runs.models import Run


@dataclass(frozen=True)
class Memory:
    """What an agent shares with all, or keeps of one owner."""

    agent: Agent
    owner: Owner | None

    @classmethod
    def of(cls, agent: Agent, speaker: Owner | None) -> "Memory":
        """Where what is said by somebody goes: what the system says is shared."""
        return cls(agent, None if speaker is None or speaker.is_system else speaker)

    @property
    def owner_id(self) -> UUID | None:
        return self.owner.pk if self.owner else None

    @cached_property
    def speaker_id(self) -> UUID | None:
        """Whose conversations it is made of: what is sent as shared, the system says."""
        return speaker_id(self.agent.team_id, self.owner_id)

    @property
    def key(self) -> tuple[UUID, UUID | None]:
        return self.agent.pk, self.owner_id

    @property
    def files(self) -> FileQuerySet:
        return File.objects.of(*self.key)

    @property
    def shared(self) -> "Memory":
        return Memory(self.agent, None)

    def at(self, path: str) -> "Place":
        return Place(self.agent, self.owner, path)


@dataclass(frozen=True)
class Place:
    """Where a file stands: the agent's shared workspace, or one owner's."""

    agent: Agent
    owner: Owner | None
    path: str

    @classmethod
    def of(cls, file: File) -> "Place":
        return cls(file.agent, file.owner, file.path)

    @property
    def memory(self) -> Memory:
        return Memory(self.agent, self.owner)

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
    def may_mark(self) -> bool:
        """Its marks say what holds no longer; of all others they are text. What a person took up
        was settled when it was proposed, or is the engine's."""
        ours = (AuthorKind.PERSON, AuthorKind.DREAM, AuthorKind.SYSTEM)
        return self.behind in ours

    @property
    def is_own_hand(self) -> bool:
        """A person writes it themselves: what they say again counts again."""
        return self.kind is AuthorKind.PERSON and not self.is_approved

    @property
    def is_machine(self) -> bool:
        """By itself: an import's secrets and lines are looked at before, in its preview."""
        return self.kind.is_machine and self.kind is not AuthorKind.IMPORT


@dataclass
class Transaction:
    """One transaction of one team. Events are buffered and written together at its end."""

    team: Team
    actor: Actor
    run: Run | None = None
    now: datetime = field(default_factory=lambda: timezone.now())
    entries: list[Entry] = field(default_factory=list)

    def record(self, action: str, **fields: Any) -> None:
        if self.run is not None:
            fields.setdefault("run_id", self.run.pk)
            fields.setdefault("model", self.run.model)
            fields.setdefault("on_behalf_of", self.run.owner_id)
            fields.setdefault("agent_id", self.run.agent_id)
        self.entries.append(Entry(action=action, actor=self.actor, **fields))


@contextmanager
def write_transaction(
    team: Team, *, actor: Actor = SYSTEM, run: Run | None = None
) -> Iterator[Transaction]:
    """Open a writing transaction of a team, its audit head locked first.

    The order is what keeps two writers of two files from deadlocking on PostgreSQL. Never call
    a model inside. A refused secret rolls everything back and still leaves an event.
    """
    try:
        with transaction.atomic(), scope(team=team):
            chain.wait_for_others(team.pk)
            # Its time is taken under the lock, so that what is later in the chain has a later one.
            tx = Transaction(team, actor, run)
            yield tx
            chain.record_all(team.pk, tx.entries)
    except SecretRefused as refusal:
        run_id = run.pk if run else None
        _leave(team, Entry("secret.refused", actor, reason_code=refusal.kind, run_id=run_id))
        raise


def _leave(team: Team, entry: Entry) -> None:
    """What was refused is all that stays of a transaction."""
    with transaction.atomic():
        chain.record(team.pk, replace(entry, outcome="refused"))
