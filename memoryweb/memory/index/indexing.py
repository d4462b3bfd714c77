"""The rows that search finds: one a block of a file, one a message."""

import base64
import hashlib
import uuid
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import date, datetime
from functools import lru_cache, reduce
from itertools import chain
from operator import or_
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.db.models.base import ModelState

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.core.row_batches import insert, remove, shift
from memoryweb.language import tokens
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.marks import without
from memoryweb.markdown.paths import kind_of, stem_of
from memoryweb.memory.index import ranking, terms
from memoryweb.memory.index.terms import is_question
from memoryweb.memory.lines.revisions import Past
from memoryweb.memory.lines.source_classes import source_of_message, sources_of_files, weakest
from memoryweb.memory.models import Conversation, File, Message, Passage, SourceClass, Target

_Row = TypeVar("_Row", bound=Model)

MESSAGE_WEIGHT = 0.7
# What a person says about themselves counts for more than what an assistant makes of it at length.
OTHERS_WEIGHT = MESSAGE_WEIGHT / 1.5
# In front of each token: of its text, of the headings above, of what is known about it (who said
# it, the times that it tells). The index has the scope key in front of them.
TEXT, HEADINGS, TOLD = "t", "h", "m"
# PostgreSQL refuses a tsvector of over 1 MiB: of an endless block the first words are found.
_MOST_BYTES = 900_000
_PER_TOKEN = 21  # scope key and field, and what PostgreSQL adds
_FEW = 4_000  # words that fit in any case: one has at most 40 characters
_MOST_OF_TRAIL = 500
_MOST_ABOVE = 32  # words of headings: each passage below holds them again
# Of what a file's passages have in common: rows that have other values are made again.
_COMMON = ("reach", "date", "tokenizer_version")


def index_files(files: Sequence[File]) -> None:
    """Bring the passages of some files to their current texts.

    Passages that say the same keep their rows: where they move, their numbers do.
    """
    stored = defaultdict[object, deque[tuple[int, int, int]]](deque)
    rows = _stored(tuple(file.pk for file in files))
    for pk, line, place, *common, end, trail, text, source in rows:
        weight = ranking.weight_in(place)
        stored[*common, weight, end - line, trail, text, source].append((pk, line, place))
    sources = sources_of_files(files)
    found = [(file, *_matched(file, stored, sources[file.pk])) for file in files]
    gone = Passage.objects.filter(file__in=files)
    remove(gone, [pk for left in stored.values() for pk, _line, _place in left])
    for file, _fresh, moves in found:
        shift(Passage.objects.filter(file=file), ("line", "end_line", "place"), moves)
    insert(chain.from_iterable(fresh for _file, fresh, _moves in found))


@PreparedQuery
def _stored(files: Collection[uuid.UUID]) -> QuerySet[Passage, Any]:
    told = ("pk", "line", "place", "file", *_COMMON, "end_line", "trail", "raw_text", "source")
    return Passage.objects.filter(file__in=files).order_by("line", "pk").values_list(*told)


def _matched(
    file: File,
    stored: Mapping[object, deque[tuple[int, int, int]]],
    sources: Mapping[int, SourceClass],
) -> tuple[list[Passage], dict[int, tuple[int, ...]]]:
    """The new passages; and how far those move that say what they said, by their lines."""
    values = _common(file)
    weight = ranking.packed(0, 0, kind_of(file.path).weight)
    common = [file.pk, *(values[name] for name in _COMMON), weight]
    fresh = []
    moves: dict[int, tuple[int, ...]] = {}
    for number, block in _numbered(file):
        source = _source(block, sources)
        if same := stored[*common, block.end - block.line, _trail(file, block), block.text, source]:
            _pk, line, place = same.popleft()
            step = ranking.packed_step(number - ranking.ordinal_of(place))
            moves[line] = (block.line - line, block.line - line, step)
        else:
            fresh.append((number, block))
    return list(_made(file, fresh, sources)), moves


def index_messages(conversation: Conversation, messages: Sequence[Message]) -> None:
    insert(of_messages(conversation, messages))


def of_file(file: File) -> Iterator[Passage]:
    """The passages of a file's text, without whose words they are; none of a deleted file."""
    return _made(file, _numbered(file), {})


def _numbered(file: File) -> list[tuple[int, Block]]:
    return list(enumerate(blocks(file.raw_content), 1)) if file.deleted_at is None else []


def _common(file: File) -> dict[str, Any]:
    """What all passages of a file have in common."""
    return {
        "team_id": file.team_id,
        "kind": Passage.Kind.FILE,
        "file": file,
        "reach": scope_key(file.agent_id, file.owner_id),
        "whole": whole_key(file.pk),
        "date": file.note_date or file.updated_at.date(),
        "tokenizer_version": tokens.VERSION,
    }


def _made(
    file: File, found: Iterable[tuple[int, Block]], sources: Mapping[int, SourceClass]
) -> Iterator[Passage]:
    common = _common(file)
    weight, day, is_said = kind_of(file.path).weight, common["date"], file.note_date is not None
    for number, block in found:
        sentence, trail = without(block.text), _trail(file, block)
        words = tokens.tokens(sentence)
        told, tells = terms.told(sentence, day, is_said=is_said)
        yield Passage(
            **common,
            line=block.line,
            end_line=block.end,
            trail=trail,
            raw_text=block.text,
            raw_tokens=_joined(words, _above(trail), told),
            place=ranking.packed(number, len(words), weight, tells=tells),
            length=len(words),
            source=_source(block, sources),
        )


def _trail(file: File, block: Block) -> str:
    return " › ".join((*_named(file.path), *block.trail))[:_MOST_OF_TRAIL]


@lru_cache(maxsize=64)
def _named(path: str) -> tuple[str, ...]:
    """The file's own name, where it says what stands below."""
    return (stem_of(path),) if kind_of(path).is_named else ()


def _source(block: Block, sources: Mapping[int, SourceClass]) -> SourceClass:
    return weakest(sources[line] for line in range(block.line, block.end + 1) if line in sources)


@lru_cache(maxsize=4096)
def _above(trail: str) -> list[str]:
    """The words of the headings; of many the last, which stand nearest."""
    return tokens.tokens(trail)[-_MOST_ABOVE:]


def of_messages(conversation: Conversation, messages: Sequence[Message]) -> Iterator[Passage]:
    reach = scope_key(conversation.agent_id, conversation.owner_id)
    for message in messages:
        if message.reverted_at is not None:
            continue
        words = tokens.tokens(message.raw_content)
        day: date = message.timestamp.date()
        told, tells = terms.told(message.raw_content, day, is_said=True)
        weight = MESSAGE_WEIGHT if message.role == Message.Role.USER else OTHERS_WEIGHT
        yield Passage(
            team_id=conversation.team_id,
            kind=Passage.Kind.MESSAGE,
            message_id=message.pk,
            line=message.position,
            end_line=message.position,
            trail=message.name,
            reach=reach,
            raw_tokens=_joined(words, (), [*tokens.tokens(message.name), *told]),
            whole=whole_key(conversation.pk),
            place=ranking.packed(
                message.position,
                len(words),
                weight,
                is_turn=True,
                asks=is_question(message.raw_content),
                tells=tells,
            ),
            length=len(words),
            source=source_of_message(conversation, message),
            date=day,
            tokenizer_version=tokens.VERSION,
        )


@lru_cache(maxsize=1024)
def scope_key(agent_id: uuid.UUID, owner_id: uuid.UUID | None) -> str:
    """In front of every token in the index: postings of other agents and owners are never walked.

    60 bits: among a million reaches two share one with a chance of one in two million.
    """
    digest = hashlib.sha256(f"{agent_id}/{owner_id or 'shared'}".encode()).digest()
    return base64.b32encode(digest[:8]).decode().lower()[:12]


def whole_key(identity: uuid.UUID) -> int:
    """Of a file or conversation, as a number that fits a column."""
    return identity.int >> 68


def _joined(words: Sequence[str], above: Sequence[str], told: Sequence[str]) -> str:
    fields = ((TOLD, told), (HEADINGS, above), (TEXT, words))
    return " ".join(token for field, of in fields for token in _fitting(field, of))


def _fitting(field: str, words: Sequence[str]) -> Iterable[str]:
    return (field + word for word in (words if len(words) < _FEW else _first_of(words)))


def _first_of(words: Sequence[str]) -> Iterator[str]:
    room, seen = _MOST_BYTES, set[str]()
    for word in words:
        if word not in seen:
            room -= len(word.encode()) + _PER_TOKEN
            seen.add(word)
        if room < 0:
            return
        yield word


# What hits are asked for.
_WHOSE = ("team_id", "agent_id", "owner_id")
_COLUMNS = {
    "": (
        *("id", "team_id", "kind", "file_id", "message_id"),
        *("line", "end_line", "trail", "raw_text", "source", "date"),
    ),
    "file__": (
        "id",
        *_WHOSE,
        "path",
        "scope",
        "revision",
        "ordered_from",
        "note_date",
        "deleted_at",
    ),
    "message__": (
        *("id", "team_id", "conversation_id", "position", "external_id"),
        *("role", "name", "raw_content", "timestamp"),
    ),
    "message__conversation__": ("id", *_WHOSE, "external_id"),
}


@PreparedQuery
def _rows(ids: Sequence[int]) -> "QuerySet[Passage, Any]":
    meant = (Target.objects.filter(**{of: OuterRef(of)}) for of in ("file", "message"))
    is_asked = reduce(or_, map(Exists, meant))
    rows = Passage.objects.filter(pk__in=ids).annotate(is_meant=is_asked)
    names = (before + name for before, of in _COLUMNS.items() for name in of)
    return rows.values_list(*names, "is_meant")


def rows_of(ids: Collection[int]) -> Iterator[Passage]:
    """With the file or the message, and whether any request to forget is about it."""
    once: dict[uuid.UUID | None, Any] = {None: None}
    for values in _rows(tuple(ids)):
        rest = iter(values)
        row, file, message, talk = (
            dict(zip(names, rest, strict=False)) for names in _COLUMNS.values()
        )
        row["is_meant"] = next(rest)
        for model, its in ((File, file), (Conversation, talk)):
            if its["id"] not in once:
                once[its["id"]] = _loaded(model, its)
        said = _loaded(Message, message, conversation=once[talk["id"]]) if message["id"] else None
        yield _loaded(Passage, row, file=once[file["id"]], message=said)


def _loaded(model: type[_Row], values: Mapping[str, Any], **related: Any) -> _Row:
    """A row with these of its values: Django takes ten times as long to make one."""
    row = model.__new__(model)
    row._state = ModelState()
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    row._state.fields_cache = related
    vars(row).update(values)
    return row


def saying(ids: Collection[int], phrases: Sequence[Sequence[str]]) -> set[int]:
    rows = Passage.objects.filter(pk__in=ids).only("raw_tokens")
    return {row.pk for row in rows if says(row, phrases)}


def says(row: Passage, phrases: Iterable[Sequence[str]]) -> bool:
    """Whether every phrase, given as its tokens, stands there, word after word."""
    text = f" {row.raw_tokens} "
    return all(f" {' '.join(TEXT + word for word in phrase)} " in text for phrase in phrases)


def words_of(row: Passage) -> list[str]:
    """As the index has them."""
    return [row.reach + token for token in row.raw_tokens.split(" ")]


def of_past(past: Past, moment: datetime) -> Iterator[Passage]:
    """Of a file as it was: there is no index of the past."""
    file = copy(past.file)
    file.path, file.raw_content, file.deleted_at = past.path, past.content, None
    file.revision = past.number
    file.updated_at = min(file.updated_at, moment)
    return of_file(file)
