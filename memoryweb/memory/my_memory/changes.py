"""Correcting what is kept about oneself: one sentence reworded, or taken out, as a new revision."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.diff import carry
from memoryweb.markdown.sections import without_lines
from memoryweb.memory.lines.revisions import line_now
from memoryweb.memory.models import File, LineOrigin
from memoryweb.memory.models.refusals import ContentRefused, MemoryRefused, Stale
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.my_memory.contents import Sentence, marker_of, sentence
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import Place, Writer, WriteResult


class SentenceGone(MemoryRefused):
    code = "gone"

    def __init__(self) -> None:
        super().__init__(_("This sentence is no longer there."))


@dataclass(frozen=True)
class Spot:
    """A sentence as somebody saw it: its lines in the text with that hash."""

    first: int
    last: int
    sha256: str


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


def moved(file: File, spot: Spot) -> tuple[Sentence | None, str]:
    """What became of the sentence in the file's present text, and what it said when it was seen."""
    seen = file.revisions.filter(sha256=spot.sha256).order_by("-number").first()
    if seen is None:
        return None, ""
    look = Look(To.PAGE, files=[file])
    text, before = look.file(file), look.at(file, seen.number).split("\n")
    said = "\n".join(before[spot.first - 1 : spot.last])
    carried = carry(before, text.lines)
    came = {**carried.changed, **carried.same}
    wanted = range(spot.first, spot.last + 1)
    now = {new for new, old in came.items() if old in wanted}
    found = (sentence(file, text, block) for block in blocks(text.text) if now & {*_numbers(block)})
    return next(found, None), said


def _found(file: File, spot: Spot) -> tuple[File, Block]:
    file = write.lock(file)
    if file.deleted_at is not None or file.sha256 != spot.sha256:
        raise Stale(file)
    for block in blocks(file.raw_content):
        if (block.line, block.end) == (spot.first, spot.last):
            return file, block
    raise SentenceGone


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
    place = Place(file.agent, file.owner, file.path)
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
