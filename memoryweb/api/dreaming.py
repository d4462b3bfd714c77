"""Dreams: asked for, looked at before they happen, and where the diary is read."""

from datetime import date
from typing import Annotated, Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from ninja import Query, Status
from pydantic import Field

from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, schemas
from memoryweb.api.acting_owner import Visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.files import files_of
from memoryweb.api.problems import Invalid, Problem, or_not_found
from memoryweb.api.routing import Router
from memoryweb.dreaming import inputs, schedule, status
from memoryweb.dreaming.gates import Outcome, Verdict
from memoryweb.dreaming.schedule import CoolingDown
from memoryweb.memory.index.recalls import WEEK, prompts_of
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.memory.visible.readable import readable_file
from memoryweb.memory.visible.request_contents import away_from
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run

# Runs: one piece of background work each, with its outcome.

runs_router = Router(tags=["Runs"])


class RunOut(schemas.Camel):
    """`owner` is `shared` or whose run it is; `error` is null where it may not be shown."""

    id: schemas.Id
    kind: Annotated[str, schemas.one_of(Run.Kind)]
    agent_id: schemas.Id
    owner: str
    status: Annotated[str, schemas.one_of(Run.Status)]
    reason: str
    phase: str
    attempts: int
    trigger: Annotated[str, schemas.one_of(Run.Trigger)]
    night: date | None
    started_at: schemas.Moment | None
    finished_at: schemas.Moment | None
    tokens_in: int
    tokens_out: int
    error: str | None


@runs_router.operation("GET", "/runs/{run_id}", Right.READ)
def read_run(request: Request, run_id: str, query: Query[schemas.NamedRowQuery]) -> RunOut:
    """Read a run: its phase and outcome."""
    caller = request.auth
    runs = caller.team.runs.filter(pk=known_id(run_id), agent__in=caller.agents())
    visible = acting_owner.of_one(caller, query.owner, runs)
    found = runs.filter(visible.rows()).select_related("owner__integration")
    run = or_not_found(found.first())
    return described(run, visible)


def described(run: Run, visible: Visibility, away: Sought | None = None) -> RunOut:
    """`away`: what is to be forgotten of its memory, if that was asked already."""
    error = run.error if visible.shows(run.owner) else None
    if error:
        error = (away_from(run.agent_id, run.owner_id) if away is None else away).without(error)
    return RunOut.of(run, owner=acting_owner.shown(run.owner), error=error)


router = Router(tags=["Dreaming"])

BASE = "/memory/{agent_id}"


class RunList(schemas.Camel):
    runs: list[RunOut]


class FocusedDream(schemas.OwnerFields):
    """A topic, and whose notes are read: without an owner your own."""

    topic: str = Field(
        min_length=1,
        max_length=schedule.LONGEST_TOPIC,
        description="Words. The dream reads what the notes say of them.",
    )


class PromptCounts(schemas.Camel):
    """Of the last seven days."""

    served: int
    used: int = Field(description="Memory had something to say for the message.")
    silent: int


class DreamingStatus(schemas.Camel):
    dreaming_enabled: bool
    schedule: str = Field(description="Local time of the nightly dream.")
    time_zone: str
    last_run: RunOut | None
    next_run_at: schemas.Moment | None
    running: RunOut | None
    pending_candidates: int
    latest_diary_entry: str | None
    prompts: PromptCounts
    warnings: list[str]


class ScoreParts(schemas.Camel):
    recall: schemas.Rounded
    recency: schemas.Rounded
    diversity: schemas.Rounded
    freshness: schemas.Rounded
    spread: schemas.Rounded


class GateResult(schemas.Camel):
    name: str
    passed: bool
    detail: str


class CandidateOut(schemas.Camel):
    key: str
    filename: str
    line_number: int
    text: str
    score: float
    components: ScoreParts
    gates: list[GateResult]
    verdict: Outcome


class DreamDiary(schemas.Camel):
    filename: str
    content: str
    sha256: str | None
    updated_at: schemas.Moment | None


@router.operation(
    "POST",
    BASE + "/emergence",
    Right.DREAM,
    status=202,
    body={"owner": "shared"},
    errors=(429,),
    in_parts=True,
)
def dream_now(
    request: Request, agent_id: str, body: schemas.OwnerFields | None = None
) -> Status[RunList]:
    """Dream now.

    Without an owner: the shared notes, unless all are personal, and every owner of the agent with
    new notes.
    """
    caller = request.auth
    agent = caller.agent(agent_id)
    is_named = caller.integration or (body and body.model_fields_set)
    if not is_named:
        return _started(
            caller, _requested_of_all(caller, agent), acting_owner.seen_by(caller, None)
        )
    with caller.write() as tx:
        owner = acting_owner.acting(caller, body or schemas.OwnerFields())
        made = _requested(tx, caller, Memory(agent, owner))
    return _started(caller, made, acting_owner.of_owner(owner))


@router.operation("POST", BASE + "/dreaming/focused", Right.DREAM, status=202, errors=(429,))
def dream_on_topic(request: Request, agent_id: str, body: FocusedDream) -> Status[RunList]:
    """Dream on a topic.

    While a dream of this memory is running or waiting, that one is the answer.
    """
    caller = request.auth
    agent = caller.agent(agent_id)
    topic = schedule.topic_of(body.topic)
    if not topic:
        raise Invalid("topic", "Say what the dream should be about.")
    with caller.write() as tx:
        owner = acting_owner.acting(caller, body)
        made = _requested(tx, caller, Memory(agent, owner), topic)
    return _started(caller, made, acting_owner.of_owner(owner))


@router.operation("GET", BASE + "/dreaming/status", Right.READ)
def read_dreaming_status(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery]
) -> DreamingStatus:
    """Read the dreaming status."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    agent, visible = memory.agent, acting_owner.of_owner(memory.owner)
    now = timezone.now()
    stands = status.status(memory, now, request.auth.to)
    return DreamingStatus(
        dreaming_enabled=settings.DREAMING and agent.dreaming,
        schedule=f"{agent.dream_at:%H:%M}",
        time_zone=agent.time_zone,
        last_run=described(stands.last_run, visible) if stands.last_run else None,
        next_run_at=agent.next_dream_at,
        running=described(stands.running[0], visible) if stands.running else None,
        pending_candidates=status.pending(memory, now),
        latest_diary_entry=stands.latest_entry or None,
        prompts=PromptCounts.of(prompts_of(agent, Q(owner=memory.owner), now - WEEK)),
        warnings=list(stands.warnings),
    )


@router.operation("GET", BASE + "/dreaming/candidates", Right.READ)
def list_candidates(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery]
) -> schemas.Items[CandidateOut]:
    """Preview what a dream would learn now, and why."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    verdicts = status.candidates(memory, timezone.now())
    return schemas.Items[CandidateOut](items=[_candidate(verdict) for verdict in verdicts])


@router.operation("GET", BASE + "/dreaming/dreams", Right.READ)
def read_diary(request: Request, agent_id: str, query: Query[schemas.OwnerQuery]) -> DreamDiary:
    """Read the dream diary, DREAMS.md."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    file = files_of(memory).present().filter(path=inputs.DIARY).first()
    if file is None:
        return DreamDiary(filename=inputs.DIARY, content="", sha256=None, updated_at=None)
    content = readable_file(file, request.auth.to).text
    return DreamDiary(
        filename=file.path, content=content, sha256=file.sha256, updated_at=file.updated_at
    )


def _requested(tx: Transaction, caller: Caller, memory: Memory, topic: str = "") -> list[Run]:
    """Raises a 429 when it has just dreamt."""
    asked: dict[str, Any] = {"trigger": Run.Trigger.API, "topic": topic, **_by(caller)}
    try:
        return schedule.request_each(tx, [memory], **asked)
    except CoolingDown as cooling:
        raise _cooling_down(cooling.seconds) from cooling


def _requested_of_all(caller: Caller, agent: Agent) -> list[Run]:
    """Raises a 429 when all that would dream have just dreamt."""
    asked: dict[str, Any] = {"trigger": Run.Trigger.API, **_by(caller)}
    try:
        return schedule.request_all(agent, actor=caller.actor, **asked)
    except CoolingDown as cooling:
        raise _cooling_down(cooling.seconds) from cooling


def _by(caller: Caller) -> dict[str, Any]:
    return {"user": caller.user, "integration": caller.integration}


def _started(caller: Caller, made: list[Run], visible: Visibility) -> Status[RunList]:
    shown = caller.team.runs.filter(visible.rows(), pk__in=[run.pk for run in made])
    rows = shown.select_related("owner__integration").order_by("created_at", "pk")
    return Status(202, RunList(runs=[described(run, visible) for run in rows]))


def _cooling_down(seconds: int) -> Problem:
    detail = f"A manual dream has just finished. Try again in {seconds} seconds."
    return Problem(429, "cooling_down", detail, headers={"Retry-After": str(seconds)})


def _candidate(verdict: Verdict) -> CandidateOut:
    candidate, latest = verdict.candidate, verdict.candidate.mentions[-1]
    return CandidateOut.of(
        candidate,
        filename=latest.path,
        line_number=latest.line,
        score=round(verdict.scored.total, 4),
        components=ScoreParts.of(verdict.scored.components),
        gates=[GateResult.of(gate) for gate in verdict.gates],
        verdict=verdict.verdict,
    )
