"""Owners: whom the team's agents remember, one-time codes for those of an integration, and the
address where they get links by mail, which no answer tells.

A list says outcome and counts only, never text.
"""

from typing import Literal

from django.urls import reverse
from ninja import Field, Query, Status

from memoryweb.accounts.models import Integration, checked_address
from memoryweb.agents import one_time_codes
from memoryweb.agents.models import Owner
from memoryweb.agents.one_time_codes import NewCode, Purpose
from memoryweb.api import acting_owner, schemas
from memoryweb.api.auth import Request, Right
from memoryweb.api.problems import Forbidden, Invalid
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, IdOrNull, Items, Moment, OwnerFields, Paging, page
from memoryweb.notify import owner_mail

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


class AddressIn(schemas.RequestBody):
    """`language`: of the mails."""

    email: str
    language: Literal["en", "de", "ja"] = "en"


class AddressCode(schemas.RequestBody):
    """`code`: as it was mailed to the person, who gave it to you."""

    code: str


class AddressOut(Camel):
    """The address itself is in no answer. `expiresAt`: of the code that was mailed there."""

    confirmed: bool
    expires_at: Moment | None = None


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


ADDRESS = "/owners/{path:owner}/address"


@router.operation("PUT", ADDRESS, Right.GIVE_CODES, errors=(429, 503))
def give_address(request: Request, owner: str, body: AddressIn) -> AddressOut:
    """Give the e-mail address of an end user, which gets a code.

    Once the code came back, a person of the team may have links to My memory mailed there, and sees
    no address. Another address ends what the one before could do.
    """
    caller, integration = request.auth, _integration(request)
    to = {"email": checked_address(body.email), "language": body.language}
    owner_mail.check_set_up()
    found = _person(acting_owner.target(caller, owner))
    code = one_time_codes.give_address(owner=found, integration=integration, by=caller.actor, **to)
    if code is None:
        return AddressOut(confirmed=True)
    owner_mail.send_code(team=caller.team.name, code=code.secret, **to)
    return AddressOut(confirmed=False, expires_at=code.expires_at)


@router.operation("POST", ADDRESS + "/confirm", Right.GIVE_CODES)
def confirm_address(request: Request, owner: str, body: AddressCode) -> AddressOut:
    """Confirm an end user's address with the code that was mailed there."""
    integration, by = _integration(request), request.auth.actor
    found = _person(acting_owner.intended(request.auth, owner))
    one_time_codes.confirm_address(owner=found, integration=integration, code=body.code, by=by)
    return AddressOut(confirmed=True)


@router.operation("DELETE", ADDRESS, Right.GIVE_CODES, status=204)
def remove_address(request: Request, owner: str) -> Status[None]:
    """Remove an end user's address, with the links that were mailed there."""
    _integration(request)
    found = _person(acting_owner.intended(request.auth, owner))
    one_time_codes.remove_address(owner=found, by=request.auth.actor)
    return Status(204, None)


def _described(row: Owner) -> OwnerOut:
    return OwnerOut.of(row, owner=row.shown_as, source=row.source.partition(":")[0])


def _issue(request: Request, body: OwnerFields, purpose: Purpose) -> NewCode:
    caller, integration = request.auth, _integration(request)
    owner = _person(acting_owner.acting(caller, body))
    issued = one_time_codes.issue(
        owner=owner, integration=integration, purpose=purpose, by=caller.actor
    )
    # Only the hash of a secret is kept, so no answer of this call either.
    request.keeps_no_answer = True  # type: ignore[attr-defined]
    return issued


def _integration(request: Request) -> Integration:
    if request.auth.integration is None:
        raise Forbidden(
            "integration_required",
            "Codes are for an integration's own end users. Use an integration token.",
        )
    return request.auth.integration


def _person(owner: Owner | None) -> Owner:
    if owner is None:
        raise Invalid("owner", "Send an endUserId, or a channel with its senderId.")
    return owner
