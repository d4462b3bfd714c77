from uuid import UUID

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryweb.accounts import members as people
from memoryweb.accounts.members import add_member, change_member, remove_member
from memoryweb.accounts.models import Invitation, Membership
from memoryweb.accounts.permissions import Permission, Role
from memoryweb.accounts.signins import with_passwords
from memoryweb.accounts.teams import rename_team
from memoryweb.llm import usage
from memoryweb.llm.endpoint import configured
from memoryweb.web import one_time_links
from memoryweb.web.access import TeamRequest, UserRequest, require, team_view
from memoryweb.web.one_time_links import inside, link_to
from memoryweb.web.pages import done, page, show, to, told_in, told_to
from memoryweb.web.team.forms import InvitationForm, JoinForm, MemberForm, RoleForm, TeamForm

PARTIALS = ("members",)


@team_view("GET", "POST")
def team(request: TeamRequest) -> HttpResponse:
    """The team's name and its members, as far as they may be seen."""
    visit = request.visit
    if request.method == "POST":
        require(request, Permission.MANAGE_MEMBERS)
    form = TeamForm(request.POST or None, initial={"name": visit.team.name})
    if request.method == "POST" and form.is_valid():
        with told_in(form, "name"):
            rename_team(team=visit.team, name=form.cleaned_data["name"], by=visit.actor)
            messages.success(request, _("Team name saved."))
            return redirect(to(request, "settings"))
    return show_members(request, team_form=form, status=422 if form.errors else 200)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def add(request: TeamRequest) -> HttpResponse:
    form = MemberForm(request.POST)
    if form.is_valid():
        with told_in(form):
            membership = add_member(
                team=request.visit.team,
                email=form.cleaned_data["email"],
                role=Role(form.cleaned_data["role"]),
                name=form.cleaned_data["name"],
                password=form.cleaned_data.get("password") or None,
                ends_at=form.ends_at,
                by=request.visit.actor,
            )
            return _done(request, _("{name} is now a member.").format(name=membership.user))
    return show_members(request, form, status=422)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def change(request: TeamRequest, membership_id: int) -> HttpResponse:
    membership = _find(request, membership_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose a role. The end date may be empty."))
        return show_members(request, status=422)
    role = Role(form.cleaned_data["role"])
    with told_to(request):
        change_member(
            membership=membership, role=role, ends_at=form.ends_at, by=request.visit.actor
        )
        return _done(request, _("Saved {name}'s membership.").format(name=membership.user))
    return show_members(request, status=422)


@team_view("GET", takes=Permission.MANAGE_MEMBERS)
def remove_confirm(request: TeamRequest, membership_id: int) -> HttpResponse:
    context = {"membership": _find(request, membership_id), "tab": "members"}
    return show(request, "settings/member_remove.html", context)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def remove(request: TeamRequest, membership_id: int) -> HttpResponse:
    membership = _find(request, membership_id)
    with told_to(request):
        remove_member(membership=membership, by=request.visit.actor)
        return _done(request, _("{name} is no longer a member.").format(name=membership.user))
    return show_members(request, status=422)


def _find(request: TeamRequest, membership_id: int) -> Membership:
    memberships = request.visit.team.memberships.select_related("user", "team")
    return get_object_or_404(memberships, pk=membership_id)


def _done(request: TeamRequest, said: str) -> HttpResponse:
    messages.success(request, said)
    return done(request, show_members, to(request, "settings"), partials=PARTIALS)


def show_members(
    request: TeamRequest,
    form: MemberForm | None = None,
    status: int = 200,
    *,
    team_form: TeamForm | None = None,
    invite_form: InvitationForm | None = None,
    made: Invitation | None = None,
    link: str = "",
) -> HttpResponse:
    team = request.visit.team
    found = team.memberships.select_related("user").order_by("user__name", "pk")
    sees = request.visit.can(Permission.SEE_MEMBERS)
    shown = page(request, found if sees else found.none(), size=50)
    can_manage = request.visit.can(Permission.MANAGE_MEMBERS)
    context = {
        "tab": "members",
        "page": shown,
        "rows": [
            (one, RoleForm.of(one) if can_manage and not one.by_group else None) for one in shown
        ],
        "invitations": list(people.open_of(team).order_by("-created_at")[:100]) if sees else [],
        "team_form": team_form or TeamForm(initial={"name": team.name}),
        "today": None
        if request.visit.can(Permission.SEE_AUDIT)
        else usage.today(team.pk, team.token_budget),
        "has_model": configured(team.pk),
        "runs_kept": settings.RUNS_KEPT_DAYS,
        "sessions_kept": settings.SESSIONS_KEPT_DAYS,
        "form": form or MemberForm(),
        "invite_form": invite_form or InvitationForm(prefix="invite"),
        "made": made,
        "link": link,
        "can_manage": can_manage,
    }
    return show(request, "settings/members.html", context, partials=PARTIALS, status=status)


# Inviting people to a team, and what the invited person sees.

_HELD = "invitation"


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
@never_cache
def invite(request: TeamRequest) -> HttpResponse:
    """Answers with the link itself, this once: it is stored nowhere."""
    form = InvitationForm(request.POST, prefix="invite")
    if form.is_valid():
        with told_in(form):
            made, secret = people.invite(
                team=request.visit.team,
                email=form.cleaned_data["email"],
                role=Role(form.cleaned_data["role"]),
                ends_at=form.ends_at,
                by=request.visit.actor,
                invited_by=request.user,
            )
            link = link_to(request, "invitation_entrance", secret)
            return show_members(request, made=made, link=link)
    return show_members(request, invite_form=form, status=422)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def withdraw(request: TeamRequest, invitation_id: UUID) -> HttpResponse:
    invitation = get_object_or_404(request.visit.team.invitations, pk=invitation_id)
    with told_to(request):
        people.withdraw(invitation=invitation, by=request.visit.actor)
        messages.success(request, _("The invitation was withdrawn. Its link no longer works."))
    return done(request, show_members, to(request, "settings"), partials=PARTIALS)


@require_http_methods(["GET", "POST"])
@never_cache
@login_not_required
def entrance(request: UserRequest) -> HttpResponse:
    """Uses nothing up. The session keeps the invitation, also while the person signs in."""

    def enter(secret: str) -> HttpResponse:
        found = people.find_invitation(secret)
        if found is None:
            return _gone(request)
        request.session[_HELD] = found.pk.hex
        return inside("invitation")

    return one_time_links.entrance(request, "settings/invitation_entrance.html", enter)


@require_GET
@never_cache
@login_not_required
def invitation(request: UserRequest) -> HttpResponse:
    found = _held(request)
    if found is None:
        return _gone(request)
    return _shown(request, found, JoinForm(email=found.email))


@require_POST
@with_passwords
@login_not_required
def join(request: UserRequest) -> HttpResponse:
    """Without an account: name and password make one, and the person is signed in."""
    found = _held(request)
    if found is None:
        return _gone(request)
    form = JoinForm(request.POST, email=found.email)
    if form.is_valid():
        with told_in(form):
            membership = people.accept_as_new(invitation=found, **form.cleaned_data)
            get_adapter(request).login(request, membership.user)
            return _welcome(request, membership)
    return _shown(request, found, form, status=422)


@require_POST
def accept(request: UserRequest) -> HttpResponse:
    found = _held(request)
    if found is None:
        return _gone(request)
    with told_to(request):
        return _welcome(request, people.accept(invitation=found, user=request.user))
    return redirect("invitation")


def _held(request: UserRequest) -> Invitation | None:
    return people.find_open(request.session.get(_HELD))


def _shown(
    request: UserRequest, found: Invitation, form: JoinForm, status: int = 200
) -> HttpResponse:
    is_signed_in = request.user.is_authenticated
    context = {
        "invitation": found,
        "form": form,
        "is_me": is_signed_in and request.user.email == found.email,
        "is_other": is_signed_in and request.user.email != found.email,
        "has_account": people.has_account(found),
    }
    return render(request, "settings/invitation.html", context, status=status)


def _gone(request: UserRequest) -> HttpResponse:
    return render(request, "settings/invitation_gone.html", status=404)


def _welcome(request: UserRequest, membership: Membership) -> HttpResponse:
    request.session.pop(_HELD, None)
    messages.success(request, _("Welcome to {team}.").format(team=membership.team))
    return HttpResponseRedirect(reverse("web:last_night", args=[membership.team.slug]))
