"""What is left of a window that no model would answer for: a raw entry in HISTORY.

While the endpoint is away the window waits with its run. Where its own text is at fault it is
left alone for longer each time, so that it holds up nothing else, and in the end set aside for
a person to look at.
"""

from datetime import UTC, timedelta
from typing import Any

from django.db.models import QuerySet

from memoryweb.extraction import requests
from memoryweb.extraction.applying import move_on
from memoryweb.extraction.extractors import workspace_of
from memoryweb.extraction.models import Extraction
from memoryweb.language.line_flags import UNREAD
from memoryweb.llm.exceptions import BadAnswer, ModelError
from memoryweb.memory.conversations import Window, newest
from memoryweb.memory.lines import flags
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine, Place, Writer
from memoryweb.runs.engine import Lease

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
    place = Place(conversation.agent, workspace_of(conversation), f"HISTORY-{moment:%Y-%m}.md")
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
