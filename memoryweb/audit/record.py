"""The only way history is written: in the transaction of the change itself."""

import ipaddress
import json
import re
import secrets
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, cast
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from memoryweb.audit import keys, ledger
from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.models import ChainHead, Event, Label
from memoryweb.core import logs, row_batches
from memoryweb.core.prepared_queries import PreparedQuery

ActorKind = Literal["person", "integration", "agent", "system", "anonymous"]


@dataclass(frozen=True)
class Actor:
    kind: ActorKind
    id: str = ""
    role: str = ""
    token_id: UUID | None = None


SYSTEM = Actor("system")
ANONYMOUS = Actor("anonymous")


@dataclass(frozen=True)
class Entry:
    """What happened. Text goes into `labels` (erasable); `details` takes counts and codes."""

    action: str
    actor: Actor
    target_kind: str = ""
    target_id: str | UUID = ""
    target_revision: int | None = None
    before_revision: int | None = None
    on_behalf_of: UUID | None = None
    outcome: str = "ok"
    reason_code: str = ""
    run_id: UUID | None = None
    agent_id: UUID | None = None
    model: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def target(row: Model) -> dict[str, Any]:
    """The fields of an entry that say what it happened to."""
    kind = re.sub(r"\B(?=[A-Z])", "_", type(row).__name__).lower()
    agent_id = row.pk if kind == "agent" else getattr(row, "agent_id", None)
    return {"target_kind": kind, "target_id": str(row.pk), "agent_id": agent_id}


def record(team_id: UUID, entry: Entry) -> Event:
    return record_all(team_id, [entry])[0]


def record_all(team_id: UUID, entries: Iterable[Entry]) -> list[Event]:
    """Append to the team's chain: the head read and written once, the events inserted at once."""
    entries = list(entries)
    if not entries:
        return []
    head = lock(team_id)
    is_sealed = keys.is_sealed(head)
    if not is_sealed:
        keys.check()  # a process that the key was changed under must not write on
    events: list[Event] = []
    labels: list[Label] = []
    for entry in entries:
        salted = {name: (secrets.token_bytes(32), text) for name, text in entry.labels.items()}
        event = _next_event(head, entry, {n: keys.commitment(*s) for n, s in salted.items()})
        head.seq, head.hash = event.seq, event.hash
        events.append(event)
        labels += [
            Label(event=event, team_id=team_id, name=name, salt=salt, text=text)
            for name, (salt, text) in salted.items()
        ]
    if labels:  # which need the keys of their events
        Event.objects.bulk_create(events)
        Label.objects.bulk_create(labels)
    else:
        row_batches.insert(events)
    # A seal that does not fit is kept: going on must not make good what somebody else wrote.
    head.seal = keys.seal_of(head) if is_sealed else head.seal
    row_batches.update([head], ["seq", "hash", "seal"])
    if any(entry.action in ledger.FOLLOWED for entry in entries):
        transaction.on_commit(partial(_tell_ledger, team_id), robust=True)
    return events


def _tell_ledger(team_id: UUID) -> None:
    """What fails, or is cut off, is told with the next entry: the chain knows it."""
    with transaction.atomic():
        ledger.write(lock(team_id), timezone.now())
    ledger.deliver(team_id)


def wait_for_others(team_id: UUID) -> None:
    """Make the team's other writers wait until this transaction ends.

    A row lock on PostgreSQL; on SQLite the transaction itself, which is immediate.
    """
    if connection.vendor == "postgresql":
        lock(team_id)


def lock(team_id: UUID) -> ChainHead:
    """The head of the team's chain, which nobody else moves until this transaction ends."""
    if not connection.in_atomic_block:
        raise OutsideTransaction("Audit events are written inside transaction.atomic().")
    if head := next(iter(_heads(team_id)), None):
        return head
    # Two first writers of a new team may both come here: the second waits, then reads.
    ChainHead.objects.bulk_create([ChainHead(team_id=team_id)], ignore_conflicts=True)
    return _heads(team_id)[0]


@PreparedQuery
def _heads(team_id: UUID) -> QuerySet[ChainHead]:
    return ChainHead.objects.select_for_update().filter(team_id=team_id)


def _next_event(head: ChainHead, entry: Entry, commitments: Mapping[str, str]) -> Event:
    columns = _columns(entry)
    if entry.agent_id:  # events of before this column have none, and verify as they were hashed
        columns["agent_id"] = entry.agent_id
    seq, previous = head.seq + 1, bytes(head.hash)
    canonical = keys.canonical({**columns, "labels": commitments})
    details = columns.pop("details")
    return Event(
        **columns,
        team_id=head.team_id,
        seq=seq,
        details=json.dumps(details, sort_keys=True) if details else "",
        canonical=canonical,
        previous=previous,
        hash=keys.link(head.team_id, seq, previous, canonical),
    )


def _columns(entry: Entry) -> dict[str, Any]:
    if entry.action not in ACTIONS:
        raise UnknownAction(entry.action)
    where = current.get()
    return {
        "at_us": time.time_ns() // 1000,
        "action": entry.action,
        "actor_kind": entry.actor.kind,
        "actor_id": str(entry.actor.id),
        "actor_role": entry.actor.role,
        "token_id": entry.actor.token_id,
        "on_behalf_of": entry.on_behalf_of,
        "target_kind": entry.target_kind,
        "target_id": str(entry.target_id),
        "target_revision": entry.target_revision,
        "before_revision": entry.before_revision,
        "outcome": entry.outcome,
        "reason_code": entry.reason_code,
        "run_id": entry.run_id,
        "model": entry.model[:120],
        "ip": where.ip,
        "user_agent": where.user_agent,
        "request_id": where.request_id,
        "details": {name: _without_text(value) for name, value in entry.details.items()},
    }


_CODE = re.compile(r"[A-Za-z0-9_.:/+-]{0,64}")


def _without_text(value: Any) -> Any:
    """Counts, codes and ids pass; a sentence belongs into a label, where it can be erased."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_without_text(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _without_text(item) for name, item in value.items()}
    if isinstance(value, str | UUID) and _CODE.fullmatch(str(value)):
        return str(value)
    raise ValueError("The details of an audit event are counts and codes, never text.")


class OutsideTransaction(RuntimeError):
    """An event is part of the change it tells of, so it needs the change's transaction."""


class UnknownAction(ValueError):
    """The catalogue in `audit.actions` is closed."""


# Taking words out of the history without taking the history.


def erase_labels(team_id: UUID) -> int:
    """Empty every label of a chain. Its events keep their commitments and still verify."""
    return Label.objects.filter(team_id=team_id).update(salt=None, text="")


def erase_labels_of(team_id: UUID, owner_id: UUID) -> int:
    """The same of what happened on behalf of one owner."""
    rows = Label.objects.filter(team_id=team_id, event__on_behalf_of=owner_id)
    return rows.update(salt=None, text="")


# Where a request came from, for the events written while it is answered.

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Origin:
    ip: str = ""
    user_agent: str = ""
    request_id: str = ""


NOWHERE = Origin()
current: ContextVar[Origin] = ContextVar("audit_origin", default=NOWHERE)

# Django tells of an answer when the request is over.
logs.sources["request"] = lambda record: (
    getattr(getattr(record, "request", None), "origin", current.get()).request_id
)


def origin_of(request: HttpRequest) -> Origin:
    agent = "".join(c for c in request.headers.get("User-Agent", "") if c.isprintable())
    return Origin(
        ip=client_ip(
            request.META.get("REMOTE_ADDR", ""),
            request.headers.get("X-Forwarded-For", ""),
            settings.TRUSTED_PROXIES,
        ),
        user_agent=agent[:200],
        request_id=uuid.uuid4().hex,
    )


def client_ip(remote: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """The nearest address that is not one of our own proxies.

    Anyone can send X-Forwarded-For; only what a listed proxy appended is believed, so the list
    is read from its end.
    """
    address = _address(remote)
    for hop in reversed(forwarded.split(",")):
        if not address or not _within(address, proxies):
            break
        if not (further := _address(hop.strip())):
            break
        address = further
    return address


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.split("%")[0]))
    except ValueError:
        return ""


def _within(address: str, networks: Sequence[Network]) -> bool:
    parsed = ipaddress.ip_address(address)
    return any(parsed in network for network in networks)


class OriginMiddleware:
    """Every event written while this request is answered carries its origin."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Of most requests nobody writes an event: it is read when one is.
        origin = cast(Origin, SimpleLazyObject(lambda: origin_of(request)))
        request.origin, token = origin, current.set(origin)  # type: ignore[attr-defined]
        try:
            return self.get_response(request)
        finally:
            current.reset(token)
