"""Which files stand in a prompt, in which order, and what of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from memoryweb.agents.models import Agent, Reader, reading
from memoryweb.audit.record import target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.secrets import credentials
from memoryweb.llm.tokens import estimate, fitting
from memoryweb.markdown import marks
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.file_kinds import SUMMARY, SUMMARY_TOKENS
from memoryweb.markdown.parts import Part, Stretch, newest, top, worthiest
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.render import render
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.index.relevance import Evidence, rarity, relevance
from memoryweb.memory.index.terms import sentences_of, terms_in, terms_of
from memoryweb.memory.lines.files import untouched
from memoryweb.memory.lines.revisions import cited_lines
from memoryweb.memory.models import Fact, File, FileQuerySet, LineOrigin
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.memory.visible.outdated import has_withheld
from memoryweb.memory.visible.readable import ReadableFile, To, readable_file, readable_files
from memoryweb.memory.visible.said_on import pinned_ends, told_of

MEMORY = "MEMORY.md"
_NOTE = 12  # tokens of “… (N characters more)”
_UNREAD = 600  # tokens of what was noted and not dreamt of
_LEAST = 24  # tokens below which nothing worth reading of a file would fit
# A text and how many characters of it there is room for.
Choice = Callable[[str, int], Part]


@dataclass(frozen=True)
class Addition:
    """What stands behind a line and is no part of its file. `row` counts what was rendered, from
    0; `line` is that of the file."""

    text: str
    row: int
    line: int


@dataclass(frozen=True)
class PromptFile:
    """A file as it was put in: `rendered` with its fence and with what was `added`, `lines` of it;
    `cut` characters were left out."""

    file: File
    rendered: str
    characters: int
    lines: tuple[Stretch, ...]
    tokens: int
    cut: int
    masked: int
    added: tuple[Addition, ...] = ()

    @property
    def is_left_out(self) -> bool:
        return not self.rendered

    @property
    def last_line(self) -> int:
        return self.lines[-1][1] if self.lines else 0

    def holds(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self.lines)


@dataclass(frozen=True)
class EnabledFiles:
    """What of a reader's files may stand in a prompt, each with its readable text; and the owner's
    notes of today and yesterday."""

    reader: Reader
    shared: Sequence[tuple[File, ReadableFile]]
    personal: Sequence[tuple[File, ReadableFile]]
    notes: Sequence[tuple[File, ReadableFile]]


def enabled(reader: Reader) -> EnabledFiles:
    """In their order. Of the shared ones those of every team first, then the agent's own."""
    today = timezone.now().date()
    with reading(reader):
        files = _files(reader.sees(), (today - timedelta(days=1), today))
        files.sort(key=lambda file: file.agent_id == reader.agent.pk)
        found = list(zip(files, readable_files(files, To.PROGRAM), strict=True))
        if reader.agent.injection == Agent.Injection.SUMMARY:
            found = _summed_up(reader.agent, found)
    return EnabledFiles(
        reader,
        [one for one in found if one[0].owner_id is None],
        [one for one in found if one[0].owner_id is not None and one[0].enabled],
        [one for one in found if one[0].owner_id is not None and not one[0].enabled],
    )


def _summed_up(
    agent: Agent, given: Sequence[tuple[File, ReadableFile]]
) -> list[tuple[File, ReadableFile]]:
    """With the summary in place of the shared MEMORY.md, unless there is nothing in it."""
    found = agent.files.of(agent.pk, None).present().filter(path=SUMMARY.name)
    files = list(found.select_related("agent"))
    for file, text in zip(files, readable_files(files, To.PROGRAM), strict=True):
        text = replace(text, hidden=text.hidden | _outdated(file))
        if any(line.startswith("- ") for line in text.remaining.split("\n")):
            own = {row.pk: row for row in agent.files.of(agent.pk, None).filter(path=MEMORY)}
            rest = [one for one in given if one[0].pk not in {file.pk, *own}]
            return [*rest, (file, text)]
    return list(given)


def _outdated(file: File) -> set[int]:
    """Lines of a summary that sum up what MEMORY.md states no longer."""
    rows = LineOrigin.objects.filter(file=file, source_file__path=MEMORY)
    cited = {row.line: (row.source_file_id, row.source_revision, row.source_line) for row in rows}
    then = cited_lines(cited.values())
    memory = file.agent.files.of(file.agent_id, None).present().filter(path=MEMORY).first()
    now = readable_file(memory, To.PROGRAM).lines if memory else []
    return {line for line, one in cited.items() if then.get(one) not in now}


@PreparedQuery
def _files(which: Q, days: tuple[date, date]) -> FileQuerySet:
    files = File.objects.filter(which).exclude(untouched()).present()
    noted = Q(owner__isnull=False, note_date__in=days)
    files = files.filter(Q(enabled=True) | noted).order_by("sort_order", "folded_path")
    return files.annotate(has_withheld=has_withheld())


def shared(files: EnabledFiles, room: int) -> tuple[PromptFile, ...]:
    """The same for every message."""
    told = pinned_ends([file for file, _text in files.shared])
    return _include(files.shared, room, top, told)


def personal(files: EnabledFiles, room: int, message: str) -> tuple[PromptFile, ...]:
    """Of what does not fit, what has to do with the message. Each statement with its day, and that
    of something newer that may hold in its place."""
    telling = [file for file, _text in files.personal if kind_of(file.path).holds_facts]
    told = told_of(telling, files.reader.agent.zone)
    return _include(files.personal, room, _relevant_part(message), told)


def unread(
    files: EnabledFiles, given: Collection[Hit], talk: tuple[UUID, int] | None, room: int
) -> tuple[PromptFile, ...]:
    """Of the owner's notes of today and yesterday the last lines that no dream has made a statement
    of yet, and that stand neither in what was found and is `given` nor in the `talk`."""
    if not files.notes or room <= 0:
        return ()
    said = {one.message.pk for one in given if one.message}
    away: dict[UUID, set[int]] = defaultdict(set)
    for one in given:
        if one.file:
            away[one.file.pk].update(range(one.line, one.end_line + 1))
    with reading(files.reader):
        for file_id, line, is_read, message, conversation, position in _sources(
            tuple(file.pk for file, _text in files.notes)
        ):
            in_talk = talk is not None and conversation == talk[0] and position >= talk[1]
            if is_read or in_talk or message in said:
                away[file_id].add(line)
    notes = [
        (file, replace(read, hidden=read.hidden | away[file.pk])) for file, read in files.notes
    ]
    told = _include(reversed(notes), min(room, _UNREAD), newest, {})
    return tuple(one for one in reversed(told) if one.lines)


@PreparedQuery
def _sources(notes: Collection[UUID]) -> "QuerySet[LineOrigin, Any]":
    stated = Fact.objects.filter(evidence__message=OuterRef("message"))
    taken = LineOrigin.objects.filter(source_file=OuterRef("file"), source_line=OuterRef("line"))
    lines = LineOrigin.objects.filter(file__in=notes)
    lines = lines.annotate(is_read=Q(Exists(stated) | Exists(taken)))
    said = ("message", "message__conversation", "message__position")
    return lines.values_list("file", "line", "is_read", *said)


def line_count(text: str) -> int:
    """A newline at the end begins no line."""
    return text.removesuffix("\n").count("\n") + 1 if text else 0


def _relevant_part(message: str) -> Choice:
    terms = terms_of(message)
    sentences = sentences_of(message, terms)

    def chosen(content: str, limit: int) -> Part:
        if len(content) <= limit:
            return top(content, limit)
        said = {one.line: terms_in(one.text, terms) for one in blocks(content)}
        having = Counter(chain.from_iterable(said.values()))
        rarities = [rarity(len(said), having[number]) for number in range(len(terms))]

        def worth(block: Block) -> float:
            above = terms_in(" ".join(block.trail), terms) - said[block.line]
            return relevance(sentences, rarities, Evidence(said[block.line], above), ())

        return worthiest(content, limit, worth)

    return chosen


def _include(
    files: Iterable[tuple[File, ReadableFile]],
    room: int,
    choice: Choice,
    told: Mapping[UUID, Mapping[int, str]],
) -> tuple[PromptFile, ...]:
    included = []
    for file, read in files:
        most = SUMMARY_TOKENS if file.path == SUMMARY.name else room
        one = _fitted(file, read, min(most, room), choice, told.get(file.pk, {}))
        room -= one.tokens
        included.append(one)
    return tuple(included)


def _fitted(
    file: File, read: ReadableFile, room: int, choice: Choice, told: Mapping[int, str]
) -> PromptFile:
    """The file under its own limit and within the room; nothing of it where that is too small.

    Lines that wait for a person, and those that their owner spoke against, are left empty.
    """
    content, masked = credentials.mask(read.remaining)
    if masked and content.count("\n") != read.text.count("\n"):
        told = {}  # the numbers of its lines are not those of the file
    limit = kind_of(file.path).limit or len(content)
    content = marks.within(content, marks.MOST * max(len(content), limit // 2))
    part = choice(content, limit)
    rendered, added = _rendered(file, part, told)
    while estimate(rendered) > room:
        header = estimate(f"--- {file.path} ---\n")
        # Escaping, marks and days may add to it: each turn leaves a little more room.
        limit = min(fitting(content, room - header - _NOTE), limit * 9 // 10)
        if room < header + _LEAST or limit <= 0:
            return PromptFile(file, "", 0, (), 0, len(content), masked)
        part = choice(content, limit)
        rendered, added = _rendered(file, part, told)
    # Masking may have taken lines away: then the whole file counts as given.
    lines = ((1, line_count(read.text)),) if masked else part.lines
    size = estimate(rendered)
    return PromptFile(file, rendered, len(content) - part.cut, lines, size, part.cut, masked, added)


def _rendered(file: File, part: Part, told: Mapping[int, str]) -> tuple[str, tuple[Addition, ...]]:
    """The part with its fence, and what no file holds so: behind its lines what of them has ended,
    in the place of their marks, and the days."""
    rows = (render([(file.path, part.text)]) + "\n").split("\n")
    added = []
    numbers = chain.from_iterable(range(first, last + 1) for first, last in part.lines)
    for row, number in enumerate(numbers, start=1):
        sentence, ended = marks.part(rows[row])
        text = "".join([*(f" {one.told}" for one in ended), told.get(number, "")])
        if text and sentence.strip():
            rows[row] = sentence + text
            added.append(Addition(text, row, number))
    return "\n".join(rows), tuple(added)


# Which files enter the prompt, and in which order.


def arrange(tx: Transaction, memory: Memory, order: Sequence[tuple[str, bool]]) -> None:
    """Set the switch and the place of these files; the others follow as they were.

    Raises FileMissing.
    """
    files = {file.path: file for file in _ordered(memory)}
    wanted = dict(order)
    for path in wanted:
        if path not in files:
            raise FileMissing(path)
    changed = []
    for position, path in enumerate([*wanted, *(path for path in files if path not in wanted)]):
        file = files[path]
        enabled = wanted.get(path, file.enabled)
        if (file.sort_order, file.enabled) != (position, enabled):
            file.sort_order, file.enabled = position, enabled
            changed.append(file)
    if not changed:
        return
    File.objects.bulk_update(changed, ["enabled", "sort_order"], batch_size=200)
    tx.record("prompt.changed", **target(memory.agent))


def switch(tx: Transaction, file: File, *, enabled: bool) -> None:
    """Put a file into the prompt, or take it out. Raises FileMissing."""
    order = switched(_order(file), file.path, enabled=enabled)
    arrange(tx, Memory(file.agent, file.owner), order)


def step(tx: Transaction, file: File, by: int) -> None:
    """Move a file up (negative) or down in the prompt. Raises FileMissing."""
    arrange(tx, Memory(file.agent, file.owner), stepped(_order(file), file.path, by))


def put_before(tx: Transaction, file: File, before: str) -> None:
    """Move a file right before another in the prompt; "" is the end. Raises FileMissing."""
    arrange(tx, Memory(file.agent, file.owner), placed_before(_order(file), file.path, before))


def _order(file: File) -> list[tuple[str, bool]]:
    """As it is now, and the file in it. Raises FileMissing."""
    order = [(one.path, one.enabled) for one in _ordered(Memory(file.agent, file.owner))]
    if file.path not in dict(order):
        raise FileMissing(file.path)
    return order


def _ordered(memory: Memory) -> FileQuerySet:
    return (
        memory.files.present()
        .only("path", "enabled", "sort_order", "team")
        .order_by("sort_order", "folded_path")
    )


# Which files enter the prompt, in order: moving one of them. Pure.

Order = list[tuple[str, bool]]  # path, enabled; as `sort_order` has them


def switched(order: Sequence[tuple[str, bool]], path: str, *, enabled: bool) -> Order:
    """A file keeps its place while it is switched off and on again."""
    return [(name, enabled if name == path else was) for name, was in order]


def stepped(order: Sequence[tuple[str, bool]], path: str, step: int) -> Order:
    """An enabled file `step` places up (negative) or down among the enabled ones."""
    names = _enabled(order)
    if path not in names:
        return list(order)
    at = names.index(path)
    names.remove(path)
    names.insert(max(0, at + step), path)
    return _filled(order, names)


def placed_before(order: Sequence[tuple[str, bool]], path: str, before: str) -> Order:
    """An enabled file right before another; at the end where there is no such other."""
    names = _enabled(order)
    if path not in names or path == before:
        return list(order)
    names.remove(path)
    names.insert(names.index(before) if before in names else len(names), path)
    return _filled(order, names)


def _enabled(order: Sequence[tuple[str, bool]]) -> list[str]:
    return [name for name, enabled in order if enabled]


def _filled(order: Sequence[tuple[str, bool]], names: Sequence[str]) -> Order:
    """The enabled names anew in the places that enabled ones had."""
    rest = iter(names)
    return [(next(rest), True) if enabled else (name, False) for name, enabled in order]
