"""One extraction run: every waiting conversation of an (agent, owner), window by window.

A window's answer is stored before it is used, and its lines and watermark are written in one
transaction: wherever a worker dies, the next goes on there and nothing is asked twice.
"""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memoryweb.extraction import extractors, requests
from memoryweb.extraction.applying import apply
from memoryweb.extraction.extractors import ExtractorAnswer
from memoryweb.extraction.fallback import fall_back
from memoryweb.extraction.models import Extraction
from memoryweb.extraction.requests import Skip
from memoryweb.llm.exceptions import ModelError
from memoryweb.memory.conversations import Window, next_window
from memoryweb.memory.models import Conversation, Proposal
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.runs import engine
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.models import Run


def extract(lease: Lease) -> None:
    """The handler of runs of kind `extraction`."""
    trouble: ModelError | None = None
    skipped: list[dict[str, str]] = []
    for conversation in _waiting(lease.run):
        try:
            if reason := _extract_conversation(lease, conversation):
                skipped.append({"conversation": str(conversation.pk), "reason": reason.value})
        except ModelError as error:
            if not error.of_content:
                raise
            trouble = trouble or error  # the endpoint is well: the others get their turn
    _finish(lease, skipped, trouble)


def _waiting(run: Run) -> list[Conversation]:
    found = requests.waiting(timezone.now()).filter(agent=run.agent, owner=run.owner)
    found = found.filter(paused_until=None).select_related("team", "agent", "owner__person")
    return list(found.order_by("started_at", "created_at"))


def _extract_conversation(lease: Lease, conversation: Conversation) -> Skip | None:
    """All that had arrived when its turn came; what comes meanwhile waits for the next run."""
    until = conversation.message_count
    stored = _stored(lease.run, conversation)
    if not _is_answered(stored) and (reason := _skip(lease, conversation)):
        return reason
    while conversation.extracted_upto < until:
        if not _extract_window(lease, conversation):
            conversation.refresh_from_db(fields=["skipped"])
            return Skip(conversation.skipped)
        conversation.refresh_from_db(fields=["extracted_upto", "message_count"])
    return None


def _skip(lease: Lease, conversation: Conversation) -> Skip | None:
    with write_transaction(lease.run.team, run=lease.run):
        lease.fence()
        conversation.refresh_from_db(fields=["extracted_upto", "message_count", "ephemeral"])
        return requests.mark(conversation)


def _extract_window(lease: Lease, conversation: Conversation) -> bool:
    """False: nothing more may be kept of the conversation."""
    asks = extractors.uses_model(lease.run.agent)
    lease.make_room(settings.EXTRACTION_TIMEOUT_SECONDS if asks else 0)
    stored = _stored(lease.run, conversation)
    window = _window(conversation, stored)
    if window is None:
        return True
    if stored is None or not _is_answered(stored):
        stored = _ask(lease, conversation, window)
    return stored is None or apply(lease, stored, window)


def _stored(run: Run, conversation: Conversation) -> Extraction | None:
    return Extraction.objects.filter(
        run=run, conversation=conversation, first=conversation.extracted_upto + 1
    ).first()


def _is_answered(stored: Extraction | None) -> bool:
    return stored is not None and stored.status == Extraction.Status.ANSWERED


def _window(conversation: Conversation, stored: Extraction | None) -> Window | None:
    return next_window(
        conversation,
        size=settings.EXTRACTION_WINDOW_MESSAGES,
        last=stored.last if stored is not None and _is_answered(stored) else None,
    )


def _ask(lease: Lease, conversation: Conversation, window: Window) -> Extraction | None:
    """The answer as a row, whatever happens next. A failure leaves its trace and raises, but for
    the last one of a window, which is then set aside."""
    run = lease.run
    lease.store(Run.Phase.INPUTS)
    if not window.turns or not extractors.uses_model(run.agent):
        answered = extractors.by_rules(conversation, window)
    else:
        try:
            answered = extractors.by_model(conversation, window, timezone.now())
        except ModelError as error:
            is_aside = fall_back(lease, conversation, window, error)
            _count(lease, error)
            if is_aside:
                return None
            raise
    return _store(lease, conversation, window, answered)


def _count(lease: Lease, cost: ModelError | ExtractorAnswer) -> None:
    run = lease.run
    lease.store(
        run.phase,
        tokens_in=run.tokens_in + cost.tokens_in,
        tokens_out=run.tokens_out + cost.tokens_out,
        cost_micros=run.cost_micros + cost.cost_micros,
    )


def _store(
    lease: Lease, conversation: Conversation, window: Window, answered: ExtractorAnswer
) -> Extraction:
    run = lease.run
    with transaction.atomic():
        lease.advance(
            Run.Phase.ANSWER,
            consolidator=answered.extractor,
            model=answered.model,
            tokens_in=run.tokens_in + answered.tokens_in,
            tokens_out=run.tokens_out + answered.tokens_out,
            cost_micros=run.cost_micros + answered.cost_micros,
        )
        row, _made = Extraction.objects.update_or_create(
            run=run,
            conversation=conversation,
            first=window.first,
            defaults={
                "team": run.team,
                "last": window.last,
                "status": Extraction.Status.ANSWERED,
                "extractor": answered.extractor,
                "model": answered.model,
                "answer": answered.findings.packed(),
                "reason": answered.findings.reason,
                "tokens_in": answered.tokens_in,
                "tokens_out": answered.tokens_out,
            },
        )
    return row


def _finish(lease: Lease, skipped: list[dict[str, str]], trouble: ModelError | None) -> None:
    """The outcome, and a next run for what came meanwhile or has to be asked again, in one
    transaction: a batch either sees this run still active and is found here, or asks for its own.
    """
    run = lease.run
    with write_transaction(run.team, run=run) as tx:
        lease.fence()
        lease.finish(_outcome(run, skipped, trouble), record=tx.record)
        engine.followed(tx, run)
        found = requests.waiting(tx.now).filter(agent=run.agent, owner=run.owner)
        if run.owner is not None and found.exists():
            requests.request(
                tx,
                agent=run.agent,
                owner=run.owner,
                trigger=Run.Trigger.CONVERSATION,
                finished=True,
            )


def _outcome(run: Run, skipped: list[dict[str, str]], trouble: ModelError | None) -> Outcome:
    ended = (Extraction.Status.APPLIED, Extraction.Status.NOTHING)
    done = Extraction.objects.filter(run=run, status__in=ended)
    windows = done.count()
    written = [place for places in done.values_list("written", flat=True) for place in places]
    lines = sum(place["last"] - place["first"] + 1 for place in written if place.get("first"))
    result: dict[str, Any] = {"windows": windows, "lines": lines, "skipped": skipped}
    if trouble is not None:
        return Outcome(Run.Status.FAILED, trouble.code, str(trouble), result=result)
    if Extraction.objects.filter(run=run, status=Extraction.Status.ASIDE).exists():
        return Outcome(Run.Status.NEEDS_REVIEW, "set_aside", result=result)
    if Proposal.objects.filter(run=run, state=Proposal.State.PENDING).exists():
        return Outcome(Run.Status.NEEDS_REVIEW, "proposal", result=result)
    if done.filter(status=Extraction.Status.APPLIED).exists():
        return Outcome(Run.Status.SUCCEEDED, result=result)
    if windows:
        return Outcome(Run.Status.NO_CHANGE, "nothing_to_keep", result=result)
    reason = skipped[-1]["reason"] if skipped else Skip.NOTHING_NEW.value
    return Outcome(Run.Status.SKIPPED, reason, result=result)
