from uuid import UUID

from django.contrib import messages
from django.db.models import Max, Q, QuerySet, Sum
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from memoryweb.accounts.integrations import grant_token
from memoryweb.accounts.models import Integration, Token
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.accounts.tokens import issue, let_share, undecided
from memoryweb.accounts.tokens import revoke as revoke_token
from memoryweb.memory.lines.sources import agents_written_by
from memoryweb.web.access import Refused, TeamRequest, team_view
from memoryweb.web.htmx import show, to, told_in, told_to
from memoryweb.web.paging import page
from memoryweb.web.team.forms import GrantForm, TokenForm

_PARTIALS = ("tokens",)
_ERRORS = 50


@team_view("GET")
def tokens(request: TeamRequest) -> HttpResponse:
    return _tokens(request)


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
            grant_token(token=found, reason=said, by=by)
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
    live = _visible(request).filter(revoked_at=None, act_as_person=False)
    return get_object_or_404(live, pk=token_id)


def _token(
    request: TeamRequest, found: Token, form: GrantForm | None = None, status: int = 200
) -> HttpResponse:
    failed = Q(status__gte=400)
    calls = found.calls.values("method", "route").annotate(
        answered=Sum("times", filter=~failed), failed=Sum("times", filter=failed), last=Max("at")
    )
    context = {
        "tab": "tokens",
        "token": found,
        "errors": found.calls.filter(failed).order_by("-at", "-pk")[:_ERRORS],
        "calls": calls.order_by("-last", "route"),
        "form": form or GrantForm(scope=Scope.SHARED_WRITE),
        "can_grant": found.revoked_at is None
        and not found.act_as_person
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
            return _tokens(request, made=token, secret=secret)
    return _tokens(request, form=form)


@team_view("GET")
def revoke_confirm(request: TeamRequest, token_id: UUID) -> HttpResponse:
    context = {"token": _find_to_revoke(request, token_id), "tab": "tokens"}
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


def _tokens(
    request: TeamRequest,
    *,
    form: TokenForm | None = None,
    made: Token | None = None,
    secret: str = "",
) -> HttpResponse:
    labels = dict(Scope.choices)
    manages = request.visit.can(Permission.MANAGE_TOKENS)
    shown = page(request, _visible(request).order_by("-created_at"), size=50)
    wrote = agents_written_by(shown.items)
    context = {
        "tab": "tokens",
        "page": shown,
        "rows": [
            {
                "token": token,
                "wrote": wrote.get(token.pk, []),
                "scopes": ", ".join(str(labels.get(scope, scope)) for scope in token.scopes),
                "can_revoke": token.revoked_at is None
                and (manages or token.user_id == request.user.pk),
            }
            for token in shown
        ],
        "undecided": undecided(request.visit.team) if manages else (),
        "form": form or _form(request),
        "made": made,
        "secret": secret,
    }
    return show(request, "settings/tokens.html", context, partials=_PARTIALS)
