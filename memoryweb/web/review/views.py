"""What waits for a person: one list, the chosen item beside it, and one way to decide."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect

from memoryweb.accounts.permissions import Permission
from memoryweb.memory import review as memory_review
from memoryweb.memory.lines.flags import files_of
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import Decided, MemoryRefused
from memoryweb.memory.review import SOURCES, Item, Kind
from memoryweb.web.access import Refused, TeamRequest, note_read, require_reading, team_view
from memoryweb.web.htmx import next_url, show, to
from memoryweb.web.review import undo
from memoryweb.web.review.kinds import LOOKS, Decision, look_of, tell_all
from memoryweb.web.review.lines import picked_of
from memoryweb.web.review.lists import ReviewPage, filters_of, groups_of, listed_page, state_of
from memoryweb.web.wording import owner_name


@team_view("GET")
def review(request: TeamRequest) -> HttpResponse:
    listed = listed_page(request)
    readable = (item for item in listed if _reads(request, item))
    return _show(request, listed, next(readable, None), is_list=True)


@team_view("GET")
def detail(request: TeamRequest, kind: str, item_id: str) -> HttpResponse:
    listed = listed_page(request)
    try:
        item = _find(request, kind, item_id, listed)
    except Decided as late:
        return _late(request, late)
    return _show(request, listed, item)


@team_view("GET")
def moved(request: TeamRequest, kind: str, item_id: str = "") -> HttpResponse:
    """Where proposals and flagged lines had pages of their own."""
    if item_id:
        return redirect(_url(request, _find(request, kind, str(item_id))))
    return redirect(to(request, "review", query=f"?kind={kind}"))


@team_view("POST")
def decide(request: TeamRequest, kind: str, item_id: str) -> HttpResponse:
    """After it the next item is open, or the same one again where a decision was taken back."""
    code = request.POST.get("decision", "")
    if kind == Kind.FLAG and code == "undo":
        return _undo_flag(request, item_id)
    try:
        item = _find(request, kind, item_id)
    except Decided as late:
        return _late(request, late)
    _require_deciding(request, item.owner, item.kind)
    decision, listed = _decision(item, code), listed_page(request)
    following = _after(request, listed, item)
    was = undo.was(item, code)
    try:
        _carry_out(request, item, code)
    except MemoryRefused as refused:
        item = _find(request, kind, item_id)
        return _show(request, listed, item, data=request.POST, refused=str(refused))
    if code == "undo":
        undo.drop(request)
        messages.success(request, str(decision.done))
        return redirect(next_url(request) or _url(request, item))
    return redirect(_told_elsewhere(request, item, decision, was) or following)


def _told_elsewhere(request: TeamRequest, item: Item, decision: Decision, was: str) -> str:
    """Keeps what takes it back; a page that it was decided from says so itself."""
    undo.keep(request, item, decision, was)
    if onward := next_url(request):
        back = (undo.toast(request) or {}).get("url", "")
        messages.success(request, str(decision.done), extra_tags=back)
    return onward


def _carry_out(request: TeamRequest, item: Item, code: str) -> None:
    visit = request.visit
    value = ",".join(request.POST.getlist("value"))
    picks = item.kind == Kind.PROPOSAL and code == "accept"
    picked = picked_of(request.POST) if picks else None
    with visit.write() as tx:
        memory_review.decide(
            tx,
            item,
            code,
            by=request.user,
            value=value,
            picked=picked,
            no_secrets="no_secrets" in request.POST,
        )


def _undo_flag(request: TeamRequest, item_id: str) -> HttpResponse:
    """Nothing is kept of a flagged line that was decided but its file."""
    visit, kept = request.visit, undo.kept(request)
    file = _flagged_file(request, item_id.partition(".")[0])
    _require_deciding(request, file.owner, Kind.FLAG)
    undo.drop(request)
    if not kept or (kept["kind"], kept["id"]) != (Kind.FLAG, item_id):
        return _late(request, Decided())
    try:
        with visit.write() as tx:
            line = item_id.partition(".")[2]
            memory_review.undo_flag(tx, file, line, kept["code"], kept["was"], by=request.user)
    except MemoryRefused as refused:
        messages.error(request, str(refused))
        return redirect(to(request, "review"))
    messages.success(request, str(LOOKS[Kind.FLAG].undo.done))
    return redirect(to(request, "review_item", "flag", item_id))


def _require_deciding(request: TeamRequest, owner: Any, kind: Kind) -> None:
    if not request.visit.decides(owner and owner.pk, SOURCES[kind].takes):
        raise Refused("decide", owner)


def _find(request: TeamRequest, kind: str, item_id: str, listed: Iterable[Item] = ()) -> Item:
    visit, key = request.visit, (kind, item_id)
    item = next((one for one in listed if (one.kind, one.id) == key), None)
    item = item or memory_review.find(kind, item_id, visit.team, visit.outcomes)
    if item is None:
        _require_gone(request, kind, item_id.partition(".")[0])
        raise Decided
    require_reading(request, item.owner)
    _note(request, item)
    return item


def _require_gone(request: TeamRequest, kind: str, file_id: str) -> None:
    """What else is not found than a flagged line was never there."""
    _flagged_file(request, file_id if kind == Kind.FLAG else "")


def _flagged_file(request: TeamRequest, file_id: str) -> File:
    try:
        key = UUID(file_id)
    except ValueError as error:
        raise Http404 from error
    files = files_of(request.visit.team).filter(request.visit.outcomes())
    file: File = get_object_or_404(files, pk=key)
    require_reading(request, file.owner)
    return file


def _late(request: TeamRequest, late: Decided) -> HttpResponse:
    messages.error(request, str(late))
    return redirect(to(request, "review"))


def _decision(item: Item, code: str) -> Decision:
    look = look_of(item)
    for decision in (*look.decisions, look.undo):
        if decision.code == code:
            return decision
    raise Http404


def _show(
    request: TeamRequest,
    listed: ReviewPage,
    item: Item | None,
    *,
    is_list: bool = False,
    data: QueryDict | None = None,
    refused: str = "",
) -> HttpResponse:
    state = state_of(request)
    context = {
        "page": listed,
        "rows": list(_rows(request, listed, item)),
        "state": state,
        "groups": groups_of(request),
        "back": to(request, "review", query=filters_of(request)),
        "decided": listed.decided,
        "can_scan": request.visit.can(Permission.MANAGE_AGENTS),
        "is_list": is_list,
        "undoable": undo.toast(request),
        "refused": refused,
    }
    if item is not None:
        context |= _opened(request, listed, item, data)
    return show(request, "review/review.html", context, status=422 if refused else 200)


def _opened(
    request: TeamRequest, listed: ReviewPage, item: Item, data: QueryDict | None
) -> dict[str, Any]:
    _note(request, item)
    look, query = look_of(item), filters_of(request)
    about = look.about(request, item, data)
    owner_id = item.owner.pk if item.owner else None
    decides = request.visit.decides(owner_id, SOURCES[item.kind].takes)
    buttons = [one for one in look.decisions if one.code != "accept" or not about.get("is_stale")]
    if not item.is_waiting:
        buttons = [look.undo] if about.get("can_undo") else []
    at = _position(listed, item)
    beside = {at - 1: "previous_url", at + 1: "next_url"} if at is not None else {}
    urls = {
        name: _url(request, listed.items[n]) + query
        for n, name in beside.items()
        if 0 <= n < len(listed) and _reads(request, listed.items[n])
    }
    return (
        about
        | urls
        | {
            "item": item,
            "look": look,
            "form": look.form(data),
            "title": look.title(item, about),
            "reasons": look.reasons(item),
            "place": f"{item.path}:{item.line}" if item.line and item.path else item.path,
            "whose": owner_name(request.visit, item.owner),
            "number": listed.first + at if at is not None else 0,
            "buttons": buttons if decides else [],
            "can_decide": decides,
            "decide_url": to(request, "review_decide", item.kind, item.id) + query,
        }
    )


def _rows(
    request: TeamRequest, listed: ReviewPage, chosen: Item | None
) -> Iterator[dict[str, Any]]:
    said = tell_all(request, listed.items)
    for item in listed:
        look, reads, key = look_of(item), _reads(request, item), (item.kind, item.id)
        if reads:
            _note(request, item)
        yield {
            "item": item,
            "look": look,
            "tells": said.get(key, ""),
            "url": _url(request, item) + filters_of(request) if reads else "",
            "is_chosen": chosen is not None and key == (chosen.kind, chosen.id),
            "at": item.since if item.is_waiting else item.decided_at,
        }


def _after(request: TeamRequest, listed: ReviewPage, item: Item) -> str:
    """The next one, else the one before, else the list."""
    at, query = _position(listed, item), filters_of(request)
    others = [*listed.items[at + 1 :], *listed.items[:at][::-1]] if at is not None else []
    readable = (one for one in others if _reads(request, one))
    following = next(readable, None)
    if following is None:
        return to(request, "review", query=query)
    return _url(request, following) + query


def _position(listed: ReviewPage, item: Item) -> int | None:
    keys = [(one.kind, one.id) for one in listed]
    return keys.index((item.kind, item.id)) if (item.kind, item.id) in keys else None


def _reads(request: TeamRequest, item: Item) -> bool:
    return request.visit.reads(item.owner.pk if item.owner else None)


def _note(request: TeamRequest, item: Item) -> None:
    note_read(request, item.owner, SOURCES[item.kind].target, item.id.partition(".")[0])


def _url(request: TeamRequest, item: Item) -> str:
    return to(request, "review_item", item.kind, item.id)
