"""The audit log: what happened, by whom, to what. Never a text."""

import json
from typing import Any, Literal
from uuid import UUID

from ninja import Query
from pydantic import Field

from memoryweb.api.auth import Request, Right
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, IdOrNull, Items, Moment, Paging, page
from memoryweb.audit.models import Event, events_of

router = Router(tags=["Audit"])


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
    token_id: IdOrNull
    on_behalf_of: IdOrNull
    target_kind: str
    target_id: str
    target_revision: int | None
    before_revision: int | None
    outcome: Outcome
    reason_code: str
    run_id: IdOrNull
    agent_id: IdOrNull
    model: str
    ip: str
    user_agent: str
    request_id: str
    details: dict[str, Any]
    hash: str


class EventFilter(Paging):
    action: str | None = Field(None, max_length=64, description="For example `file.written`.")
    actor_id: str | None = Field(None, max_length=64)
    target_id: str | None = Field(None, max_length=64)
    agent_id: UUID | None = Field(None, description="Only what was about this agent's memory.")
    outcome: Outcome | None = None


@router.operation("GET", "/audit/events", Right.SEE_AUDIT)
def list_events(request: Request, filters: Query[EventFilter]) -> Items[EventOut]:
    """List audit events, newest first."""
    wanted = filters.model_dump(exclude_none=True, exclude={"cursor", "limit"})
    rows = events_of(request.auth.team.pk).filter(**wanted)
    return page(rows, ["-seq"], filters, _described)


def _described(event: Event) -> EventOut:
    return EventOut.of(
        event,
        details=json.loads(event.details) if event.details else {},
        hash=bytes(event.hash).hex(),
    )
