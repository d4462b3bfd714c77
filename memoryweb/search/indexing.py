"""The rows that search finds: one a block of a file, one a message."""

import base64
import hashlib
import uuid
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from memoryweb import bulk
from memoryweb.conversations.models import Conversation, Message
from memoryweb.language import tokens
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.paths import FileKind, kind_of
from memoryweb.provenance.source_classes import sources_of_lines, sources_of_messages, weakest
from memoryweb.search import ranking
from memoryweb.search.models import Passage
from memoryweb.search.terms import dates_in, names_of
from memoryweb.workspace.models import File, SourceClass

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
_MOST_OF_TRAIL = 500
_MOST_ABOVE = 32  # words of headings: each passage below holds them again
# Columns of `_common` that may change with the file; a row that has others is made again.
_COMMON = ("owner_id", "reach", "weight", "date", "tokenizer_version")


class _Made(NamedTuple):
    """What differs from one passage of a file to the next."""

    line: int
    end_line: int
    trail: str
    text: str
    tokens: str
    place: int
    length: int
    source: SourceClass


class _Stored(NamedTuple):
    line: int
    end_line: int
    trail: str
    text: str
    source: str
    place: int
    common: tuple[object, ...]

    @property
    def number(self) -> int:
        return ranking.ordinal_of(self.place)


def index_file(file: File) -> None:
    """Replace a file's passages by those of its current text, whatever stood there."""
    Passage.objects.filter(file=file).delete()
    _insert(file, _numbered(file))


def follow(file: File, fresh: Container[int], *, since: int = 1) -> None:
    """Bring a file's passages to its current text, of which the lines before `since` stayed.

    Passages that stay as they are keep their rows: where they move, their numbers do. `fresh`
    are the lines whose origins are new.
    """
    found = _numbered(file, since)
    start = min(since, found[0][1].line) if found else since
    stored = _stored(file, start)
    if any(one.line >= other.line for one, other in pairwise(stored)):
        index_file(file)
        return
    kept = _kept(file, stored, found, fresh)
    stays = set(kept.values())
    gone = [(one.line, one.line) for at, one in enumerate(stored) if at not in stays]
    bulk.remove(Passage, file.pk, gone)
    moves = ((stored[old], *found[new]) for new, old in kept.items())
    bulk.shift(Passage, file.pk, ("line", "end_line", "place"), list(_shifts(moves)))
    _insert(file, [one for at, one in enumerate(found) if at not in kept])


def index_appended(file: File, first_line: int) -> None:
    """Add the passages of the lines from `first_line` on; they may continue the block before.

    Blocks of a daily note keep its date; those of another file take the day of its last change.
    """
    fresh = range(first_line, file.content.count("\n") + 2)
    follow(file, fresh, since=first_line if file.note_date else 1)


def index_messages(conversation: Conversation, messages: Sequence[Message]) -> None:
    Passage.objects.bulk_create(of_messages(conversation, messages))


def of_file(
    file: File, first_line: int = 1, sources: Mapping[int, SourceClass] | None = None
) -> Iterator[Passage]:
    """The passages of a file's text that end on that line or later; none of a deleted file."""
    common = _common(file)
    for made in _made(file, _numbered(file, first_line), sources):
        yield Passage(**common, **made._asdict())


def _numbered(file: File, since: int = 1) -> list[tuple[int, Block]]:
    """The blocks that end on that line or later, counted from the file's first one."""
    if file.deleted_at is not None:
        return []
    return [(n, one) for n, one in enumerate(blocks(file.content), 1) if one.end >= since]


def _common(file: File) -> dict[str, Any]:
    """What all passages of a file have in common."""
    return {
        "team_id": file.team_id,
        "agent_id": file.agent_id,
        "owner_id": file.owner_id,
        "kind": Passage.Kind.FILE,
        "file": file,
        "reach": scope_key(file.agent_id, file.owner_id),
        "whole": whole_key(file.pk),
        "weight": weight_of(file.path),
        "date": _day(file),
        "tokenizer_version": tokens.VERSION,
    }


def _made(
    file: File,
    found: Sequence[tuple[int, Block]],
    sources: Mapping[int, SourceClass] | None = None,
) -> Iterator[_Made]:
    reach, weight = scope_key(file.agent_id, file.owner_id), weight_of(file.path)
    if sources is None:
        sources = _sources(file, [block for _number, block in found])
    day = names_of(_day(file))
    for number, block in found:
        words = tokens.tokens(block.text)
        trail = _trail(block)
        above = [*_above(trail), *dict.fromkeys([*day, *dates_in(block.text)])]
        yield _Made(
            block.line,
            block.end,
            trail,
            block.text,
            _keyed(reach, words, above),
            ranking.packed(number, len(words), weight, is_turn=False),
            len(words),
            _source(block, sources),
        )


def _insert(file: File, found: Sequence[tuple[int, Block]]) -> None:
    bulk.insert(Passage(**_common(file)), _Made._fields, _made(file, found))


def _stored(file: File, start: int) -> list[_Stored]:
    rows = Passage.objects.filter(file=file, line__gte=start).order_by("line", "pk")
    own = ("line", "end_line", "trail", "text", "source", "place")
    found: Iterable[tuple[Any, ...]] = rows.values_list(*own, *_COMMON)
    return [_Stored._make((*row[: len(own)], row[len(own) :])) for row in found]


def _kept(
    file: File,
    stored: Sequence[_Stored],
    found: Sequence[tuple[int, Block]],
    fresh: Container[int],
) -> dict[int, int]:
    """Which found block (by its index) is which stored passage."""
    common = _common(file)
    now = tuple(common[name] for name in _COMMON)
    old = [(one.text, one.trail) if one.common == now else None for one in stored]
    new = [(block.text, _trail(block)) for _number, block in found]
    same = _same(old, new)
    doubtful = {
        at: found[at][1]
        for at in same
        if any(line in fresh for line in range(found[at][1].line, found[at][1].end + 1))
    }
    sources = _sources(file, list(doubtful.values()))
    changed = {
        at for at, block in doubtful.items() if stored[same[at]].source != _source(block, sources)
    }
    return {new: old for new, old in same.items() if new not in changed}


def _same(old: Sequence[object], new: Sequence[object]) -> dict[int, int]:
    """New index → old index of what is equal: head and tail first, then whatever was moved."""
    limit = min(len(old), len(new))
    head = next((at for at in range(limit) if old[at] != new[at]), limit)
    rest = range(1, limit - head + 1)
    tail = next((at - 1 for at in rest if old[-at] != new[-at]), limit - head)
    same = {at: at for at in range(head)}
    places = defaultdict[object, deque[int]](deque)
    for at in range(head, len(old) - tail):
        places[old[at]].append(at)
    for at in range(head, len(new) - tail):
        if places.get(new[at]):
            same[at] = places[new[at]].popleft()
    gap = len(old) - len(new)
    return same | {at: at + gap for at in range(len(new) - tail, len(new))}


def _shifts(moves: Iterable[tuple[_Stored, int, Block]]) -> Iterator[tuple[int, ...]]:
    """Stretches of lines whose passages move, and by how much line, end and place do."""
    by_line = sorted(
        (
            old.line,
            (block.line - old.line, block.end - old.end_line, number - old.number),
        )
        for old, number, block in moves
    )
    for (lines, ends, ordinals), stretch in groupby(by_line, key=itemgetter(1)):
        if lines or ends or ordinals:
            spans = list(stretch)
            yield spans[0][0], spans[-1][0], lines, ends, ranking.packed_step(ordinals)


def _trail(block: Block) -> str:
    return " › ".join(block.trail)[:_MOST_OF_TRAIL]


@lru_cache(maxsize=4096)
def _above(trail: str) -> list[str]:
    """The words of the headings; of many the last, which stand nearest."""
    return tokens.tokens(trail)[-_MOST_ABOVE:]


def _day(file: File) -> date:
    return file.note_date or file.updated_at.date()


def _sources(file: File, found: Sequence[Block]) -> Mapping[int, SourceClass]:
    if not found:
        return {}
    return sources_of_lines(file, since=found[0].line, until=found[-1].end)


def _source(block: Block, sources: Mapping[int, SourceClass]) -> SourceClass:
    return weakest(sources[line] for line in range(block.line, block.end + 1) if line in sources)


def of_messages(conversation: Conversation, messages: Sequence[Message]) -> Iterator[Passage]:
    sources = sources_of_messages(conversation, messages)
    reach = scope_key(conversation.agent_id, conversation.owner_id)
    for message in messages:
        if message.reverted_at is not None:
            continue
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
            reach=reach,
            tokens=_keyed(reach, words, _dates(day, message.content)),
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


def _keyed(reach: str, words: list[str], above: list[str]) -> str:
    return " ".join([*_fitting(f"{HEADINGS}{reach}", above), *_fitting(f"{TEXT}{reach}", words)])


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
