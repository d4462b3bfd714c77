"""One extraction run: every waiting conversation of an (agent, owner), window by window.

A window's answer is stored before it is used, and its lines and watermark are written in one
transaction: wherever a worker dies, the next goes on there and nothing is asked twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memoryweb.extraction import extractors, findings, requests
from memoryweb.extraction.extractors import ExtractorAnswer, Part, memory_of
from memoryweb.extraction.findings import Findings, Line
from memoryweb.extraction.models import Extraction
from memoryweb.extraction.requests import Skip
from memoryweb.language.line_flags import UNREAD
from memoryweb.language.note_line import note_line
from memoryweb.llm.exceptions import BadAnswer, ModelError
from memoryweb.markdown.paths import note_path
from memoryweb.memory import forgetting
from memoryweb.memory.conversations import Window, newest, next_window, note_date
from memoryweb.memory.lines import flags, source_classes
from memoryweb.memory.lines.files import noted
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Conversation, Message, Proposal
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.visible.hidden import asked_since
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.models import Run


def extract(lease: Lease) -> None:
    """The handler of runs of kind `extraction`."""
    trouble: ModelError | None = None
    skipped: list[dict[str, str]] = []
    waiting = _waiting(lease.run)
    others = list(waiting)  # with which one may share a call
    for conversation in waiting:
        try:
            if reason := _extract_conversation(lease, conversation, others):
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


def _extract_conversation(
    lease: Lease, conversation: Conversation, others: list[Conversation]
) -> Skip | None:
    """All that had arrived when its turn came; what comes meanwhile waits for the next run."""
    until = conversation.message_count
    stored = _stored(lease.run, conversation)
    if not _is_answered(stored) and (reason := _skip(lease, conversation)):
        return reason
    while conversation.extracted_upto < until:
        if not _extract_window(lease, conversation, others):
            conversation.refresh_from_db(fields=["skipped"])
            return Skip(conversation.skipped)
        conversation.refresh_from_db(fields=["extracted_upto", "message_count"])
    return None


def _skip(lease: Lease, conversation: Conversation) -> Skip | None:
    with write_transaction(lease.run.team, run=lease.run):
        lease.fence()
        conversation.refresh_from_db(fields=["extracted_upto", "message_count", "ephemeral"])
        return requests.mark(conversation)


def _extract_window(lease: Lease, conversation: Conversation, others: list[Conversation]) -> bool:
    """False: nothing more may be kept of the conversation."""
    asks = extractors.uses_model(lease.run.agent)
    lease.make_room(settings.EXTRACTION_TIMEOUT_SECONDS if asks else 0)
    stored = _stored(lease.run, conversation)
    window = _window(conversation, stored)
    if window is None:
        return True
    if stored is None or not _is_answered(stored):
        stored = _ask(lease, conversation, window, others)
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


def _ask(
    lease: Lease, conversation: Conversation, window: Window, others: list[Conversation]
) -> Extraction | None:
    """The answer as a row, whatever happens next. A failure leaves its trace and raises, but for
    the last one of a window, which is then set aside."""
    lease.store(Run.Phase.INPUTS)
    parts = [(conversation, window)]
    if not window.turns or not extractors.uses_model(lease.run.agent):
        return _store(lease, parts, [extractors.by_rules(conversation, window)])
    parts += _sharing(lease, conversation, window, others)
    try:
        answers = extractors.by_model(parts, timezone.now())
    except ModelError as error:
        lease.store(lease.run.phase, **lease.spent(error))
        if len(parts) > 1 and error.of_content:
            others.clear()  # whichever is at fault: from here on each is asked by itself
            lease.make_room(settings.EXTRACTION_TIMEOUT_SECONDS)
            return _ask(lease, conversation, window, others)
        if fall_back(lease, conversation, window, error):
            return None
        raise
    return _store(lease, parts, answers)


def _sharing(
    lease: Lease, conversation: Conversation, window: Window, others: Sequence[Conversation]
) -> Iterator[Part]:
    """What fits whole into the same call: other conversations of the same day. One whose text has
    failed before is asked by itself."""
    now = timezone.now()
    room = settings.EXTRACTION_WINDOW_MESSAGES - len(window.turns)
    if _is_cut(conversation, window) or _has_failed(conversation, window):
        return
    day = note_date(window.turns, now)
    for other in others:
        its = _window(other, None) if other.pk != conversation.pk else None
        if not its or not its.turns or len(its.turns) > room or note_date(its.turns, now) != day:
            continue
        if _is_cut(other, its) or _has_failed(other, its):
            continue
        if not _is_answered(_stored(lease.run, other)) and _skip(lease, other) is None:
            room -= len(its.turns)
            yield other, its


def _is_cut(conversation: Conversation, window: Window) -> bool:
    return window.last < conversation.message_count


def _has_failed(conversation: Conversation, window: Window) -> bool:
    tried = Extraction.objects.filter(conversation=conversation, first=window.first)
    return tried.exclude(retry_at=None).exists()


def _store(lease: Lease, parts: Sequence[Part], answers: Sequence[ExtractorAnswer]) -> Extraction:
    """A row for each of a call, all at once; the first one's is returned, and the others are found
    when their turn comes."""
    run, first = lease.run, answers[0]
    with transaction.atomic():
        lease.advance(
            Run.Phase.ANSWER,
            consolidator=first.extractor,
            model=first.model,
            **lease.spent(first),
        )
        rows = [_row(run, *one) for one in zip(parts, answers, strict=True)]
    return rows[0]


def _row(run: Run, part: Part, answered: ExtractorAnswer) -> Extraction:
    conversation, window = part
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
            "created_at": timezone.now(),  # an answer that was given before is told apart by it
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


# What is left of a window that no model would answer for: a raw entry in HISTORY.
# While the endpoint is away the window waits with its run. Where its own text is at fault it is
# left alone for longer each time, so that it holds up nothing else, and in the end set aside for a
# person to look at.

MESSAGES = 10
CHARACTERS = 200
MARK = "[raw-fallback]"
TRIES = 5
FIRST_PAUSE = timedelta(seconds=30)  # 8 minutes, 2 hours, a day: a bad day of the model passes


def fall_back(lease: Lease, conversation: Conversation, window: Window, error: ModelError) -> bool:
    """Note the failure; whether the window was set aside and the next one may be read.

    Until then an answer that makes no sense changes no file at all (SPEC §4), and where the model
    is away the last messages are kept in the month's HISTORY file, once a window.
    """
    run = lease.run
    with write_transaction(run.team, run=run) as tx:
        lease.fence()
        conversation = Conversation.objects.select_related("agent", "owner").get(pk=conversation.pk)
        if requests.stopped(conversation):
            return False
        failed, _made = Extraction.objects.get_or_create(
            run=run,
            conversation=conversation,
            first=window.first,
            defaults={"team": run.team, "last": window.last, "status": Extraction.Status.FAILED},
        )
        failed.last, failed.extractor, failed.reason = window.last, "model", str(error)
        failed.tokens_in += error.tokens_in
        failed.tokens_out += error.tokens_out
        earlier = Extraction.objects.filter(conversation=conversation, first=window.first)
        failed.status = _status(failed, earlier, error, tx)
        is_aside = failed.status == Extraction.Status.ASIDE
        is_kept = earlier.exclude(written=[]).exists()
        if is_aside or not (isinstance(error, BadAnswer) or is_kept):
            failed.written = [_append(tx, lease, conversation, window, is_aside, is_kept)]
        failed.save()
        if is_aside:
            move_on(conversation, window)
    return is_aside


def _status(
    failed: Extraction, earlier: "QuerySet[Extraction]", error: ModelError, tx: Transaction
) -> Extraction.Status:
    """Each try of a window is another run's: a failure for its content ends the run."""
    if not error.of_content:
        return Extraction.Status.FAILED
    tries = earlier.exclude(retry_at=None).exclude(pk=failed.pk).count() + 1
    if tries >= TRIES:
        return Extraction.Status.ASIDE
    failed.retry_at = tx.now + min(FIRST_PAUSE * 16 ** (tries - 1), requests.LONGEST_PAUSE)
    return Extraction.Status.FAILED


def _append(
    tx: Transaction,
    lease: Lease,
    conversation: Conversation,
    window: Window,
    is_aside: bool,
    is_kept: bool,
) -> dict[str, Any]:
    moment = newest(window.turns, tx.now).astimezone(UTC)
    place = Place(conversation.agent, memory_of(conversation).owner, f"HISTORY-{moment:%Y-%m}.md")
    why = "The model could not read these messages." if is_aside else "As they were:"
    title = NewLine(
        f"[{moment:%Y-%m-%d %H:%M}] {MARK} {why}", Origin((Source(message_id=window.turns[0].pk),))
    )
    kept = () if is_kept else window.turns[-MESSAGES:]
    said = (_line(turn, window.texts[turn.pk]) for turn in kept)
    lines = [NewLine(""), NewLine(f"## {moment:%Y-%m-%dT%H:%M:%SZ}"), title, *said]
    writer = Writer(AuthorKind.EXTRACTION, run=lease.run, conversation_id=conversation.pk)
    done = write.append(tx, place, lines, writer=writer)
    if is_aside:
        flags.flag(done.file, done.first_line + lines.index(title), UNREAD)
    return {
        "file": str(done.file.pk),
        "revision": done.file.revision,
        "first": done.first_line,
        "last": done.first_line + len(lines) - 1,
    }


def _line(turn: Message, said: str) -> NewLine:
    text = " ".join(said.split())[:CHARACTERS]
    speaker = f"{turn.role} {turn.name}".strip()
    return NewLine(f"- {speaker}: {text}", Origin((Source(message_id=turn.pk),)))


# Writing what was found: note lines and watermark in one transaction.


def apply(lease: Lease, extraction: Extraction, window: Window) -> bool:
    """False: paused, or sent off to be forgotten meanwhile; nothing was written."""
    found = Findings.unpacked(extraction.answer)
    with write_transaction(lease.run.team, run=lease.run) as tx:
        lease.store(Run.Phase.CHECKED)
        conversation = Conversation.objects.select_related("team", "agent", "owner__person").get(
            pk=extraction.conversation_id
        )
        if conversation.extracted_upto != extraction.first - 1:
            return True
        if reason := requests.stopped(conversation):
            conversation.waiting, conversation.skipped = False, reason.value
            conversation.save(update_fields=["waiting", "skipped"])
            extraction.delete()
            return False
        if asked_since(window.turns, extraction.created_at) or not _is_asked(extraction, window):
            extraction.delete()  # it may say what is not to be noted: the window is read again
            return True
        written = write_lines(tx, lease.run, conversation, window, found)
        _offer(tx, conversation, window, found)
        _close(conversation, extraction, window, written)
    return True


def _is_asked(extraction: Extraction, window: Window) -> bool:
    """Nothing of the window was left out since the answer was asked for."""
    left_out = dict(
        Message.objects.filter(pk__in=[turn.pk for turn in window.turns]).values_list(
            "pk", "unnoted"
        )
    )
    is_same = all(left_out.get(turn.pk) == turn.unnoted for turn in window.turns)
    return is_same and Extraction.objects.filter(pk=extraction.pk).exists()


def write_lines(
    tx: Transaction, run: Run, conversation: Conversation, window: Window, found: Findings
) -> list[dict[str, Any]]:
    place = extractors.note_place(conversation, window, tx.now)
    note = write.find(place)
    fresh = list(findings.fresh(found.lines, noted(note)))
    if not fresh:
        return []
    turns = {turn.pk: turn for turn in window.turns}
    lines = [_note_line(line, turns, tx.now) for line in fresh]
    writer = _writer(run, conversation, window)
    done = write.append(tx, place, lines, writer=writer)
    if done.revision is None:  # somebody has this note in everyone's prompt
        return [{"path": place.path, "held": True}] if done.proposal else []
    return [_written(done, done.first_line, done.first_line + len(lines) - 1)]


def _offer(tx: Transaction, conversation: Conversation, window: Window, found: Findings) -> None:
    """What shall be forgotten a person decides about; what is wrong or off is said by lines."""
    turns = {turn.pk: turn for turn in window.turns}
    for one in found.requests:
        for key in one.messages[:1]:
            if key in turns:
                turns[key].conversation = conversation
                forgetting.offer(tx, turns[key], one.about)


def _writer(run: Run, conversation: Conversation, window: Window) -> Writer:
    """A model was given the day's note, too."""
    memory = memory_of(conversation)
    given = memory.files.filter(path=note_path(note_date(window.turns, run.now)))
    said = source_classes.is_said_by_members(conversation, window.turns)
    is_known = memory.owner is not None or not source_classes.outside_lines(
        given.values_list("pk", flat=True)
    )
    return Writer(
        AuthorKind.EXTRACTION,
        run=run,
        conversation_id=conversation.pk,
        is_vouched=said and is_known,
    )


def _note_line(line: Line, turns: Mapping[int, Message], now: datetime) -> NewLine:
    said = newest([turns[pk] for pk in line.messages if pk in turns], now).astimezone(UTC)
    sources = tuple(Source(message_id=pk) for pk in line.messages)
    origin = Origin(sources, durable=line.durable, asked=line.asked, category=line.category)
    return NewLine(note_line(said, line.text), origin)


def _written(done: write.WriteResult, first: int, last: int) -> dict[str, Any]:
    """Lines of a file; 0 to 0: all of it."""
    return {
        "file": str(done.file.pk),
        "path": done.file.path,
        "revision": done.file.revision,
        "first": first,
        "last": last,
    }


def _close(
    conversation: Conversation,
    extraction: Extraction,
    window: Window,
    written: list[dict[str, Any]],
) -> None:
    kept, nothing = Extraction.Status.APPLIED, Extraction.Status.NOTHING
    extraction.status = kept if written else nothing
    extraction.written = written
    extraction.save(update_fields=["status", "written"])
    move_on(conversation, window)


def move_on(conversation: Conversation, window: Window) -> None:
    """Past this window, whatever became of it."""
    conversation.extracted_upto = window.last
    conversation.waiting = window.last < conversation.message_count
    conversation.skipped = ""
    conversation.save(update_fields=["extracted_upto", "waiting", "skipped"])
