"""What was held back as a likely password: listed, and decided by a person."""

from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query, Router
from pydantic import Field

from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.api import acting_owner
from memoryweb.api import visibility as reaching
from memoryweb.api.auth import Caller, Request, known_id
from memoryweb.api.cursors import page
from memoryweb.api.exceptions import Forbidden, NotFound
from memoryweb.api.operations import ReachPaging, operation
from memoryweb.api.schemas import Camel, Items, Moment, RequestBody, one_of
from memoryweb.api.visibility import Reach as Visible
from memoryweb.memory.review import secrets as door
from memoryweb.memory.transaction import unit
from memoryweb.review.models import HeldSecret
from memoryweb.workspace.models import AuthorKind

router = Router(tags=["Secrets"])

BASE = "/secrets/held"
EXAMPLE = {
    "id": "7d0b8c52-6a53-4a2a-9f0e-3a44a1a7c2de",
    "agentId": "0a9c4c1e-7f0e-4a53-9c5e-6f6c7f6f1b11",
    "owner": "shared",
    "kind": "password",
    "length": 14,
    "filename": "KNOWLEDGE.md",
    "line": 3,
    "conversationId": None,
    "messageId": None,
    "authorKind": "agent",
    "state": "waiting",
    "createdAt": "2026-11-20T09:12:00Z",
    "decidedAt": None,
}


class HeldSecretOut(Camel):
    """Never the value. Its place is null where it may not be shown."""

    id: str
    agent_id: str
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


class Filter(ReachPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["waiting", "released", "refused", "expired"] = "waiting"


class SecretDecision(RequestBody):
    decision: Literal["secret", "no_secret"] = Field(
        description="`secret`: it stays out. `no_secret`: it passes from now on."
    )
    value: str = Field(
        "", max_length=4096, description="With `no_secret`: puts it back into its line."
    )


@router.get(
    BASE,
    **operation(
        Items[HeldSecretOut],
        summary="List what was held back as a likely secret, the latest first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_held_secrets(request: Request, reach: Query[Filter]) -> Items[HeldSecretOut]:
    request.auth.require(Permission.READ, Scope.MEMORY_READ)
    visible = reaching.reach(request.auth, reach.owner)
    rows = _of(request.auth, visible).filter(state=reach.state)
    found = page(rows, ["-created_at", "-id"], reach.cursor, reach.limit)
    return Items[HeldSecretOut](
        items=[_described(row, visible) for row in found.rows], cursor=found.cursor
    )


@router.post(
    BASE + "/{held_id}/decide",
    **operation(
        HeldSecretOut,
        summary="Say whether it is a secret",
        takes=(Permission.DECIDE, Scope.MEMORY_WRITE),
        example={**EXAMPLE, "state": "released", "decidedAt": "2026-11-20T10:00:00Z"},
        body={"decision": "no_secret", "value": "the value, to put it back"},
        errors=(409, 429),
    ),
)
def decide_held_secret(request: Request, held_id: str, body: SecretDecision) -> HeldSecretOut:
    held, visible, user = _decidable(request.auth, held_id)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        if body.decision == "secret":
            door.refuse(work, held, by=user)
        else:
            door.release(work, held, by=user, value=body.value)
    held.refresh_from_db(fields=["state", "decided_at"])
    return _described(held, visible)


def _of(caller: Caller, visible: Visible) -> "QuerySet[HeldSecret]":
    """An integration reaches its agents alone."""
    rows = door.held_of(caller.team).filter(visible.rows(), agent__archived_at=None)
    return rows.filter(agent__in=caller.agents())


def _decidable(caller: Caller, held_id: str) -> tuple[HeldSecret, Visible, User]:
    wanted = known_id(held_id)
    caller.require_scope(Scope.MEMORY_WRITE)
    if not door.held_of(caller.team).filter(pk=wanted, agent__in=caller.agents()).exists():
        raise NotFound
    if caller.user is None:
        raise Forbidden("person_required", _("Only a person decides about a likely secret."))
    visible = reaching.reach(caller, None)
    held = _of(caller, visible).filter(pk=wanted).first()
    if held is None:
        raise NotFound
    if held.owner is None:
        caller.require(Permission.DECIDE, Scope.MEMORY_WRITE)
    elif not visible.shows(held.owner):
        raise Forbidden("personal", _("Only its owner decides about personal memory."))
    return held, visible, caller.user


def _described(held: HeldSecret, visible: Visible) -> HeldSecretOut:
    shows = visible.shows(held.owner)
    message = held.message if shows else None
    return HeldSecretOut(
        id=str(held.pk),
        agent_id=str(held.agent_id),
        owner=acting_owner.shown(held.owner),
        kind=held.kind,
        length=held.length,
        filename=held.file.path if held.file and shows else None,
        line=held.line if shows else None,
        conversation_id=message.conversation.external_id if message else None,
        message_id=message.external_id if message else None,
        author_kind=held.author_kind,
        state=held.state,
        created_at=held.created_at,
        decided_at=held.decided_at,
    )
