"""What an archive holds: which files its entries are (ours, OpenClaw's, or none), its manifest."""

import hashlib
import io
import json
import re
import stat
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.markdown import paths
from memoryweb.markdown.file_kinds import KINDS
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.snapshots.reading import MAX_ENTRIES, MAX_TOTAL, Entry

NAMES = frozenset(kind.name for kind in KINDS if kind.in_snapshot)
_ALSO = {"USER.md": "PROFILE.md"}  # OpenClaw's name
_NOTE = re.compile(r"memory/(\d{4}-\d{2}-\d{2})(-[^/]+)?\.md")
LITTER = ("__MACOSX/",)


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
    top = top_of([entry.name for entry in entries])
    named = ((entry.name.removeprefix(top), entry) for entry in entries)
    return [_NamedEntry(_target(name), name, entry) for name, entry in named if name != MANIFEST]


def is_workspace(names: Sequence[str]) -> bool:
    """Whether one of them means a file here."""
    top = top_of(names)
    return any(_is_ours(name.removeprefix(top)) for name in names)


def _is_ours(name: str) -> bool:
    return name == MANIFEST or _target(name) is not None


def top_of(names: Sequence[str]) -> str:
    """The one folder around everything, where nothing has a name of ours without it."""
    names = [name for name in names if not name.startswith(LITTER)]
    if any(map(_is_ours, names)):
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
    if refusal(f"notes{match[2]}.md"):
        return None
    return _Target(paths.note_path(day), day, is_plain=False)


def refusal(path: str) -> str:
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
        reason = refusal(f"memory/{match[1]}.md") or refusal(f"notes{match[2]}.md")
    elif name.casefold().endswith(".md"):
        reason = refusal(name)
    if reason:
        return IgnoredEntry(full_name, "path_refused", reason)
    said = _("A snapshot takes along the core files and the daily notes, nothing else.")
    return IgnoredEntry(full_name, "not_in_snapshot", said)


def _incoming(given: list[_NamedEntry]) -> Incoming:
    data, *further = (_OUR_FRONT_MATTER.sub(b"", one.entry.data) for one in given)
    for more in further:
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


def not_taken(name: str, left_out: int) -> tuple[IgnoredEntry, ...]:
    said = ngettext(
        "{n} memory isn't taken: it has no text, too long a text, or markup.",
        "{n} memories aren't taken: they have no text, too long a text, or markup.",
        left_out,
    )
    return (IgnoredEntry(name, "not_taken", said.format(n=left_out)),) if left_out else ()


def as_file(lines: Iterable[str]) -> bytes:
    """A lone surrogate is no text and no reason to refuse the rest."""
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


# Writes snapshots: the same files give the same bytes.

MANIFEST = "manifest.json"
SCHEMA = "memoryweb-snapshot/1"
_TIME = (1980, 1, 1, 0, 0, 0)  # ZIP knows none before
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3
_OURS = "source: memoryweb"  # begins the front matter of an exported note
_OUR_FRONT_MATTER = re.compile(rf"\A---\n{_OURS}\n(?:\w+: .*\n)*---\n\n?".encode())


@dataclass(frozen=True)
class FileToPack:
    """One file to pack; `changed_at` is when its text last changed."""

    path: str
    content: str
    changed_at: datetime


def write(
    files: Sequence[FileToPack],
    *,
    agent: Mapping[str, str],
    owner: str,
    part: tuple[int, int] | None = None,
) -> bytes:
    """A ZIP archive of these files by name, behind a manifest. No clock is read. `part` is its
    number and how many there are, where a memory was divided."""
    files = sorted(files, key=lambda file: file.path)
    packed = [(file.path, file.content.encode()) for file in files]
    newest = max((file.changed_at for file in files), default=None)
    manifest: dict[str, object] = {
        "schema": SCHEMA,
        "agent": dict(agent),
        "owner": owner,
        "time": newest.astimezone(UTC).isoformat().replace("+00:00", "Z") if newest else None,
        "files": [
            {"path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in packed
        ],
    }
    if part:
        manifest["part"], manifest["parts"] = part
    text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    return zipped([(MANIFEST, text.encode()), *packed])


def write_notes(files: Sequence[FileToPack], folder: str) -> bytes:
    """The same files as notes in a folder, which Obsidian opens as a vault."""
    packed = [
        (f"{folder}/{file.path}", (_front_matter(file) + file.content).encode())
        for file in sorted(files, key=lambda file: file.path)
    ]
    return zipped(packed)


def _front_matter(file: FileToPack) -> str:
    """As Obsidian and OKF 0.2 know it; a text with one of its own keeps that."""
    if file.content.startswith("---\n"):
        return ""
    title = json.dumps(paths.stem_of(file.path), ensure_ascii=False)
    changed = file.changed_at.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat()
    kind = paths.kind_of(file.path).written
    return f"---\n{_OURS}\ntitle: {title}\ntype: {kind}\nupdated: {changed}\n---\n\n"


def zipped(files: Sequence[tuple[str, bytes]]) -> bytes:
    """The same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, data in files:
            archive.writestr(_info(path), data)
    return out.getvalue()


def _info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, _TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = _MODE
    return info


# Divides a memory that one import could not take into archives that it can. Pure.

MOST_FILES = MAX_ENTRIES - 1  # beside the manifest
MOST_BYTES = MAX_TOTAL - 1024 * 1024  # leaves room for the manifest, and for the archive's own


@dataclass(frozen=True)
class FileSize:
    path: str
    size: int
    note_date: date | None = None


@dataclass(frozen=True)
class Part:
    """`number` of `of`, from 1; `first` and `last` are the dates of its notes, if it has any."""

    number: int
    of: int
    files: tuple[FileSize, ...]

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


def divide(files: Sequence[FileSize]) -> tuple[Part, ...]:
    """By name, so that the core files come first and the notes after them in time. The same
    files give the same parts; what fits into one archive is one."""
    parts: list[list[FileSize]] = [[]]
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
