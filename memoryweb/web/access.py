"""Who is here, and what they may find. Every look-up of a page starts from one of these.

A stranger, an unknown id and another team's id all answer the same 404. A member without the
right answers 403 and leaves an event. PERSONAL text is found only by the person linked to the
owner, or with a break-glass grant, whose every read leaves an event.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from django_htmx.http import reselect, reswap, retarget
from django_htmx.middleware import HtmxDetails
from django_scopes import scope

from memoryweb.accounts.backends import memberships_of
from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.permissions import Permission, Role, can
from memoryweb.accounts.teams import SYSTEM_SLUG, system_team
from memoryweb.agents.exceptions import OwnerAmbiguous, OwnerUnknown
from memoryweb.agents.models import Agent, BreakGlass, Owner, live_agents
from memoryweb.agents.owners import find, person_owner, readable_owners
from memoryweb.audit.record import Actor, Entry, record, target
from memoryweb.markdown.paths import fold, of_link
from memoryweb.memory.models import Conversation, File, FileQuerySet, Import
from memoryweb.memory.models.refusals import AssignmentsFound
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.memory.review import Inbox, may_decide, reach_of
from memoryweb.memory.visible.readable import Look
from memoryweb.runs.models import Run

P = ParamSpec("P")


class Refused(PermissionDenied):
    """A member without the right. `owner`: whose memory a break-glass grant would open."""

    def __init__(self, code: str, owner: Owner | None = None) -> None:
        super().__init__(code)
        self.code, self.owner = code, owner


class Visit:
    """One person in one team, for the length of a request."""

    def __init__(self, membership: Membership, teams: Sequence[Team]) -> None:
        self.team: Team = membership.team
        self.teams = teams  # all that the person is in, by name
        self.user: User = membership.user
        self.role = membership.role
        self.role_label = Role(membership.role).label
        self.now: datetime = timezone.now()
        self.noted: set[tuple[str, str]] = set()
        self.looks: dict[str, Look] = {}  # what texts of what waits are read through

    def can(self, permission: Permission) -> bool:
        return can(self.role, permission)

    @property
    def actor(self) -> Actor:
        return Actor("person", str(self.user.pk), self.role)

    def write(self) -> AbstractContextManager[Transaction]:
        return write_transaction(self.team, actor=self.actor)

    @cached_property
    def rights(self) -> frozenset[Permission]:
        return frozenset(filter(self.can, Permission))

    @cached_property
    def _owners(self) -> list[Any]:
        found = readable_owners(self.team.pk, self.user.pk, self.now)
        for owner in found:
            owner.team = self.team
        return found

    @cached_property
    def mine(self) -> dict[UUID, Owner]:
        """The owners linked to this person: the account itself and its channels."""
        return {one.pk: one for one in self._owners if one.person_id == self.user.pk}

    @cached_property
    def me(self) -> Owner:
        """The person's own owner; not saved where nothing is kept about them yet."""
        for owner in self.mine.values():
            if owner.source == "user":
                return owner
        return Owner(team=self.team, source="user", external_id=str(self.user.pk), person=self.user)

    @cached_property
    def opened(self) -> dict[UUID, BreakGlass]:
        """Break-glass grants of this person that have not run out."""
        if not self.can(Permission.BREAK_GLASS):
            return {}
        opened = [one for one in self._owners if one.grant]
        return {
            one.pk: BreakGlass(one.grant, owner=one, expires_at=one.open_until) for one in opened
        }

    @cached_property
    def waiting(self) -> Inbox:
        """All that this person could decide about, counted once a page."""
        return Inbox(self.team, self.decidable)

    @cached_property
    def shared_owners(self) -> frozenset[UUID]:
        """The system's own owner: what it says is about nobody and readable by the team."""
        return frozenset(owner.pk for owner in self._owners if owner.is_system)

    def is_common(self, owner_id: UUID | None) -> bool:
        return owner_id is None or owner_id in self.mine or owner_id in self.shared_owners

    def reads(self, owner_id: UUID | None) -> bool:
        """Whether text of this reach may be shown: shared, one's own, or opened."""
        return self.is_common(owner_id) or owner_id in self.opened

    def decides(self, owner_id: UUID | None, takes: Permission = Permission.DECIDE) -> bool:
        is_shared = owner_id is None or owner_id in self.shared_owners
        is_theirs, is_opened = owner_id in self.mine, owner_id in self.opened
        return may_decide(
            self.role, takes, is_shared=is_shared, is_theirs=is_theirs, is_opened=is_opened
        )

    def decidable(self, owner: str = "owner", takes: Permission = Permission.DECIDE) -> Q:
        """The filter for rows that this person decides about."""
        return reach_of(self.rights, tuple(self.mine), tuple(self.opened), owner, takes)

    def of_others(self, owner: str = "owner", takes: Permission = Permission.DECIDE) -> Q:
        """The filter for rows that somebody else decides about, and this person may know of."""
        return self.outcomes(owner) & ~self.decidable(owner, takes)

    def own_or_shared(self, owner: str = "owner") -> Q:
        """The filter for rows of shared memory and of what is about this person."""
        return Q(**{owner: None}) | Q(**{f"{owner}__in": list(self.mine)})

    def common(self, owner: str = "owner") -> Q:
        """The filter for rows that pages of all agents tell; what was opened has its own pages."""
        return self.own_or_shared(owner) | Q(**{f"{owner}__in": self.shared_owners})

    def outcomes(self, owner: str = "owner", _takes: Permission = Permission.DECIDE) -> Q:
        """The filter for rows whose outcome, times and counts may be shown."""
        if self.can(Permission.SEE_OWNERS):
            return Q()
        return self.common(owner)


class UserRequest(HttpRequest):
    user: User
    htmx: HtmxDetails


class TeamRequest(UserRequest):
    visit: Visit


View = Callable[Concatenate[TeamRequest, P], HttpResponseBase]


def team_view(*methods: str, takes: Permission = Permission.READ) -> Callable[[View[P]], View[P]]:
    """Answers these methods alone. Finds the team by its slug and the person's current membership,
    then enters its scope."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def inner(request: TeamRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            request.visit = _visit(request, str(kwargs.pop("team")))
            with scope(team=request.visit.team), timezone.override(request.user.zone):
                try:
                    require(request, takes)
                    response = view(request, *args, **kwargs)
                except Refused as refused:
                    response = _refuse(request, refused)
                except AssignmentsFound as found:
                    response = ask(request, found)
            # Whoever goes back after a sign-out finds no memory in the browser's cache.
            response.headers.setdefault("Cache-Control", "private, no-store")
            return response

        return require_http_methods(methods)(inner)

    return decorate


def require(request: TeamRequest, permission: Permission) -> None:
    if not request.visit.can(permission):
        raise Refused(str(permission))


def find_agent(request: TeamRequest, agent_id: UUID) -> Agent:
    team = request.visit.team
    for agent in live_agents(team.pk, agent_id):
        agent.team = team
        return agent
    raise Http404


def find_archived_agent(request: TeamRequest, agent_id: UUID) -> Agent:
    return get_object_or_404(request.visit.team.agents.archived(), pk=agent_id)


@dataclass(frozen=True)
class Workspace(Memory):
    """One workspace of an agent: the shared one, or one owner's. `value` is what `owner=` said."""

    value: str
    is_mine: bool
    can_write: bool

    @property
    def query(self) -> str:
        """Keeps the owner in links; empty for the shared workspace."""
        return f"?owner={self.value}" if self.value else ""

    @property
    def more(self) -> str:
        return f"&owner={self.value}" if self.value else ""

    @property
    def memory(self) -> Memory:
        return Memory(self.agent, self.owner)

    @property
    def files(self) -> FileQuerySet:
        return self.agent.files.of(*self.key)

    def require_write(self) -> None:
        if not self.can_write:
            raise Refused("write", self.owner)

    def owned(self, request: TeamRequest) -> "Workspace":
        """For a write: one's own owner exists from now on."""
        if self.owner is None or not self.owner._state.adding:
            return self
        return replace(self, owner=person_owner(request.visit.team, request.user))


def find_workspace(
    request: TeamRequest, agent_id: UUID, *, read: str = "", to_write: bool = False
) -> Workspace:
    """The workspace that `owner=` names; the shared one without it (SPEC §2). `read`: which list of
    it a page shows, for the event of a read under a break-glass grant."""
    found = _workspace(request, find_agent(request, agent_id))
    if read:
        note_read(request, found.owner, read, agent_id)
    if to_write:
        found.require_write()
    return found


def _workspace(request: TeamRequest, agent: Agent) -> Workspace:
    visit = request.visit
    owner = readable_owner(request, request.GET.get("owner", "shared"))
    if owner is None:
        return Workspace(agent, None, "", is_mine=False, can_write=visit.can(Permission.WRITE))
    if owner == visit.me:
        return Workspace(agent, owner, "me", is_mine=True, can_write=True)
    mine = owner.pk in visit.mine
    return Workspace(agent, owner, str(owner.pk), is_mine=mine, can_write=mine)


def own_owner(request: TeamRequest, value: str) -> Owner | None:
    """None for the shared memory, else an owner that this person is; made on first sight."""
    if value == "shared":
        return None
    if value == "me":
        return person_owner(request.visit.team, request.user)
    return next(owner for owner in request.visit.mine.values() if str(owner.pk) == value)


def is_theirs(request: TeamRequest, workspace: Workspace) -> bool:
    """To forget at once. Who may write in a personal memory is its owner."""
    return may_decide(
        request.visit.role,
        Permission.FORGET,
        is_shared=workspace.owner is None,
        is_theirs=workspace.owner is not None,
    )


def find_file(
    request: TeamRequest,
    workspace: Workspace,
    path: str,
    *,
    deleted: bool = False,
    to_write: bool = False,
) -> File:
    files = workspace.files if deleted else workspace.files.filter(deleted_at=None)
    file = get_object_or_404(
        files.select_related("agent", "owner"), folded_path=fold(of_link(path))
    )
    note_read(request, file.owner, "file", file.pk)
    if to_write:
        workspace.require_write()
    return file


def find_workspace_file(
    request: TeamRequest,
    agent_id: UUID,
    path: str,
    *,
    deleted: bool = False,
    to_write: bool = False,
) -> tuple[Workspace, File]:
    workspace = find_workspace(request, agent_id)
    return workspace, find_file(request, workspace, path, deleted=deleted, to_write=to_write)


def find_run(request: TeamRequest, run_id: UUID) -> Run:
    """A run whose outcome may be shown. Its text may still be hidden: `visit.reads`."""
    runs = request.visit.team.runs.filter(request.visit.outcomes(), agent__archived_at=None)
    shown = ("agent", "owner__integration", "user", "integration", "report", "reverted_by")
    run = get_object_or_404(runs.select_related(*shown), pk=run_id)
    if request.visit.reads(run.owner_id):
        note_read(request, run.owner, "run", run.pk)
    return run


def find_conversation(request: TeamRequest, agent: Agent, conversation_id: UUID) -> Conversation:
    """Messages are readable by their owner, or with a break-glass grant."""
    visible = agent.conversations.filter(request.visit.outcomes())
    conversation = get_object_or_404(
        visible.select_related("owner__integration"), pk=conversation_id
    )
    require_reading(request, conversation.owner)
    note_read(request, conversation.owner, "conversation", conversation.pk)
    return conversation


def find_import(request: TeamRequest, agent: Agent, import_id: UUID) -> Import:
    visible = agent.imports.filter(request.visit.outcomes())
    batch = get_object_or_404(visible.select_related("owner__integration", "user"), pk=import_id)
    require_reading(request, batch.owner)
    note_read(request, batch.owner, "import", batch.pk)
    return batch


def find_owner(request: TeamRequest, owner_id: UUID) -> Owner:
    """An owner's outcome and counts: one's own, or with the right to see owners."""
    owners = request.visit.team.owners.filter(request.visit.outcomes("pk"))
    return get_object_or_404(owners.select_related("integration", "person"), pk=owner_id)


def readable_owner(request: TeamRequest, text: str) -> Owner | None:
    """The owner whose text may be read; None for the shared memory."""
    visit = request.visit
    if text in {"", "shared"}:
        return None
    if text == "me":
        return visit.me
    owner = next((one for one in visit._owners if str(one.pk) == text), None)
    try:
        owner = owner or find(visit.team, text)
    except (OwnerUnknown, OwnerAmbiguous) as error:
        raise Http404 from error
    if owner is not None:
        require_reading(request, owner)
    return owner


def require_reading(request: TeamRequest, owner: Owner | None) -> None:
    """404 for who may not even know of the owner, 403 for who could open it."""
    visit = request.visit
    if owner is None or visit.reads(owner.pk):
        return
    if visit.can(Permission.SEE_OWNERS):
        raise Refused("personal", owner)
    raise Http404


def note_read(request: TeamRequest, owner: Owner | None, kind: str, target_id: object) -> None:
    """Reading another person's memory under a break-glass grant is an event (SPEC §1)."""
    visit = request.visit
    if owner is None or visit.is_common(owner.pk) or owner.pk not in visit.opened:
        return
    if (kind, str(target_id)) in visit.noted:
        return
    visit.noted.add((kind, str(target_id)))
    with transaction.atomic():
        record(
            visit.team.pk,
            Entry(
                action="personal.read",
                actor=visit.actor,
                target_kind=kind,
                target_id=str(target_id),
                on_behalf_of=owner.pk,
                reason_code="break_glass",
                details={"grant": str(visit.opened[owner.pk].pk)},
            ),
        )


def _visit(request: UserRequest, slug: str) -> Visit:
    memberships = memberships_of(request.user)
    teams = [membership.team for membership in memberships]
    if request.user.is_superuser and slug == SYSTEM_SLUG:
        everyones = Membership(team=system_team(), user=request.user, role=Role.MEMBER)
        return Visit(everyones, teams)
    for membership in memberships:
        if membership.team.slug == slug:
            return Visit(membership, teams)
    raise Http404


def last_visit(request: HttpRequest) -> Visit | None:
    """To the team visited last, else the demo, else the first one; None for who is in no team."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return None
    last, memberships = request.session.get("team", ""), memberships_of(user)
    if not memberships:
        return None
    chosen = min(memberships, key=lambda one: (one.team.slug != last, not one.team.is_demo))
    return Visit(chosen, [one.team for one in memberships])


def ask(request: UserRequest, found: AssignmentsFound, layout: str = "base.html") -> HttpResponse:
    """Whether what they typed is a secret: what was sent goes again where it is none."""
    mine = {"csrfmiddlewaretoken", "no_secrets"}
    sent = [(name, one) for name, all_ in request.POST.lists() for one in all_ if name not in mine]
    asked = {"said": str(found), "sent": sent, "layout": layout}
    page = render(request, "no_secrets.html", asked, status=422)
    return reselect(reswap(retarget(page, "#main"), "outerHTML"), "#main")


def _refuse(request: TeamRequest, refused: Refused) -> HttpResponse:
    visit, match = request.visit, request.resolver_match
    with transaction.atomic():
        record(
            visit.team.pk,
            Entry(
                action="access.denied",
                actor=visit.actor,
                outcome="denied",
                reason_code=refused.code,
                **(target(refused.owner) if refused.owner else {}),
                details={"view": match.view_name if match else ""},
            ),
        )
    opens = refused.owner is not None and visit.can(Permission.BREAK_GLASS)
    context = {"owner": refused.owner if opens and refused.code == "personal" else None}
    return render(request, "403.html", context, status=403)
