"""What waits for a person: one list, the chosen item beside it, and one way to decide."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.memory import review as memory_review
from memoryweb.memory.lines.flags import files_of
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import Decided, MemoryRefused
from memoryweb.memory.review import SOURCES, Inbox, Item, Kind, count_together
from memoryweb.runs.models import Run
from memoryweb.web import access
from memoryweb.web.pages import Page, next_url, page, show, to
from memoryweb.web.review.kinds import GROUPS, LOOKS, Decision, look_of, tell_all
from memoryweb.web.review.lines import picked_of
from memoryweb.web.wording import Choice, owner_name

# The list of Review: its filters, its page, and how many were decided lately.

_STATES = ("others", "decided")


@dataclass(frozen=True)
class ReviewPage(Page[Item]):
    """`decided`: within a week, as far as its outcome may be shown."""

    decided: int


def listed_page(request: access.TeamRequest) -> ReviewPage:
    visit, state, kind = request.visit, state_of(request), request.GET.get("kind", "")
    kinds = GROUPS[kind][1] if kind in GROUPS else [kind] if kind in Kind.values else ()
    if state == "others":
        found = Inbox(visit.team, visit.of_others, kinds=kinds)
    elif state == "decided":
        found = Inbox(visit.team, visit.outcomes, kinds=kinds, is_decided=True)
    else:
        found = Inbox(visit.team, visit.decidable, kinds=kinds) if kinds else visit.waiting
    since = visit.now - timedelta(days=7)
    lately = Inbox(visit.team, visit.outcomes, is_decided=True, since=since)
    count_together(*dict.fromkeys((found, visit.waiting, lately)))
    return ReviewPage(**vars(page(request, found)), decided=len(lately))


def state_of(request: access.TeamRequest) -> str:
    state = request.GET.get("state", "")
    return state if state in _STATES else ""


def filters_of(request: access.TeamRequest) -> str:
    """The filters of the list, for every link of it."""
    asked = {name: request.GET.get(name, "") for name in ("state", "kind", "page")}
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"?{query}" if query else ""


def groups_of(request: access.TeamRequest) -> list[Choice]:
    state, kind = state_of(request), request.GET.get("kind", "")
    more = f"&state={state}" if state else ""
    where = to(request, "review")
    return [
        Choice(label, f"{where}?kind={code}{more}", kind == code or kind in kinds)
        for code, (label, kinds) in GROUPS.items()
    ]


# The pages: the list with the chosen item beside it, and a decision.


@access.team_view("GET")
def review(request: access.TeamRequest) -> HttpResponse:
    listed = listed_page(request)
    readable = (item for item in listed if _reads(request, item))
    return _show(request, listed, next(readable, None), is_list=True)


@access.team_view("GET")
def detail(request: access.TeamRequest, kind: str, item_id: str) -> HttpResponse:
    listed = listed_page(request)
    try:
        item = _find(request, kind, item_id, listed)
    except Decided as late:
        return _late(request, late)
    return _show(request, listed, item)


@access.team_view("GET")
def moved(request: access.TeamRequest, kind: str, item_id: str = "") -> HttpResponse:
    """Where proposals and flagged lines had pages of their own."""
    if item_id:
        return redirect(_url(request, _find(request, kind, str(item_id))))
    return redirect(to(request, "review", query=f"?kind={kind}"))


@access.team_view("POST")
def decide(request: access.TeamRequest, kind: str, item_id: str) -> HttpResponse:
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
    was = _was(item, code)
    try:
        _carry_out(request, item, code)
    except MemoryRefused as refused:
        item = _find(request, kind, item_id)
        return _show(request, listed, item, data=request.POST, refused=str(refused))
    if code == "undo":
        _drop_undo(request)
        messages.success(request, str(decision.done))
        return redirect(next_url(request) or _url(request, item))
    return redirect(_onward_url(request, item, decision, was) or following)


def _onward_url(request: access.TeamRequest, item: Item, decision: Decision, was: str) -> str:
    """Keeps what takes it back; a page that it was decided from says so itself."""
    _keep_undo(request, item, decision, was)
    if onward := next_url(request):
        back = (_toast(request) or {}).get("url", "")
        messages.success(request, str(decision.done), extra_tags=back)
    return onward


def _carry_out(request: access.TeamRequest, item: Item, code: str) -> None:
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


def _undo_flag(request: access.TeamRequest, item_id: str) -> HttpResponse:
    """Nothing is kept of a flagged line that was decided but its file."""
    visit, kept = request.visit, _kept_undo(request)
    file = _flagged_file(request, item_id.partition(".")[0])
    _require_deciding(request, file.owner, Kind.FLAG)
    _drop_undo(request)
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


def _require_deciding(request: access.TeamRequest, owner: Any, kind: Kind) -> None:
    if not request.visit.decides(owner and owner.pk, SOURCES[kind].takes):
        raise access.Refused("decide", owner)


def _find(
    request: access.TeamRequest, kind: str, item_id: str, listed: Iterable[Item] = ()
) -> Item:
    visit, key = request.visit, (kind, item_id)
    item = next((one for one in listed if (one.kind, one.id) == key), None)
    item = item or memory_review.find(kind, item_id, visit.team, visit.outcomes)
    if item is None:
        _require_gone(request, kind, item_id.partition(".")[0])
        raise Decided
    access.require_reading(request, item.owner)
    _note(request, item)
    return item


def _require_gone(request: access.TeamRequest, kind: str, file_id: str) -> None:
    """What else is not found than a flagged line was never there."""
    _flagged_file(request, file_id if kind == Kind.FLAG else "")


def _flagged_file(request: access.TeamRequest, file_id: str) -> File:
    try:
        key = UUID(file_id)
    except ValueError as error:
        raise Http404 from error
    files = files_of(request.visit.team).filter(request.visit.outcomes())
    file: File = get_object_or_404(files, pk=key)
    access.require_reading(request, file.owner)
    return file


def _late(request: access.TeamRequest, late: Decided) -> HttpResponse:
    messages.error(request, str(late))
    return redirect(to(request, "review"))


def _decision(item: Item, code: str) -> Decision:
    look = look_of(item)
    for decision in (*look.decisions, look.undo):
        if decision.code == code:
            return decision
    raise Http404


def _show(
    request: access.TeamRequest,
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
        "undoable": _toast(request),
        "refused": refused,
    }
    if item is not None:
        context |= _opened(request, listed, item, data)
    return show(request, "review/review.html", context, status=422 if refused else 200)


def _opened(
    request: access.TeamRequest, listed: ReviewPage, item: Item, data: QueryDict | None
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
    request: access.TeamRequest, listed: ReviewPage, chosen: Item | None
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


def _after(request: access.TeamRequest, listed: ReviewPage, item: Item) -> str:
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


def _reads(request: access.TeamRequest, item: Item) -> bool:
    return request.visit.reads(item.owner.pk if item.owner else None)


def _note(request: access.TeamRequest, item: Item) -> None:
    access.note_read(request, item.owner, SOURCES[item.kind].target, item.id.partition(".")[0])


def _url(request: access.TeamRequest, item: Item) -> str:
    return to(request, "review_item", item.kind, item.id)


# The last decision of a person in Review, kept for a while so that one key takes it back.

_NAME = "review_undo"
_SECONDS = 600


def _was(item: Item, code: str) -> str:
    """What nothing else keeps of a flagged line: its flags, or the revision that had it."""
    if item.kind != Kind.FLAG:
        return ""
    return str(item.row.marks if code == "keep" else item.row.file.revision)


def _keep_undo(request: access.TeamRequest, item: Item, decision: Decision, was: str) -> None:
    request.session[_NAME] = {
        "team": request.visit.team.slug,
        "kind": str(item.kind),
        "id": item.id,
        "code": decision.code,
        "was": was,
        "at": request.visit.now.timestamp(),
    }


def _drop_undo(request: access.TeamRequest) -> None:
    request.session.pop(_NAME, None)


def _kept_undo(request: access.TeamRequest) -> dict[str, Any] | None:
    found = request.session.get(_NAME)
    visit = request.visit
    if not found or found["team"] != visit.team.slug:
        return None
    return found if visit.now.timestamp() - found["at"] < _SECONDS else None


def _toast(request: access.TeamRequest) -> dict[str, Any] | None:
    """What was done, and where it is taken back."""
    if not (found := _kept_undo(request)):
        return None
    look = LOOKS[Kind(found["kind"])]
    done = next((one.done for one in look.decisions if one.code == found["code"]), "")
    url = to(request, "review_decide", found["kind"], found["id"])
    return {"done": done, "url": url}


# Looking again for secrets in what is kept already: agent by agent, with its progress.


@access.team_view("GET", takes=Permission.MANAGE_AGENTS)
def scans(request: access.TeamRequest) -> HttpResponse:
    shown = page(request, request.visit.team.agents.live().order_by("folded_name"), size=25)
    runs = request.visit.team.runs.filter(kind=memory_review.KIND, agent__in=list(shown))
    latest = {run.agent_id: run for run in runs.order_by("created_at")}
    context = {
        "page": shown,
        "rows": [(agent, latest.get(agent.pk)) for agent in shown],
        "is_running": any(run.is_active for run in latest.values()),
    }
    return show(request, "review/scans.html", context, partials=("scans",))


@access.team_view("POST", takes=Permission.MANAGE_AGENTS)
def scan(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    begun = _("The search has begun. This page shows how far it is.")
    _start_scan(request, access.find_agent(request, agent_id), begun, fix=False)
    return redirect(to(request, "review_scans"))


@access.team_view("GET", takes=Permission.MANAGE_AGENTS)
def mask_confirm(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    return show(request, "review/mask.html", {"agent": access.find_agent(request, agent_id)})


@access.team_view("POST", takes=Permission.MANAGE_AGENTS)
def mask(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    begun = _("Masking has begun. This page shows how far it is.")
    _start_scan(request, access.find_agent(request, agent_id), begun, fix=True)
    return redirect(to(request, "review_scans"))


def _start_scan(request: access.TeamRequest, agent: Agent, begun: str, *, fix: bool) -> None:
    visit = request.visit
    with visit.write() as tx:
        run = memory_review.request(
            tx, agent, fix=fix, trigger=Run.Trigger.PERSON, user=request.user
        )
    if memory_review.masks(run) == fix:
        messages.success(request, begun)
    else:
        said = _("Another one is at work for this agent. When it has ended, begin this one.")
        messages.error(request, said)
