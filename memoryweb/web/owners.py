"""Owners as counts and outcomes, for admins and auditors; and the way to open one with a reason."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission
from memoryweb.agents import one_time_codes
from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.exceptions import OwnerRefused, TooManyCodes
from memoryweb.agents.models import BreakGlass, Owner
from memoryweb.agents.one_time_codes import Purpose, confirmed_address
from memoryweb.agents.owners import matching, sources
from memoryweb.audit.record import Actor
from memoryweb.memory.conversations import Talks, talks_per_owner
from memoryweb.memory.lines.files import files_per_owner
from memoryweb.memory.my_memory import kept_about
from memoryweb.notify import owner_mail
from memoryweb.runs.models import last_runs_of_owners, runs_of_owner
from memoryweb.web.access import Refused, TeamRequest, find_owner, team_view
from memoryweb.web.form_fields import ChoiceField, Choices, FilterForm, WordsField
from memoryweb.web.my_memory import views
from memoryweb.web.my_memory.rows import looks
from memoryweb.web.one_time_links import link_to, mail_memory_link
from memoryweb.web.pages import MANY, page, show, to


class OwnersForm(FilterForm):
    q = forms.CharField(label=gettext_lazy("Person"), required=False, max_length=200)
    source = ChoiceField(label=gettext_lazy("Source"), required=False)
    state = ChoiceField(
        label=gettext_lazy("Memory"),
        required=False,
        choices=[
            ("", gettext_lazy("Any")),
            ("paused", gettext_lazy("Paused")),
            ("linked", gettext_lazy("Linked to an account")),
        ],
    )


class BreakGlassForm(forms.Form):
    reason = WordsField(
        label=gettext_lazy("Reason"),
        max_length=500,
        min_length=10,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "The person will see this. Say what you need to find out, and for whom."
        ),
    )


@team_view("GET", takes=Permission.SEE_OWNERS)
def owners(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    form = OwnersForm(request.GET, source=_sources(team))
    found = _filtered(team, form).select_related("person", "integration")
    shown = page(request, found.order_by("-created_at", "pk"), size=50)
    context = {
        "form": form,
        "is_filtered": (is_filtered := bool(request.GET.keys() - {"page"})),
        "can_find": is_filtered or shown.total > MANY,
        "page": shown,
        "rows": _rows(team, shown.items),
    }
    return show(request, "owners/owners.html", context)


@team_view("GET", takes=Permission.SEE_OWNERS)
def detail(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    return show_owner(request, find_owner(request, owner_id))


@team_view("POST", takes=Permission.BREAK_GLASS)
def open_memory(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    owner = find_owner(request, owner_id)
    if owner.pk in request.visit.mine:
        raise Refused("own_memory")
    form = BreakGlassForm(request.POST)
    if not form.is_valid():
        return show_owner(request, owner, form)
    open_glass(
        owner=owner,
        user=request.user,
        reason=form.cleaned_data["reason"],
        by=request.visit.actor,
    )
    messages.success(
        request, _("This memory is open to you for 60 minutes. Every page you read is recorded.")
    )
    return redirect(to(request, "owners_detail", owner.pk))


@team_view("POST", takes=Permission.EXPORT_OWNERS)
def export(request: TeamRequest, owner_id: UUID) -> HttpResponseBase:
    """All of it for the person who asked, as long as the memory is open for a reason."""
    owner, grant = _opened(request, owner_id)
    return views.download(request.visit.team, [owner], by=request.visit.actor, grant=grant.pk)


def _filtered(team: Team, form: OwnersForm) -> "QuerySet[Owner]":
    found = matching(team, form.asked.get("q", "")).filter(**form.lookups(source="source"))
    if form.asked.get("state") == "paused":
        found = found.filter(Q(keeping=False) | Q(using=False))
    if form.asked.get("state") == "linked":
        found = found.filter(person__isnull=False).exclude(source="user")
    return found


def _sources(team: Team) -> Choices:
    """Each source of this team as people call it."""
    programs = {f"api:{one.pk}": one.name for one in team.integrations.all()}
    known = programs | {"user": _("People with an account"), "system": _("The system")}
    yield "", _("All sources")
    yield from ((source, known.get(source, source)) for source in sources(team))


def _rows(team: Team, shown: list[Owner]) -> list[tuple[Any, ...]]:
    ids = [owner.pk for owner in shown]
    files, runs = files_per_owner(team, ids), last_runs_of_owners(team.pk, ids)
    talks = talks_per_owner(team, ids)
    return [
        (one, files.get(one.pk, 0), talks.get(one.pk, Talks()), runs.get(one.pk)) for one in shown
    ]


def show_owner(
    request: TeamRequest,
    owner: Owner,
    form: BreakGlassForm | None = None,
    *,
    link: str = "",
    status: int = 200,
) -> HttpResponse:
    """`link` to their memory is shown this once."""
    visit = request.visit
    grant, is_mine = visit.opened.get(owner.pk), owner.pk in visit.mine
    looked = looks(visit.team, [owner], but=Actor("person", str(owner.person_id or "")))
    can_link = visit.can(Permission.EXPORT_OWNERS) and not is_mine and _is_guest(owner)
    context = {
        "owner": owner,
        "kept": kept_about(visit.team, [owner.pk]),
        "talks": talks_per_owner(visit.team, [owner.pk]).get(owner.pk, Talks()),
        "runs": runs_of_owner(visit.team.pk, owner.pk)[:10],
        "grant": grant,
        **looked,
        "is_mine": is_mine,
        "form": form or BreakGlassForm(),
        "link": link,
        "own_page": request.build_absolute_uri(to(request, "mine")),
        "live_link": next((one for one in looked["links"] if one["works_until"]), None),
        "can_link": can_link,
        "can_mail": can_link and confirmed_address(owner) is not None,
        "can_open": visit.can(Permission.BREAK_GLASS) and not is_mine,
        "can_export": grant is not None and visit.can(Permission.EXPORT_OWNERS),
    }
    status = 422 if form and form.errors else status
    return show(request, "owners/detail.html", context, status=status)


def _is_guest(owner: Owner) -> bool:
    """One person without an account."""
    is_alone = owner.source != "system" and not owner.source.endswith(":room")
    return is_alone and owner.source != "user" and owner.person_id is None


# A link with which a person without an account sees, confirms and corrects their own memory.
#
# Whoever has it reads that memory. So an admin has one mailed to the address that the person's app
# gave and the person confirmed, without seeing it, or has opened the memory with a reason.


def _opened(request: TeamRequest, owner_id: UUID) -> tuple[Owner, BreakGlass]:
    owner = find_owner(request, owner_id)
    grant = request.visit.opened.get(owner.pk)
    if grant is None:
        raise Refused("personal", owner)
    return owner, grant


@team_view("POST", takes=Permission.EXPORT_OWNERS)
@never_cache
def make_link(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    """Answers with the link itself, this once."""
    owner, grant = _opened(request, owner_id)
    try:
        issued = one_time_codes.issue(
            owner=owner,
            integration=None,
            purpose=Purpose.VISIT,
            by=request.visit.actor,
            grant=str(grant.pk),
        )
    except (OwnerRefused, TooManyCodes) as refused:
        messages.error(request, str(refused))
        return show_owner(request, owner, status=422)
    return show_owner(request, owner, link=link_to(request, "visit", issued.secret))


@team_view("POST", takes=Permission.EXPORT_OWNERS)
def mail_link(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    """To the address that they confirmed, which nobody sees here."""
    owner = find_owner(request, owner_id)
    address = confirmed_address(owner) if _is_guest(owner) else None
    if address is None:
        raise Http404
    try:
        mail_memory_link(request, owner, address, request.visit.actor)
    except (owner_mail.MailRefused, TooManyCodes) as refused:
        messages.error(request, str(refused))
        return show_owner(request, owner, status=422)
    messages.success(request, _("The link was mailed. It works once, within 24 hours."))
    return redirect(to(request, "owners_detail", owner.pk))


@team_view("POST", takes=Permission.EXPORT_OWNERS)
def withdraw(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    """Also without an open grant: it takes away only what somebody gave."""
    owner = find_owner(request, owner_id)
    if one_time_codes.withdraw(owner=owner, by=request.visit.actor):
        messages.success(request, _("The link no longer works."))
    return redirect(to(request, "owners_detail", owner.pk))
