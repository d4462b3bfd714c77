"""Divides a memory that one import could not take into archives that it can. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memoryweb.memory.snapshots.reading import MAX_TOTAL
from memoryweb.memory.snapshots.zip_structure import MAX_ENTRIES

MOST_FILES = MAX_ENTRIES - 1  # beside the manifest
MOST_BYTES = MAX_TOTAL - 1024 * 1024  # leaves room for the manifest, and for the archive's own


@dataclass(frozen=True)
class Sized:
    path: str
    size: int
    note_date: date | None = None


@dataclass(frozen=True)
class Part:
    """`number` of `of`, from 1; `first` and `last` are the dates of its notes, if it has any."""

    number: int
    of: int
    files: tuple[Sized, ...]

    @property
    def first(self) -> date | None:
        return min((file.note_date for file in self.files if file.note_date), default=None)

    @property
    def last(self) -> date | None:
        return max((file.note_date for file in self.files if file.note_date), default=None)

    @property
    def has_core(self) -> bool:
        return any(file.note_date is None for file in self.files)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def divide(files: Sequence[Sized]) -> tuple[Part, ...]:
    """By name, so that the core files come first and the notes after them in time. The same
    files give the same parts; what fits into one archive is one."""
    parts: list[list[Sized]] = [[]]
    room = MOST_BYTES
    for file in sorted(files, key=lambda file: file.path):
        if parts[-1] and (len(parts[-1]) == MOST_FILES or file.size > room):
            parts.append([])
            room = MOST_BYTES
        parts[-1].append(file)
        room -= file.size
    return tuple(
        Part(number, len(parts), tuple(found)) for number, found in enumerate(parts, start=1)
    )
