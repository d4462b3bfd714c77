"""The audit log: what happened, by whom, to what. Never a text."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from ninja import Query, Router
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.api.auth import Request
from memoryweb.api.cursors import page
from memoryweb.api.operations import Paging, operation
from memoryweb.api.schemas import Camel, Items, Moment
from memoryweb.audit.models import Event
from memoryweb.audit.queries import events_of

router = Router(tags=["Audit"])

EXAMPLE = {
    "seq": 128,
    "at": "2026-11-20T02:00:04.120394Z",
    "action": "file.written",
    "actorKind": "system",
    "actorId": "",
    "actorRole": "",
    "tokenId": None,
    "onBehalfOf": None,
    "targetKind": "file",
    "targetId": "b6b1b0a5-7d1a-4f0e-9a53-1f7d7ac0a5b2",
    "targetRevision": 7,
    "beforeRevision": 6,
    "outcome": "ok",
    "reasonCode": "",
    "runId": "5f0f9d4e-0a3c-4df5-8b1e-0d9c0e1f2a3b",
    "model": "",
    "ip": "",
    "userAgent": "",
    "requestId": "",
    "details": {"size": 41},
    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
}


# A run's event ends as the run does.
Outcome = Literal[
    "ok", "denied", "refused", "skipped", "succeeded", "no_change", "needs_review", "failed"
]


class EventOut(Camel):
    seq: int
    at: Moment
    action: str
    actor_kind: str
    actor_id: str
    actor_role: str
    token_id: str | None
    on_behalf_of: str | None
    target_kind: str
    target_id: str
    target_revision: int | None
    before_revision: int | None
    outcome: Outcome
    reason_code: str
    run_id: str | None
    model: str
    ip: str
    user_agent: str
    request_id: str
    details: dict[str, Any]
    hash: str


class EventFilter(Paging):
    action: str | None = Field(None, max_length=64, description="Such as `file.written`.")
    actor_id: str | None = Field(None, max_length=64)
    target_id: str | None = Field(None, max_length=64)
    outcome: Outcome | None = None


@router.get(
    "/audit/events",
    **operation(
        Items[EventOut],
        summary="List audit events, the latest first",
        takes=(Permission.SEE_AUDIT, Scope.AUDIT_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_events(request: Request, filters: Query[EventFilter]) -> Items[EventOut]:
    request.auth.require(Permission.SEE_AUDIT, Scope.AUDIT_READ)
    wanted = filters.model_dump(exclude_none=True, exclude={"cursor", "limit"})
    rows = events_of(request.auth.team.pk).filter(**wanted)
    found = page(rows, ["-seq"], filters.cursor, filters.limit)
    return Items[EventOut](items=[_described(event) for event in found.rows], cursor=found.cursor)


def _described(event: Event) -> EventOut:
    at = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=event.at_us)
    return EventOut(
        seq=event.seq,
        at=at,
        action=event.action,
        actor_kind=event.actor_kind,
        actor_id=event.actor_id,
        actor_role=event.actor_role,
        token_id=_text(event.token_id),
        on_behalf_of=_text(event.on_behalf_of),
        target_kind=event.target_kind,
        target_id=event.target_id,
        target_revision=event.target_revision,
        before_revision=event.before_revision,
        outcome=cast(Outcome, event.outcome),
        reason_code=event.reason_code,
        run_id=_text(event.run_id),
        model=event.model,
        ip=event.ip,
        user_agent=event.user_agent,
        request_id=event.request_id,
        details=json.loads(event.details) if event.details else {},
        hash=bytes(event.hash).hex(),
    )


def _text(value: object) -> str | None:
    return str(value) if value else None
