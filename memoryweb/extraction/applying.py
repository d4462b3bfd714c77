"""Writing what was found: note lines and watermark in one transaction."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memoryweb.extraction import requests
from memoryweb.extraction.extractors import workspace_of
from memoryweb.extraction.findings import Findings, Line
from memoryweb.extraction.models import Extraction
from memoryweb.language.note_line import note_line
from memoryweb.language.statement_comparison import Lookup
from memoryweb.markdown.paths import note_path
from memoryweb.memory import forgetting
from memoryweb.memory.conversations import Window, newest, note_date
from memoryweb.memory.lines import source_classes
from memoryweb.memory.lines.files import noted
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import Conversation, File, Message
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.visible.hidden import asked_since
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine, Place, Writer
from memoryweb.runs.engine import Lease
from memoryweb.runs.models import Run


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
        if asked_since(window.turns, extraction.created_at):
            extraction.delete()  # it may say what is to be forgotten: the window is read again
            return True
        written = _write_lines(tx, lease.run, conversation, window, found)
        _offer(tx, conversation, window, found)
        _close(conversation, extraction, window, written)
    return True


def _write_lines(
    tx: Transaction, run: Run, conversation: Conversation, window: Window, found: Findings
) -> list[dict[str, Any]]:
    path = note_path(note_date(window.turns, tx.now))
    place = Place(conversation.agent, workspace_of(conversation), path)
    note = write.find(place)
    fresh = list(_fresh(found.lines, noted(note)))
    if not fresh:
        return []
    turns = {turn.pk: turn for turn in window.turns}
    lines = [_note_line(line, turns, tx.now) for line in fresh]
    writer = _writer(run, conversation, window)
    done = write.append(tx, place, lines, writer=writer)
    if done.revision is None:  # somebody has this note in everyone's prompt
        return [{"path": path, "held": True}] if done.proposal else []
    return [_written(done, done.first_line, done.first_line + len(lines) - 1)]


def _offer(tx: Transaction, conversation: Conversation, window: Window, found: Findings) -> None:
    """What is wrong or off is said by lines; what shall be forgotten a person decides about."""
    turns = {turn.pk: turn for turn in window.turns}
    for one in found.requests:
        for key in one.messages[:1] if one.kind == "forget" else ():
            if key in turns:
                turns[key].conversation = conversation
                forgetting.offer(tx, turns[key], one.about)


def _writer(run: Run, conversation: Conversation, window: Window) -> Writer:
    """A model was given the day's note, too."""
    owner = workspace_of(conversation)
    notes = File.objects.of(conversation.agent_id, owner.pk if owner else None)
    given = notes.filter(path=note_path(note_date(window.turns, run.now)))
    said = source_classes.is_said_by_members(conversation, window.turns)
    is_known = owner is not None or not source_classes.outside_lines(
        given.values_list("pk", flat=True)
    )
    return Writer(
        AuthorKind.EXTRACTION,
        run=run,
        conversation_id=conversation.pk,
        is_vouched=said and is_known,
    )


def _fresh(lines: Sequence[Line], known: Lookup) -> Iterator[Line]:
    """Without what the note says already, in the same words or nearly."""
    for line in lines:
        if next(known.covering(line.text), None) is None:
            known.add(line.text)
            yield line


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
