"""A file line by line as its page shows it: what a machine wrote, what is pinned, what is kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from memoryweb.markdown.line_edits import words_of
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.lines.flags import flagged_lines
from memoryweb.memory.lines.history import MessagePlace, Wrote, authorship
from memoryweb.memory.lines.origins import origins_at
from memoryweb.memory.lines.revisions import author_name, history_of, line_now
from memoryweb.memory.models import MACHINES, AuthorKind, Conversation, File, LineOrigin, Message
from memoryweb.memory.visible.hidden import hidden
from memoryweb.memory.visible.outdated import spoken_against
from memoryweb.memory.visible.readable import (
    Look,
    ReadableFile,
    ReadableMessage,
    To,
    readable_messages,
)
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest, Workspace, note_read
from memoryweb.web.files.forms import LineForm
from memoryweb.web.markdown import Block
from memoryweb.web.pages import number_of, page, to
from memoryweb.web.wording import (
    NOTED,
    author_of,
    file_url,
    in_zone,
    message_url,
    noted_at,
    talk_url,
)


@dataclass(frozen=True)
class LineBlock:
    """A block with the lines of it that a machine wrote.

    `standing` is `pinned`, `person` (kept from machines), `released` or nothing. `outdated`: the
    statement that its owner has spoken against; `hidden`: it is to be forgotten;
    `undoable`: those of this very memory asked for it. The first block of those with the same
    standing has the lines of all of them, else both numbers are 0.
    """

    block: Block
    why: Sequence[int]
    more: Sequence[int]
    apart: bool
    marked: bool
    standing: str
    outdated: UUID | None = None
    hidden: bool = False
    undoable: bool = False
    first: int = 0
    last: int = 0
    is_changed: bool = False
    at: str = ""  # the reader's time of a note line, where that is not the line's own

    @property
    def looks(self) -> str:
        """Its classes for the style sheet."""
        shown = {"machine": self.why, "gap1": self.apart, "saved": self.is_changed}
        return " ".join(filter(None, [self.standing, *(name for name, on in shown.items() if on)]))

    @property
    def told(self) -> str:
        if self.standing == "person":
            return _("A person wrote this. Machines do not change it.")
        return _("A person wrote this. Machines may change it.")

    @property
    def can_go(self) -> bool:
        """Headings and marks say nothing that could be forgotten."""
        return not self.hidden and self.block.kind not in {"heading", "pin", "unpin"}

    @property
    def can_be_edited(self) -> bool:
        """Pins are set in the editor, and what is to be forgotten is no text to edit."""
        return not self.hidden and self.block.kind not in {"pin", "unpin"}

    @property
    def act(self) -> str:
        return "agents_release" if self.standing == "person" else "agents_keep"


def shown(file: File, text: ReadableFile, blocks: Sequence[Block]) -> list[LineBlock]:
    return _sections(list(_shown_lines(file, text, blocks)))


def standings(lines: Sequence[LineBlock]) -> set[str]:
    """What a legend has to explain."""
    found = {line.standing for line in lines} | {"machine" for line in lines if line.why}
    return found - {""}


def _shown_lines(file: File, text: ReadableFile, blocks: Sequence[Block]) -> Iterator[LineBlock]:
    by_machine, by_person, released = _authors(file)
    pinned, waiting = pinned_lines(text.text), flagged_lines(file)
    against, away = spoken_against(file), text.hidden
    own = Q(file=file, request__owner=file.owner_id)
    undoable = hidden(files=[file], which=own).lines_of(file) if away else set()
    last, written = 0, text.text.split("\n")
    for block in blocks:
        lines = set(block.lines)
        standing = (
            "pinned" if lines & pinned
            else "person" if lines & (by_person - released)
            else "released" if lines & released
            else ""
        )  # fmt: skip
        yield LineBlock(
            block,
            why=sorted(lines & by_machine),
            more=list(block.lines)[1:],
            apart=block.start > last + 1 and last > 0,
            marked=bool(lines & waiting),
            standing=standing,
            outdated=next((against[line] for line in block.lines if line in against), None),
            hidden=bool(lines & away),
            undoable=bool(lines & undoable),
            at=_noted_at(file, written[block.start - 1]),
        )
        last = block.end


def _noted_at(file: File, line: str) -> str:
    noted = NOTED.match(line)
    at = noted_at(file.note_date, noted[2]) if file.note_date and noted else ""
    return at if noted and at != noted[2] else ""


def _authors(file: File) -> tuple[set[int], set[int], set[int]]:
    """Lines of machines, of people, and those of people that they released."""
    machine, person, free = set(), set(), set()
    for line, kind, released in file.origins.values_list("line", "author_kind", "released"):
        if kind in MACHINES:
            machine.add(line)
        elif kind == AuthorKind.PERSON:
            person.add(line)
            if released:
                free.add(line)
    return machine, person, free


def _sections(lines: list[LineBlock]) -> list[LineBlock]:
    start = 0
    for at, line in enumerate(lines):
        if line.standing != lines[start].standing:
            start = at
        if line.standing:
            first = lines[start]
            lines[start] = replace(first, first=first.block.start, last=line.block.end)
    return lines


# The line of a file's page that stands open to be edited.


@dataclass(frozen=True)
class Editing:
    """`at`: the first line of the block in whose place the form stands, 0 above all of them.
    `theirs`: what somebody else made of it meanwhile; `is_gone`: they took it away."""

    form: LineForm
    at: int = 0
    theirs: str | None = None
    is_gone: bool = False

    @property
    def is_single(self) -> bool:
        """Enter alone saves it."""
        return "\n" not in (self.form["text"].value() or "")

    def among(self, lines: Sequence[LineBlock]) -> "Editing":
        """At its block of the text as it is now, or at the one that comes next."""
        first = str(self.form["first"].value())
        number = int(first) if first.isdigit() else 0
        starts = [one.block.start for one in lines if one.block.end >= number]
        return replace(self, at=starts[0] if starts else 0)


def asked(
    request: TeamRequest, workspace: Workspace, file: File, text: str, lines: Sequence[LineBlock]
) -> Editing | None:
    """The line that the address asks to edit, where this person may."""
    number = number_of(request, "edit", 0)
    found = next((one for one in lines if number in one.block.lines), None)
    if found is None or not (workspace.can_write and found.can_be_edited):
        return None
    first, last = found.block.start, _last(text, found)
    said = {"first": first, "last": last, "sha256": file.sha256}
    return Editing(LineForm(initial=said | {"text": words_of(text, first, last)}), first)


def _last(text: str, shown: LineBlock) -> int:
    """The last line of a block that says something: a list ends with an empty one."""
    lines = text.split("\n")[: shown.block.end]
    while len(lines) > shown.block.start and not lines[-1].strip():
        lines.pop()
    return len(lines)


# Who wrote each line of a file, as the gutter beside its text shows it.

PARAMETER = "authors"  # of the address: the gutter is open


@dataclass(frozen=True)
class _AuthoredLine:
    number: int
    text: str
    wrote: Wrote
    said: MessagePlace | None
    message_url: str = ""

    @property
    def source(self) -> tuple[int, UUID | None]:
        return self.wrote.since, self.said.conversation_id if self.said else None


def is_asked(request: TeamRequest) -> bool:
    return PARAMETER in request.GET


def authored(request: TeamRequest, file: File, number: int) -> dict[str, Any]:
    """One page of the lines of a revision, in stretches."""
    known = authorship(file, number)
    count = len(known.lines) - (known.lines[-1:] == [""])
    shown = page(request, range(count), size=500)
    first = shown.first - 1 if count else 0
    lines = Look(To.PAGE, files=[file]).then(file, "\n".join(known.lines)).split("\n")
    told = _authored_lines(lines, known.wrote, range(first, first + len(shown)))
    return {"is_authored": True, "authored": _stretches(request, file, told), "page": shown}


def _authored_lines(
    lines: Sequence[str], wrote: Sequence[Wrote], places: range
) -> list[_AuthoredLine]:
    """A blank line goes with the one above it."""
    found: list[_AuthoredLine] = []
    for at in places:
        one = _AuthoredLine(at + 1, lines[at], wrote[at], next(iter(wrote[at].said), None))
        if not one.text.strip() and found:
            one = replace(found[-1], number=one.number, text=one.text)
        found.append(one)
    return found


def _stretches(
    request: TeamRequest, file: File, told: Sequence[_AuthoredLine]
) -> list[dict[str, Any]]:
    """Lines one below the other that one revision brought from one conversation."""
    keys = {one.said.conversation_id for one in told if one.said}
    talks = file.agent.conversations.in_bulk(keys)
    numbers = {one.wrote.since for one in told}
    revisions = {one.number: one for one in history_of(file).filter(number__in=numbers)}
    found = []
    for (number, talk_id), group in groupby(told, key=lambda one: one.source):
        revision, lines = revisions.get(number), list(group)
        talk = talks.get(talk_id) if talk_id else None
        said = dict.fromkeys(one.said for one in lines if one.said)
        first = next(iter(said), None)
        author = author_of(request, revision, file.agent, talk, first) if revision else None
        shown = _blamed_lines(request, lines, talk, said)
        found.append(
            {
                "revision": number,
                "author": author,
                "lines": shown,
                "messages": len(said),
                "heat": _heat(author.at, request.visit.now) if author and author.at else 0,
            }
        )
    return found


# Younger than so many days: the warmest first.
_AGES = (2, 8, 31, 181)


def _heat(at: datetime, now: datetime) -> int:
    """0 is cold, as old as anything; the date says in words what the color shows."""
    return len(_AGES) - sum((now - at).days >= age for age in _AGES)


def _blamed_lines(
    request: TeamRequest,
    told: Sequence[_AuthoredLine],
    talk: Conversation | None,
    said: Mapping[MessagePlace, None],
) -> list[_AuthoredLine]:
    """Where several messages stand behind a stretch, each line leads to its own."""
    if len(said) < 2:
        return list(told)
    return [
        replace(one, message_url=message_url(request, talk, one.said))
        if one.said and one.text.strip()
        else one
        for one in told
    ]


# Where a line came from, step by step: the line, the note lines behind it, the messages.

_DEPTH = 4


@dataclass(frozen=True)
class Step:
    """A line of a file, or a message. Without `text` it is not for this reader."""

    kind: str  # line | message | hidden | gone
    title: str = ""
    text: str = ""
    url: str = ""
    author: str = ""
    run: Run | None = None
    run_url: str = ""
    message: Message | None = None


def trace(request: TeamRequest, file: File, line: int) -> list[Step]:
    """From the line back to the messages; every step only if its text may be read. None where
    the file has no such line."""
    steps: list[Step] = []
    messages: dict[int, Message] = {}
    seen: set[tuple[str, int]] = set()
    places = [(file, line, file.revision)] if file.has_line(line) else []
    for _depth in range(_DEPTH):
        fresh = [p for p in places if (str(p[0].pk), p[1]) not in seen]
        if not fresh:
            break
        seen |= {(str(f.pk), at) for f, at, _rev in fresh}
        places = []
        look = Look(To.PAGE, files=[file for file, _at, _rev in fresh])
        for file, number, revision in fresh:
            text, at = line_now(file, number, revision)
            origins = origins_at(file, at) if at else []
            steps.append(_line(request, file, number, look.then(file, text), origins))
            messages |= {o.message.pk: o.message for o in origins if o.message}
            places += _sources(origins)
    said = readable_messages([*messages.values()], To.PAGE)
    both = zip(messages.values(), said, strict=True)
    return steps + [_message(request, message, readable) for message, readable in both]


def _sources(origins: Iterable[LineOrigin]) -> list[tuple[File, int, int]]:
    return [
        (o.source_file, o.source_line, o.source_revision or o.source_file.revision)
        for o in origins
        if o.source_file and o.source_line
    ]


def _line(
    request: TeamRequest, file: File, line: int, text: str, origins: Sequence[LineOrigin]
) -> Step:
    if not request.visit.reads(file.owner_id):
        return Step("hidden")
    note_read(request, file.owner, "file", file.pk)
    first = origins[0] if origins else None
    run = first.run if first else None
    return Step(
        "line",
        title=f"{file.path}:{line}",
        text=in_zone(text, file.note_date),
        url=file_url(request, file, line),
        author=author_name(first, file.agent) if first else "",
        run=run,
        run_url=to(request, "agents_run", run.pk) if run else "",
    )


def _message(request: TeamRequest, message: Message, readable: ReadableMessage) -> Step:
    conversation = message.conversation
    if not request.visit.reads(conversation.owner_id):
        return Step("hidden")
    note_read(request, conversation.owner, "conversation", conversation.pk)
    return Step(
        "message",
        title=message.name or message.get_role_display(),
        text=readable.shown,
        url=talk_url(request, conversation, message.position),
        message=message,
    )
