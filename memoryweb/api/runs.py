"""Runs: one piece of background work each, with its outcome."""

from datetime import date
from typing import Annotated

from ninja import Query, Router

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.api import acting_owner
from memoryweb.api import visibility as reaching
from memoryweb.api.auth import Request, known_id
from memoryweb.api.exceptions import NotFound
from memoryweb.api.operations import Reach, operation
from memoryweb.api.schemas import Camel, Moment, one_of
from memoryweb.api.visibility import Reach as Visible
from memoryweb.runs.models import Run

router = Router(tags=["Runs"])

EXAMPLE = {
    "id": "5f0f9d4e-0a3c-4df5-8b1e-0d9c0e1f2a3b",
    "kind": "dream",
    "agentId": "0a9c4c1e-7f0e-4a53-9c5e-6f6c7f6f1b11",
    "owner": "shared",
    "status": "succeeded",
    "reason": "",
    "phase": "reported",
    "attempts": 1,
    "trigger": "cron",
    "night": "2026-11-20",
    "startedAt": "2026-11-20T02:00:01Z",
    "finishedAt": "2026-11-20T02:00:04Z",
    "tokensIn": 0,
    "tokensOut": 0,
    "error": "",
}


class RunOut(Camel):
    """`owner` is `shared` or whose run it is; `error` is null where it may not be shown."""

    id: str
    kind: Annotated[str, one_of(Run.Kind)]
    agent_id: str
    owner: str
    status: Annotated[str, one_of(Run.Status)]
    reason: str
    phase: str
    attempts: int
    trigger: Annotated[str, one_of(Run.Trigger)]
    night: date | None
    started_at: Moment | None
    finished_at: Moment | None
    tokens_in: int
    tokens_out: int
    error: str | None


@router.get(
    "/runs/{run_id}",
    **operation(
        RunOut,
        summary="Read a run: its phase and outcome",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example=EXAMPLE,
    ),
)
def read_run(request: Request, run_id: str, reach: Query[Reach]) -> RunOut:
    caller = request.auth
    wanted = known_id(run_id)
    caller.require(Permission.READ, Scope.MEMORY_READ)
    visible = reaching.reach(caller, reach.owner)
    runs = caller.team.runs.filter(visible.rows(), agent__in=caller.agents())
    run = runs.select_related("owner__integration").filter(pk=wanted).first()
    if run is None:
        raise NotFound
    return described(run, visible)


def described(run: Run, visible: Visible) -> RunOut:
    return RunOut(
        id=str(run.pk),
        kind=run.kind,
        agent_id=str(run.agent_id),
        owner=acting_owner.shown(run.owner),
        status=run.status,
        reason=run.reason,
        phase=run.phase,
        attempts=run.attempts,
        trigger=run.trigger,
        night=run.night,
        started_at=run.started_at,
        finished_at=run.finished_at,
        tokens_in=run.tokens_in,
        tokens_out=run.tokens_out,
        error=run.error if visible.shows(run.owner) else None,
    )
