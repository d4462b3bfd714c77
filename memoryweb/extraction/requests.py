"""Asking for an extraction: one queued run covers all that waits of an (agent, owner)."""

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Integration, User
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.extraction.models import Extraction
from memoryweb.llm.endpoint import configured
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.conversations import ConversationQuerySet
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.runs.lease import GOOD, Lease
from memoryweb.runs.models import ACTIVE, Run
from memoryweb.runs.queue import enqueue, wake_up

logger = logging.getLogger(__name__)

KIND = Run.Kind.EXTRACTION
LONGEST_PAUSE = timedelta(days=1)  # of a window that the model does not answer
PAUSE = timedelta(hours=1)
TICK_PAIRS = 100


class Skip(StrEnum):
    """When a conversation is not extracted (SPEC §4); `runs.reasons` has the sentences."""

    ARCHIVED = "agent_archived"
    OFF = "auto_summarize_off"
    PAUSED = "paused"
    EPHEMERAL = "ephemeral"
    SOURCE = "source"
    NOTHING_NEW = "nothing_new"
    REVERTED = "reverted"  # `memory.reverting` stores it


def request(
    tx: Transaction,
    *,
    agent: Agent,
    owner: Owner,
    trigger: str,
    conversation: Conversation | None = None,
    user: User | None = None,
    integration: Integration | None = None,
    finished: bool = False,
    immediate: bool = False,
    waited: bool = False,
) -> Run | None:
    """The run that will extract a conversation, or all that waits of an owner without one.

    After a batch (`trigger` conversation) it starts once the conversation has been quiet for
    EXTRACTION_IDLE_SECONDS, or at once when it is `finished`; not before the cooldown ends, unless
    `immediate` (commands) or imported. Where nothing is to be done, `skipped` of the conversation
    says why, and who asked in person gets a run that was skipped for that reason. A conversation
    that `waited` before, for a run that is on its way, only puts that one off.
    """
    run = Run(team=tx.team, agent=agent, owner=owner, kind=KIND, trigger=trigger)
    run.user, run.integration, run.created_at = user, integration, tx.now
    immediate |= conversation is not None and conversation.source == Conversation.Source.IMPORT
    is_asked = trigger != Run.Trigger.CONVERSATION
    _journal(run, conversation)
    goes_on = waited and not (finished or is_asked or immediate)
    if conversation and goes_on and (there := _put_off(conversation, tx.now)):
        return there
    if (reason := _set_waiting(agent, owner, conversation)) is not None:
        return _skipped(tx, run, reason) if is_asked else None
    if is_asked:
        paused = _paused(tx.now).filter(conversation__agent=agent, conversation__owner=owner)
        paused.update(retry_at=tx.now)
    run.due_at = tx.now if immediate else _due(run, is_quiet=finished or is_asked)
    found = _queued(run, retried=immediate)
    if is_asked:
        _record(tx, "run.requested", found, {"kind": run.kind})
    return found


def _journal(run: Run, conversation: Conversation | None) -> None:
    """The agent's journaler, where it has one, looks at the newest turn of a real conversation."""
    agent, source = run.agent, Conversation.Source
    if conversation is None or run.trigger != Run.Trigger.CONVERSATION or not agent.shadow_journal:
        return
    if conversation.source in {source.CRON, source.DREAM, source.IMPORT} or stopped(conversation):
        return
    if not configured(agent.team_id, local_only=agent.local_models_only):
        return
    said = conversation.messages.filter(role=Message.Role.USER).aggregate(last=Max("position"))
    turn = [str(conversation.pk), (said["last"] or conversation.message_count) - 1]
    queued = enqueue(
        agent=agent,
        owner=conversation.owner,
        kind=Run.Kind.JOURNAL,
        trigger=run.trigger,
        user=run.user,
        integration=run.integration,
    ).run
    queued.refresh_from_db(fields=["inputs"])
    turns = [one for one in queued.inputs.get("turns", []) if one != turn]
    Run.objects.filter(pk=queued.pk).update(inputs={"turns": [*turns, turn]})


def after_import(tx: Transaction, run: Run) -> None:
    """What a run brought is read at once."""
    if run.owner is not None and run.result.get("messages"):
        by = Run.Trigger.CONVERSATION
        request(tx, agent=run.agent, owner=run.owner, trigger=by, immediate=True)


def owners_with_messages(agent: Agent) -> list[Owner]:
    """Whose conversations hold messages that no extraction has looked at."""
    behind = Conversation.objects.filter(agent=agent, message_count__gt=F("extracted_upto"))
    return list(Owner.objects.filter(pk__in=behind.values("owner")).order_by("created_at"))


def ask_again(now: datetime) -> None:
    """Every minute: messages that wait while no run will take them, an hour after the last that
    gave up. Nothing is forgotten because a model was away for a day."""
    for agent, owner in _forsaken(now):
        try:
            with write_transaction(agent.team) as tx:
                by = Run.Trigger.CONVERSATION
                request(tx, agent=agent, owner=owner, trigger=by, finished=True)
        except Exception:
            logger.exception("No extraction could be asked for: %s, %s", agent.pk, owner.pk)


def hurry(now: datetime) -> int:
    """Let every queued extraction start at once, for a command that works the queue itself."""
    with scopes_disabled():
        readable = waiting(now).filter(agent=OuterRef("agent"), owner=OuterRef("owner"))
        later = Run.objects.filter(kind=KIND, status=Run.Status.QUEUED, due_at__gt=now)
        return later.filter(Exists(readable.filter(paused_until=None))).update(due_at=now)


def waiting(now: datetime) -> "QuerySet[Any]":
    """Conversations that wait to be extracted; `paused_until` is None for those that may be now,
    the others' next window is not to be asked again before."""
    paused = _paused(now).filter(conversation=OuterRef("pk"), first=OuterRef("extracted_upto") + 1)
    latest = paused.order_by("-retry_at").values("retry_at")[:1]
    return Conversation.objects.filter(waiting=True).annotate(paused_until=Subquery(latest))


def _paused(now: datetime) -> "QuerySet[Extraction]":
    # A pause that ends later than any can was set by a clock that ran ahead.
    return Extraction.objects.filter(
        status=Extraction.Status.FAILED, retry_at__gt=now, retry_at__lte=now + LONGEST_PAUSE
    )


def _due(run: Run, *, is_quiet: bool) -> datetime:
    """Only a run that came to an end uses up the cooldown: a failure doesn't."""
    idle = timedelta(seconds=0 if is_quiet else settings.EXTRACTION_IDLE_SECONDS)
    now = run.created_at
    earlier = Run.objects.filter(agent=run.agent, owner=run.owner, kind=KIND, status__in=GOOD)
    # Not those of a clock that ran ahead; one that ends in this very transaction is later than it.
    earlier = earlier.filter(finished_at__lte=timezone.now())
    ended: datetime | None = earlier.aggregate(last=Max("finished_at"))["last"]
    moments = [now + idle]
    if ended is not None:
        moments.append(ended + timedelta(seconds=settings.EXTRACTION_COOLDOWN_SECONDS))
    found = waiting(now).filter(agent=run.agent, owner=run.owner)
    pauses = list(found.values_list("paused_until", flat=True))
    if pauses and None not in pauses:
        moments.append(min(pauses))
    return max(moments)


def _queued(wanted: Run, *, retried: bool) -> Run:
    queued = enqueue(
        agent=wanted.agent,
        owner=wanted.owner,
        kind=wanted.kind,
        trigger=wanted.trigger,
        user=wanted.user,
        integration=wanted.integration,
        due_at=wanted.due_at,
    )
    if not queued.created and wanted.due_at is not None:
        _bring_forward(queued.run, wanted.due_at, wanted.created_at, retried=retried)
    return queued.run


def _bring_forward(run: Run, due_at: datetime, now: datetime, *, retried: bool = False) -> None:
    """A run that waits longer than this request would; `retried` also ends a failure's back-off."""
    states = [Run.Status.QUEUED, Run.Status.FAILED] if retried else [Run.Status.QUEUED]
    later = Run.objects.filter(pk=run.pk, status__in=states, due_at__gt=due_at)
    if later.update(due_at=due_at):
        run.due_at = due_at
        wake_up(run, now)


def _put_off(conversation: Conversation, now: datetime) -> Run | None:
    """The run that it waits for. A conversation that goes on is not quiet; unless another one waits
    for the same run."""
    due_at = now + timedelta(seconds=settings.EXTRACTION_IDLE_SECONDS)
    key = (conversation.agent_id, conversation.owner_id, conversation.pk)
    for run in _active(*key) if skip_reason(conversation) is None else ():
        if not vars(run)["is_shared"] and run.due_at and run.due_at < due_at:
            unstarted = {"status": Run.Status.QUEUED, "phase": Run.Phase.NONE}
            mine = Run.objects.filter(pk=run.pk, trigger=Run.Trigger.CONVERSATION, **unstarted)
            mine.filter(due_at__lt=due_at).update(due_at=due_at)
        run.agent, run.owner = conversation.agent, conversation.owner
        return run
    return None


@PreparedQuery
def _active(agent_id: UUID, owner_id: UUID, conversation_id: UUID) -> QuerySet[Run]:
    others = Conversation.objects.filter(agent=agent_id, owner=owner_id, waiting=True)
    runs = Run.objects.active().filter(agent=agent_id, owner=owner_id, kind=KIND, night=None)
    runs = runs.annotate(is_shared=Exists(others.exclude(pk=conversation_id)))
    return runs.defer("inputs", "answer", "checked")[:1]


def skip_reason(conversation: Conversation) -> Skip | None:
    """The first reason not to extract; None to go on, however little was said."""
    agent = conversation.agent
    own = {Conversation.Source.CRON, Conversation.Source.DREAM}
    rules = (
        (Skip.ARCHIVED, agent.archived_at is not None),
        (Skip.OFF, not (settings.AUTO_SUMMARIZE and agent.auto_summarize)),
        (Skip.PAUSED, not conversation.owner.keeping),
        (Skip.EPHEMERAL, conversation.ephemeral),
        (Skip.SOURCE, conversation.source in own),
        (Skip.NOTHING_NEW, conversation.message_count <= conversation.extracted_upto),
    )
    return next((reason for reason, applies in rules if applies), None)


def stopped(conversation: Conversation) -> Skip | None:
    """Why nothing more may be kept of a conversation, even of what was read already."""
    if conversation.agent.archived_at is not None:
        return Skip.ARCHIVED
    if not conversation.owner.keeping:
        return Skip.PAUSED
    return Skip.EPHEMERAL if conversation.ephemeral else None


def leave_out(tx: Transaction, message: Message, first: int, last: int) -> None:
    """These characters of it are not to be noted by a run that is still to come. What one has been
    answered and not written is asked again."""
    talk = message.conversation
    message.unnoted = [*(message.unnoted or []), [first, last]]
    message.save(update_fields=["unnoted"])
    talk.extractions.filter(status=Extraction.Status.ANSWERED).delete()
    told = {"message": message.pk}
    tx.record("message.unnoted", **target(talk), on_behalf_of=talk.owner_id, details=told)


def _forsaken(now: datetime) -> Iterator[tuple[Agent, Owner]]:
    waiting = Conversation.objects.filter(waiting=True, agent__archived_at=None).order_by()
    recent = Run.objects.filter(agent=OuterRef("agent"), owner=OuterRef("owner"), kind=KIND).filter(
        ACTIVE | Q(finished_at__range=(now - PAUSE, now + PAUSE))
    )
    pairs = waiting.exclude(Exists(recent)).values_list("agent", "owner").distinct()[:TICK_PAIRS]
    for agent_id, owner_id in pairs:
        yield (
            Agent.objects.select_related("team").get(pk=agent_id),
            Owner.objects.get(pk=owner_id),
        )


def _set_waiting(agent: Agent, owner: Owner, conversation: Conversation | None) -> Skip | None:
    """Mark what is to be extracted and what is not, with the reason; None: something is."""
    open_ones: Sequence[Conversation] = (
        [conversation]
        if conversation is not None
        else list(
            Conversation.objects.filter(
                agent=agent, owner=owner, message_count__gt=F("extracted_upto")
            ).select_related("agent", "owner")
        )
    )
    reasons = [mark(found) for found in open_ones]
    if not reasons:
        return Skip.NOTHING_NEW
    return None if None in reasons else reasons[0]


def mark(conversation: Conversation) -> Skip | None:
    reason = skip_reason(conversation)
    conversation.waiting = reason is None
    if reason is not Skip.NOTHING_NEW:  # what was extracted was not skipped
        conversation.skipped = reason or ""
    conversation.save(update_fields=["waiting", "skipped"])
    return reason


def _skipped(tx: Transaction, run: Run, reason: Skip) -> Run:
    run.status, run.reason = Run.Status.SKIPPED, reason.value
    run.finished_at = tx.now
    run.save(force_insert=True)
    _record(tx, "run.finished", run, {"kind": run.kind, "attempts": 0})
    return run


def _record(tx: Transaction, action: str, run: Run, details: dict[str, object]) -> None:
    tx.record(
        action,
        **target(run),
        on_behalf_of=run.owner_id,
        outcome=run.status if run.finished_at else "ok",
        reason_code=run.reason,
        run_id=run.pk,
        details=details,
    )


# What was said is noted before its owner dreams, whoever asked for the dream.


def before_dream(lease: Lease) -> Sequence[UUID]:
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
