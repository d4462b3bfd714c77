"""What waits for a person, whole and small enough to be decided where it is listed."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.memory.review import Item, Kind
from memoryweb.web.access import TeamRequest
from memoryweb.web.facts.rows import sides_shown
from memoryweb.web.htmx import to
from memoryweb.web.review.kinds import look_of, tell_all
from memoryweb.web.review.lines import in_brief
from memoryweb.web.wording import owner_name

# Decisions that need nothing but what is shown.
_AT_ONCE = {"accept", "keep", "remove", "seen", "KEEP_A", "KEEP_B", "IGNORE"}
Need = dict[str, Any]


def needs_of(request: TeamRequest, items: Sequence[Item]) -> dict[tuple[Kind, str], Need]:
    """Of what this person may read, in as many statements for many as for one."""
    said = tell_all(request, items)
    sides = sides_shown(request, [one.row for one in items if one.kind == Kind.CONTRADICTION])
    briefs = in_brief(request, [one for one in items if one.kind == Kind.PROPOSAL])
    found = {}
    for item in items:
        key, need = (item.kind, item.id), need_of(request, item)
        need["decisions"] = [one for one in look_of(item).decisions if one.code in _AT_ONCE]
        if item.kind == Kind.CONTRADICTION:
            need |= _rivals(sides[item.row.pk], need["reason"] if item.row.asks_replacement else "")
        elif item.kind == Kind.PROPOSAL:
            need |= _proposal(item, briefs.get(item.id))
        found[key] = {"said": said.get(key, "")} | need
    return found


def need_of(request: TeamRequest, item: Item) -> Need:
    """What whoever may know of it may read."""
    look = look_of(item)
    return {
        "item": item,
        "name": look.name,
        "tone": look.tone,
        "icon": look.icon,
        "whose": owner_name(request.visit, item.owner),
        "reason": next(iter(look.reasons(item)), ""),
        "url": to(request, "review_item", item.kind, item.id),
        "decide_url": to(request, "review_decide", item.kind, item.id),
        "closer": _("Look closer"),
    }


def _proposal(item: Item, brief: Need | None) -> Need:
    if brief is None:
        return {"decisions": []}
    count = len(brief["numbers"])
    said = ngettext("{agent} proposes {n} change", "{agent} proposes {n} changes", count)
    name = said.format(agent=item.agent.name, n=count)
    reason = next(iter(item.reasons), "")
    return {"brief": brief, "name": name, "reason": reason, "said": "", "closer": _("Line by line")}


def _rivals(sides: Sequence[Need], reason: str) -> Need:
    """Two that stand side by side; what has more sides is looked at on its own page."""
    if len(sides) != 2:
        return {"decisions": []}
    codes = zip(sides, ("KEEP_A", "KEEP_B"), strict=True)
    said = _("Until then agents are given the first one.")
    is_given = sides[0]["is_living"] and not sides[1]["is_living"]
    return {
        "sides": [_side(row) | {"code": code} for row, code in codes],
        "reason": reason or (said if is_given else ""),
        "said": "",
    }


def _side(row: Need) -> Need:
    """With who said it last and when, as far as this reader may know."""
    last = next((one for one in row["grounds"] if one.get("text") and one.get("who")), None)
    if last is None:
        return {"row": row, "who": row["who"], "day": row["since"], "url": row["url"]}
    return {"row": row, "who": last["who"], "at": last["at"], "url": last["url"]}
