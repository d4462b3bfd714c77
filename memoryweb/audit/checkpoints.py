"""Signed heads of the chains, kept outside the database: they show what a chain alone cannot."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings
from django.db import transaction

from memoryweb.audit import keys
from memoryweb.audit.models import ChainHead
from memoryweb.audit.record import lock

_PURPOSE = b"memoryweb audit checkpoint 1\n"


@dataclass(frozen=True)
class Checkpoint:
    """That a team's chain had this head. `hash`, `key` (Ed25519, public) and `signature` are hex;
    `at` is UTC in ISO 8601."""

    team: str
    seq: int
    hash: str
    at: str
    key: str = ""
    signature: str = ""

    @property
    def is_ours(self) -> bool:
        """Signed with this installation's key."""
        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key))
            key.verify(bytes.fromhex(self.signature), self._signed())
        except (InvalidSignature, ValueError):
            return False
        return self.key in keys.ring().signers

    def told(self) -> dict[str, Any]:
        return asdict(self)

    def _signed(self) -> bytes:
        """The bytes under the signature: the first four fields as canonical JSON."""
        said = {name: getattr(self, name) for name in ("team", "seq", "hash", "at")}
        return _PURPOSE + keys.canonical(said)


def sign(team_id: UUID, now: datetime) -> Checkpoint | None:
    """Sign the head as it is now, append it to the team's file and count it in the head. None
    without a chain."""
    if not ChainHead.objects.filter(team_id=team_id, seq__gt=0).exists():
        return None
    with transaction.atomic():
        head = lock(team_id)
        made, is_sealed = _signed(head, now), keys.is_sealed(head)
        known = list(kept(team_id))
        is_new = count([*known, made]) > count(known)
        _append(made)
        # Killed before this commits, the file has one more than was counted: the next one tells.
        head.checkpoints = max(head.checkpoints, count(known)) + is_new
        head.seal = keys.seal_of(head) if is_sealed else head.seal
        head.save(update_fields=["checkpoints", "seal"])
    return made


def sign_moved(now: datetime) -> int:
    """Sign every head that has moved since its last checkpoint; how many."""
    moved = 0
    for head in ChainHead.objects.filter(seq__gt=0).iterator():
        last = newest(head.team_id)
        if last is None or last.seq != head.seq or last.hash != bytes(head.hash).hex():
            sign(head.team_id, now)
            moved += 1
    return moved


def kept(team_id: UUID) -> Iterator[Checkpoint]:
    """Oldest first. A line that is none counts as one that nobody signed."""
    path = _path(team_id)
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from (_read(line) for line in lines if line.strip())


def newest(team_id: UUID) -> Checkpoint | None:
    """Read from the end of its file, however long that is."""
    path = _path(team_id)
    if not path.exists():
        return None
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 1024))
        lines = stream.read().decode(errors="replace").strip().splitlines()
    return _read(lines[-1]) if lines else None


def count(found: Iterable[Checkpoint]) -> int:
    """How many there are, where one that stands there twice is one."""
    return len({(one.seq, one.hash) for one in found})


def put_strange_aside(now: datetime) -> None:
    """Files with checkpoints that do not count are kept under another name."""
    for team_id in teams():
        if not all(one.is_ours for one in kept(team_id)):
            _path(team_id).rename(_path(team_id).with_suffix(f".lost-{now:%Y%m%dT%H%M%S}"))


def teams() -> set[UUID]:
    """Those that have checkpoints, also when nothing else of them is left."""
    return {UUID(path.stem) for path in _folder().glob("*.jsonl")} if _folder().exists() else set()


def _signed(head: ChainHead, now: datetime) -> Checkpoint:
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    bare = Checkpoint(str(head.team_id), head.seq, bytes(head.hash).hex(), at)
    return replace(bare, key=keys.public_key(), signature=keys.signer().sign(bare._signed()).hex())


def _append(made: Checkpoint) -> None:
    _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    # One write that only appends: two processes never tear each other's line.
    handle = os.open(_path(UUID(made.team)), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, json.dumps(made.told()).encode() + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(line: str) -> Checkpoint:
    try:
        said = json.loads(line)
        if not isinstance(said, Mapping) or type(said.get("seq")) is not int:
            raise ValueError
        return Checkpoint(**{name: said[name] for name in Checkpoint.__dataclass_fields__})
    except (ValueError, KeyError):
        return Checkpoint("", 0, "", "")


def _folder() -> Path:
    return Path(settings.CHECKPOINTS)


def _path(team_id: UUID) -> Path:
    return _folder() / f"{team_id}.jsonl"
