"""A link with which a person without an account sees, confirms and corrects their own memory.

Whoever has it reads that memory, so only an admin makes one who has opened the memory with a
reason: the person finds both on their page.
"""

from uuid import UUID

from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from memoryweb.accounts.permissions import Permission
from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import OwnerRefused, TooManyCodes
from memoryweb.agents.models import Owner
from memoryweb.agents.one_time_codes import Purpose
from memoryweb.notify.mail_sending import is_set_up
from memoryweb.web.access import Refused, TeamRequest, find_owner, team_view
from memoryweb.web.htmx import to
from memoryweb.web.one_time_links import link_to
from memoryweb.web.owners.forms import LinkForm
from memoryweb.web.owners.views import show_owner


@team_view("POST", takes=Permission.EXPORT_OWNERS)
@never_cache
def send(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    """Answers with the link itself, this once, or mails it."""
    owner, form = find_owner(request, owner_id), LinkForm(request.POST)
    grant = request.visit.opened.get(owner.pk)
    if grant is None:
        raise Refused("personal", owner)
    if not form.is_valid():
        return show_owner(request, owner, link_form=form)
    email, by = form.cleaned_data["email"], request.visit.actor
    if email and not is_set_up():
        form.add_error("email", _("This installation has no mail server. Copy the link instead."))
        return show_owner(request, owner, link_form=form)
    try:
        issued = one_time_codes.issue(
            owner=owner, integration=None, purpose=Purpose.VISIT, by=by, grant=str(grant.pk)
        )
    except (OwnerRefused, TooManyCodes) as refused:
        form.add_error(None, str(refused))
        return show_owner(request, owner, link_form=form)
    return _given(request, owner, link_to(request, "visit", issued.secret), email)


@team_view("POST", takes=Permission.EXPORT_OWNERS)
def withdraw(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    """Also without an open grant: it takes away only what somebody gave."""
    owner = find_owner(request, owner_id)
    if one_time_codes.withdraw(owner=owner, by=request.visit.actor):
        messages.success(request, _("The link no longer works."))
    return redirect(to(request, "owners_detail", owner.pk))


def _given(request: TeamRequest, owner: Owner, link: str, email: str) -> HttpResponse:
    if not email:
        return show_owner(request, owner, link=link)
    _mail(email, request.visit.team.name, link)
    messages.success(request, _("The link was mailed. It works once, within 24 hours."))
    return redirect(to(request, "owners_detail", owner.pk))


def _mail(email: str, team: str, link: str) -> None:
    said = _(
        "With this link you see what the agents of {team} remember about you, and correct or "
        "forget it:\n\n{link}\n\nIt works once, within 24 hours. Nobody else needs it: don't "
        "pass it on."
    )
    send_mail(_("Your memory"), said.format(team=team, link=link), None, [email])
