"""What was held back as a likely password: listed, and decided by a person."""

from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query
from pydantic import Field

from memoryweb.accounts.models import User
from memoryweb.api import acting_owner, visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.exceptions import Forbidden, NotFound
from memoryweb.api.pagination import page
from memoryweb.api.query_parameters import OwnerPaging
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, Items, Moment, RequestBody, one_of
from memoryweb.api.visibility import Visibility
from memoryweb.memory.review.decisions import decide
from memoryweb.memory.transaction import write_transaction
from memoryweb.review.inbox import Kind, item_of, rows_of
from memoryweb.review.models import HeldSecret
from memoryweb.workspace.author_kinds import AuthorKind

router = Router(tags=["Secrets"])

BASE = "/secrets/held"


class HeldSecretOut(Camel):
    """Never the value. Its place is null where it may not be shown."""

    id: Id
    agent_id: Id
    owner: str
    kind: str
    length: int = Field(description="Characters.")
    filename: str | None
    line: int | None
    conversation_id: str | None
    message_id: str | None
    author_kind: Annotated[str, one_of(AuthorKind)]
    state: Annotated[str, one_of(HeldSecret.State)]
    created_at: Moment
    decided_at: Moment | None


class Filter(OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["waiting", "released", "refused", "expired"] = "waiting"


class SecretDecision(RequestBody):
    decision: Literal["secret", "no_secret"] = Field(
        description="`secret`: keep it out. `no_secret`: let it through from now on."
    )
    value: str = Field(
        "", max_length=4096, description="With `no_secret`: the value, to put it back in its line."
    )


@router.operation("GET", BASE, Right.READ)
def list_held_secrets(request: Request, query: Query[Filter]) -> Items[HeldSecretOut]:
    """List held secrets, newest first."""
    visible = visibility.seen_by(request.auth, query.owner)
    rows = _of(request.auth, visible).filter(state=query.state)
    return page(rows, ["-created_at", "-id"], query, lambda row: _described(row, visible))


@router.operation(
    "POST",
    BASE + "/{held_id}/decide",
    Right.DECIDE_OWN,
    example={"state": "released", "decidedAt": "2026-11-20T10:00:00Z"},
    errors=(409, 429),
)
def decide_held_secret(request: Request, held_id: str, body: SecretDecision) -> HeldSecretOut:
    """Decide whether a held value is a secret."""
    held, visible, user = _decidable(request.auth, held_id)
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        item = item_of(Kind.SECRET, held)
        decide(work, item, body.decision, by=user, value=body.value)
    held.refresh_from_db(fields=["state", "decided_at"])
    return _described(held, visible)


def _of(caller: Caller, visible: Visibility) -> "QuerySet[HeldSecret]":
    """An integration reaches its agents alone."""
    rows = rows_of(Kind.SECRET, caller.team).filter(visible.rows())
    return rows.filter(agent__in=caller.agents())


def _decidable(caller: Caller, held_id: str) -> tuple[HeldSecret, Visibility, User]:
    wanted = known_id(held_id)
    if not rows_of(Kind.SECRET, caller.team).filter(pk=wanted, agent__in=caller.agents()).exists():
        raise NotFound
    user = caller.require_person(_("Only a person can decide on a held secret."))
    visible = visibility.seen_by(caller, None)
    held = _of(caller, visible).filter(pk=wanted).first()
    if held is None:
        raise NotFound
    if held.owner is None:
        caller.require(Right.DECIDE)
    elif not visible.shows(held.owner):
        raise Forbidden("personal", _("Only its owner can decide on personal memory."))
    return held, visible, user


def _described(held: HeldSecret, visible: Visibility) -> HeldSecretOut:
    shows = visible.shows(held.owner)
    message = held.message if shows else None
    return HeldSecretOut.of(
        held,
        owner=acting_owner.shown(held.owner),
        filename=held.file.path if held.file and shows else None,
        line=held.line if shows else None,
        conversation_id=message.conversation.external_id if message else None,
        message_id=message.external_id if message else None,
    )
