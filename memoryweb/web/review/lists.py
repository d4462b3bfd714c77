"""The list of Review: its filters, its page, and how many were decided lately."""

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from memoryweb.memory.review import Inbox, Item, Kind, count_together
from memoryweb.web.access import TeamRequest
from memoryweb.web.htmx import to
from memoryweb.web.paging import Page, page
from memoryweb.web.review.kinds import GROUPS
from memoryweb.web.wording import Choice

_STATES = ("others", "decided")


@dataclass(frozen=True)
class ReviewPage(Page[Item]):
    """`decided`: within a week, as far as its outcome may be shown."""

    decided: int


def listed_page(request: TeamRequest) -> ReviewPage:
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


def state_of(request: TeamRequest) -> str:
    state = request.GET.get("state", "")
    return state if state in _STATES else ""


def filters_of(request: TeamRequest) -> str:
    """The filters of the list, for every link of it."""
    asked = {name: request.GET.get(name, "") for name in ("state", "kind", "page")}
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"?{query}" if query else ""


def groups_of(request: TeamRequest) -> list[Choice]:
    state, kind = state_of(request), request.GET.get("kind", "")
    more = f"&state={state}" if state else ""
    where = to(request, "review")
    return [
        Choice(label, f"{where}?kind={code}{more}", kind == code or kind in kinds)
        for code, (label, kinds) in GROUPS.items()
    ]
