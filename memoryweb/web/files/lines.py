"""A file line by line as its page shows it: what a machine wrote, what is pinned, what is kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.lines.flags import flagged_lines
from memoryweb.memory.models import File
from memoryweb.memory.models.author_kinds import MACHINES, AuthorKind
from memoryweb.memory.visible.hidden import Hidden, hidden
from memoryweb.memory.visible.outdated import spoken_against
from memoryweb.web.markdown import Block


@dataclass(frozen=True)
class Shown:
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


def shown(file: File, blocks: Sequence[Block], all_hidden: Hidden) -> list[Shown]:
    return _sections(list(_lines(file, blocks, all_hidden)))


def standings(lines: Sequence[Shown]) -> set[str]:
    """What a legend has to explain."""
    found = {line.standing for line in lines} | {"machine" for line in lines if line.why}
    return found - {""}


def _lines(file: File, blocks: Sequence[Block], all_hidden: Hidden) -> Iterator[Shown]:
    by_machine, by_person, released = _authors(file)
    pinned, waiting = pinned_lines(file.content), flagged_lines(file)
    against, away = spoken_against(file), all_hidden.lines_of(file)
    own = Q(file=file, request__owner=file.owner_id)
    undoable = hidden(files=[file], which=own).lines_of(file) if away else set()
    last = 0
    for block in blocks:
        lines = set(block.lines)
        standing = (
            "pinned" if lines & pinned
            else "person" if lines & (by_person - released)
            else "released" if lines & released
            else ""
        )  # fmt: skip
        yield Shown(
            block,
            why=sorted(lines & by_machine),
            more=list(block.lines)[1:],
            apart=block.start > last + 1 and last > 0,
            marked=bool(lines & waiting),
            standing=standing,
            outdated=next((against[line] for line in block.lines if line in against), None),
            hidden=bool(lines & away),
            undoable=bool(lines & undoable),
        )
        last = block.end


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


def _sections(lines: list[Shown]) -> list[Shown]:
    start = 0
    for at, line in enumerate(lines):
        if line.standing != lines[start].standing:
            start = at
        if line.standing:
            first = lines[start]
            lines[start] = replace(first, first=first.block.start, last=line.block.end)
    return lines
