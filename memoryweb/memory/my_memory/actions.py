"""What people do with what is kept about them: take it along, reword a sentence, remove it."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from io import RawIOBase
from typing import Any, TypeVar
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.diff import carry
from memoryweb.markdown.sections import with_bullet, without_lines
from memoryweb.memory import memory_tests
from memoryweb.memory.lines.revisions import content_of, line_now
from memoryweb.memory.memory_tests import ListedTest
from memoryweb.memory.models import Conversation, File, LineOrigin, MemoryTest, Message
from memoryweb.memory.models.refusals import ContentRefused, MemoryRefused, Stale
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer
from memoryweb.memory.my_memory.contents import Sentence, marker_of, sentence
from memoryweb.memory.visible.readable import To, readable_file, readable_messages
from memoryweb.memory.writing import put_back, write
from memoryweb.memory.writing.write import WriteResult

_AT_ONCE = 500
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
Item = TypeVar("Item")
_Entry = tuple[str, Iterator[bytes]]  # a file of the archive, in parts


@dataclass
class _Pipe(RawIOBase):
    """What the archive writes into, and the answer takes out of again."""

    waiting: list[bytes] = field(default_factory=list)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.waiting.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken = b"".join(self.waiting)
        self.waiting.clear()
        return taken


def export(team: Team, owners: Collection[Owner], looked: Mapping[str, Any]) -> Iterator[bytes]:
    """A ZIP piece by piece: `about.json`, each agent's files as they stand, conversations as
    JSONL that `import_conversations` reads, tests, and who looked. The caller has recorded it."""
    return _scoped(team, _zipped(_entries(team, owners, looked)))


def _scoped(team: Team, pieces: Iterator[Item]) -> Iterator[Item]:
    """The answer is read long after the view has ended, and other requests in between."""
    while True:
        with scope(team=team):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def _zipped(entries: Iterator[_Entry]) -> Iterator[bytes]:
    pipe = _Pipe()
    now = timezone.now().timetuple()[:6]
    with ZipFile(pipe, "w", ZIP_DEFLATED) as archive:
        for name, parts in entries:
            info = ZipInfo(name, date_time=(now[0], *now[1:]))
            info.compress_type = ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                for part in parts:
                    member.write(part)
                    if piece := pipe.take():
                        yield piece
    yield pipe.take()


def _entries(team: Team, owners: Collection[Owner], looked: Mapping[str, Any]) -> Iterator[_Entry]:
    folders = _folders(team, owners)
    yield ("about.json", iter([_json(_about(team, owners, folders))]))
    yield ("who-looked.json", iter([_json(looked)]))
    for memory, folder in folders.items():
        files = memory.files.present().order_by("folded_path")
        for path in list(files.values_list("path", flat=True)):
            yield (f"{folder}/files/{path}", _content(memory, path))
        talks = Conversation.objects.filter(agent=memory.agent, owner=memory.owner)
        if talks.exists():
            ids = list(talks.order_by("created_at", "pk").values_list("pk", "external_id"))
            yield (f"{folder}/conversations.jsonl", _messages(ids))
        if tests := [one for one in memory_tests.listed(memory) if not one.fact]:
            yield (f"{folder}/tests.json", iter([_json([*map(_test, tests)])]))


def _folders(team: Team, owners: Collection[Owner]) -> dict[Memory, str]:
    """Memory → a folder that every system can hold, and that no two share."""
    found: dict[Memory, str] = {}
    for agent in Agent.objects.filter(team=team).order_by("folded_name", "created_at"):
        for owner in owners:
            if _has_any(memory := Memory(agent, owner)):
                name = f"{_safe(agent.name)}/{_safe(owner.shown_as)}"
                taken = found.values()
                found[memory] = f"{name}-{owner.pk.hex[:8]}" if name in taken else name
    return found


def _has_any(memory: Memory) -> bool:
    talks = Conversation.objects.filter(agent=memory.agent, owner=memory.owner)
    tests = MemoryTest.objects.filter(agent=memory.agent, owner=memory.owner)
    return any(its.exists() for its in (memory.files.present(), talks, tests))


def _content(memory: Memory, path: str) -> Iterator[bytes]:
    file = memory.files.present().filter(path=path).first()
    if file:
        readable = readable_file(file, To.PAGE)
        yield put_back.without_lines(readable.text, readable.hidden).encode()


def _messages(talks: Collection[tuple[UUID, str]]) -> Iterator[bytes]:
    for talk_id, name in talks:
        last = 0
        while rows := list(
            Message.objects.filter(conversation=talk_id, position__gt=last).order_by("position")[
                :_AT_ONCE
            ]
        ):
            said = readable_messages(rows, To.PAGE)
            yield b"".join(_line(name, row, one.text) for row, one in zip(rows, said, strict=True))
            last = rows[-1].position


def _line(conversation: str, row: Message, text: str) -> bytes:
    said = {
        "conversation": conversation,
        "id": row.external_id,
        "role": row.role,
        "name": row.name,
        "content": text,
        "timestamp": _moment(row.timestamp),
    }
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def _test(one: ListedTest) -> dict[str, Any]:
    test = one.test
    return {
        "question": test.question,
        "must": test.must,
        "mustNot": test.must_not,
        "asOf": test.as_of,
        "madeAt": _moment(test.created_at),
        "retired": one.is_retired,
    }


def _about(team: Team, owners: Collection[Owner], folders: Mapping[Memory, str]) -> dict[str, Any]:
    return {
        "schema": "memoryweb.personal/1",
        "team": team.name,
        "exportedAt": _moment(timezone.now()),
        "owners": [
            {
                "id": str(owner.pk),
                "owner": owner.shown_as,
                "keeping": owner.keeping,
                "using": owner.using,
            }
            for owner in owners
        ],
        "folders": [
            {"folder": folder, "agentId": str(memory.agent.pk), "ownerId": str(memory.owner_id)}
            for memory, folder in folders.items()
        ],
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2, default=_plain).encode() + b"\n"


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _safe(name: str) -> str:
    """Letters that no system trips over; never empty, and never a dot alone."""
    return _UNSAFE.sub("_", name.replace("..", "_")).strip("._")[:60] or "unnamed"


def _moment(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


# Correcting what is kept about oneself: one sentence reworded, or taken out, as a new revision.


class SentenceGone(MemoryRefused):
    code = "gone"
    sentence = gettext_lazy("This sentence is no longer there.")


@dataclass(frozen=True)
class Spot:
    """A sentence as somebody saw it: its lines in the text with that hash."""

    first: int
    last: int
    sha256: str


def place(file: File, spot: Spot) -> Spot:
    """Where the same words stand now. Raises Stale, SentenceGone."""
    file, block = _found(file, spot)
    return Spot(block.line, block.end, file.sha256)


def learn(tx: Transaction, file: File, spot: Spot, *, writer: Writer) -> WriteResult:
    """What a line says is right: it is a statement from now on. Raises Stale, SentenceGone,
    ContentRefused."""
    file, block = _found(file, spot)
    said = " ".join(file.raw_content.split("\n")[block.line - 1 : block.end])
    bullet = f"- {said[len(marker_of(said, block)) :]}"
    memory = Place(file.agent, file.owner, "MEMORY.md")
    return write.change(tx, memory, lambda text: with_bullet(text, "", bullet), writer=writer)


def reword(tx: Transaction, file: File, spot: Spot, text: str, *, writer: Writer) -> WriteResult:
    """Raises Stale, SentenceGone, ContentRefused, SecretRefused."""
    file, block = _found(file, spot)
    lines = file.raw_content.split("\n")
    lines[block.line - 1 : block.end] = _worded(lines[block.line - 1], block, text)
    return _write(tx, file, lines, writer, gettext_noop("Edited on My memory"))


def remove(
    tx: Transaction,
    file: File,
    spot: Spot,
    *,
    writer: Writer,
    sources_of: Collection[UUID] = (),
) -> list[WriteResult]:
    """Take a sentence out, with the note lines of these owners that it stands on, so that no
    dream writes it again. Raises Stale, SentenceGone."""
    file, block = _found(file, spot)
    behind = list(_sources(file, block, sources_of))
    reason = gettext_noop("Removed on My memory")
    done = [_write(tx, file, without_lines(file.raw_content, _numbers(block)), writer, reason)]
    for source, lines in behind:
        done.append(_write(tx, source, without_lines(source.raw_content, lines), writer, reason))
    return done


def undo(tx: Transaction, file: File, number: int, *, writer: Writer) -> WriteResult:
    """Bring back what stood before revision `number`, if nothing came after it. Raises Stale."""
    file = write.lock(file)
    if file.revision != number or number < 2:
        raise Stale(file)
    return write.restore(tx, file, number - 1, writer=writer)


def moved(file: File, spot: Spot) -> Sentence | None:
    """What became of the sentence in the file's present text, whatever it says now."""
    text = readable_file(file, To.PAGE)
    found = (sentence(file, text, block) for block in blocks(text.text))
    now = _lines_now(file, spot)
    return next((one for one in found if now & {*_numbers(one.block)}), None)


def _found(file: File, spot: Spot) -> tuple[File, Block]:
    """Where else in the file somebody changed something meanwhile, it is found all the same."""
    file = write.lock(file)
    if file.deleted_at is not None:
        raise Stale(file)
    now = _lines_now(file, spot, is_same=True)
    for block in blocks(file.raw_content):
        if now == {*_numbers(block)}:
            return file, block
    raise SentenceGone if file.sha256 == spot.sha256 else Stale(file)


def _lines_now(file: File, spot: Spot, *, is_same: bool = False) -> set[int]:
    """Numbers of the present lines that came from these; `is_same`: that say the same."""
    lines, wanted = file.raw_content.split("\n"), range(spot.first, spot.last + 1)
    if file.sha256 == spot.sha256:
        return {*wanted[: len(lines)]}
    seen = file.revisions.filter(sha256=spot.sha256).order_by("-number").first()
    if seen is None:
        return set()
    carried = carry(content_of(file, seen.number).split("\n"), lines)
    came = carried.same if is_same else {**carried.changed, **carried.same}
    return {new for new, old in came.items() if old in wanted}


def _worded(line: str, block: Block, text: str) -> list[str]:
    """A bullet stays one line; a paragraph keeps its line breaks but no gap that would split it."""
    marker = marker_of(line, block)
    said = [part.rstrip() for part in text.replace("\r\n", "\n").split("\n") if part.strip()]
    if not said:
        raise ContentRefused(_("Write the new text, or remove the sentence."))
    if block.kind == "bullet":
        said = [" ".join(" ".join(said).split())]
    return [marker + said[0].lstrip(), *said[1:]]


def _write(
    tx: Transaction, file: File, lines: Sequence[str], writer: Writer, reason: str
) -> WriteResult:
    place = Place.of(file)
    content = "\n".join(lines)
    return write.write(tx, place, content, writer=writer, expected=file.sha256, reason=reason)


def _sources(
    file: File, block: Block, owner_ids: Collection[UUID]
) -> Iterator[tuple[File, set[int]]]:
    """Files and present lines of the notes that a sentence stands on, in one order for all."""
    rows = LineOrigin.objects.filter(
        file=file,
        line__in=_numbers(block),
        source_file__owner__in=owner_ids,
        source_file__deleted_at=None,
        source_line__isnull=False,
    ).exclude(source_file=file)
    by_file: dict[UUID, set[tuple[int, int]]] = {}
    for row in rows:
        if row.source_file_id and row.source_line and row.source_revision:
            by_file.setdefault(row.source_file_id, set()).add(
                (row.source_revision, row.source_line)
            )
    for source in File.objects.filter(pk__in=by_file).order_by("pk"):
        source = write.lock(source)
        if found := _present(source, by_file[source.pk]):
            yield source, found


def _present(file: File, places: Collection[tuple[int, int]]) -> set[int]:
    stands = [line_now(file, line, revision) for revision, line in places]
    return {number for text, number in stands if text.strip() and number}


def _numbers(block: Block) -> range:
    return range(block.line, block.end + 1)
