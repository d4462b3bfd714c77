from uuid import UUID

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts import integrations as accounts
from memoryweb.accounts.integrations import (
    change_integration,
    create_integration,
    revoke_integration,
)
from memoryweb.accounts.models import Integration
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.htmx import show, to, told_in, told_to
from memoryweb.web.paging import page
from memoryweb.web.team.forms import GrantForm, IntegrationForm

_GRANTED = {
    Scope.PERSONAL_READ: gettext_lazy(
        "{name} can now read everyone's memory. Create a token with this permission for it."
    ),
    Scope.SHARED_WRITE: gettext_lazy(
        "{name} can now write shared prompt files. Create a token with this permission for it."
    ),
}
_WITHDRAWN = {
    Scope.PERSONAL_READ: gettext_lazy("{name} now reads only the person that each call names."),
    Scope.SHARED_WRITE: gettext_lazy(
        "What {name} writes to shared prompt files now waits in Review."
    ),
}


@team_view("GET", takes=Permission.SEE_TOKENS)
def integrations(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    found = team.integrations.order_by("revoked_at", "name").prefetch_related("tokens")
    names = {str(agent.pk): agent.name for agent in team.agents.all()}
    shown = page(request, found, size=25)
    context = {
        "tab": "integrations",
        "page": shown,
        "rows": [
            {
                "integration": one,
                "agents": [names.get(key, _("a deleted agent")) for key in one.agents],
                "tokens": sum(token.is_live for token in one.tokens.all()),
            }
            for one in shown
        ],
        "can_manage": request.visit.can(Permission.MANAGE_TOKENS),
    }
    return show(request, "settings/integrations.html", context)


@team_view("GET", "POST", takes=Permission.MANAGE_TOKENS)
def new(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    form = IntegrationForm(request.POST or None, agents=team.agents.live())
    if request.method == "POST" and form.is_valid():
        with told_in(form):
            made = create_integration(team=team, by=request.visit.actor, **form.cleaned_data)
            said = _("{name} was created. Now create a token for it.")
            messages.success(request, said.format(name=made.name))
            return redirect(to(request, "settings_tokens", query=f"?holder={made.pk}"))
    context = {"tab": "integrations", "form": form}
    return show(request, "settings/integration_new.html", context)


@team_view("GET", "POST", takes=Permission.MANAGE_TOKENS)
def edit(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    integration = _find_live(request, integration_id)
    form = IntegrationForm(
        request.POST or None,
        agents=_choosable(integration),
        initial=IntegrationForm.values(integration),
    )
    if request.method == "POST" and form.is_valid():
        with told_in(form):
            change_integration(integration=integration, by=request.visit.actor, **form.cleaned_data)
            messages.success(request, _("{name} was changed.").format(name=integration.name))
            return redirect(to(request, "settings_integrations"))
    return _edit(request, integration, form=form)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def grant(request: TeamRequest, integration_id: UUID, scope: Scope) -> HttpResponse:
    """What takes a reason, which is shown."""
    integration = _find_live(request, integration_id)
    asked = GrantForm(request.POST, scope=scope)
    if asked.is_valid():
        said, by = asked.cleaned_data["reason"], request.visit.actor
        with told_in(asked, "reason"):
            accounts.grant(integration=integration, scope=scope, reason=said, by=by)
            messages.success(request, _GRANTED[scope].format(name=integration.name))
            return redirect(to(request, "settings_integration_edit", integration.pk))
    return _edit(request, integration, asked=asked)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def withdraw(request: TeamRequest, integration_id: UUID, scope: Scope) -> HttpResponse:
    integration = _find_live(request, integration_id)
    accounts.withdraw(integration=integration, scope=scope, by=request.visit.actor)
    messages.success(request, _WITHDRAWN[scope].format(name=integration.name))
    return redirect(to(request, "settings_integration_edit", integration.pk))


@team_view("GET", takes=Permission.MANAGE_TOKENS)
def revoke_confirm(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    context = {"integration": _find(request, integration_id), "tab": "integrations"}
    return show(request, "settings/integration_revoke.html", context)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def revoke(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    integration = _find(request, integration_id)
    with told_to(request):
        revoke_integration(integration=integration, by=request.visit.actor)
        said = _("{name} and all its tokens were revoked.").format(name=integration.name)
        messages.success(request, said)
    return redirect(to(request, "settings_integrations"))


def _find(request: TeamRequest, integration_id: UUID, **live: None) -> Integration:
    integrations = request.visit.team.integrations.select_related("team")
    return get_object_or_404(integrations, pk=integration_id, **live)


def _find_live(request: TeamRequest, integration_id: UUID) -> Integration:
    return _find(request, integration_id, revoked_at=None)


def _choosable(integration: Integration) -> "QuerySet[Agent]":
    """Live agents, and those that it was given before they were archived."""
    agents = integration.team.agents.all()
    return agents.filter(Q(archived_at=None) | Q(pk__in=integration.agents))


def _edit(
    request: TeamRequest,
    integration: Integration,
    *,
    form: IntegrationForm | None = None,
    asked: GrantForm | None = None,
) -> HttpResponse:
    values = IntegrationForm.values(integration)
    context = {
        "tab": "integrations",
        "integration": integration,
        "form": form or IntegrationForm(agents=_choosable(integration), initial=values),
        "reading": _form(Scope.PERSONAL_READ, asked),
        "sharing": _form(Scope.SHARED_WRITE, asked),
    }
    is_refused = (form and form.is_bound) or asked
    return show(request, "settings/integration.html", context, status=422 if is_refused else 200)


def _form(scope: Scope, asked: GrantForm | None) -> GrantForm:
    return asked if asked and asked.scope is scope else GrantForm(scope=scope)
