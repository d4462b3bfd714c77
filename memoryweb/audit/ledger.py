"""What was erased, revoked and removed, told outside the database and without a word of it: so that
an older backup brings none of it back (SPEC §11).

A file a team, beside its checkpoints: signed entries, each bound to the one before. A second place
(`MEMORYWEB_LEDGER_DIR`, `MEMORYWEB_LEDGER_URL`) gets the same bytes. Texts are keyed hashes, under
a key that stands beside the one of checkpoints: nobody can try guesses who has the ledger alone.
"""

import hashlib
import hmac
import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from django.conf import settings

from memoryweb.audit import keys
from memoryweb.audit.models import ChainHead, Event
from memoryweb.core import outbound

HEAD, ERASED = "head", "erased"
# Events whose effect an older backup must not undo.
FOLLOWED = (
    *("agent.changed", "agent.removed", "embedding.chosen", "embedding.removed"),
    *("integration.revoked", "invitation.accepted", "invitation.withdrawn", "member.removed"),
    *("model.chosen", "model.removed", "owner.address_given", "owner.address_removed"),
    *("owner.code_withdrawn", "owner.paused", "owner.resumed", "owner.unlinked"),
    *("team.removed", "token.revoked", "webhook.removed"),
)
_SWITCHED = ("agent.changed", "embedding.chosen", "model.chosen", "owner.paused")
_PURPOSE = b"memoryweb ledger 1\n"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_COMPARED = 4096  # bytes at the end of the second place that have to be ours
_POST_SECONDS = 10.0


class LedgerUnavailable(Exception):
    """It can't be written now; says where and why."""

    def __init__(self, place: object, error: Exception) -> None:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        super().__init__(
            f"The ledger of erasures can't be written to {place}: {why}. It is tried again."
        )


class LedgerRefused(Exception):
    """It is not as memoryweb wrote it, or not whole."""


@dataclass(frozen=True)
class Place:
    """A row, or `words` words of it with that print, where they stood; without a row, the same
    words wherever their memory has them."""

    table: str = ""
    row: str = ""
    first: int | None = None
    last: int | None = None
    print: str = ""
    words: int = 0


@dataclass(frozen=True)
class LedgerEntry:
    """`seq` and `hash` are of the chain then, `hash` of heads alone; `by` names the prints' key."""

    team: str
    seq: int
    what: str
    places: tuple[Place, ...] = ()
    agent: str = ""
    owner: str = ""
    hash: str = ""
    by: str = ""
    at: str = ""
    previous: str = ""
    key: str = ""
    signature: str = ""

    def signed(self, now: datetime, previous: str) -> "LedgerEntry":
        at = now.astimezone(UTC).isoformat(timespec="seconds")
        made = replace(self, at=at, previous=previous, by=_key_name(), key=keys.public_key())
        return replace(made, signature=keys.signer().sign(made._said()).hex())

    @property
    def is_ours(self) -> bool:
        return keys.have_signed(self.key, self.signature, self._said())

    def _said(self) -> bytes:
        return _PURPOSE + keys.canonical(asdict(self) | {"signature": ""})


# Writing it.


def write(head: ChainHead, now: datetime, *entries: LedgerEntry) -> None:
    """Under the lock of the team's chain, after what its events tell since the last entry. Raises
    LedgerUnavailable."""
    try:
        _write(head.team_id, now, entries)
    except OSError as error:
        raise LedgerUnavailable(path_of(head.team_id), error) from error


def write_head(head: ChainHead, now: datetime) -> None:
    said = bytes(head.hash).hex()
    write(head, now, LedgerEntry(str(head.team_id), head.seq, HEAD, hash=said))


def deliver(team_id: UUID) -> bool:
    """Bring the second place up to ours. False where there is none. Raises LedgerUnavailable."""
    ours, second = path_of(team_id), ((settings.LEDGER_DIR, _copy), (settings.LEDGER_URL, _post))
    for place, give in second if ours.exists() else ():
        try:
            if place:
                give(ours)
        except (OSError, httpx.HTTPError) as error:
            with suppress(OSError):
                _away(team_id).touch(mode=0o600)
            raise LedgerUnavailable(place, error) from error
    _away(team_id).unlink(missing_ok=True)
    return bool(settings.LEDGER_DIR or settings.LEDGER_URL)


def is_away(team_id: UUID | None = None) -> bool:
    """The second place couldn't be reached when it was last tried: for this team, or for any."""
    folder = Path(settings.CHECKPOINTS)
    return any(folder.glob("*.away")) if team_id is None else _away(team_id).exists()


def newest(team_id: UUID) -> str:
    """The digest of the last entry; empty where there is none."""
    if not path_of(team_id).exists():
        return ""
    with path_of(team_id).open("rb") as stream:
        last, _end = _last_line(stream)
    return _digest(last) if last else ""


def put_aside(team_id: UUID, now: datetime, but: bytes = b"") -> None:
    """Copies are kept under another name where they don't begin what is gone on with."""
    ours = path_of(team_id)
    second = [Path(settings.LEDGER_DIR) / ours.name] if settings.LEDGER_DIR else []
    for path in (ours, *second):
        if path.exists() and not but.startswith(path.read_bytes()):
            path.rename(path.with_suffix(f"{path.suffix}.before-{now:%Y%m%dT%H%M%S}"))
    if not ours.exists():
        _sent(ours).unlink(missing_ok=True)


def path_of(team_id: UUID) -> Path:
    return Path(settings.CHECKPOINTS) / f"{team_id}.ledger"


def _write(team_id: UUID, now: datetime, entries: Iterable[LedgerEntry]) -> None:
    path = path_of(team_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with path.open("r+b") as stream:
        last, end = _last_line(stream)
        if last and _read(last).by != _key_name():
            raise OSError(
                None, "it was begun with another ledger-key. Put that one back, or move it away"
            )
        lines, since = [last] if last else [], _read(last).seq if last else 0
        for bare in (*_followed(team_id, since), *entries):
            said = asdict(bare.signed(now, _digest(lines[-1]) if lines else ""))
            lines.append(keys.canonical(said))
        stream.seek(end)
        stream.truncate()  # what a crash left of an entry that nobody was told of
        stream.write(b"".join(line + b"\n" for line in lines[bool(last) :]))
        stream.flush()
        os.fsync(stream.fileno())


def _followed(team_id: UUID, since: int) -> Iterator[LedgerEntry]:
    found = Event.objects.filter(team_id=team_id, seq__gt=since, action__in=FOLLOWED)
    # A membership by group ends by itself in a backup, too, and its person may have come again.
    for event in found.exclude(reason_code="sign_in_over").order_by("seq"):
        off = _switched_off(event)
        if off or event.action not in _SWITCHED:
            what = Place(event.target_kind, event.target_id), *map(Place, off)
            yield LedgerEntry(str(team_id), event.seq, event.action, what)


def _switched_off(event: Event) -> list[str]:
    """Switches of a pause, or models elsewhere, that are off from then on."""
    said = json.loads(event.details or "{}")
    if event.action in {"owner.paused", "owner.resumed"}:
        return [name for name, is_on in sorted(said.items()) if not is_on]
    is_off = said.get("localModelsOnly") or said.get("choice") == "none"
    return ["models"] if is_off else []


def _copy(ours: Path) -> None:
    """Of two that copy at once both write the same bytes at the same place."""
    second = Path(settings.LEDGER_DIR) / ours.name
    second.touch(mode=0o600)  # in a folder that is there: an unmounted disk is no second place
    with ours.open("rb") as mine, second.open("r+b") as theirs:
        size = theirs.seek(0, 2)
        at = max(0, size - _COMPARED)
        mine.seek(at)
        theirs.seek(at)
        if mine.read(size - at) != theirs.read(size - at):
            raise OSError(None, "it has another ledger. Move that one away")
        theirs.seek(size)
        theirs.write(mine.read())
        theirs.flush()
        os.fsync(theirs.fileno())


def _post(ours: Path) -> None:
    """What was not taken yet; whoever receives it may get lines twice."""
    sent = _sent(ours)
    done = int(sent.read_text()) if sent.exists() else 0
    with ours.open("rb") as mine:
        mine.seek(done)
        lines = mine.read()
    if lines:
        with outbound.client(time.monotonic() + _POST_SECONDS) as client:
            given = {"Content-Type": "application/x-ndjson"}
            client.post(settings.LEDGER_URL, content=lines, headers=given).raise_for_status()
        sent.write_text(str(done + len(lines)))


def _away(team_id: UUID) -> Path:
    return path_of(team_id).with_suffix(".away")


def _sent(ours: Path) -> Path:
    return ours.with_suffix(".sent")


def _last_line(stream: Any) -> tuple[bytes, int]:
    """The last whole one, and where it ends; however long the file is."""
    size, step = stream.seek(0, 2), 4096
    while True:
        stream.seek(max(0, size - step))
        tail = stream.read()
        cut = len(tail) - tail.rfind(b"\n") - 1 if b"\n" in tail else len(tail)
        lines = tail[: len(tail) - cut].splitlines()
        if step >= size or len(lines) > 1:
            return (lines[-1] if lines else b""), size - cut
        step *= 16


# Reading it.


def teams(folders: Iterable[Path]) -> set[UUID]:
    names = {path.stem for folder in folders for path in folder.glob("*.ledger")}
    return {UUID(name) for name in names if len(name) == 36}


def read(team_id: UUID, folders: Iterable[Path]) -> list[tuple[str, LedgerEntry]]:
    """The entries with their digests, of the longest of the copies in these folders; of an entry
    that was cut off nobody was told. Raises LedgerRefused."""
    return max(
        (_verified(team_id, path) for path in _copies(team_id, folders)), key=len, default=[]
    )


def adopt(team_id: UUID, folders: Iterable[Path], now: datetime) -> None:
    """Go on with the longest of these copies here."""
    longest = max((path.read_bytes() for path in _copies(team_id, folders)), key=len, default=b"")
    put_aside(team_id, now, longest)
    path_of(team_id).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path_of(team_id).write_bytes(longest)


def _copies(team_id: UUID, folders: Iterable[Path]) -> list[Path]:
    paths = [folder / path_of(team_id).name for folder in folders]
    return [path for path in paths if path.exists()]


def _verified(team_id: UUID, path: Path) -> list[tuple[str, LedgerEntry]]:
    found: list[tuple[str, LedgerEntry]] = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        entry, before = _read(line), found[-1][0] if found else ""
        if not (entry.is_ours and entry.previous == before and entry.team == str(team_id)):
            said = f"The ledger {path} is not as memoryweb wrote it: entry {number}."
            raise LedgerRefused(said)
        if entry.by != _key_name():
            said = f"The ledger {path} was written with another ledger-key. Put that one back."
            raise LedgerRefused(said)
        found.append((_digest(line), entry))
    return found


def _read(line: bytes) -> LedgerEntry:
    try:
        said = json.loads(line)
        places = tuple(Place(**one) for one in said.pop("places"))
        return LedgerEntry(**said, places=places)
    except (ValueError, KeyError, TypeError, AttributeError):
        return LedgerEntry("", 0, "")


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


# Words, known again by their print.


def print_of(agent_id: UUID, owner_id: UUID | None, text: str) -> tuple[str, int]:
    """Of these words in this order, in this memory; and how many they are."""
    words = [found[0].casefold() for found in _WORD.finditer(text)]
    return _print_in(agent_id, owner_id)(words), len(words)


def spans(
    agent_id: UUID, owner_id: UUID | None, text: str, wanted: Mapping[int, Collection[str]]
) -> Iterator[tuple[str, int, int]]:
    """Where a text has the words of one of these prints, which are given by how many words they
    have: the print, first and last character."""
    found = list(_WORD.finditer(text))
    words, print_ = [one[0].casefold() for one in found], _print_in(agent_id, owner_id)
    for length, prints in wanted.items():
        for at in range(len(words) - length + 1 if length else 0):
            if (made := print_(words[at : at + length])) in prints:
                yield made, found[at].start(), found[at + length - 1].end()


def _print_in(agent_id: UUID, owner_id: UUID | None) -> Callable[[Iterable[str]], str]:
    """Of each memory other ones."""
    key, where = settings.LEDGER_SECRET.encode(), f"{agent_id}/{owner_id or 'shared'}/"

    def made(words: Iterable[str]) -> str:
        return hmac.digest(key, f"{where}{' '.join(words)}".encode(), "sha256").hex()[:32]

    return made


def _key_name() -> str:
    """Tells one key from another, and nothing of it."""
    return hmac.digest(settings.LEDGER_SECRET.encode(), _PURPOSE, "sha256").hex()[:8]
