"""What was said is noted before its owner dreams, whoever asked for the dream."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner
from memoryweb.extraction.requests import KIND, request
from memoryweb.memory.models import Conversation
from memoryweb.memory.models.conversations import ConversationQuerySet
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.runs.lease import Lease
from memoryweb.runs.models import Run
from memoryweb.runs.queue import wake_up


def extractions(lease: Lease) -> Sequence[UUID]:
    """Those that a dream has to wait for. They are asked for once: where the model is away the
    dream does without, and what comes meanwhile is for the next one."""
    run = lease.run
    if run.phase != Run.Phase.CLAIMED or run.trigger == Run.Trigger.BACKFILL:
        return ()
    if not _uncovered(run).exists():
        return ()
    if not (run.checked or {}).get("gathered"):
        with write_transaction(run.team) as tx:
            lease.fence()
            _ask(tx, run)
            lease.store(run.phase, checked={"gathered": timezone.now().isoformat()})
    asked_at = datetime.fromisoformat((run.checked or {})["gathered"])
    return [one.pk for one in _under_way(run, asked_at)]


def go_on(tx: Transaction, extraction: Run) -> None:
    """A dream that waited for it waits no longer."""
    if extraction.owner is None:
        return
    owner = _memory(extraction.agent, extraction.owner).owner
    dreams = Run.objects.filter(agent=extraction.agent, owner=owner, kind=Run.Kind.DREAM)
    paused = dreams.filter(status=Run.Status.QUEUED, phase=Run.Phase.CLAIMED, due_at__gt=tx.now)
    for dream in paused:
        dream.due_at = tx.now
        dream.save(update_fields=["due_at"])
        wake_up(dream, tx.now)


def _ask(tx: Transaction, dream: Run) -> None:
    owners = Owner.objects.filter(pk__in=_uncovered(dream).values("owner"))
    for owner in owners.order_by("created_at"):
        by = Run.Trigger.CONVERSATION
        request(tx, agent=dream.agent, owner=owner, trigger=by, immediate=True)


def _uncovered(dream: Run) -> ConversationQuerySet:
    return Conversation.objects.filter(_of(dream), agent=dream.agent).uncovered()


def _under_way(dream: Run, asked_at: datetime) -> "QuerySet[Run]":
    """What was asked for until then; one that failed is tried again later."""
    mine = Run.objects.filter(_of(dream), agent=dream.agent, kind=KIND, created_at__lte=asked_at)
    is_due = Q(status__in=[Run.Status.QUEUED, Run.Status.FAILED], due_at__lte=asked_at)
    return mine.filter(is_due | Q(status=Run.Status.RUNNING)).order_by("created_at")


def _of(dream: Run) -> Q:
    """Of those whose conversations that memory is made of."""
    if dream.agent.owner_isolation:
        return Q(owner=Memory(dream.agent, dream.owner).speaker_id)
    return Q() if dream.owner is None else Q(pk__in=[])


def _memory(agent: Agent, owner: Owner) -> Memory:
    return Memory.of(agent, owner if agent.owner_isolation else None)
