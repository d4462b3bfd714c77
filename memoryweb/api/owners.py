"""Owners: whom the team's agents remember, and one-time codes for those of an integration.

A list says outcome and counts only, never text.
"""

from django.urls import reverse
from ninja import Field, Query

from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import TooManyCodes
from memoryweb.agents.models import Owner
from memoryweb.agents.one_time_codes import NewCode, Purpose
from memoryweb.api import acting_owner
from memoryweb.api.auth import Request, Right
from memoryweb.api.problems import Forbidden, Invalid, Problem
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, IdOrNull, Items, Moment, OwnerFields, Paging, page

router = Router(tags=["Owners"])


class OwnerOut(Camel):
    """`owner` is the form that `owner=` takes."""

    id: Id
    owner: str
    source: str
    person_id: IdOrNull
    paused: bool = Field(description="Neither kept nor used.")
    keeping: bool = Field(description="What they say is kept.")
    using: bool = Field(description="What is kept of them is given to agents.")
    created_at: Moment


@router.operation("GET", "/owners", Right.SEE_OWNERS)
def list_owners(request: Request, paging: Query[Paging]) -> Items[OwnerOut]:
    """List the owners of the team."""
    rows = request.auth.team.owners.select_related("integration")
    return page(rows, ["created_at", "id"], paging, _described)


class LinkCode(Camel):
    """`code` is for the person's own eyes: tell it in the chat or app, and keep it nowhere."""

    code: str
    expires_at: Moment


class MemoryLink(Camel):
    """`url` opens once, for whoever has it: send it to the person alone, and keep it whole. What
    stands behind its # is the code, which no server's log holds."""

    url: str
    expires_at: Moment


@router.operation("POST", "/owners/link-code", Right.GIVE_CODES, errors=(429,))
def link_code(request: Request, body: OwnerFields) -> LinkCode:
    """Get a code that links an end user to their account.

    The person types it on *My memory* within ten minutes; a new code ends the older one.
    """
    issued = _issue(request, body, Purpose.LINK)
    return LinkCode(code=issued.secret, expires_at=issued.expires_at)


@router.operation("POST", "/owners/memory-link", Right.GIVE_CODES, errors=(429,))
def memory_link(request: Request, body: OwnerFields) -> MemoryLink:
    """Get a single-use link to My memory for an end user.

    Unused it lasts a day; opened, half an hour in one browser, for this owner's memory alone.
    """
    issued = _issue(request, body, Purpose.VISIT)
    url = request.build_absolute_uri(reverse("visit")) + f"#{issued.secret}"
    return MemoryLink(url=url, expires_at=issued.expires_at)


def _described(row: Owner) -> OwnerOut:
    return OwnerOut.of(row, owner=row.shown_as, source=row.source.partition(":")[0])


def _issue(request: Request, body: OwnerFields, purpose: Purpose) -> NewCode:
    caller = request.auth
    if caller.integration is None:
        raise Forbidden(
            "integration_required",
            "Codes are for an integration's own end users. Use an integration token.",
        )
    owner = _person(acting_owner.acting(caller, body))
    try:
        issued = one_time_codes.issue(
            owner=owner, integration=caller.integration, purpose=purpose, by=caller.actor
        )
    except TooManyCodes as refused:
        seconds = str(int(refused.window.total_seconds()))
        raise Problem(
            429, "too_many_codes", str(refused), headers={"Retry-After": seconds}
        ) from None
    # Only the hash of a secret is kept, so no answer of this call either.
    request.keeps_no_answer = True  # type: ignore[attr-defined]
    return issued


def _person(owner: Owner | None) -> Owner:
    if owner is None:
        raise Invalid("owner", "Send an endUserId, or a channel with its senderId.")
    return owner
