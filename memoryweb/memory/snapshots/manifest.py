"""Writes snapshots: the same files give the same bytes."""

import hashlib
import io
import json
import stat
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memoryweb.memory.snapshots.reading import MAX_TOTAL
from memoryweb.memory.snapshots.zip_structure import MAX_ENTRIES

MANIFEST = "manifest.json"
SCHEMA = "memoryweb-snapshot/1"
_TIME = (1980, 1, 1, 0, 0, 0)  # ZIP knows none before
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3


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
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, data in [(MANIFEST, text.encode()), *packed]:
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
