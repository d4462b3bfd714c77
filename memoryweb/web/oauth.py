"""Consent: a person lets an app use one agent for them."""

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
from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent
from memoryweb.audit.record import Actor
from memoryweb.web.access import UserRequest
from memoryweb.web.pages import told_in

_READ, _WRITE = "read", "write"


class ConsentForm(forms.Form):
    agent = forms.ChoiceField(label=_("Whose memory of you?"))
    access = forms.ChoiceField(
        label=_("What may it do?"),
        choices=[
            (_READ, _("Read what the agent remembers about you and what it shares with the team")),
            (_WRITE, _("Also add, correct and forget what the agent remembers about you")),
        ],
        initial=_READ,
        widget=forms.RadioSelect,
    )

    def __init__(self, user: User, asked: oauth.Request, said: object = None) -> None:
        super().__init__(said)  # type: ignore[arg-type]
        self.agents = {str(agent.pk): agent for agent in _agents(user)}
        groups: dict[str, list[tuple[str, str]]] = {}
        for key, agent in self.agents.items():
            groups.setdefault(agent.team.name, []).append((key, agent.name))
        self.fields["agent"].choices = list(groups.items())  # type: ignore[attr-defined]
        if not asked.writes:
            self.fields["access"].choices = self.fields["access"].choices[:1]  # type: ignore[attr-defined]


def _agents(user: User) -> list[Agent]:
    """Of all teams that the person is in."""
    teams = [membership.team for membership in memberships_of(user)]
    with scope(team=tuple(teams)):
        prefetch_related_objects(teams, "agents")
        return [one for team in teams for one in team.agents.all() if one.archived_at is None]


@require_safe
@never_cache
def authorize(request: UserRequest) -> HttpResponseBase:
    site, asked = _asked(request)
    return _show(request, asked) if asked and not asked.refused else _refuse(request, site, asked)


@require_POST
def allow(request: UserRequest) -> HttpResponseBase:
    site, asked = _asked(request)
    if asked is None or asked.refused:
        return _refuse(request, site, asked)
    form = ConsentForm(request.user, asked, request.POST)
    if form.is_valid():
        agent = form.agents[form.cleaned_data["agent"]]
        with told_in(form), scope(team=agent.team):
            code = oauth.grant(
                asked,
                team=agent.team,
                user=request.user,
                agent_id=agent.pk,
                writes=form.cleaned_data["access"] == _WRITE,
                by=_actor(request.user, agent),
            )
            return _back(site, asked, code=code)
    return _show(request, asked, form)


@require_POST
def deny(request: UserRequest) -> HttpResponse:
    site, asked = _asked(request)
    return _back(site, asked, error="access_denied") if asked else _refuse(request, site, asked)


def _asked(request: UserRequest) -> tuple[str, oauth.Request | None]:
    """None: no app that is known asks."""
    if (site := oauth.site_of(request)) is None:
        raise Http404
    try:
        return site, oauth.read(request.GET, site)
    except oauth.Unasked:
        return site, None


def _actor(user: User, agent: Agent) -> Actor:
    role = next(one.role for one in memberships_of(user) if one.team_id == agent.team_id)
    return Actor("person", str(user.pk), role)


def _show(
    request: UserRequest, asked: oauth.Request, form: ConsentForm | None = None
) -> HttpResponseBase:
    origin = oauth.origin_of(asked.callback)
    context = {
        "asked": asked,
        "host": oauth.host_of(asked.callback),
        "is_here": origin.startswith("http://"),
        "form": form or ConsentForm(request.user, asked),
        "query": request.GET.urlencode(),
    }
    # The browser has to follow the form's answer to the app.
    page = render(request, "oauth/consent.html", context, status=422 if form else 200)
    return csp_update({"form-action": [origin]})(lambda _request: page)(request)


def _refuse(request: UserRequest, site: str, asked: oauth.Request | None) -> HttpResponse:
    if asked is None or asked.refused is None:
        return render(request, "oauth/unknown.html", status=400)
    wrong = asked.refused
    return _back(site, asked, error=wrong.code, error_description=wrong.sentence)


def _back(site: str, asked: oauth.Request, **said: str) -> HttpResponse:
    """To the app, with the issuer, so that it can't take this answer for another server's."""
    said |= {"state": asked.state} if asked.state else {}
    mark = "&" if "?" in asked.callback else "?"
    return HttpResponseRedirect(f"{asked.callback}{mark}{urlencode({**said, 'iss': site})}")
