"""The tools of an agent (SPEC §3.1): functions of an acting reader, never of a tool argument.

Reads fall back from the acting owner's file to the shared one. While the agent keeps owners
apart, a write never touches the shared one.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import accumulate, groupby, islice
from typing import NamedTuple

from django.utils.translation import gettext as _

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Owner, Reader, reading
from memoryweb.language.extraction_rules import is_own_word
from memoryweb.language.note_line import note_line, said_by
from memoryweb.markdown import paths
from memoryweb.markdown.blocks import blocks
from memoryweb.markdown.file_kinds import NOTE
from memoryweb.memory import prompt, search
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.lines.files import noted_at
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import Conversation, File, Injection, RecallEvent, Scope
from memoryweb.memory.models.refusals import FileMissing, MemoryRefused
from memoryweb.memory.models.writer import Place, Transaction, Writer
from memoryweb.memory.prompt import Line, Span, line_count
from memoryweb.memory.statements.projection import Whys
from memoryweb.memory.visible import placeholders
from memoryweb.memory.visible.history import history_at
from memoryweb.memory.visible.readable import ReadableFile, To, readable_file, readable_files
from memoryweb.memory.writing import machine_guards, screening, write
from memoryweb.memory.writing.write import NewLine, WriteResult

SNIPPET = 500
LIMIT, MOST = 5, 50
_ORDER = [Scope.PERSONAL, Scope.TEAM, Scope.GLOBAL]


class EditRefused(MemoryRefused):
    code = "edit_refused"


class MemoryPaused(MemoryRefused):
    code = "paused"

    def __init__(self, acting: "Acting") -> None:
        if acting.is_ephemeral:
            super().__init__(_("Of this conversation nothing is kept: it was sent as ephemeral."))
        else:
            super().__init__(_("This owner paused keeping: nothing is kept."))


class DateRefused(MemoryRefused):
    code = "date_refused"


@dataclass(frozen=True)
class Acting:
    """Who calls, in which conversation, and at what time. Recalls count only in a conversation.

    In an ephemeral conversation an owner's own files are out of sight and nothing is written: what
    of the two is so otherwise, they choose.
    """

    reader: Reader
    now: datetime
    conversation: Conversation | None = None
    token: Token | None = None

    @property
    def sees(self) -> Reader:
        owner = self.reader.owner
        is_away = self.is_ephemeral or (owner is not None and not owner.using)
        return Reader(self.reader.agent) if is_away else self.reader

    @property
    def keeps(self) -> bool:
        owner = self.reader.owner
        return not self.is_ephemeral and (owner is None or owner.keeping)

    @property
    def is_ephemeral(self) -> bool:
        return self.conversation is not None and self.conversation.ephemeral

    @property
    def writes_for(self) -> Owner | None:
        return self.reader.owner if self.reader.agent.owner_isolation else None


class NoteOutcome(NamedTuple):
    """`written` is None where the line stood there already."""

    path: str
    line: int
    written: WriteResult | None


class NoteLine(NamedTuple):
    file: File
    number: int
    snippet: str
    relevance: float = 1.0


def list_files(acting: Acting, prefix: str = "") -> list[File]:
    """In the order of the prompt."""
    with reading(acting.sees):
        found = File.objects.present().visible_to(acting.sees).untexted()
        rows = [file for file in found if file.path.startswith(prefix)]
    return sorted(rows, key=lambda file: (file.sort_order, file.folded_path, _nearest(file)))


def read_file(acting: Acting, filename: str) -> tuple[File, str]:
    """The file and its text, with a placeholder for each line that waits for a person or that its
    owner has spoken against. Raises PathRefused, FileMissing."""
    try:
        file = _readable(acting, filename)
    except FileMissing:
        owner = acting.sees.owner
        for key in [owner.pk, None] if owner else [None]:
            files = File.objects.of(acting.reader.agent.pk, key)
            if whole := history_at(paths.of_link(filename), files, To.PROGRAM):
                _count_files(acting, whole[0].path, whole[2])
                return whole[:2]
        raise
    _count_files(acting, file.path, [file])
    return file, readable_file(file, To.PROGRAM).text


def write_file(
    tx: Transaction, acting: Acting, filename: str, content: str, *, writer: Writer
) -> WriteResult:
    """Full replace. Raises what `write.write` raises."""
    return write.write(tx, place_of(acting, filename), content, writer=writer)


def edit_file(
    tx: Transaction,
    acting: Acting,
    filename: str,
    old: str,
    new: str,
    *,
    writer: Writer,
    replace_all: bool = False,
) -> tuple[WriteResult, int]:
    """Works on the text that `read_file` gives; returns also in how many places it changed.

    Raises FileMissing, EditRefused (absent, several and not `replace_all`, or lines of people and
    lines that wait would change).
    """
    count = 0

    def change(shown: str) -> str:
        nonlocal count
        count = shown.count(old) if old else 0
        if count == 0:
            raise EditRefused(_("The old text does not occur in “{path}”.").format(path=filename))
        if count > 1 and not replace_all:
            raise EditRefused(
                _("The old text occurs {count} times; give more of it, or set replaceAll.").format(
                    count=count
                )
            )
        return shown.replace(old, new)

    return change_file(tx, acting, filename, change, writer=writer), count


def change_file(
    tx: Transaction,
    acting: Acting,
    filename: str,
    change: Callable[[str], str],
    *,
    writer: Writer,
    whys: Whys | None = None,
) -> WriteResult:
    """`change` is given the text that `read_file` gives. Raises FileMissing, EditRefused."""
    file = write.find(place_of(acting, filename))
    if file is None or file.deleted_at is not None:
        raise FileMissing(filename)
    shown = readable_file(file, To.PROGRAM).text
    content = change(shown)
    _check_edit(file, shown, content, writer)
    return write.write(tx, place_of(acting, filename), content, writer=writer, whys=whys)


def _check_edit(file: File, shown: str, content: str, writer: Writer) -> None:
    if placeholders.numbers_in(content) != placeholders.numbers_in(shown):
        raise EditRefused(
            _("A line of “{path}” waits for a person or the next dream; it can't be changed now.")
            .format(path=file.path)
        )  # fmt: skip
    after = placeholders.put_back(file, content, writer, keeps=False)
    broken = machine_guards.of_people_in(file, after)
    if writer.is_machine and broken is not None:
        said = _("A person wrote or pinned a line that this would change: {detail}")
        raise EditRefused(said.format(detail=broken.detail))


def remember(tx: Transaction, acting: Acting, content: str, *, writer: Writer) -> NoteOutcome:
    """One line in today's (UTC) note; the same text again that day is reported, not written."""
    text = " ".join(content.split())
    if not text:
        raise EditRefused(_("There is nothing to remember: the content is empty."))
    path = paths.note_path(acting.now.date())
    place = place_of(acting, path)
    if place.owner is None and writer.user and is_own_word(text):
        text = said_by(str(writer.user), text)  # among all "I" is nobody
    kept = screening.mask(tx.team.pk, text, owner_id=place.owner_id).text
    note = write.find(place)
    if note is not None and (number := noted_at(note, kept)):
        return NoteOutcome(path, number, None)
    fresh = NewLine(note_line(acting.now, text), Origin(asked=True))
    written = write.append(tx, place, [fresh], writer=writer)
    return NoteOutcome(path, written.first_line, written)


def memory_search(acting: Acting, query: str, limit: int = LIMIT) -> list[NoteLine]:
    """Lines of the daily notes that hold just this, in any case, newest first; then those that
    answer some of it, best first."""
    wanted = query.casefold().strip()
    most = min(max(limit, 1), MOST)
    lines = list(islice(_matches(acting, wanted), most)) if wanted else []
    if len(lines) < most:
        there = {(line.file.pk, line.number) for line in lines}
        rest = (
            line for line in _answering(acting, query) if (line.file.pk, line.number) not in there
        )
        lines += islice(rest, most - len(lines))
    found = _blocks_of((line.file, line.number) for line in lines)
    count(acting, query, found, [Span(line.file, line.number, line.number) for line in lines])
    return lines


def memory_get(acting: Acting, day: str) -> tuple[date, str]:
    """The journal of `today`, `yesterday` or a date; empty where nothing was noted. Raises
    DateRefused."""
    wanted = _date(day, acting.now)
    notes = File.objects.present().visible_to(acting.sees).filter(note_date=wanted)
    found = sorted(notes, key=lambda file: file.owner_id is None)
    _count_files(acting, paths.note_path(wanted), found)
    return wanted, "\n".join(one.text for one in readable_files(found, To.PROGRAM))


def search_workspace(
    acting: Acting, query: str, scope: str = "", limit: int = 10
) -> list[tuple[Hit, File]]:
    """`scope`: "" all that the reader sees, `own` the owner's alone, `shared` the shared files.

    Lines that wait for a person are left out.
    """
    asked = query_syntax.parse(query)
    found = search.search(acting.sees, asked, limit=limit, kinds=("file",), scope=scope)
    hits = placeholders.allowed(found.hits, then=asked.at is not None)
    in_files = [(hit, hit.file) for hit in hits if hit.file]
    count(
        acting,
        query,
        [Line(file, hit.line, hit.text) for hit, file in in_files],
        [Span(file, hit.line, hit.end_line) for hit, file in in_files],
        via=Injection.Via.SEARCH,
    )
    return in_files


def place_of(acting: Acting, filename: str) -> Place:
    """Raises MemoryPaused."""
    if not acting.keeps:
        raise MemoryPaused(acting)
    return Place(acting.reader.agent, acting.writes_for, paths.of_link(filename))


def _readable(acting: Acting, filename: str) -> File:
    folded = paths.parse(paths.of_link(filename)).folded
    with reading(acting.sees):
        found = File.objects.present().visible_to(acting.sees).filter(folded_path=folded)
        nearest = sorted(found, key=_nearest)
    if not nearest:
        raise FileMissing(filename)
    return nearest[0]


def _nearest(file: File) -> int:
    """The owner's own file stands before the shared one of the same name, that before GLOBAL."""
    return _ORDER.index(Scope(file.scope))


def _matches(acting: Acting, wanted: str) -> Iterator[NoteLine]:
    notes = File.objects.present().visible_to(acting.sees).filter(note_date__isnull=False)
    for file in notes.order_by("-note_date", "-updated_at").iterator(chunk_size=50):
        if not file.says(wanted, in_any_case=True):
            continue
        [read] = readable_files([file], To.PROGRAM)
        for number, line in enumerate(read.remaining.split("\n"), start=1):
            if wanted in line.casefold() and not line.startswith("# "):
                yield NoteLine(file, number, _snippet(line, wanted))


def _answering(acting: Acting, query: str) -> Iterator[NoteLine]:
    asked = replace(query_syntax.plain(query), path=NOTE.start)
    found = search.search(acting.sees, asked, limit=MOST, kinds=("file",))
    for hit in placeholders.allowed(found.hits, then=False):
        if hit.file is not None and hit.file.note_date is not None:
            yield NoteLine(hit.file, hit.line, hit.snippet, hit.relevance)


def _blocks_of(hits: Iterable[tuple[File, int]]) -> Iterable[Line]:
    """The blocks that the lines stand in: what a dream weighs, and so what a recall is of."""
    for file, of_file in groupby(hits, key=lambda hit: hit[0]):
        numbers = {number for _file, number in of_file}
        [read] = readable_files([file], To.PROGRAM)
        for block in blocks(read.remaining):
            if numbers & set(range(block.line, block.end + 1)):
                yield Line(file, block.line, block.text)


def _snippet(line: str, wanted: str) -> str:
    """At most 500 characters around the match, which they always contain if it is no longer."""
    folded = [character.casefold() for character in line]  # one character may fold to several
    ends = list(accumulate(map(len, folded)))
    at = "".join(folded).find(wanted)
    first = bisect_right(ends, at)
    last = bisect_left(ends, at + len(wanted))
    before = min(100, max(0, SNIPPET - (last + 1 - first)))
    start = max(0, min(first - before, len(line) - SNIPPET))
    return line[start : start + SNIPPET].strip()


def _date(text: str, now: datetime) -> date:
    if text in {"today", "yesterday"}:
        return now.date() - timedelta(days=text == "yesterday")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise DateRefused(_("Give “today”, “yesterday” or a date such as 2026-11-20.")) from error


def _count_files(acting: Acting, query: str, given: Sequence[File]) -> None:
    """Whole files, without the lines that are placeholders."""
    both = list(zip(given, readable_files(given, To.PROGRAM), strict=True))
    lines = [
        Line(file, block.line, block.text)
        for file, read in both
        for block in blocks(read.remaining)
    ]
    spans = [span for file, read in both for span in _spans(file, read)]
    count(acting, query, lines, spans)


def _spans(file: File, read: ReadableFile) -> Iterator[Span]:
    """The stretches between its hidden lines."""
    first, end = 1, line_count(read.text)
    for number in [*sorted(read.hidden), end + 1]:
        if first < number:
            yield Span(file, first, number - 1)
        first = number + 1


def count(
    acting: Acting,
    query: str,
    lines: Iterable[Line],
    spans: Sequence[Span],
    *,
    via: Injection.Via = Injection.Via.TOOL,
) -> None:
    """Record what was given, and recalls, only in a conversation."""
    conversation = acting.conversation if acting.keeps else None
    if spans:
        prompt.note(
            acting.sees,
            spans,
            via=via,
            at=acting.now,
            conversation_id=conversation.pk if conversation else None,
            token=acting.token,
        )
    if conversation:
        tool = RecallEvent.Via.TOOL
        prompt.recall(acting.reader, conversation, query, lines, via=tool, at=acting.now)
