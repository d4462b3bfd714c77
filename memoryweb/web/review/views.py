"""What waits for a person: one list, one page and one way to decide for every kind."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.memory.exceptions import Decided, MemoryRefused
from memoryweb.memory.review.decisions import decide as decide_item
from memoryweb.memory.transaction import write_transaction
from memoryweb.provenance.flags import files_of
from memoryweb.review import inbox
from memoryweb.review.inbox import Inbox, Item, Kind
from memoryweb.web.access import Refused, TeamRequest, note_read, require_reading, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import Choice, owner_name
from memoryweb.web.paging import page
from memoryweb.web.review.kinds import LOOKS, Decision


@team_view("GET")
def review(request: TeamRequest) -> HttpResponse:
    visit, state = request.visit, request.GET.get("state", "")
    kind = request.GET.get("kind", "")
    kind = kind if kind in Kind.values else ""
    kinds = [kind] if kind else []
    found = Inbox(visit.team, visit.decidable, kinds=kinds) if kind else visit.waiting
    if state == "others":
        found = Inbox(visit.team, visit.of_others, kinds=kinds)
    elif state == "decided":
        found = Inbox(visit.team, visit.outcomes, kinds=kinds, is_decided=True)
    shown = page(request, found)
    context = {
        "page": shown,
        "rows": [_listed(request, item) for item in shown],
        "state": state,
        "kind": kind,
        "states": _states(state, kind),
        "kinds": _kinds(request, state, kind),
        "can_scan": visit.can(Permission.MANAGE_AGENTS),
    }
    return show(request, "review/review.html", context)


@team_view("GET")
def detail(request: TeamRequest, kind: str, item_id: str) -> HttpResponse:
    try:
        item = _find(request, kind, item_id)
        return _show(request, item, LOOKS[item.kind].form())
    except Decided as late:
        return _late(request, late)


@team_view("GET")
def moved(request: TeamRequest, kind: str, item_id: str = "") -> HttpResponse:
    """Where proposals, flagged lines and likely secrets had pages of their own."""
    if item_id:
        return redirect(_url(request, _find(request, kind, str(item_id))))
    return redirect(to(request, "review", query=f"?kind={kind}"))


@team_view("POST")
def decide(request: TeamRequest, kind: str, item_id: str) -> HttpResponse:
    visit = request.visit
    try:
        item = _find(request, kind, item_id)
    except Decided as late:
        return _late(request, late)
    if not visit.decides(item.owner, inbox.SOURCES[item.kind].takes):
        raise Refused("decide", item.owner)
    decision = _decision(item, request.POST.get("decision", ""))
    value = ",".join(request.POST.getlist("value"))
    try:
        with write_transaction(visit.team, actor=visit.actor) as work:
            decide_item(work, item, decision.code, by=request.user, value=value)
    except MemoryRefused as refused:
        item = _find(request, kind, item_id)
        form = LOOKS[item.kind].form(request.POST)
        return _show(request, item, form, refused=str(refused))
    messages.success(request, str(decision.done))
    if LOOKS[item.kind].undo:
        return redirect(_url(request, item))
    kept = request.POST.get("kind", "")
    return redirect(to(request, "review", query=f"?kind={kept}" if kept in Kind.values else ""))


def _find(request: TeamRequest, kind: str, item_id: str) -> Item:
    visit = request.visit
    item = inbox.find(kind, item_id, visit.team, visit.outcomes)
    if item is None:
        _require_gone(request, kind, item_id.partition(".")[0])
        raise Decided
    require_reading(request, item.owner)
    _note(request, item)
    return item


def _require_gone(request: TeamRequest, kind: str, file_id: str) -> None:
    """Nothing is kept of a flagged line that was decided but its file. What else is not found was
    never there."""
    try:
        key = UUID(file_id if kind == Kind.FLAG else "")
    except ValueError as error:
        raise Http404 from error
    files = files_of(request.visit.team).filter(request.visit.outcomes())
    require_reading(request, get_object_or_404(files, pk=key).owner)


def _late(request: TeamRequest, late: Decided) -> HttpResponse:
    messages.error(request, str(late))
    return redirect(to(request, "review"))


def _decision(item: Item, code: str) -> Decision:
    look = LOOKS[item.kind]
    for decision in (*look.decisions, look.undo):
        if decision and decision.code == code:
            return decision
    raise Http404


def _show(request: TeamRequest, item: Item, form: forms.Form, *, refused: str = "") -> HttpResponse:
    look = LOOKS[item.kind]
    about = look.about(request, item)
    context = _listed(request, item) | about | {"form": form, "refused": refused}
    if look.undo and about.get("can_undo"):
        decides = request.visit.decides(item.owner, inbox.SOURCES[item.kind].takes)
        context |= {"decisions": [look.undo], "can_decide": decides}
    if about.get("is_stale"):
        context["decisions"] = [one for one in look.decisions if one.code != "accept"]
    return show(request, "review/item.html", context, status=422 if refused else 200)


def _listed(request: TeamRequest, item: Item) -> dict[str, Any]:
    """The place is text of the memory that it is in; what kind it is and since when is outcome."""
    look, reads = LOOKS[item.kind], request.visit.reads(item.owner.pk if item.owner else None)
    if reads:
        _note(request, item)
    place = item.path or look.nowhere or _("A message")
    return {
        "item": item,
        "reads": reads,
        "place": f"{place}:{item.line}" if item.line and item.path else place,
        "texts": look.texts(item) if reads else (),
        "reasons": look.reasons(item),
        "whose": owner_name(request.visit, item.owner),
        "url": _url(request, item) if reads else "",
        "look": look,
        "can_decide": item.is_waiting
        and request.visit.decides(item.owner, inbox.SOURCES[item.kind].takes),
        "decisions": look.decisions,
    }


def _note(request: TeamRequest, item: Item) -> None:
    note_read(request, item.owner, inbox.SOURCES[item.kind].target, item.id.partition(".")[0])


def _url(request: TeamRequest, item: Item) -> str:
    return to(request, "review_item", item.kind, item.id)


def _states(state: str, kind: str) -> list[Choice]:
    more = f"&kind={kind}" if kind else ""
    names = {"": _("For you"), "others": _("For others"), "decided": _("Decided")}
    return [Choice(name, f"?state={code}{more}", code == state) for code, name in names.items()]


def _kinds(request: TeamRequest, state: str, kind: str) -> list[Choice]:
    counts = {} if state else request.visit.waiting.counts
    more = f"&state={state}" if state else ""
    names = {"": _("All"), **{code: str(name) for code, name in Kind.choices}}
    return [
        Choice(
            f"{name} ({counts[code]})" if counts.get(code) else name,
            f"?kind={code}{more}",
            code == kind,
        )
        for code, name in names.items()
    ]
