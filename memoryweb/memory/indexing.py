"""The rows that search finds: one a block of a file, one a message."""

import base64
import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from memoryweb.conversations.models import Conversation, Message
from memoryweb.memory.source_classes import sources_of_lines, sources_of_messages, weakest
from memoryweb.recall import ranking, tokens
from memoryweb.recall.models import Passage
from memoryweb.recall.terms import dates_in, names_of
from memoryweb.workspace.blocks import blocks
from memoryweb.workspace.models import File, SourceClass
from memoryweb.workspace.paths import FileKind, kind_of

# SPEC §7, file weight.
_WEIGHTS = {
    FileKind.NOTE: 0.7,
    FileKind.DREAMS: 0.4,
    FileKind.HISTORY: 0.4,
}
_TOP = {"MEMORY.md", "PROFILE.md"}
MESSAGE_WEIGHT = 0.7
TEXT, HEADINGS = "t", "h"
# PostgreSQL refuses a tsvector of over 1 MiB: of an endless block the first words are found.
_MOST_BYTES = 900_000
_PER_TOKEN = 8


def index_file(file: File) -> None:
    """Replace a file's passages by those of its current text."""
    Passage.objects.filter(file=file).delete()
    Passage.objects.bulk_create(of_file(file))


def index_appended(file: File, first_line: int) -> None:
    """Add the passages of the lines from `first_line` on; they may continue the block before.

    Blocks of a daily note keep its date; those of another file take the day of its last change.
    """
    if file.note_date is None:
        index_file(file)
        return
    fresh = list(of_file(file, first_line))
    if fresh and fresh[0].line < first_line:
        Passage.objects.filter(file=file, line=fresh[0].line).delete()
    Passage.objects.bulk_create(fresh)


def index_messages(conversation: Conversation, messages: Sequence[Message]) -> None:
    Passage.objects.bulk_create(of_messages(conversation, messages))


def of_file(
    file: File, first_line: int = 1, sources: Mapping[int, SourceClass] | None = None
) -> Iterator[Passage]:
    """The passages of a file's text that end on that line or later; none of a deleted file."""
    if file.deleted_at is not None:
        return
    found = [
        (n, block) for n, block in enumerate(blocks(file.content), 1) if block.end >= first_line
    ]
    day = file.note_date or file.updated_at.date()
    weight = weight_of(file.path)
    if sources is None:
        sources = sources_of_lines(file, since=found[0][1].line if found else 1)
    for number, block in found:
        words = tokens.tokens(block.text)
        above = [*tokens.tokens(" ".join(block.trail)), *_dates(day, block.text)]
        yield Passage(
            team_id=file.team_id,
            agent_id=file.agent_id,
            owner_id=file.owner_id,
            kind=Passage.Kind.FILE,
            file=file,
            line=block.line,
            end_line=block.end,
            trail=" › ".join(block.trail)[:500],
            text=block.text,
            **_findable(file.agent_id, file.owner_id, words, above),
            whole=whole_key(file.pk),
            place=ranking.packed(number, len(words), weight, is_turn=False),
            length=len(words),
            weight=weight,
            source=weakest(
                sources[line] for line in range(block.line, block.end + 1) if line in sources
            ),
            date=day,
            tokenizer_version=tokens.VERSION,
        )


def of_messages(conversation: Conversation, messages: Sequence[Message]) -> Iterator[Passage]:
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
            **_findable(
                conversation.agent_id, conversation.owner_id, words, _dates(day, message.content)
            ),
            whole=whole_key(conversation.pk),
            place=ranking.packed(message.position, len(words), MESSAGE_WEIGHT, is_turn=True),
            length=len(words),
            weight=MESSAGE_WEIGHT,
            source=sources[message.position],
            date=day,
            tokenizer_version=tokens.VERSION,
        )


def scope_key(agent_id: uuid.UUID, owner_id: uuid.UUID | None) -> str:
    """A key in front of every token: postings of other agents and owners are never walked.

    60 bits: among a million reaches two share one with a chance of one in two million.
    """
    digest = hashlib.sha256(f"{agent_id}/{owner_id or 'shared'}".encode()).digest()
    return base64.b32encode(digest[:8]).decode().lower()[:12]


def whole_key(identity: uuid.UUID) -> int:
    """Of a file or conversation, as a number that fits a column."""
    return identity.int >> 68


def weight_of(path: str) -> float:
    return 1.0 if path in _TOP else _WEIGHTS.get(kind_of(path), 0.8)


def _dates(day: date, text: str) -> list[str]:
    """Of the passage itself, and those that its text writes out."""
    return list(dict.fromkeys([*names_of(day), *dates_in(text)]))


def _findable(
    agent_id: uuid.UUID, owner_id: uuid.UUID | None, words: list[str], above: list[str]
) -> dict[str, str]:
    reach = scope_key(agent_id, owner_id)
    keyed = [*_fitting(f"{HEADINGS}{reach}", above), *_fitting(f"{TEXT}{reach}", words)]
    return {"reach": reach, "tokens": " ".join(keyed)}


def _fitting(key: str, words: list[str]) -> list[str]:
    sizes = {word: len(key) + len(word.encode()) + _PER_TOKEN for word in words}
    if sum(sizes.values()) <= _MOST_BYTES:
        return [key + word for word in words]
    kept: list[str] = []
    room, seen = _MOST_BYTES, set[str]()
    for word in words:
        room -= 0 if word in seen else sizes[word]
        if room < 0:
            break
        seen.add(word)
        kept.append(key + word)
    return kept
