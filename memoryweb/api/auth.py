"""Who is calling, and what they may do. Every look-up of the API starts from a `Caller`."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django_scopes import scope
from ninja.security.base import AuthBase

from memoryweb.accounts import tokens
from memoryweb.accounts.members import current_memberships
from memoryweb.accounts.models import Integration, Team, Token, User
from memoryweb.accounts.permissions import Permission, Role, Scope, can
from memoryweb.agents.models import Agent, Owner, live_agents
from memoryweb.api.problems import Forbidden, NotFound, Problem, Unauthorized, or_not_found
from memoryweb.audit.record import Actor, Entry, record
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Transaction, Writer, write_transaction
from memoryweb.memory.review import may_decide
from memoryweb.memory.visible.readable import To

if TYPE_CHECKING:
    from memoryweb.agents.models import AgentQuerySet

# What an integration may do at all; its scopes narrow this down, and nothing widens it.
_INTEGRATION = frozenset(
    {Permission.READ, Permission.EXPORT, Permission.WRITE, Permission.IMPORT, Permission.DREAM}
)
_INTEGRATION_AUDIT = {Permission.SEE_AUDIT: Scope.AUDIT_READ}


class Right(Enum):
    """What an operation takes: a permission of the person's role and a scope of the token.

    Where people may act on the memory about themselves in any role, the pipeline checks the scope,
    and the operation the role once it knows whose memory it is.
    """

    READ = Permission.READ, Scope.MEMORY_READ
    WRITE = Permission.WRITE, Scope.MEMORY_WRITE
    WRITE_OWN = Permission.WRITE, Scope.MEMORY_WRITE, True
    DECIDE = Permission.DECIDE, Scope.MEMORY_WRITE
    DECIDE_OWN = Permission.DECIDE, Scope.MEMORY_WRITE, True
    FACTS = Permission.DECIDE, Scope.FACTS_WRITE
    FACTS_OWN = Permission.DECIDE, Scope.FACTS_WRITE, True
    GIVE_CODES = Permission.READ, Scope.MEMORY_WRITE
    MANAGE_AGENTS = Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE
    CHAT = Permission.WRITE, Scope.CHAT, True
    DREAM = Permission.DREAM, Scope.DREAM_RUN
    EXPORT = Permission.EXPORT, Scope.SNAPSHOT_EXPORT
    IMPORT = Permission.IMPORT, Scope.SNAPSHOT_IMPORT
    FORGET = Permission.FORGET, Scope.MEMORY_WRITE
    SEE_OWNERS = Permission.SEE_OWNERS, Scope.MEMORY_READ
    SEE_AUDIT = Permission.SEE_AUDIT, Scope.AUDIT_READ
    PACK_EVIDENCE = Permission.PACK_EVIDENCE, Scope.AUDIT_READ

    def __init__(
        self, permission: Permission, scope: Scope, is_free_for_oneself: bool = False
    ) -> None:
        self.permission = permission
        self.scope = scope
        self.is_free_for_oneself = is_free_for_oneself


@dataclass(frozen=True)
class Caller:
    """The holder of the token of this request: a person in a role, or an integration."""

    token: Token
    team: Team
    user: User | None
    integration: Integration | None
    role: Role | None
    scopes: frozenset[str]

    @property
    def actor(self) -> Actor:
        if self.integration:
            return Actor("integration", str(self.integration.pk), "", self.token.pk)
        return Actor("person", str(self.token.user_id), str(self.role), self.token.pk)

    @property
    def writer(self) -> Writer:
        kind = AuthorKind.PERSON if self.token.act_as_person else AuthorKind.AGENT
        return Writer(kind, user=self.user, integration=self.integration, token=self.token)

    def write(self) -> AbstractContextManager[Transaction]:
        return write_transaction(self.team, actor=self.actor)

    @property
    def is_program(self) -> bool:
        """It is not the person themselves who reads, writes and decides."""
        return not self.token.act_as_person

    @property
    def to(self) -> To:
        """Where the texts go that it asks for."""
        return To.PROGRAM if self.is_program else To.PAGE

    def require_person(self, sentence: str) -> User:
        """For what only people decide; `sentence` says what that is."""
        if self.user is None or self.is_program:
            hint = "Use a personal token that writes as you."
            raise Forbidden("person_required", f"{sentence} {hint}")
        return self.user

    def may(self, permission: Permission) -> bool:
        """By role or as an integration; the token's scopes are asked by `require`."""
        if self.integration:
            scope_of = _INTEGRATION_AUDIT.get(permission)
            return permission in _INTEGRATION or scope_of in self.scopes
        return can(self.role, permission)

    def require_scope(self, needed: Scope) -> None:
        if needed not in self.scopes:
            raise Forbidden("scope_missing", f"This token needs the scope “{needed}”.")

    def require(self, right: Right) -> None:
        self.require_scope(right.scope)
        if not (right.is_free_for_oneself or self.may(right.permission)):
            raise Forbidden(f"may_not_{right.permission}", "Your role doesn't allow this.")

    def require_for(self, owner: Owner | None, right: Right) -> None:
        """The one place that asks for shared memory; who may act on what is somebody's own is said
        by whether they reach it."""
        if owner is None or owner.is_system:
            self.require(right)

    def decides(self, owner: Owner | None, takes: Permission = Permission.DECIDE) -> bool:
        """About what waits in a memory that this caller reaches, which no program does."""
        if self.user is None or self.is_program:
            return False
        return may_decide(
            self.role,
            takes,
            is_shared=owner is None or owner.is_system,
            is_theirs=owner is not None and owner.person_id == self.user.pk,
        )

    def agents(self) -> "AgentQuerySet":
        """The team's agents that this caller may use."""
        agents: AgentQuerySet = self.team.agents.live()
        return agents.filter(pk__in=self._only) if self._only else agents

    def agent(self, agent_id: str) -> Agent:
        agent = or_not_found(next(iter(live_agents(self.team.pk, known_id(agent_id))), None))
        agent.team = self.team
        if self._only and str(agent.pk) not in self._only:
            raise Forbidden("agent_forbidden", "This integration can't use this agent.")
        return agent

    @property
    def _only(self) -> list[str]:
        """Ids of the agents that it may use; none: all."""
        if self.token.agent_id:
            return [str(self.token.agent_id)]
        return list(self.integration.agents) if self.integration else []

    def agent_or_only(self, agent_id: str | None) -> Agent | None:
        """The only one that this caller may use needs no naming. None: there are several."""
        named = agent_id or (self._only[0] if self.token.agent_id else None)
        usable = [] if named else list(self.agents()[:2])
        named = named or (str(usable[0].pk) if len(usable) == 1 else None)
        return self.agent(named) if named else None

    def archived_agent(self, agent_id: str) -> Agent:
        """For who may bring it back, which no integration may."""
        return or_not_found(self.team.agents.archived().filter(pk=known_id(agent_id)).first())


class Request(HttpRequest):
    """A request past the gate."""

    auth: Caller


class Bearer(AuthBase):
    """Tells the OpenAPI page how to authenticate; the gate has authenticated already."""

    openapi_type = "http"
    openapi_scheme = "bearer"
    openapi_description = "A personal or integration token, `mwp_…`."

    def __call__(self, request: HttpRequest) -> Any:
        return getattr(request, "auth", None)


def authenticate(request: HttpRequest, *, of_app: bool = False) -> Caller:
    """The caller of a request, by its Authorization header alone. Raises Unauthorized."""
    scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
    return caller_of(secret if scheme.lower() == "bearer" else "", of_app=of_app)


def caller_of(secret: str, *, of_app: bool = False) -> Caller:
    """`of_app`: where apps may call that a person let in. Raises Unauthorized."""
    token = tokens.recognise(secret, of_app=of_app)
    if token is None:
        raise Unauthorized
    caller = _integration_caller(token) if token.integration_id else _personal_caller(token)
    tokens.mark_used(token, caller.actor)
    return caller


def record_denial(request: HttpRequest, caller: Caller, problem: Problem) -> None:
    """A refused call leaves an event, in a transaction of its own: nothing else was changed."""
    match = request.resolver_match
    entry = Entry(
        action="access.denied",
        actor=caller.actor,
        target_kind="operation",
        target_id=(match.url_name or "" if match else "")[:64],
        outcome="denied",
        reason_code=problem.code,
        details={"method": request.method or ""},
    )
    with transaction.atomic():
        record(caller.team.pk, entry)


def known_id(text: str) -> UUID:
    """An id out of a path. What is no id is not found, like one that nobody has."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None


def _personal_caller(token: Token) -> Caller:
    theirs = current_memberships(token.user_id, timezone.now()) if token.user_id else []
    membership = next((one for one in theirs if one.team_id == token.team_id), None)
    if membership is None or not membership.user.is_active:
        raise Unauthorized
    token.user, role = membership.user, Role(membership.role)
    return Caller(token, token.team, token.user, None, role, frozenset(token.scopes))


def _integration_caller(token: Token) -> Caller:
    with scope(team=token.team):
        integration = token.integration
    if integration is None or integration.revoked_at is not None:
        raise Unauthorized
    scopes = frozenset(token.scopes) & frozenset(integration.scopes)
    return Caller(token, token.team, None, integration, None, scopes)
