"""Addresses that are told what happens, and how telling them went. For admins."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from memoryweb.accounts.permissions import Permission
from memoryweb.notify import endpoints
from memoryweb.notify.models import DAILY, LABELS, Endpoint
from memoryweb.notify.webhooks import secret_of
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.pages import page, show, to
from memoryweb.web.team.forms import SlackForm, WebhookForm
from memoryweb.web.team.tokens import show_connections

_MANAGE = Permission.MANAGE_TOKENS
ERRORS: dict[str, str | Promise] = {
    "url_refused": gettext_lazy("The URL may not be called."),
    "address_refused": gettext_lazy("Its name leads into a private network, or nowhere."),
    "too_slow": gettext_lazy("It didn't answer within 10 seconds."),
    "unreachable": gettext_lazy("It couldn't be reached, or its certificate isn't valid."),
    "redirected": gettext_lazy("It answered with a redirect, which isn't followed."),
    "refused": gettext_lazy("It didn't accept the message."),
    "gone": gettext_lazy("It answered that it wants no more."),
}
LOOKS = {"waiting": "run", "delivered": "ok", "failed": "warn"}


@team_view("POST", takes=_MANAGE)
@never_cache
def new(request: TeamRequest) -> HttpResponse:
    """Answers with the secret itself, this once."""
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return show_connections(request, webhook_form=form, status=422)
    with request.visit.write() as tx:
        made = endpoints.make(tx, **form.cleaned_data)
    return _page(request, made, secret=secret_of(made))


@team_view("POST", takes=_MANAGE)
def new_slack(request: TeamRequest) -> HttpResponse:
    form = SlackForm(request.POST)
    if not form.is_valid():
        return show_connections(request, slack_form=form, status=422)
    site = request.build_absolute_uri("/").rstrip("/")
    with request.visit.write() as tx:
        made = endpoints.make_slack(tx, user=request.user, site=site, **form.cleaned_data)
    messages.success(request, _("Slack is told the numbers of the day at 8:00, your time."))
    return _back(request, made)


@team_view("GET", takes=_MANAGE)
def webhook(request: TeamRequest, webhook_id: UUID) -> HttpResponse:
    return _page(request, _find(request, webhook_id))


@team_view("POST", takes=_MANAGE)
def change(request: TeamRequest, webhook_id: UUID) -> HttpResponse:
    found, form = _find(request, webhook_id, sealed_key=b""), WebhookForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form=form)
    with request.visit.write() as tx:
        endpoints.change(tx, found, **form.cleaned_data)
    messages.success(request, _("Saved."))
    return _back(request, found)


@team_view("POST", takes=_MANAGE)
def turn(request: TeamRequest, webhook_id: UUID, is_on: bool) -> HttpResponse:
    found = _find(request, webhook_id)
    with request.visit.write() as tx:
        endpoints.turn(tx, found, is_on=is_on)
    messages.success(request, _("It is on.") if is_on else _("It is off. Nothing is sent."))
    return _back(request, found)


@team_view("POST", takes=_MANAGE)
def test(request: TeamRequest, webhook_id: UUID) -> HttpResponse:
    found = _find(request, webhook_id)
    with request.visit.write() as tx:
        endpoints.test(tx, found)
    messages.success(request, _("A test is on its way. Its line in the log tells how it went."))
    return _back(request, found)


@team_view("POST", takes=_MANAGE)
@never_cache
def renew(request: TeamRequest, webhook_id: UUID) -> HttpResponse:
    """Answers with the new secret, this once."""
    found = _find(request, webhook_id, sealed_key=b"")
    with request.visit.write() as tx:
        endpoints.renew(tx, found)
    return _page(request, found, secret=secret_of(found))


@team_view("GET", takes=_MANAGE)
def remove_confirm(request: TeamRequest, webhook_id: UUID) -> HttpResponse:
    context = {"tab": "connections", "webhook": _find(request, webhook_id)}
    return show(request, "webhooks/remove.html", context)


@team_view("POST", takes=_MANAGE)
def remove(request: TeamRequest, webhook_id: UUID) -> HttpResponse:
    with request.visit.write() as tx:
        endpoints.remove(tx, _find(request, webhook_id))
    messages.success(request, _("The webhook was removed."))
    return redirect(to(request, "settings_tokens"))


@team_view("POST", takes=_MANAGE)
def resend(request: TeamRequest, webhook_id: UUID, delivery_id: UUID) -> HttpResponse:
    found = _find(request, webhook_id)
    delivery = get_object_or_404(found.deliveries.filter(due_at=None), pk=delivery_id)
    with request.visit.write() as tx:
        endpoints.resend(tx, delivery)
    messages.success(request, _("The message is on its way again."))
    return _back(request, found)


def _find(request: TeamRequest, webhook_id: UUID, **which: bytes) -> Endpoint:
    """Slack's has no secret, and another address is another one."""
    return get_object_or_404(request.visit.team.webhooks.filter(**which), pk=webhook_id)


def _back(request: TeamRequest, found: Endpoint) -> HttpResponse:
    return redirect(to(request, "settings_webhook", found.pk))


def _page(
    request: TeamRequest, found: Endpoint, *, form: WebhookForm | None = None, secret: str = ""
) -> HttpResponse:
    listed = page(request, found.deliveries.order_by("-created_at", "pk"), size=50)
    initial = {"url": found.url, "events": found.events}
    labels = {**LABELS, DAILY: _("The numbers of the day")}
    context = {
        "tab": "connections",
        "webhook": found,
        "form": form or WebhookForm(initial=initial),
        "secret": secret,
        "why_off": ERRORS.get(found.reason, ""),
        "page": listed,
        "rows": [
            (one, labels.get(one.type, _("Test")), LOOKS[one.state], ERRORS.get(one.error, ""))
            for one in listed
        ],
    }
    return show(request, "webhooks/webhook.html", context, status=422 if form else 200)
