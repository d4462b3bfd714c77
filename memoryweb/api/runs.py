"""Runs: one piece of background work each, with its outcome."""

from datetime import date
from typing import Annotated

from ninja import Query

from memoryweb.api import acting_owner, visibility
from memoryweb.api.auth import Request, Right, known_id
from memoryweb.api.exceptions import or_not_found
from memoryweb.api.query_parameters import NamedRowQuery
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, Moment, one_of
from memoryweb.api.visibility import Visibility
from memoryweb.memory.visible.request_contents import away_from
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run

router = Router(tags=["Runs"])


class RunOut(Camel):
    """`owner` is `shared` or whose run it is; `error` is null where it may not be shown."""

    id: Id
    kind: Annotated[str, one_of(Run.Kind)]
    agent_id: Id
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


@router.operation("GET", "/runs/{run_id}", Right.READ)
def read_run(request: Request, run_id: str, query: Query[NamedRowQuery]) -> RunOut:
    """Read a run: its phase and outcome."""
    caller = request.auth
    runs = caller.team.runs.filter(pk=known_id(run_id), agent__in=caller.agents())
    visible = visibility.of_one(caller, query.owner, runs)
    found = runs.filter(visible.rows()).select_related("owner__integration")
    run = or_not_found(found.first())
    return described(run, visible)


def described(run: Run, visible: Visibility, away: Sought | None = None) -> RunOut:
    """`away`: what is to be forgotten of its memory, if that was asked already."""
    error = run.error if visible.shows(run.owner) else None
    if error:
        error = (away_from(run.agent_id, run.owner_id) if away is None else away).without(error)
    return RunOut.of(run, owner=acting_owner.shown(run.owner), error=error)
