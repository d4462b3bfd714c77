"""Who said a line, when, and how far they are trusted: read from the origins of the line."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from memoryweb.agents.models import Owner
from memoryweb.dreaming.operations import NOBODY, Utterance, is_later
from memoryweb.memory.lines.source_classes import BY_TRUST, account_of, name_of, source_of_message
from memoryweb.memory.models import LineOrigin, Message
from memoryweb.memory.models.author_kinds import AuthorKind, SourceClass

_WORDS = frozenset({SourceClass.OWNER, SourceClass.PERSON})
_HANDS = frozenset({AuthorKind.PERSON, AuthorKind.AGENT})  # they write when it is said


def spoken(
    rows: Iterable[LineOrigin], owner: Owner | None, note: tuple[date, int] | None = None
) -> Utterance:
    """Of one line of the memory of `owner`: the latest of what it stands on, as trusted as the
    weakest. `note`: date and line, where it is one of a daily note."""
    found = [_of_origin(row, owner, note) for row in rows]
    if not found:
        return Utterance(_of_note(*note) if note else None)
    last = max(found, key=lambda one: one.said_at or datetime.min.replace(tzinfo=UTC))
    weight = min(one.weight for one in found)
    is_word = all(one.is_word for one in found)
    return replace(last, weight=weight, is_word=is_word)


def confirmed(said: Utterance, at: datetime | None) -> Utterance:
    """Who confirms a statement says it again."""
    return replace(said, said_at=at) if is_later(at, said.said_at) else said


def _of_origin(row: LineOrigin, owner: Owner | None, note: tuple[date, int] | None) -> Utterance:
    if row.author_kind == AuthorKind.PERSON or row.message is None:
        return _written(row, owner, note)
    message = row.message
    source = source_of_message(message.conversation, message)
    speaker = _speaker(message, row, source, owner)
    return Utterance(
        _when(message, row, note), speaker, _weight(source), source in _WORDS, name_of(row)
    )


def _written(row: LineOrigin, owner: Owner | None, note: tuple[date, int] | None) -> Utterance:
    """What a person or a program wrote down by itself."""
    root, place = row.root, _place(row, note)
    kind = AuthorKind(root.author_kind if root else row.author_kind)
    source = SourceClass(root.source) if root else kind.source
    if owner is not None and source is SourceClass.OWNER:
        speaker = ""
    elif source in _WORDS or (owner is None and kind in _HANDS):
        speaker = _account(row)
    else:
        speaker = NOBODY  # in one's own memory an agent, by whosever token
    at, line = place, note[1] if note else row.source_line or 0
    if root and kind in _HANDS and (place is None or place.date() == root.created_at.date()):
        at = root.created_at + timedelta(microseconds=line)
    return Utterance(at, speaker, _weight(source), source in _WORDS, name_of(row))


def _speaker(message: Message, row: LineOrigin, source: SourceClass, owner: Owner | None) -> str:
    """A name tells people in one conversation apart; in shared memory the person does."""
    if source is SourceClass.THIRD_PARTY:
        return message.name or (_account(row) if owner is None else NOBODY)
    if source not in _WORDS:
        return NOBODY
    if owner is not None:
        return ""
    said_by = message.conversation.owner
    return f"user {said_by.person_id}" if said_by.person_id else f"owner {said_by.pk}"


def _account(row: LineOrigin) -> str:
    account = account_of(row)
    return f"user {account.pk}" if account else NOBODY


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
