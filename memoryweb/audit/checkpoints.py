"""Signed heads of the chains, kept outside the database: they show what a chain alone cannot. And
what becomes of all keys when the secret key changes."""

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.utils.translation import gettext as _

from memoryweb.audit import keys, ledger
from memoryweb.audit.models import ChainHead, Event, Keys
from memoryweb.audit.record import SYSTEM, Entry, lock, record
from memoryweb.core.tables import KeyedCharField

logger = logging.getLogger(__name__)
RESTORED, SEEN, WITHOUT_LEDGER = "backup.restored", "backup.seen", "without_ledger"
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
        return keys.have_signed(self.key, self.signature, self._signed())

    def told(self) -> dict[str, Any]:
        return asdict(self)

    def _signed(self) -> bytes:
        """The bytes under the signature: the first four fields as canonical JSON."""
        said = {name: getattr(self, name) for name in ("team", "seq", "hash", "at")}
        return _PURPOSE + keys.canonical(said)


def sign(team_id: UUID, now: datetime) -> Checkpoint | None:
    """Sign the head as it is now, append it to the team's file, count it in the head and tell the
    ledger. None without a chain."""
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
        try:
            ledger.write_head(head, now)
        except ledger.LedgerUnavailable as problem:
            logger.warning("%s", problem)
    return made


def sign_moved(now: datetime) -> int:
    """Sign every head that has moved since its last checkpoint; how many."""
    moved = 0
    for head in ChainHead.objects.filter(seq__gt=0).iterator():
        last = newest(head.team_id)
        has_moved = last is None or (last.seq, last.hash) != (head.seq, bytes(head.hash).hex())
        if has_moved:
            sign(head.team_id, now)
            moved += 1
        if has_moved or ledger.is_away(head.team_id):
            try:
                ledger.deliver(head.team_id)
            except ledger.LedgerUnavailable as problem:
                logger.warning("%s", problem)
    return moved


def kept(team_id: UUID) -> Iterator[Checkpoint]:
    """Oldest first. A line that is none counts as one that nobody signed."""
    path = _path(team_id)
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from (_read(line) for line in lines if line.strip())


@dataclass(frozen=True)
class Gap:
    """A backup was restored that ends `after` this event; the last one told of was `known`."""

    after: int
    known: int
    at: datetime

    def __str__(self) -> str:
        said = _(
            "Declared gap: a backup was restored on {at} UTC; it ends with event {after}, and the"
            " log had {known} events."
        )
        return said.format(at=f"{self.at:%Y-%m-%d %H:%M}", after=self.after, known=self.known)

    def has(self, one: Checkpoint) -> bool:
        return one.is_ours and one.seq > self.after and datetime.fromisoformat(one.at) <= self.at


def gaps(team_id: UUID) -> list[Gap]:
    """Those that the chain itself declares."""
    events = Event.objects.filter(team_id=team_id, action=RESTORED).order_by("seq")
    return [Gap(one.seq - 1, json.loads(one.details)["known"], one.at) for one in events]


def standing(team_id: UUID) -> list[Checkpoint]:
    """Without those of events that a declared gap took away."""
    declared, found = gaps(team_id), list(kept(team_id))
    gone = (one for one in found if any(gap.has(one) for gap in declared))
    lost = {one for one in gone if one.hash != _hash_at(one)}
    return [one for one in found if one not in lost]


@cache
def unledgered_at(team_id: UUID) -> datetime | None:
    """When a backup was restored without the ledger, while admins are to be told."""
    last = (
        Event.objects.filter(team_id=team_id, action__in=(RESTORED, SEEN)).order_by("-seq").first()
    )
    return last.at if last and last.reason_code == WITHOUT_LEDGER else None


def declare_gap(team_id: UUID, now: datetime, known: int, reason_code: str = "") -> None:
    """This chain is the one of a backup, and goes on from here. A seal that doesn't fit stays."""
    with transaction.atomic():
        head = lock(team_id)
        known = max([known, head.seq, *(one.seq for one in kept(team_id))])
        is_sealed = keys.is_sealed(head)
        record(team_id, Entry(RESTORED, SYSTEM, reason_code=reason_code, details={"known": known}))
        head = lock(team_id)
        head.checkpoints = count(standing(team_id))
        head.seal = keys.seal_of(head) if is_sealed else head.seal
        head.save(update_fields=["checkpoints", "seal"])
        ledger.write_head(head, now)


def judge(one: Checkpoint) -> tuple[bool, str]:
    """Whether a head that somebody kept is what this installation says it was, and the sentence."""
    if not one.is_ours:
        return False, _("This head was not signed with a key of this installation.")
    if one.hash == _hash_at(one):
        return True, _("This head stands: event {n} is as it was signed.").format(n=one.seq)
    if declared := [gap for gap in gaps(UUID(one.team)) if gap.has(one)]:
        return True, f"{_('This head is of events that are gone.')} {declared[0]}"
    return False, _("The log has another event in this place, or none.")


def _hash_at(one: Checkpoint) -> str:
    rows = Event.objects.filter(team_id=one.team, seq=one.seq).values_list("hash", flat=True)
    return next((bytes(found).hex() for found in rows), "")


def newest(team_id: UUID) -> Checkpoint | None:
    """Read from the end of its file, however long that is."""
    path = _path(team_id)
    if not path.exists():
        return None
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 1024))
        lines = stream.read().decode(errors="replace").strip().splitlines()
    return _read(lines[-1]) if lines else None


def pasted(text: str) -> Checkpoint | None:
    """A head as a webhook's message, a checkpoint file or an export has it, whatever else it is."""
    try:
        said = json.loads(text)
        for name in ("data", "checkpoint"):
            said = said.get(name, said)
        found = read(json.dumps(said))
    except (ValueError, AttributeError, RecursionError):
        return None
    texts = [one for name, one in found.told().items() if name != "seq"] if found else []
    return found if all(isinstance(one, str) for one in texts) else None


def count(found: Iterable[Checkpoint]) -> int:
    """How many there are, where one that stands there twice is one."""
    return len({(one.seq, one.hash) for one in found})


def put_strange_aside(now: datetime) -> None:
    """Files with checkpoints that do not count are kept under another name."""
    for team_id in teams():
        if not all(one.is_ours for one in kept(team_id)):
            _path(team_id).rename(_path(team_id).with_suffix(f".lost-{now:%Y%m%dT%H%M%S}"))
            ledger.put_aside(team_id, now)


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
    return read(line) or Checkpoint("", 0, "", "")


def read(line: str) -> Checkpoint | None:
    try:
        said = json.loads(line)
        if not isinstance(said, Mapping) or type(said.get("seq")) is not int:
            raise ValueError
        return Checkpoint(**{name: said[name] for name in Checkpoint.__dataclass_fields__})
    except (ValueError, KeyError):
        return None


def _folder() -> Path:
    return Path(settings.CHECKPOINTS)


def _path(team_id: UUID) -> Path:
    return _folder() / f"{team_id}.jsonl"


# What becomes of what depends on the keys when they are first used, or changed.


@transaction.atomic
def establish(using: str = DEFAULT_DB_ALIAS, **_signal: object) -> None:
    """Receiver of `post_migrate`: the first start writes down its keys, and so does an upgrade from
    a version that did not. Its chains are sealed with the checkpoints that they have."""
    if Keys._meta.db_table not in connections[using].introspection.table_names():
        return
    keys.forget()
    if not Keys.objects.exists():
        made = keys.Ring((settings.SECRET_KEY,), (keys.public_key(),))
        _write(Keys(), made)
        _count_and_seal()
    keys.ring()
    keys.lost_at()


@transaction.atomic
def change(old: str) -> int:
    """From the old key to the one configured now, which may be the same where only the key of
    checkpoints is another: how many prints were wrapped. Raises KeysRefused."""
    row = Keys.objects.select_for_update().first()
    if row is None or (before := keys.open_ring(row, old)) is None:
        raise keys.KeysRefused(
            _("That is not the key that this database was written with. Nothing was changed.")
        )
    heads = [one for one in ChainHead.objects.all() if keys.is_sealed(one, old)]
    made = replace(before, signers=tuple(dict.fromkeys([*before.signers, keys.public_key()])))
    if old != settings.SECRET_KEY:
        made = replace(made, secrets=(*before.secrets, settings.SECRET_KEY))
    _write(row, made)
    _seal(heads)
    columns = (f for model in apps.get_models() for f in model._meta.local_concrete_fields)
    prints = (f for f in columns if isinstance(f, KeyedCharField))
    return sum(map(_wrap, prints)) if made.secrets != before.secrets else 0


@transaction.atomic
def begin_anew(now: datetime) -> None:
    """The old key is gone. What was made with it fits nothing any more; chains are sealed as they
    are, and checkpoints that another key signed are put aside."""
    row = Keys.objects.select_for_update().first() or Keys()
    row.lost_at = now
    _write(row, keys.Ring((settings.SECRET_KEY,), (keys.public_key(),)))
    put_strange_aside(now)
    _count_and_seal()


def _write(row: Keys, made: keys.Ring) -> None:
    row.sealed = keys.seal_ring(made)
    row.save()
    keys.forget()


def _count_and_seal() -> None:
    # Locked, and in one order: other hosts may write, or be upgraded, at the same time.
    heads = list(ChainHead.objects.select_for_update().filter(seq__gt=0).order_by("team_id"))
    for head in heads:
        head.checkpoints = count(kept(head.team_id))
    _seal(heads)


def _seal(heads: Iterable[ChainHead]) -> None:
    for head in heads:
        head.seal = keys.seal_of(head) if head.seq else b""
        head.save(update_fields=["checkpoints", "seal"])


def _wrap(column: KeyedCharField) -> int:
    """Past the managers, in few statements: there may be a million of them."""
    quote, key = connection.ops.quote_name, column.model._meta.pk
    table = quote(column.model._meta.db_table)
    name, pk = quote(str(column.column)), quote(str(key.column))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {name}, {pk} FROM {table} WHERE {name} <> ''")
        rows = [(keys.wrapped(made, settings.SECRET_KEY), one) for made, one in cursor.fetchall()]
        if rows:
            cursor.executemany(f"UPDATE {table} SET {name} = %s WHERE {pk} = %s", rows)
    return len(rows)
