"""Writes snapshots: the same files give the same bytes."""

import hashlib
import io
import json
import stat
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

MANIFEST = "manifest.json"
SCHEMA = "memoryweb-snapshot/1"
_TIME = (1980, 1, 1, 0, 0, 0)  # ZIP knows none before
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3


@dataclass(frozen=True)
class Packed:
    """One file to pack; `changed_at` is when its text last changed."""

    path: str
    content: str
    changed_at: datetime


def write(
    files: Sequence[Packed],
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
