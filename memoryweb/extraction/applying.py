"""Writing what was found: note lines, rewrites and watermark, all in one transaction."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from memoryweb.conversations.models import Conversation, Message
from memoryweb.conversations.window import Window, newest, note_date
from memoryweb.extraction import requests, rewrites
from memoryweb.extraction.extractors import MEMORY, PROFILE, cut, read_context, workspace_of
from memoryweb.extraction.findings import Findings, Line
from memoryweb.extraction.models import Extraction
from memoryweb.language.statements import Lookup, clean
from memoryweb.markdown.paths import note_path
from memoryweb.memory import write
from memoryweb.memory.transaction import Transaction, write_transaction
from memoryweb.memory.write import NewLine, Place, Writer
from memoryweb.provenance import vouching
from memoryweb.runs.engine import Lease
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, File


class Applied(StrEnum):
    DONE = "done"
    MOVED_ON = "moved_on"  # a file to rewrite changed since the model saw it; nothing was written
    STOPPED = "stopped"  # paused, or sent off to be forgotten meanwhile; nothing was written


def apply(lease: Lease, extraction: Extraction, window: Window, *, is_last: bool) -> Applied:
    """`is_last`: the model won't be asked again; what moved on is then left to a person."""
    found = Findings.unpacked(extraction.answer)
    with write_transaction(lease.run.team, run=lease.run) as work:
        lease.store(Run.Phase.CHECKED)
        conversation = Conversation.objects.select_related("team", "agent", "owner__person").get(
            pk=extraction.conversation_id
        )
        if conversation.extracted_upto != extraction.first - 1:
            return Applied.DONE
        if reason := requests.stopped(conversation):
            conversation.waiting, conversation.skipped = False, reason.value
            conversation.save(update_fields=["waiting", "skipped"])
            extraction.delete()
            return Applied.STOPPED
        is_current = _is_current(conversation, found)
        if not is_current and not is_last:
            return Applied.MOVED_ON
        written = _write_lines(work, lease.run, conversation, window, found)
        written += _rewrite(work, lease.run, conversation, window, found, is_current=is_current)
        _close(conversation, extraction, window, written)
    return Applied.DONE


def _is_current(conversation: Conversation, found: Findings) -> bool:
    """Only files that would be rewritten count: a note is appended to, whatever it says by now."""
    wanted = {path for path, text in ((MEMORY, found.memory), (PROFILE, found.profile)) if text}
    if not wanted:
        return True
    owner = workspace_of(conversation)
    files_now = File.objects.of(conversation.agent_id, owner.pk if owner else None).present()
    now = dict(files_now.filter(path__in=wanted).values_list("path", "revision"))
    return all(found.seen.get(path, 0) == now.get(path, 0) for path in wanted)


def _write_lines(
    work: Transaction, run: Run, conversation: Conversation, window: Window, found: Findings
) -> list[dict[str, Any]]:
    path = note_path(note_date(window.turns, work.now))
    place = Place(conversation.agent, workspace_of(conversation), path)
    note = write.find(place)
    fresh = list(_fresh(found.lines, note.content if note else ""))
    if not fresh:
        return []
    turns = {turn.pk: turn for turn in window.turns}
    lines = [_note_line(line, turns, work.now) for line in fresh]
    writer = _writer(run, conversation, window)
    done = write.append(work, place, lines, writer=writer)
    if done.revision is None:  # somebody has this note in everyone's prompt
        return [{"path": path, "held": True}] if done.proposal else []
    return [_written(done, done.first_line, done.first_line + len(lines) - 1)]


def _writer(run: Run, conversation: Conversation, window: Window) -> Writer:
    """A model was given the day's note, too."""
    owner = workspace_of(conversation)
    notes = File.objects.of(conversation.agent_id, owner.pk if owner else None)
    given = notes.filter(path=note_path(note_date(window.turns, run.now)))
    said = vouching.is_said_by_members(conversation, window.turns)
    is_known = owner is not None or not vouching.outside_lines(given.values_list("pk", flat=True))
    return Writer(
        AuthorKind.EXTRACTION,
        run=run,
        conversation_id=conversation.pk,
        is_vouched=said and is_known,
    )


def _fresh(lines: Sequence[Line], note: str) -> Iterator[Line]:
    """Without what the note says already, in the same words or nearly."""
    known = Lookup(clean(line) for line in note.split("\n") if line.startswith("- "))
    for line in lines:
        if next(known.covering(line.text), None) is None:
            known.add(line.text)
            yield line


def _note_line(line: Line, turns: Mapping[int, Message], now: datetime) -> NewLine:
    said = newest([turns[pk] for pk in line.messages if pk in turns], now).astimezone(UTC)
    return NewLine(f"- {said:%H:%M} {line.text}", rewrites.origin_of(line))


def _rewrite(
    work: Transaction,
    run: Run,
    conversation: Conversation,
    window: Window,
    found: Findings,
    *,
    is_current: bool,
) -> list[dict[str, Any]]:
    written = []
    for path, text in ((PROFILE, found.profile), (MEMORY, found.memory)):
        if not text:
            continue
        done, is_held = rewrites.apply(
            work,
            _writer(run, conversation, window),
            run,
            Place(conversation.agent, workspace_of(conversation), path),
            text,
            inputs=_inputs(run, conversation, window, work.now),
            lines=found.lines,
            said=[turn.pk for turn in window.said_by_people],
            seen=found.seen.get(path, 0),
            is_current=is_current,
            has_secret=found.had_secret,
        )
        if done is not None:
            written.append(_written(done, 0, 0))
        elif is_held:
            written.append({"path": path, "held": True})
    return written


def _inputs(run: Run, conversation: Conversation, window: Window, now: datetime) -> list[str]:
    context = read_context(run, conversation, note_date(window.turns, now))
    return [*context.texts.values(), *(cut(turn.content) for turn in window.turns)]


def _written(done: write.Written, first: int, last: int) -> dict[str, Any]:
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
