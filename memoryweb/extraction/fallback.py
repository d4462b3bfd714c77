"""What is left of a window that the model could not be asked about: a raw entry in HISTORY."""

from datetime import UTC
from typing import Any

from memoryweb.conversations.models import Conversation, Message
from memoryweb.conversations.window import Window, newest
from memoryweb.extraction.extractors import workspace_of
from memoryweb.extraction.models import Extraction
from memoryweb.llm.exceptions import BadAnswer, ModelError
from memoryweb.memory import write
from memoryweb.memory.transaction import Unit, unit
from memoryweb.memory.write import NewLine, Place, Writer
from memoryweb.provenance.origins import Origin, Source
from memoryweb.runs.engine import Lease
from memoryweb.workspace.models import AuthorKind

MESSAGES = 10
CHARACTERS = 200
MARK = "[raw-fallback]"


def fall_back(lease: Lease, conversation: Conversation, window: Window, error: ModelError) -> None:
    """Note the failure; keep the last messages in the month's HISTORY file, once a window.

    An answer that makes no sense changes no file at all (SPEC §4). The watermark stays.
    """
    run = lease.run
    with unit(run.team, run=run) as work:
        lease.fence()
        is_kept = Extraction.objects.filter(
            conversation=conversation,
            first=window.first,
            last=window.last,
            status=Extraction.Status.FAILED,
        ).exclude(written=[])
        written: list[dict[str, Any]] = []
        if not isinstance(error, BadAnswer) and not is_kept.exists():
            written = [_append(work, lease, conversation, window)]
        failed, _made = Extraction.objects.get_or_create(
            run=run,
            conversation=conversation,
            first=window.first,
            defaults={"team": run.team, "last": window.last, "status": Extraction.Status.FAILED},
        )
        failed.last, failed.status = window.last, Extraction.Status.FAILED
        failed.extractor, failed.reason = "model", str(error)
        failed.written = failed.written or written
        failed.tokens_in += error.tokens_in
        failed.tokens_out += error.tokens_out
        failed.save()


def _append(work: Unit, lease: Lease, conversation: Conversation, window: Window) -> dict[str, Any]:
    moment = newest(window.turns, work.now).astimezone(UTC)
    place = Place(conversation.agent, workspace_of(conversation), f"HISTORY-{moment:%Y-%m}.md")
    lines = [
        NewLine(""),
        NewLine(f"## {moment:%Y-%m-%dT%H:%M:%SZ}"),
        NewLine(f"[{moment:%Y-%m-%d %H:%M}] {MARK} The last messages as they were:"),
        *(_line(turn) for turn in window.turns[-MESSAGES:]),
    ]
    writer = Writer(AuthorKind.EXTRACTION, run=lease.run, conversation_id=conversation.pk)
    done = write.append(work, place, lines, writer=writer)
    return {
        "file": str(done.file.pk),
        "revision": done.file.revision,
        "first": done.first_line,
        "last": done.first_line + len(lines) - 1,
    }


def _line(turn: Message) -> NewLine:
    text = " ".join(turn.content.split())[:CHARACTERS]
    speaker = f"{turn.role} {turn.name}".strip()
    return NewLine(f"- {speaker}: {text}", Origin((Source(message_id=turn.pk),)))
