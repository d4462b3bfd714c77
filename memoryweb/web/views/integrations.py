from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.integrations import create_integration, revoke_integration
from memoryweb.accounts.models import Integration
from memoryweb.accounts.permissions import Permission
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.forms.settings import IntegrationForm
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page


@require_GET
@team_view(Permission.SEE_TOKENS)
def integrations(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    found = team.integrations.order_by("revoked_at", "name").prefetch_related("tokens")
    names = {str(agent.pk): agent.name for agent in team.agents.live()}
    shown = page(request, found, size=25)
    context = {
        "tab": "integrations",
        "page": shown,
        "rows": [_listed(integration, names) for integration in shown],
        "can_manage": request.visit.can(Permission.MANAGE_TOKENS),
    }
    return show(request, "settings/integrations.html", context)


@require_http_methods(["GET", "POST"])
@team_view(Permission.MANAGE_TOKENS)
def new(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    form = IntegrationForm(request.POST or None, agents=team.agents.live())
    if request.method == "POST" and form.is_valid():
        try:
            made = create_integration(team=team, by=request.visit.actor, **form.cleaned_data)
        except AccountsRefused as refused:
            form.add_error(None, str(refused))
        else:
            said = _("{name} was created. It needs a token to talk to the API.")
            messages.success(request, said.format(name=made.name))
            return redirect(to(request, "settings_tokens"))
    context = {"tab": "integrations", "form": form}
    status = 422 if form.is_bound else 200
    return show(request, "settings/integration_new.html", context, status=status)


@require_GET
@team_view(Permission.MANAGE_TOKENS)
def revoke_confirm(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    context = {"integration": _find(request, integration_id), "tab": "integrations"}
    return show(request, "settings/integration_revoke.html", context)


@require_POST
@team_view(Permission.MANAGE_TOKENS)
def revoke(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    integration = _find(request, integration_id)
    try:
        revoke_integration(integration=integration, by=request.visit.actor)
    except AccountsRefused as refused:
        messages.error(request, str(refused))
    else:
        said = _("{name} and all its tokens were revoked.").format(name=integration.name)
        messages.success(request, said)
    return redirect(to(request, "settings_integrations"))


def _find(request: TeamRequest, integration_id: UUID) -> Integration:
    integrations = request.visit.team.integrations.select_related("team")
    return get_object_or_404(integrations, pk=integration_id)


def _listed(integration: Integration, names: dict[str, str]) -> dict[str, object]:
    return {
        "integration": integration,
        "agents": [names[key] for key in integration.agents if key in names],
        "tokens": sum(token.is_live for token in integration.tokens.all()),
    }
