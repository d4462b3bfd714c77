"""What was held back as a likely password: listed, and decided by a person."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryweb.accounts.permissions import Permission
from memoryweb.memory.exceptions import MemoryRefused
from memoryweb.memory.review import secrets as door
from memoryweb.memory.transaction import unit
from memoryweb.review.models import HeldSecret
from memoryweb.web import wording
from memoryweb.web.access import (
    Refused,
    TeamRequest,
    note_read,
    require_reading,
    team_view,
)
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import owner_name
from memoryweb.web.paging import page
from memoryweb.web.provenance.trace import file_url
from memoryweb.web.review.forms import ReleaseForm


@require_GET
@team_view()
def secrets(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    decided = request.GET.get("state") == "decided"
    found = door.held_of(visit.team).filter(visit.outcomes(), agent__archived_at=None)
    if decided:
        found = found.exclude(state=HeldSecret.State.WAITING).order_by("-decided_at", "pk")
    else:
        found = found.filter(state=HeldSecret.State.WAITING).order_by("-created_at", "pk")
    shown = page(request, found, size=25)
    context = {
        "page": shown,
        "rows": [_listed(request, one) for one in shown],
        "decided": decided,
        "can_scan": visit.can(Permission.MANAGE_AGENTS),
    }
    return show(request, "secrets/secrets.html", context)


@require_GET
@team_view()
def detail(request: TeamRequest, held_id: UUID) -> HttpResponse:
    return _show(request, _find(request, held_id), ReleaseForm())


@require_POST
@team_view()
def refuse(request: TeamRequest, held_id: UUID) -> HttpResponse:
    held = _find(request, held_id)
    _require_decision(request, held)
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            door.refuse(work, held, by=request.user)
    except MemoryRefused as refused:
        messages.error(request, str(refused))
        return redirect(to(request, "secrets_held", held.pk))
    messages.success(request, _("It stays out, and will not be asked about again there."))
    return redirect(to(request, "secrets"))


@require_POST
@team_view()
def release(request: TeamRequest, held_id: UUID) -> HttpResponse:
    held = _find(request, held_id)
    _require_decision(request, held)
    form = ReleaseForm(request.POST)
    value = form.cleaned_data["value"] if form.is_valid() else ""
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            door.release(work, held, by=request.user, value=value)
    except MemoryRefused as refused:
        form.add_error("value", str(refused))
    if not form.is_valid():
        held.refresh_from_db()
        return _show(request, held, form, status=422)
    said = _("It is back in its line.") if value.strip() else _("It passes from now on.")
    messages.success(request, said)
    return redirect(_place_url(request, held) or to(request, "secrets"))


def _find(request: TeamRequest, held_id: UUID) -> HeldSecret:
    visit = request.visit
    found = door.held_of(visit.team).filter(visit.outcomes(), agent__archived_at=None)
    held = get_object_or_404(found, pk=held_id)
    require_reading(request, held.owner)
    note_read(request, held.owner, "held_secret", held.pk)
    return held


def _can_decide(request: TeamRequest, held: HeldSecret) -> bool:
    """Shared memory: who has the right. Personal memory: its owner, or an open grant."""
    if held.owner_id is None:
        return request.visit.can(Permission.DECIDE)
    return request.visit.reads(held.owner_id)


def _require_decision(request: TeamRequest, held: HeldSecret) -> None:
    if not _can_decide(request, held):
        raise Refused("decide", held.owner)


def _show(
    request: TeamRequest, held: HeldSecret, form: ReleaseForm, *, status: int = 200
) -> HttpResponse:
    number, line = door.line_now(held)
    context = _listed(request, held) | {
        "form": form,
        "line": line,
        "number": number,
        "place_url": _place_url(request, held),
        "is_waiting": held.state == HeldSecret.State.WAITING,
    }
    return show(request, "secrets/detail.html", context, status=status)


def _place_url(request: TeamRequest, held: HeldSecret) -> str:
    number, _line = door.line_now(held)
    if held.file is not None:
        return file_url(request, held.file, number or None) if not held.file.deleted_at else ""
    if held.message is not None:
        conversation = held.message.conversation_id
        return to(request, "agents_conversation", held.agent_id, conversation)
    return ""


def _listed(request: TeamRequest, held: HeldSecret) -> dict[str, Any]:
    """The place is text of the memory it is in; its kind, size and time are outcome."""
    reads = request.visit.reads(held.owner_id)
    if reads:
        note_read(request, held.owner, "held_secret", held.pk)
    path = held.file.path if held.file else _("A message")
    return {
        "held": held,
        "kind": wording.secret_kind(held.kind),
        "reads": reads,
        "place": path if reads else _("A file") if held.file else path,
        "whose": owner_name(request.visit, held.owner),
        "can_decide": _can_decide(request, held),
        "has_message": held.message_id is not None,
    }
