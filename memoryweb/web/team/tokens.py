from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Max, Q, QuerySet, Sum
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from memoryweb.accounts import integrations as accounts
from memoryweb.accounts.models import Integration, Token
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.accounts.tokens import issue, let_share, undecided
from memoryweb.accounts.tokens import revoke as revoke_token
from memoryweb.agents.models import Agent
from memoryweb.memory.lines.sources import agents_written_by
from memoryweb.notify.models import Delivery
from memoryweb.web.access import Refused, TeamRequest, team_view
from memoryweb.web.pages import Page, page, show, to, told_in, told_to
from memoryweb.web.team.forms import GrantForm, IntegrationForm, SlackForm, TokenForm, WebhookForm

_PARTIALS = ("tokens",)
_ERRORS = 50


@team_view("GET")
def tokens(request: TeamRequest) -> HttpResponse:
    return show_connections(request)


@team_view("GET")
def token(request: TeamRequest, token_id: UUID) -> HttpResponse:
    """Its calls, for whoever finds out why a client fails."""
    return _token(request, get_object_or_404(_visible(request), pk=token_id))


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def grant(request: TeamRequest, token_id: UUID) -> HttpResponse:
    """What takes a reason, which is shown."""
    found, form = _find_live(request, token_id), GrantForm(request.POST, scope=Scope.SHARED_WRITE)
    if form.is_valid():
        with told_in(form, "reason"):
            said, by = form.cleaned_data["reason"], request.visit.actor
            accounts.grant_token(token=found, reason=said, by=by)
            told = _("{name} can now write shared prompt files.").format(name=found.name)
            messages.success(request, told)
            return redirect(to(request, "settings_tokens"))
    return _token(request, found, form, status=422)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def withdraw(request: TeamRequest, token_id: UUID) -> HttpResponse:
    found = _find_live(request, token_id)
    let_share(token=found, reason="", by=request.visit.actor)
    told = _("What {name} writes to shared prompt files now waits in Review.")
    messages.success(request, told.format(name=found.name))
    return redirect(to(request, "settings_tokens"))


def _find_live(request: TeamRequest, token_id: UUID) -> Token:
    """One that an agent or a program writes with."""
    live = _visible(request).filter(revoked_at=None, act_as_person=False, client=None)
    return get_object_or_404(live, pk=token_id)


def _token(
    request: TeamRequest, found: Token, form: GrantForm | None = None, status: int = 200
) -> HttpResponse:
    failed = Q(status__gte=400)
    calls = found.calls.values("method", "route").annotate(
        answered=Sum("times", filter=~failed), failed=Sum("times", filter=failed), last=Max("at")
    )
    context = {
        "tab": "connections",
        "token": found,
        "errors": found.calls.filter(failed).order_by("-at", "-pk")[:_ERRORS],
        "calls": calls.order_by("-last", "route"),
        "form": form or GrantForm(scope=Scope.SHARED_WRITE),
        "can_grant": found.revoked_at is None
        and not found.act_as_person
        and found.client_id is None
        and request.visit.can(Permission.MANAGE_TOKENS),
    }
    return show(request, "settings/token.html", context, status=status)


@team_view("POST")
@never_cache
def new(request: TeamRequest) -> HttpResponse:
    """Answers with the secret itself, this once: it is stored nowhere."""
    form = TokenForm(request.POST, holders=_holders(request))
    if form.is_valid():
        with told_in(form):
            token, secret = issue(
                team=request.visit.team,
                by=request.visit.actor,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                user=None if form.integration else request.user,
                integration=form.integration,
                days=form.cleaned_data["days"],
                act_as_person=form.cleaned_data["act_as_person"],
            )
            return show_connections(request, made=token, secret=secret)
    return show_connections(request, form=form)


@team_view("GET")
def revoke_confirm(request: TeamRequest, token_id: UUID) -> HttpResponse:
    context = {"token": _find_to_revoke(request, token_id), "tab": "connections"}
    return show(request, "settings/token_revoke.html", context)


@team_view("POST")
def revoke(request: TeamRequest, token_id: UUID) -> HttpResponse:
    token = _find_to_revoke(request, token_id)
    with told_to(request):
        revoke_token(token=token, by=request.visit.actor)
        messages.success(request, _("Token {name} was revoked.").format(name=token.name))
    return redirect(to(request, "settings_tokens"))


def _find_to_revoke(request: TeamRequest, token_id: UUID) -> Token:
    token = get_object_or_404(_visible(request), pk=token_id)
    if token.user_id != request.user.pk and not request.visit.can(Permission.MANAGE_TOKENS):
        raise Refused("revoke_token")
    return token


def _visible(request: TeamRequest) -> "QuerySet[Token]":
    """One's own; all of the team with the right to see tokens. Never a secret."""
    found = request.visit.team.tokens.select_related("team", "user", "integration")
    if request.visit.can(Permission.SEE_TOKENS):
        return found
    return found.filter(user=request.user)


def _holders(request: TeamRequest) -> list[Integration]:
    if not request.visit.can(Permission.MANAGE_TOKENS):
        return []
    return list(request.visit.team.integrations.filter(revoked_at=None).order_by("name"))


def _form(request: TeamRequest) -> TokenForm:
    """`?holder=` chooses an integration, with what it may."""
    holders = _holders(request)
    chosen = next((one for one in holders if str(one.pk) == request.GET.get("holder")), None)
    initial = {"holder": str(chosen.pk), "scopes": chosen.scopes} if chosen else {}
    return TokenForm(holders=holders, initial=initial)


def show_connections(
    request: TeamRequest,
    *,
    form: TokenForm | None = None,
    webhook_form: WebhookForm | None = None,
    slack_form: SlackForm | None = None,
    made: Token | None = None,
    secret: str = "",
    status: int | None = None,
) -> HttpResponse:
    """Integrations, tokens and webhooks, as far as they may be seen."""
    visit = request.visit
    manages = visit.can(Permission.MANAGE_TOKENS)
    shown = page(request, _visible(request).order_by("-created_at"), size=50)
    context = {
        "tab": "connections",
        "page": shown,
        "rows": _rows(request, shown),
        "undecided": undecided(visit.team) if manages else (),
        "can_manage": manages,
        "form": form or _form(request),
        "webhook_form": webhook_form or WebhookForm(),
        "slack_form": slack_form or SlackForm(),
        "made": made,
        "secret": secret,
        **(_integrations(request) if visit.can(Permission.SEE_TOKENS) else {}),
    }
    if manages:
        failed = Count("deliveries", filter=Q(deliveries__state=Delivery.State.FAILED))
        hooks = visit.team.webhooks.annotate(failed=failed).order_by("-created_at")
        context["webhooks"] = page(request, hooks, size=50, key="webhooks")
    return show(request, "settings/tokens.html", context, partials=_PARTIALS, status=status)


def _rows(request: TeamRequest, shown: Page[Token]) -> list[dict[str, Any]]:
    labels, wrote = dict(Scope.choices), agents_written_by(shown.items)
    manages = request.visit.can(Permission.MANAGE_TOKENS)
    ids = [token.agent_id for token in shown if token.agent_id]
    agents = request.visit.team.agents.in_bulk(ids) if ids else {}
    return [
        {
            "token": token,
            "agent": agents.get(token.agent_id, _("a deleted agent")),
            "wrote": wrote.get(token.pk, []),
            "scopes": ", ".join(str(labels.get(scope, scope)) for scope in token.scopes),
            "can_revoke": token.revoked_at is None
            and (manages or token.user_id == request.user.pk),
        }
        for token in shown
    ]


def _integrations(request: TeamRequest) -> dict[str, Any]:
    team = request.visit.team
    found = team.integrations.order_by("revoked_at", "name").prefetch_related("tokens")
    names = {str(agent.pk): agent.name for agent in team.agents.all()}
    shown = page(request, found, size=25, key="integrations")
    rows = [
        (
            one,
            [names.get(key, _("a deleted agent")) for key in one.agents],
            sum(token.is_live for token in one.tokens.all()),
        )
        for one in shown
    ]
    return {"integrations": rows, "integration_page": shown}


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


@team_view("GET", "POST", takes=Permission.MANAGE_TOKENS)
def new_integration(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    form = IntegrationForm(request.POST or None, agents=team.agents.live())
    if request.method == "POST" and form.is_valid():
        with told_in(form):
            made = accounts.create_integration(
                team=team, by=request.visit.actor, **form.cleaned_data
            )
            said = _("{name} was created. Now create a token for it.")
            messages.success(request, said.format(name=made.name))
            return redirect(to(request, "settings_tokens", query=f"?holder={made.pk}"))
    context = {"tab": "connections", "form": form}
    return show(request, "settings/integration_new.html", context)


@team_view("GET", "POST", takes=Permission.MANAGE_TOKENS)
def edit_integration(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    integration = _find_live_integration(request, integration_id)
    form = IntegrationForm(
        request.POST or None,
        agents=_choosable(integration),
        initial=IntegrationForm.values(integration),
    )
    if request.method == "POST" and form.is_valid():
        with told_in(form):
            accounts.change_integration(
                integration=integration, by=request.visit.actor, **form.cleaned_data
            )
            messages.success(request, _("{name} was changed.").format(name=integration.name))
            return redirect(to(request, "settings_tokens"))
    return _edit_integration(request, integration, form=form)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def grant_scope(request: TeamRequest, integration_id: UUID, scope: Scope) -> HttpResponse:
    """What takes a reason, which is shown."""
    integration = _find_live_integration(request, integration_id)
    asked = GrantForm(request.POST, scope=scope)
    if asked.is_valid():
        said, by = asked.cleaned_data["reason"], request.visit.actor
        with told_in(asked, "reason"):
            accounts.grant(integration=integration, scope=scope, reason=said, by=by)
            messages.success(request, _GRANTED[scope].format(name=integration.name))
            return redirect(to(request, "settings_integration_edit", integration.pk))
    return _edit_integration(request, integration, asked=asked)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def withdraw_scope(request: TeamRequest, integration_id: UUID, scope: Scope) -> HttpResponse:
    integration = _find_live_integration(request, integration_id)
    accounts.withdraw(integration=integration, scope=scope, by=request.visit.actor)
    messages.success(request, _WITHDRAWN[scope].format(name=integration.name))
    return redirect(to(request, "settings_integration_edit", integration.pk))


@team_view("GET", takes=Permission.MANAGE_TOKENS)
def confirm_integration_revoke(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    context = {"integration": _find_integration(request, integration_id), "tab": "connections"}
    return show(request, "settings/integration_revoke.html", context)


@team_view("POST", takes=Permission.MANAGE_TOKENS)
def revoke_integration_now(request: TeamRequest, integration_id: UUID) -> HttpResponse:
    integration = _find_integration(request, integration_id)
    with told_to(request):
        accounts.revoke_integration(integration=integration, by=request.visit.actor)
        said = _("{name} and all its tokens were revoked.").format(name=integration.name)
        messages.success(request, said)
    return redirect(to(request, "settings_tokens"))


def _find_integration(request: TeamRequest, integration_id: UUID, **live: None) -> Integration:
    integrations = request.visit.team.integrations.select_related("team")
    return get_object_or_404(integrations, pk=integration_id, **live)


def _find_live_integration(request: TeamRequest, integration_id: UUID) -> Integration:
    return _find_integration(request, integration_id, revoked_at=None)


def _choosable(integration: Integration) -> "QuerySet[Agent]":
    """Live agents, and those that it was given before they were archived."""
    agents = integration.team.agents.all()
    return agents.filter(Q(archived_at=None) | Q(pk__in=integration.agents))


def _edit_integration(
    request: TeamRequest,
    integration: Integration,
    *,
    form: IntegrationForm | None = None,
    asked: GrantForm | None = None,
) -> HttpResponse:
    values = IntegrationForm.values(integration)
    context = {
        "tab": "connections",
        "integration": integration,
        "form": form or IntegrationForm(agents=_choosable(integration), initial=values),
        "reading": _grant_form(Scope.PERSONAL_READ, asked),
        "sharing": _grant_form(Scope.SHARED_WRITE, asked),
    }
    is_refused = (form and form.is_bound) or asked
    return show(request, "settings/integration.html", context, status=422 if is_refused else 200)


def _grant_form(scope: Scope, asked: GrantForm | None) -> GrantForm:
    return asked if asked and asked.scope is scope else GrantForm(scope=scope)
