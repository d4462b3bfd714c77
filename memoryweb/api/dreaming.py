"""Dreams: asked for, looked at before they happen, and where the diary is read."""

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner, redaction, runs
from memoryweb.api import visibility as reaching
from memoryweb.api.auth import Caller, Request
from memoryweb.api.exceptions import Problem
from memoryweb.api.files import HASH, files_of
from memoryweb.api.operations import Reach, operation
from memoryweb.api.schemas import Camel, Items, Moment, OwnerFields
from memoryweb.dreaming import inputs, schedule, status
from memoryweb.dreaming.gates import Outcome, Verdict
from memoryweb.dreaming.schedule import CoolingDown
from memoryweb.memory.transaction import Unit, unit
from memoryweb.runs.models import Run

router = Router(tags=["Dreaming"])

BASE = "/memory/{agent_id}"


class RunList(Camel):
    runs: list[runs.RunOut]


class DreamingStatus(Camel):
    dreaming_enabled: bool
    schedule: str = Field(description="Local time of the nightly dream.")
    time_zone: str
    last_run: runs.RunOut | None
    next_run_at: Moment | None
    running: runs.RunOut | None
    pending_candidates: int
    latest_diary_entry: str | None
    warnings: list[str]


class ScoreParts(Camel):
    recall: float
    recency: float
    diversity: float
    freshness: float
    spread: float


class GateResult(Camel):
    name: str
    passed: bool
    detail: str


class CandidateOut(Camel):
    key: str
    filename: str
    line_number: int
    text: str
    score: float
    components: ScoreParts
    gates: list[GateResult]
    verdict: Outcome


class DreamDiary(Camel):
    filename: str
    content: str
    sha256: str | None
    updated_at: Moment | None


STATUS_EXAMPLE = {
    "dreamingEnabled": True,
    "schedule": "02:00",
    "timeZone": "Europe/Lisbon",
    "lastRun": runs.EXAMPLE,
    "nextRunAt": "2026-11-21T02:00:00Z",
    "running": None,
    "pendingCandidates": 3,
    "latestDiaryEntry": "## 2026-11-20\n\nLooked at 5 notes; kept 2 lines.",
    "warnings": [],
}
CANDIDATE_EXAMPLE = {
    "key": "6d1f0c",
    "filename": "memory/2026-11-20.md",
    "lineNumber": 7,
    "text": "Inês's son is allergic to nuts.",
    "score": 0.62,
    "components": {
        "recall": 0.0,
        "recency": 0.41,
        "diversity": 0.0,
        "freshness": 0.2,
        "spread": 0.01,
    },
    "gates": [{"name": "score", "passed": True, "detail": "It scored 0.62; 0.40 is enough."}],
    "verdict": "promoted",
}


@router.post(
    BASE + "/emergence",
    **operation(
        RunList,
        status=202,
        summary="Dream now",
        takes=(Permission.DREAM, Scope.DREAM_RUN),
        example={"runs": [{**runs.EXAMPLE, "status": "queued", "phase": "", "trigger": "api"}]},
        body={"owner": "shared"},
        errors=(429,),
    ),
)
def dream_now(request: Request, agent_id: str, body: OwnerFields | None = None) -> Status[RunList]:
    """Without an owner: the shared notes, and every owner of the agent with new notes."""
    caller = request.auth
    agent = caller.agent(agent_id)
    caller.require(Permission.DREAM, Scope.DREAM_RUN)
    is_named = caller.integration or (body and body.model_fields_set)
    with unit(caller.team, actor=caller.actor) as work:
        named = [acting_owner.acting(caller, body or OwnerFields())] if is_named else None
        made = _requested(work, caller, agent, named)
    visible = reaching.of_owner(named[0]) if named else reaching.reach(caller, None)
    shown = caller.team.runs.filter(visible.rows(), pk__in=[run.pk for run in made])
    rows = shown.select_related("owner__integration").order_by("created_at", "pk")
    return Status(202, RunList(runs=[runs.described(run, visible) for run in rows]))


@router.get(
    BASE + "/dreaming/status",
    **operation(
        DreamingStatus,
        summary="Read how dreaming stands",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example=STATUS_EXAMPLE,
    ),
)
def read_dreaming_status(request: Request, agent_id: str, reach: Query[Reach]) -> DreamingStatus:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    visible = reaching.of_owner(owner)
    stands = status.status(agent, owner, timezone.now())
    return DreamingStatus(
        dreaming_enabled=settings.DREAMING and agent.dreaming,
        schedule=f"{agent.dream_at:%H:%M}",
        time_zone=agent.time_zone,
        last_run=runs.described(stands.last_run, visible) if stands.last_run else None,
        next_run_at=agent.next_dream_at,
        running=runs.described(stands.running[0], visible) if stands.running else None,
        pending_candidates=stands.pending,
        latest_diary_entry=stands.latest_entry or None,
        warnings=list(stands.warnings),
    )


@router.get(
    BASE + "/dreaming/candidates",
    **operation(
        Items[CandidateOut],
        summary="List what a dream would decide about now, and why",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [CANDIDATE_EXAMPLE], "cursor": None},
    ),
)
def list_candidates(request: Request, agent_id: str, reach: Query[Reach]) -> Items[CandidateOut]:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    verdicts = status.candidates(agent, owner, timezone.now())
    return Items[CandidateOut](items=[_candidate(verdict) for verdict in verdicts])


@router.get(
    BASE + "/dreaming/dreams",
    **operation(
        DreamDiary,
        summary="Read the dream diary, DREAMS.md",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={
            "filename": "DREAMS.md",
            "content": "# Dreams\n\n## 2026-11-20\n\nLooked at 5 notes.\n",
            "sha256": HASH,
            "updatedAt": "2026-11-20T02:00:04Z",
        },
    ),
)
def read_diary(request: Request, agent_id: str, reach: Query[Reach]) -> DreamDiary:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    file = files_of(agent, owner).present().filter(path=inputs.DIARY).first()
    if file is None:
        return DreamDiary(filename=inputs.DIARY, content="", sha256=None, updated_at=None)
    content = redaction.now(request.auth, file)
    return DreamDiary(
        filename=file.path, content=content, sha256=file.sha256, updated_at=file.updated_at
    )


def _requested(
    work: Unit, caller: Caller, agent: Agent, named: list[Owner | None] | None
) -> list[Run]:
    """Raises a 429 when all that would dream have just dreamt."""
    by = {"user": caller.user, "integration": caller.integration}
    try:
        if named is None:
            return schedule.request_all(work, agent, trigger=Run.Trigger.API, **by)
        return schedule.request_each(work, agent, named, trigger=Run.Trigger.API, **by)
    except CoolingDown as cooling:
        raise _cooling_down(cooling.seconds) from cooling


def _cooling_down(seconds: int) -> Problem:
    detail = _("A dream by hand has just ended; ask again in {n} seconds.").format(n=seconds)
    return Problem(429, "cooling_down", detail, headers={"Retry-After": str(seconds)})


def _readable(caller: Caller, agent_id: str, owner: str | None) -> tuple[Agent, Owner | None]:
    agent = caller.agent(agent_id)
    caller.require(Permission.READ, Scope.MEMORY_READ)
    return agent, acting_owner.asked(caller, owner)


def _candidate(verdict: Verdict) -> CandidateOut:
    latest = verdict.candidate.mentions[-1]
    parts = verdict.scored.components
    return CandidateOut(
        key=verdict.candidate.key,
        filename=latest.path,
        line_number=latest.line,
        text=verdict.candidate.text,
        score=round(verdict.scored.total, 4),
        components=ScoreParts(
            recall=round(parts.recall, 4),
            recency=round(parts.recency, 4),
            diversity=round(parts.diversity, 4),
            freshness=round(parts.freshness, 4),
            spread=round(parts.spread, 4),
        ),
        gates=[
            GateResult(name=gate.name, passed=gate.passed, detail=gate.detail)
            for gate in verdict.gates
        ],
        verdict=verdict.verdict,
    )
