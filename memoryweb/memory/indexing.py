"""The rows that search finds: one a block of a file, one a message."""

import base64
import hashlib
import uuid
from collections.abc import Iterable, Sequence
from datetime import date

from memoryweb.conversations.models import Conversation, Message
from memoryweb.memory.source_classes import sources_of_lines, sources_of_messages, weakest
from memoryweb.recall import tokens
from memoryweb.recall.models import Passage
from memoryweb.workspace.blocks import Block, blocks
from memoryweb.workspace.models import File
from memoryweb.workspace.paths import FileKind, kind_of

# SPEC §7, file weight.
_WEIGHTS = {
    FileKind.NOTE: 0.7,
    FileKind.DREAMS: 0.4,
    FileKind.HISTORY: 0.4,
}
_TOP = {"MEMORY.md", "PROFILE.md"}
MESSAGE_WEIGHT = 0.7


def index_file(file: File) -> None:
    """Replace a file's passages by those of its current text."""
    Passage.objects.filter(file=file).delete()
    if file.deleted_at is None:
        Passage.objects.bulk_create(_of_file(file, blocks(file.content)))


def index_appended(file: File, first_line: int) -> None:
    """Add the passages of the lines from `first_line` on; they may continue the block before."""
    fresh = [block for block in blocks(file.content) if block.end >= first_line]
    if fresh and fresh[0].line < first_line:
        Passage.objects.filter(file=file, line=fresh[0].line).delete()
    Passage.objects.bulk_create(_of_file(file, fresh))


def index_messages(conversation: Conversation, messages: Sequence[Message]) -> None:
    Passage.objects.bulk_create(_of_messages(conversation, messages))


def scope_key(agent_id: uuid.UUID, owner_id: uuid.UUID | None) -> str:
    """A short key in front of every token: postings of other agents and owners are never walked."""
    digest = hashlib.sha256(f"{agent_id}/{owner_id or 'shared'}".encode()).digest()
    return base64.b32encode(digest[:5]).decode().lower()


def weight_of(path: str) -> float:
    return 1.0 if path in _TOP else _WEIGHTS.get(kind_of(path), 0.8)


def _of_file(file: File, found: Iterable[Block]) -> Iterable[Passage]:
    key = scope_key(file.agent_id, file.owner_id)
    day = file.note_date or file.updated_at.date()
    found = list(found)
    sources = sources_of_lines(file, since=found[0].line if found else 1)
    for block in found:
        trail = " › ".join(block.trail)[:500]
        words = tokens.tokens(block.text)
        yield Passage(
            team_id=file.team_id,
            agent_id=file.agent_id,
            owner_id=file.owner_id,
            kind=Passage.Kind.FILE,
            file=file,
            line=block.line,
            end_line=block.end,
            trail=trail,
            text=block.text,
            tokens=_keyed(key, words),
            length=len(words),
            weight=weight_of(file.path),
            source=weakest(
                sources[line] for line in range(block.line, block.end + 1) if line in sources
            ),
            date=day,
            tokenizer_version=tokens.VERSION,
        )


def _of_messages(conversation: Conversation, messages: Sequence[Message]) -> Iterable[Passage]:
    key = scope_key(conversation.agent_id, conversation.owner_id)
    sources = sources_of_messages(conversation, messages)
    for message in messages:
        words = tokens.tokens(f"{message.name} {message.content}")
        day: date = message.timestamp.date()
        yield Passage(
            team_id=conversation.team_id,
            agent_id=conversation.agent_id,
            owner_id=conversation.owner_id,
            kind=Passage.Kind.MESSAGE,
            message=message,
            conversation=conversation,
            line=message.position,
            end_line=message.position,
            trail=message.name,
            text=message.content,
            tokens=_keyed(key, words),
            length=len(words),
            weight=MESSAGE_WEIGHT,
            source=sources[message.position],
            date=day,
            tokenizer_version=tokens.VERSION,
        )


def _keyed(key: str, words: Iterable[str]) -> str:
    return " ".join(key + word for word in words)
