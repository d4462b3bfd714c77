"""Consent: a person lets an app use one agent for them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_update
from django import forms
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_scopes import scope

from memoryweb.accounts import oauth
from memoryweb.accounts.backends import memberships_of
from memoryweb.accounts.models import Membership
from memoryweb.agents.models import Agent
from memoryweb.web.access import UserRequest
from memoryweb.web.form_fields import set_choices
from memoryweb.web.pages import show, told_in

_READ, _WRITE = "read", "write"
View = Callable[[UserRequest, oauth.Request], HttpResponseBase]


class ConsentForm(forms.Form):
    agent = forms.ChoiceField(label=_("Which agent's memory of you?"))
    access = forms.ChoiceField(
        label=_("What may it do?"),
        choices=[
            (_READ, _("Read what the agent remembers about you and what it shares with the team")),
            (_WRITE, _("Also add, correct and forget what the agent remembers about you")),
        ],
        initial=_READ,
        widget=forms.RadioSelect,
    )

    def __init__(self, request: UserRequest, asked: oauth.Request, said: object = None) -> None:
        super().__init__(said)  # type: ignore[arg-type]
        self.agents = _agents(request)
        groups: dict[str, Any] = {}
        for key, (member, agent) in self.agents.items():
            groups.setdefault(member.team.name, []).append((key, agent.name))
        kept: Any = self.fields["access"]
        set_choices(self, {"agent": groups.items(), "access": kept.choices[: 1 + asked.writes]})


def _agents(request: UserRequest) -> dict[str, tuple[Membership, Agent]]:
    """Of all teams that the person is in."""
    members = memberships_of(request.user)
    with scope(team=tuple(member.team for member in members)):
        prefetch_related_objects(members, "team__agents")
        found = [(member, agent) for member in members for agent in member.team.agents.all()]
    return {str(agent.pk): (member, agent) for member, agent in found if not agent.archived_at}


def _asking(view: View) -> Callable[[UserRequest], HttpResponseBase]:
    """For an app that may ask at all. What it asked wrongly, it is told, and no person."""

    @never_cache
    @wraps(view)
    def inner(request: UserRequest) -> HttpResponseBase:
        if (site := oauth.site_of(request)) is None:
            raise Http404
        try:
            asked = oauth.read(request.GET, site)
            asked.check()
            return view(request, asked)
        except oauth.Unasked:
            return render(request, "oauth/unknown.html", status=400)
        except oauth.Refused as refused:
            return _back(asked, **refused.told)

    return inner


@require_safe
@_asking
def authorize(request: UserRequest, asked: oauth.Request) -> HttpResponseBase:
    return _show(request, asked, ConsentForm(request, asked))


@require_POST
@_asking
def allow(request: UserRequest, asked: oauth.Request) -> HttpResponseBase:
    form = ConsentForm(request, asked, request.POST)
    if form.is_valid():
        member, agent = form.agents[form.cleaned_data["agent"]]
        writes = form.cleaned_data["access"] == _WRITE
        with told_in(form):
            code = oauth.grant(asked, member=member, agent_id=agent.pk, writes=writes)
            return _back(asked, code=code)
    return _show(request, asked, form)


@require_POST
@_asking
def deny(request: UserRequest, asked: oauth.Request) -> HttpResponseBase:
    return _back(asked, error="access_denied")


def _show(request: UserRequest, asked: oauth.Request, form: ConsentForm) -> HttpResponseBase:
    page = show(request, "oauth/consent.html", {"asked": asked, "form": form})
    # The browser has to follow the form's answer to the app.
    return csp_update({"form-action": [asked.origin]})(lambda _request: page)(request)


def _back(asked: oauth.Request, **said: str) -> HttpResponse:
    """To the app, with the issuer, so that it can't take this answer for another server's."""
    said |= {"iss": asked.site} | ({"state": asked.sent("state")} if asked.sent("state") else {})
    callback = asked.sent("redirect_uri")
    return HttpResponseRedirect(f"{callback}{'&' if '?' in callback else '?'}{urlencode(said)}")
