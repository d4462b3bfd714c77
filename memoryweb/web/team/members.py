from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from memoryweb.accounts import invitations
from memoryweb.accounts.members import add_member, change_member, remove_member
from memoryweb.accounts.models import Invitation, Membership
from memoryweb.accounts.permissions import Permission, Role
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.htmx import done, show, to
from memoryweb.web.paging import page
from memoryweb.web.refusals import told_in, told_to
from memoryweb.web.team.forms import InvitationForm, MemberForm, RoleForm

PARTIALS = ("members",)


@team_view("GET", takes=Permission.SEE_MEMBERS)
def members(request: TeamRequest) -> HttpResponse:
    return show_members(request)


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
                password=form.cleaned_data["password"] or None,
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
    return done(request, show_members, to(request, "settings_members"), partials=PARTIALS)


def show_members(
    request: TeamRequest,
    form: MemberForm | None = None,
    status: int = 200,
    *,
    invite_form: InvitationForm | None = None,
    made: Invitation | None = None,
    link: str = "",
) -> HttpResponse:
    team = request.visit.team
    found = team.memberships.select_related("user").order_by("user__name", "pk")
    shown = page(request, found, size=50)
    can_manage = request.visit.can(Permission.MANAGE_MEMBERS)
    context = {
        "tab": "members",
        "page": shown,
        "rows": [(one, RoleForm.of(one) if can_manage else None) for one in shown],
        "invitations": list(invitations.open_of(team).order_by("-created_at")[:100]),
        "form": form or MemberForm(),
        "invite_form": invite_form or InvitationForm(prefix="invite"),
        "made": made,
        "link": link,
        "can_manage": can_manage,
    }
    return show(request, "settings/members.html", context, partials=PARTIALS, status=status)
