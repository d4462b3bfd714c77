"""Which files of a workspace an archive's entries are: ours, OpenClaw's, or none."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _

from memoryweb.workspace import paths
from memoryweb.workspace.exceptions import PathRefused
from memoryweb.workspace.snapshot.reading import Entry
from memoryweb.workspace.snapshot.writing import MANIFEST

NAMES = ("AGENTS.md", "KNOWLEDGE.md", "MEMORY.md", "PROFILE.md", "SOUL.md")
_ALSO = {"USER.md": "PROFILE.md"}  # OpenClaw's name
_NOTE = re.compile(r"memory/(\d{4}-\d{2}-\d{2})(-[^/]+)?\.md")
_LITTER = ("__MACOSX/",)


@dataclass(frozen=True, slots=True)
class Ignored:
    """An entry that is left out, and why."""

    name: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """The bytes that an archive has for one file; several entries may have given them."""

    path: str
    data: bytes
    sources: tuple[str, ...]
    note_date: date | None = None


@dataclass(frozen=True)
class Contents:
    files: tuple[Incoming, ...]
    ignored: tuple[Ignored, ...]


def sort_out(entries: Sequence[Entry]) -> Contents:
    """Files by name, what joins one note in the order of its names, and what is left out."""
    top = _top(entries)
    given: dict[str, list[Entry]] = defaultdict(list)
    ignored = []
    for name, entry in sorted(_named(entries, top), key=lambda pair: _order(pair[0])):
        if name == MANIFEST:
            continue
        target = _target(name)
        if target and name in _ALSO and target in given:
            said = _("The archive has “{path}” as well.").format(path=target)
            ignored.append(Ignored(entry.name, "twice", said))
        elif target:
            given[target].append(entry)
        else:
            ignored.append(_ignored(entry.name, name))
    files = (_incoming(path, found) for path, found in sorted(given.items()))
    return Contents(tuple(files), tuple(ignored))


def _named(entries: Sequence[Entry], top: str) -> list[tuple[str, Entry]]:
    return [(entry.name.removeprefix(top), entry) for entry in entries]


def _top(entries: Sequence[Entry]) -> str:
    """The one folder around everything, where nothing has a name of ours without it."""
    names = [entry.name for entry in entries if not entry.name.startswith(_LITTER)]
    if any(_target(name) or name == MANIFEST for name in names):
        return ""
    tops = {name.partition("/")[0] + "/" for name in names if "/" in name}
    if len(tops) == 1 and all("/" in name for name in names):
        return tops.pop()
    return ""


def _target(name: str) -> str | None:
    if name in NAMES:
        return name
    if name in _ALSO:
        return _ALSO[name]
    match = _NOTE.fullmatch(name)
    day = _date(match[1]) if match else None
    if match is None or day is None or (match[2] and _refusal(f"notes{match[2]}.md")):
        return None
    return paths.note_path(day)


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


def _order(name: str) -> tuple[str, bool, str]:
    """Our names before others that mean the same; a date's own note before its slugs."""
    match = _NOTE.fullmatch(name)
    return (match[1] if match else "", bool(match and match[2]) or name in _ALSO, name)


def _ignored(full_name: str, name: str) -> Ignored:
    match = _NOTE.fullmatch(name)
    reason = ""
    if match:
        # What follows the date of a note must be a name like any other.
        reason = _refusal(f"memory/{match[1]}.md") or _refusal(f"notes{match[2]}.md")
    elif name.casefold().endswith(".md"):
        reason = _refusal(name)
    if reason:
        return Ignored(full_name, "path_refused", reason)
    said = _("A snapshot takes along the core files and the daily notes, nothing else.")
    return Ignored(full_name, "not_in_snapshot", said)


def _incoming(path: str, found: list[Entry]) -> Incoming:
    data = found[0].data
    for entry in found[1:]:
        data = data.rstrip(b"\n") + b"\n\n" + entry.data.lstrip(b"\n") if data else entry.data
    match = _NOTE.fullmatch(path)
    return Incoming(
        path,
        data,
        tuple(entry.name for entry in found),
        _date(match[1]) if match else None,
    )
