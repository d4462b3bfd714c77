"""Which files of a workspace an archive's entries are: ours, OpenClaw's, or none."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from memoryweb.markdown import paths
from memoryweb.markdown.file_kinds import KINDS
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.snapshots.manifest import MANIFEST
from memoryweb.memory.snapshots.reading import Entry

NAMES = frozenset(kind.name for kind in KINDS if kind.in_snapshot)
_ALSO = {"USER.md": "PROFILE.md"}  # OpenClaw's name
_NOTE = re.compile(r"memory/(\d{4}-\d{2}-\d{2})(-[^/]+)?\.md")
_LITTER = ("__MACOSX/",)


@dataclass(frozen=True, slots=True)
class IgnoredEntry:
    """An entry that is left out, and why."""

    name: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """The bytes that an archive has for one file; several entries may have given them. `joins`:
    what they have more is added to the file, as it is to a note, and nothing taken away."""

    path: str
    data: bytes
    sources: tuple[str, ...]
    note_date: date | None = None
    joins: bool = False


@dataclass(frozen=True)
class Talk:
    """A conversation as a program exported it. `messages` have the fields of the API's and are not
    checked; `remembered` is what the program wrote into its memory meanwhile."""

    id: object
    messages: Sequence[dict[str, Any]] = ()
    remembered: Sequence[str] = ()
    wrong: str = ""


@dataclass(frozen=True)
class Contents:
    """`talks` reads the conversations anew each time, one by one; `remembered_in` is the file that
    what they remember joins."""

    files: tuple[Incoming, ...]
    ignored: tuple[IgnoredEntry, ...]
    talks: Callable[[], Iterator[Talk]] = field(default=lambda: iter(()), repr=False)
    remembered_in: str = ""
    format: str = "snapshot"


class _Target(NamedTuple):
    """The file that a name means; `is_plain` where the name is its own."""

    path: str
    day: date | None
    is_plain: bool


class _NamedEntry(NamedTuple):
    target: _Target | None
    name: str
    entry: Entry

    @property
    def order(self) -> tuple[bool, str]:
        """A file's own name before others that mean it, and those by name."""
        return bool(self.target and not self.target.is_plain), self.name


def sort_out(entries: Sequence[Entry]) -> Contents:
    """Files by name, what joins one note in the order of its names, and what is left out."""
    given: dict[str, list[_NamedEntry]] = defaultdict(list)
    ignored = []
    for one in sorted(_meant(entries), key=lambda one: one.order):
        if one.target is None:
            ignored.append(_ignored(one.entry.name, one.name))
        elif one.name in _ALSO and one.target.path in given:
            said = _("The archive has “{path}” as well.").format(path=one.target.path)
            ignored.append(IgnoredEntry(one.entry.name, "twice", said))
        else:
            given[one.target.path].append(one)
    ignored.sort(key=lambda one: one.name)
    return Contents(tuple(_incoming(given[path]) for path in sorted(given)), tuple(ignored))


def _meant(entries: Sequence[Entry]) -> list[_NamedEntry]:
    top = _top(entries)
    named = ((entry.name.removeprefix(top), entry) for entry in entries)
    return [_NamedEntry(_target(name), name, entry) for name, entry in named if name != MANIFEST]


def _top(entries: Sequence[Entry]) -> str:
    """The one folder around everything, where nothing has a name of ours without it."""
    names = [entry.name for entry in entries if not entry.name.startswith(_LITTER)]
    if any(_target(name) or name == MANIFEST for name in names):
        return ""
    tops = {name.partition("/")[0] + "/" for name in names if "/" in name}
    if len(tops) == 1 and all("/" in name for name in names):
        return tops.pop()
    return ""


def _target(name: str) -> _Target | None:
    if name in NAMES:
        return _Target(name, None, is_plain=True)
    if name in _ALSO:
        return _Target(_ALSO[name], None, is_plain=False)
    match = _NOTE.fullmatch(name)
    day = _date(match[1]) if match else None
    if match is None or day is None:
        return None
    if not match[2]:
        return _Target(name, day, is_plain=True)
    if _refusal(f"notes{match[2]}.md"):
        return None
    return _Target(paths.note_path(day), day, is_plain=False)


def _refusal(path: str) -> str:
    """Why no file may be called so; empty for a path like any other."""
    try:
        paths.parse(path)
    except PathRefused as refused:
        return str(refused)
    return ""


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _ignored(full_name: str, name: str) -> IgnoredEntry:
    match = _NOTE.fullmatch(name)
    reason = ""
    if match:
        # What follows the date of a note must be a name like any other.
        reason = _refusal(f"memory/{match[1]}.md") or _refusal(f"notes{match[2]}.md")
    elif name.casefold().endswith(".md"):
        reason = _refusal(name)
    if reason:
        return IgnoredEntry(full_name, "path_refused", reason)
    said = _("A snapshot takes along the core files and the daily notes, nothing else.")
    return IgnoredEntry(full_name, "not_in_snapshot", said)


def _incoming(given: list[_NamedEntry]) -> Incoming:
    data = given[0].entry.data
    for one in given[1:]:
        more = one.entry.data
        data = data.rstrip(b"\n") + b"\n\n" + more.lstrip(b"\n") if data else more
    target = given[0].target
    assert target is not None
    return Incoming(target.path, data, tuple(one.entry.name for one in given), target.day)


# Statements of another program as lines of a file, whatever their text is. Pure.

LONGEST = 1_000
_MARKUP = ("<!--", "-->", "```", "~~~")  # could pin lines, or hide them


def bullets(texts: Iterable[object]) -> tuple[list[str], int]:
    """Each once, in their order; and how many are none: no text, too long, or with markup that
    would mean something here."""
    lines: dict[str, None] = {}
    left_out = 0
    for text in texts:
        said = " ".join(text.replace("\0", " ").split()) if isinstance(text, str) else ""
        if not said or len(said) > LONGEST or any(mark in said for mark in _MARKUP):
            left_out += 1
            continue
        lines[f"- {said}"] = None
    return list(lines), left_out


def as_file(lines: Iterable[str]) -> bytes:
    """A lone surrogate is no text and no reason to refuse the rest."""
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")
