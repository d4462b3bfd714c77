"""When dreams start: every night where there is something new, and by hand (SPEC §5.1)."""

import logging
import random
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.agents.models import Agent, Owner, dream_time, next_dream_at, night_of
from memoryweb.audit.record import Actor, target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.core.row_batches import batches
from memoryweb.dreaming import inputs, knowledge
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.language.secrets import credentials
from memoryweb.memory.models import Conversation, Fact, File, LineOrigin
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.memory.statements.listing import is_pinned
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.runs.queue import call_tick

LONGEST_TOPIC = 200
SLICE = 2.0  # seconds of planning, in which others wait for the database
_AT_ONCE = 5  # memories whose dreams are asked for in one transaction
FARTHEST = timedelta(days=2)  # further ahead than the next night can be

logger = logging.getLogger(__name__)


class CoolingDown(Exception):
    """A dream by hand ended less than the cooldown ago; `seconds` are left."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"Another dream can start in {seconds} seconds.")


def tick(now: datetime) -> int:
    """Queue the nightly runs of agents that are due; how many. One bad agent stops no other; what
    takes longer than a slice goes on in the next call."""
    due: list[Agent] = []
    with scopes_disabled():
        far = Agent.objects.live().filter(next_dream_at__gt=now + FARTHEST)
        for agent in (far | Agent.objects.due(now)).select_related("team"):
            if agent.next_dream_at and agent.next_dream_at > now:
                # Planned while the clock ran ahead: without this it would not dream until then.
                Agent.objects.filter(pk=agent.pk).update(next_dream_at=next_dream_at(agent, now))
            elif settings.DREAMING:
                due.append(agent)
    random.shuffle(due)  # those that can't be planned are not the first of each slice
    made, until = 0, time.monotonic() + SLICE
    for agent in due:
        if time.monotonic() > until:
            call_tick()
            break
        made += _plan_safely(agent, now)
    return made


def topic_of(said: str) -> str:
    """As it is stored: one line, without secrets."""
    return credentials.mask(" ".join(said.split()))[0][:LONGEST_TOPIC]


def request(tx: Transaction, memory: Memory, *, trigger: str, **by: object) -> engine.QueuedRun:
    """A dream by hand; the active one when there is one. Raises CoolingDown.

    `by` may name the user or integration that asks.
    """
    if trigger in {Run.Trigger.PERSON, Run.Trigger.API}:
        _check_cooldown(memory)
    made = engine.enqueue(
        agent=memory.agent,
        owner=memory.owner,
        kind=Run.Kind.DREAM,
        trigger=trigger,
        **by,  # type: ignore[arg-type]
    )
    if made.created:
        record(tx, "run.requested", made.run)
    return made


def after_extraction(tx: Transaction, run: Run) -> None:
    """A client of mem0 knows statements alone, no notes: they are made of what it sent without
    waiting for the night, once a cooldown."""
    sent = run.extractions.filter(conversation__source="mem0", status="applied")
    if not (settings.DREAMING and run.agent.dreaming and sent.exists()):
        return
    memory, by = Memory(run.agent, run.owner), Run.Trigger.CONVERSATION
    due_at = _cooled_down_at(memory, [by])
    request(tx, memory, trigger=by, integration=run.integration, due_at=due_at)


def request_all(agent: Agent, *, actor: Actor, trigger: str, **by: object) -> list[Run]:
    """For the shared notes, unless all are personal, and every owner with new ones, some at a
    time: whoever writes needn't wait for all. Raises CoolingDown if that is none."""
    owners = [owner for owner in with_new_notes(agent, timezone.now()) if owner]
    shared = [] if owners and _are_personal(agent) else [None]
    made: list[Run] = []
    waits: list[int] = []
    for some in batches([Memory(agent, owner) for owner in (*shared, *owners)], _AT_ONCE):
        with write_transaction(agent.team, actor=actor) as tx:
            try:
                made += request_each(tx, some, trigger=trigger, **by)
            except CoolingDown as cooling:
                waits.append(cooling.seconds)
    if not made:
        raise CoolingDown(min(waits))
    return made


def request_each(
    tx: Transaction, memories: Iterable[Memory], *, trigger: str, **by: object
) -> list[Run]:
    """A run for each but those that dreamt a moment ago. Raises CoolingDown if that is all."""
    made: list[Run] = []
    waits: list[int] = []
    for memory in memories:
        try:
            made.append(request(tx, memory, trigger=trigger, **by).run)
        except CoolingDown as cooling:
            waits.append(cooling.seconds)
    if not made:
        raise CoolingDown(min(waits))
    return made


def request_night(
    tx: Transaction, memory: Memory, night: date, *, trigger: str
) -> engine.QueuedRun:
    """The nightly dream of a local date: queued, or the one that was, whatever came of it."""
    clock = dream_time(memory.agent, night)
    if memory.owner is None:  # a look that found nothing new is no dream
        Run.objects.filter(
            agent=memory.agent, owner=None, night=night, reason=inputs.NO_NEW_NOTES
        ).delete()
    made = engine.enqueue(
        agent=memory.agent,
        owner=memory.owner,
        kind=Run.Kind.DREAM,
        trigger=trigger,
        night=night,
        clock=clock if trigger == Run.Trigger.COMMAND else None,
    )
    if made.created:
        record(tx, "run.requested", made.run)
    return made


def with_new_notes(agent: Agent, now: datetime) -> list[Owner | None]:
    """Whose notes of the window hold what no dream has read, who said what no extraction has
    covered, or whose memory holds what is over."""
    first, last = inputs.window(now)
    read = inputs.read_by_dreams(
        _since(agent.pk, datetime.combine(first, datetime.min.time(), UTC))
    )
    due: set[object] = {
        owner
        for owner, file, revision in _notes(agent.pk, first, last)
        if (str(file), revision) not in read
    }
    due |= _said(agent) | _over(agent, now) | _decided(agent)
    owners: list[Owner | None] = list(
        Owner.objects.filter(pk__in=[pk for pk in due if pk], keeping=True).order_by("created_at")
    )
    return [None, *owners] if None in due else owners


def _plan_safely(agent: Agent, now: datetime) -> int:
    try:
        return _plan(agent, now)
    except Exception:
        logger.exception("The nightly dreams of agent %s could not be queued.", agent.pk)
        return 0


def _plan(agent: Agent, now: datetime) -> int:
    """One catch-up at most: the latest night that is due, however long nobody ticked."""
    with write_transaction(agent.team) as tx:
        moved = Agent.objects.filter(pk=agent.pk, next_dream_at=agent.next_dream_at).update(
            next_dream_at=next_dream_at(agent, now)
        )
        if not moved:
            return 0
        night, unstarted = night_of(agent, now), _unstarted(agent)
        due = with_new_notes(agent, now)
        made = [
            request_night(tx, Memory(agent, owner), night, trigger=Run.Trigger.CRON)
            for owner in due
            if (owner.pk if owner else None) not in unstarted
        ]
        if None not in due and None not in unstarted and not _are_personal(agent):
            _record_look(tx, agent, night)
    return sum(one.created for one in made)


def _record_look(tx: Transaction, agent: Agent, night: date) -> None:
    """That the agent's notes were looked at, as the one outcome of a night in which no shared
    note is new: of owners it says nothing, so that everybody may see it."""
    look, is_new = Run.objects.get_or_create(
        team=tx.team,
        agent=agent,
        owner=None,
        kind=Run.Kind.DREAM,
        night=night,
        defaults={
            "trigger": Run.Trigger.CRON,
            "status": Run.Status.NO_CHANGE,
            "reason": inputs.NO_NEW_NOTES,
            "started_at": tx.now,
            "finished_at": tx.now,
        },
    )
    if is_new:
        tx.record(
            "run.finished",
            **target(look),
            outcome=look.status,
            reason_code=look.reason,
            run_id=look.pk,
            details={"kind": str(look.kind), "attempts": 0},
        )


@PreparedQuery
def _notes(agent_id: UUID, first: date, last: date) -> "QuerySet[File, Any]":
    notes = File.objects.present().filter(agent=agent_id, note_date__range=(first, last))
    return notes.values_list("owner", "pk", "revision")


def _are_personal(agent: Agent) -> bool:
    """There are notes of the agent, and none of them is shared."""
    return any(_first_note(agent.pk))


@PreparedQuery
def _first_note(agent_id: UUID) -> "QuerySet[File, UUID | None]":
    notes = File.objects.present().filter(agent=agent_id, note_date__isnull=False)
    return notes.order_by(F("owner").asc(nulls_first=True)).values_list("owner", flat=True)[:1]


@PreparedQuery
def _since(agent_id: UUID, start: datetime) -> "QuerySet[Run, Any]":
    """What dreams read, by their own clocks from a moment on."""
    since = Q(clock__gte=start) | Q(clock=None, started_at__gte=start)
    return inputs.read_whole(Run.objects.filter(since, agent=agent_id))


def _unstarted(agent: Agent) -> set[object]:
    """Owners (None: shared) whose dream of an earlier night has not come about yet: it will read
    what is there by then, so that after a downtime there is one dream and not one a night."""
    nightly = Run.objects.active().filter(agent=agent, kind=Run.Kind.DREAM, clock=None)
    waiting = nightly.exclude(status=Run.Status.RUNNING).exclude(night=None)
    return set(waiting.values_list("owner", flat=True))


def _said(agent: Agent) -> set[object]:
    """Owners (None: shared) with conversations that are extracted before their dream."""
    if not settings.AUTO_SUMMARIZE:
        return set()
    isolated = agent.owner_isolation
    return {Memory.of(agent, owner if isolated else None).owner_id for owner in _open(agent.pk)}


@PreparedQuery
def _open(agent_id: UUID) -> "QuerySet[Owner]":
    open_ones = Conversation.objects.filter(agent=agent_id).uncovered()
    return Owner.objects.filter(pk__in=open_ones.values("owner"))


def _over(agent: Agent, now: datetime) -> set[object]:
    """Owners (None: shared) of whose statements one is over by its own words, or by
    what its owner said since; but for pinned ones, which no night moves."""
    found = _ended(agent.pk, now.astimezone(agent.zone).date(), now - knowledge.NOTED_IN)
    return {fact.owner_id for fact in found if not is_pinned(fact)}


@PreparedQuery
def _ended(agent_id: UUID, today: date, noted: datetime) -> "QuerySet[Fact]":
    dreamt = Q(path=inputs.MEMORY) | Q(path=inputs.PROFILE, owner__isnull=False)
    living = Fact.objects.living().filter(dreamt, agent=agent_id)
    is_over = Q(valid_to__lt=today, file__isnull=False)
    is_told = Q(hidden_at__lt=noted) | Q(hidden_at__isnull=False, hidden_by=None)
    return living.filter(is_over | is_told).select_related("file")


def _decided(agent: Agent) -> set[object]:
    """Owners (None: shared) of a line that the last dream left to a person, who has kept it."""
    held = [one for one in _kept(agent.pk) if one.file and inputs.is_held(one.gates)]
    if not held:
        return set()
    flagged = LineOrigin.objects.filter(file__in={one.file_id for one in held}).exclude(marks="")
    waits = set(flagged.values_list("file", "line"))
    return {
        one.report.owner_id
        for one in held
        if one.file and one.file.says(one.text) and (one.file_id, one.line) not in waits
    }


@PreparedQuery
def _kept(agent_id: UUID) -> "QuerySet[Candidate]":
    kept = inputs.kept_last(Report.objects.filter(agent=agent_id))
    return kept.select_related("report", "file")


def _check_cooldown(memory: Memory) -> None:
    cooled_down_at = _cooled_down_at(memory, [Run.Trigger.PERSON, Run.Trigger.API])
    if cooled_down_at:
        left = (cooled_down_at - timezone.now()).total_seconds()
        raise CoolingDown(max(1, round(left)))


def _cooled_down_at(memory: Memory, triggers: Sequence[str]) -> datetime | None:
    """Where a dream that was asked for so ended less than the cooldown ago."""
    now, pause = timezone.now(), timedelta(seconds=settings.DREAM_COOLDOWN_SECONDS)
    last = (
        Run.objects.filter(
            inputs.notes_of(memory.owner),
            agent=memory.agent,
            kind=Run.Kind.DREAM,
            trigger__in=triggers,
            finished_at__range=(now - pause, now),
        )
        .exclude(status=Run.Status.FAILED)
        .aggregate(at=Max("finished_at"))["at"]
    )
    return last + pause if last else None


def record(tx: Transaction, action: str, run: Run) -> None:
    tx.record(
        action,
        **target(run),
        run_id=run.pk,
        on_behalf_of=run.owner_id,
        details={"kind": str(run.kind), "trigger": str(run.trigger)},
    )
