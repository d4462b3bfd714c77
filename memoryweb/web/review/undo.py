"""The last decision of a person in Review, kept for a while so that one key takes it back."""

from typing import Any

from memoryweb.memory.review import Item, Kind
from memoryweb.web.access import TeamRequest
from memoryweb.web.htmx import to
from memoryweb.web.review.kinds import LOOKS, Decision

_NAME = "review_undo"
_SECONDS = 600


def was(item: Item, code: str) -> str:
    """What nothing else keeps of a flagged line: its flags, or the revision that had it."""
    if item.kind != Kind.FLAG:
        return ""
    return str(item.row.marks if code == "keep" else item.row.file.revision)


def keep(request: TeamRequest, item: Item, decision: Decision, was: str) -> None:
    request.session[_NAME] = {
        "team": request.visit.team.slug,
        "kind": str(item.kind),
        "id": item.id,
        "code": decision.code,
        "was": was,
        "at": request.visit.now.timestamp(),
    }


def drop(request: TeamRequest) -> None:
    request.session.pop(_NAME, None)


def kept(request: TeamRequest) -> dict[str, Any] | None:
    found = request.session.get(_NAME)
    visit = request.visit
    if not found or found["team"] != visit.team.slug:
        return None
    return found if visit.now.timestamp() - found["at"] < _SECONDS else None


def toast(request: TeamRequest) -> dict[str, Any] | None:
    """What was done, and where it is taken back."""
    if not (found := kept(request)):
        return None
    look = LOOKS[Kind(found["kind"])]
    done = next((one.done for one in look.decisions if one.code == found["code"]), "")
    url = to(request, "review_decide", found["kind"], found["id"])
    return {"done": done, "url": url}
