"""Who said a line, when, and how far they are trusted: read from the origins of the line."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from memoryweb.agents.models import Owner
from memoryweb.conversations.models import Message
from memoryweb.dreaming.operations import NOBODY, Spoken, is_later
from memoryweb.provenance.models import LineOrigin
from memoryweb.provenance.source_classes import BY_TRUST, source_of_message
from memoryweb.workspace.author_kinds import AuthorKind, SourceClass

_WORDS = frozenset({SourceClass.OWNER, SourceClass.PERSON})


def spoken(
    rows: Iterable[LineOrigin], owner: Owner | None, note: tuple[date, int] | None = None
) -> Spoken:
    """Of one line of the memory of `owner`: the latest of what it stands on, as trusted as the
    weakest. `note`: date and line, where it is one of a daily note."""
    found = [_of_origin(row, owner, note) for row in rows]
    if not found:
        return Spoken(_of_note(*note) if note else None)
    last = max(found, key=lambda one: one.said_at or datetime.min.replace(tzinfo=UTC))
    weight = min(one.weight for one in found)
    is_word = all(one.is_word for one in found)
    return Spoken(last.said_at, last.speaker, weight, is_word)


def confirmed(said: Spoken, at: datetime | None) -> Spoken:
    """Who confirms a statement says it again."""
    return replace(said, said_at=at) if is_later(at, said.said_at) else said


def _of_origin(row: LineOrigin, owner: Owner | None, note: tuple[date, int] | None) -> Spoken:
    if row.author_kind == AuthorKind.PERSON or row.message is None:
        return _written(row, owner, note)
    message = row.message
    source = source_of_message(message.conversation, message)
    speaker = _speaker(message, source, owner)
    return Spoken(_when(message, row, note), speaker, _weight(source), source in _WORDS)


def _written(row: LineOrigin, owner: Owner | None, note: tuple[date, int] | None) -> Spoken:
    """What a person or a program wrote down by itself."""
    root, is_person = row.root, row.author_kind == AuthorKind.PERSON
    source = SourceClass(root.source) if root else AuthorKind(row.author_kind).source
    if owner is not None and source is SourceClass.OWNER:
        speaker = ""
    elif row.user_id:
        speaker = f"user {row.user_id}"
    else:
        speaker = NOBODY
    is_known = is_person or row.author_kind == AuthorKind.AGENT
    at = root.created_at if root and is_known and not _place(row, note) else None
    return Spoken(at or _place(row, note), speaker, _weight(source), source in _WORDS)


def _speaker(message: Message, source: SourceClass, owner: Owner | None) -> str:
    """A name tells people in one conversation apart; in shared memory the person does."""
    if source not in _WORDS:
        return message.name if source is SourceClass.THIRD_PARTY and message.name else NOBODY
    if owner is not None:
        return ""
    said_by = message.conversation.owner
    return f"user {said_by.person_id}" if said_by.person_id else f"owner {said_by.pk}"


def _when(message: Message, row: LineOrigin, note: tuple[date, int] | None) -> datetime | None:
    """A message's own time, if it has one; lines of one message were said in their order."""
    line = note[1] if note else row.source_line or 0
    return message.said_at and message.said_at + timedelta(microseconds=line)


def _place(row: LineOrigin, note: tuple[date, int] | None) -> datetime | None:
    if note is not None:
        return _of_note(*note)
    source = row.source_file
    return _of_note(source.note_date, row.source_line or 0) if source and source.note_date else None


def _of_note(on: date, line: int) -> datetime:
    return datetime.combine(on, time(), UTC) + timedelta(microseconds=line)


def _weight(source: SourceClass) -> int:
    return BY_TRUST.index(source)
