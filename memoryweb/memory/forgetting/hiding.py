"""What a request to forget hides and brings back, with no text touched; legal holds, which keep
what is hidden from being erased (SPEC §9); and the receipt of what was."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import (
    Conversation,
    ForgetRequest,
    LegalHold,
    Message,
    Proposal,
    Receipt,
    Target,
)
from memoryweb.memory.models.forgetting import Mention, columns_of
from memoryweb.memory.models.index import RecallNotice
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.memory.writing import screening
from memoryweb.memory.writing.learned import drop_learned
from memoryweb.runs.models import Run


class NothingToUndo(MemoryRefused):
    """It was decided before, or is erased."""

    code = "already_decided"
    sentence = _("This was decided before; there is nothing to undo.")


@dataclass(frozen=True)
class Wish:
    """Who asked to forget, where, and in which words; `why` it can only be offered."""

    memory: Memory
    via: ForgetRequest.Via
    about: str = ""
    message: Message | None = None
    by: User | None = None
    conversation: Conversation | None = None
    why: str = ""


def open_request(tx: Transaction, asked: Wish) -> ForgetRequest:
    """An open request that hides nothing yet; its words are kept without what may be a secret."""
    return ForgetRequest.objects.ask(
        screening.mask_wish(asked.about),
        team_id=asked.memory.agent.team_id,
        agent=asked.memory.agent,
        owner=asked.memory.owner,
        conversation=asked.message.conversation if asked.message else asked.conversation,
        message=asked.message,
        via=asked.via,
        why=asked.why,
        asked_by=asked.by,
        created_at=tx.now,
    )


def hide(
    tx: Transaction,
    request: ForgetRequest,
    meant: Iterable[Mention],
    *,
    seconds: int | None = None,
    candidates: Iterable[Mention] = (),
) -> None:
    """Nothing of what is `meant` is given to anybody from now on; it is erased after `seconds`, or
    a request's usual time. `candidates` are offered, and hide nothing."""
    shown, offered = list(meant), list(candidates)
    Target.objects.bulk_create(
        [_target(request, mention, is_hidden=True) for mention in shown]
        + [_target(request, mention, is_hidden=False) for mention in offered]
    )
    _drop_told(request, shown)
    if shown:
        request.state = ForgetRequest.State.HIDDEN
        wait = settings.FORGET_REQUEST_SECONDS if seconds is None else seconds
        request.erase_at = tx.now + timedelta(seconds=wait)
        request.save(update_fields=["state", "erase_at"])
    follow(Kind.FORGET, [request.pk])
    record(tx, "memory.forget_requested", request, hidden=len(shown), candidates=len(offered))


def add(request: ForgetRequest, meant: Collection[Mention]) -> None:
    """What the request hides besides, as far as it does not yet."""
    _drop_told(request, meant)
    known = set(map(_key, request.targets.filter(is_hidden=True)))
    rows = [_target(request, mention, is_hidden=True) for mention in meant]
    Target.objects.bulk_create(row for row in rows if _key(row) not in known)


def _drop_told(request: ForgetRequest, meant: Iterable[Mention]) -> None:
    """Nobody is told of what is to be forgotten, and no skill made of it waits to be accepted."""
    prints: dict[UUID, set[str]] = defaultdict(set)
    for one in meant:
        if one.file and one.fingerprint:
            prints[one.file.pk].add(one.fingerprint)
    drop_learned(request.agent_id, prints, Q(state=Proposal.State.PENDING))
    if facts := [one.fact for one in meant if one.fact]:
        RecallNotice.objects.filter(fact__in=facts, told_at=None).delete()


def _key(row: Target) -> tuple[object, ...]:
    return row.kind, row.fact_id, row.file_id, row.fingerprint, row.message_id, row.first


def undo(tx: Transaction, request: ForgetRequest, by: User | None = None) -> None:
    """All that it hid is there again. Raises NothingToUndo."""
    request = still_open(request)
    close(tx, request, ForgetRequest.State.UNDONE, by)
    record(tx, "memory.forget_undone", request)


def close(
    tx: Transaction,
    request: ForgetRequest,
    state: ForgetRequest.State,
    by: User | None,
    erase_at: datetime | None = None,
) -> None:
    request.state, request.erase_at = state, erase_at
    request.decided_at, request.decided_by = tx.now, by
    request.save(update_fields=["state", "erase_at", "decided_at", "decided_by"])
    follow(Kind.FORGET, [request.pk])


def locked(request: ForgetRequest) -> ForgetRequest:
    return ForgetRequest.objects.select_for_update(of=("self",)).get(pk=request.pk)


def still_open(request: ForgetRequest) -> ForgetRequest:
    """Locked. Raises NothingToUndo: it was decided, or a run has begun to take its text out."""
    request = locked(request)
    if request.state not in ForgetRequest.HIDING or request.run_id:
        raise NothingToUndo
    return request


def _target(request: ForgetRequest, mention: Mention, *, is_hidden: bool) -> Target:
    team_id, columns = request.team_id, columns_of(mention)
    return Target(team_id=team_id, request=request, is_hidden=is_hidden, **columns)


def record(tx: Transaction, action: str, request: ForgetRequest, **details: int) -> None:
    tx.record(
        action,
        target_kind="forget_request",
        target_id=str(request.pk),
        agent_id=request.agent_id,
        on_behalf_of=request.owner_id,
        details={"via": str(request.via), **details},
    )


# Legal holds: what is under one can be hidden, and is not erased (SPEC §9).


class OnHold(MemoryRefused):
    code = "legal_hold"
    sentence = _("A legal hold keeps this from being erased. It stays hidden.")


class ChangedMeanwhile(Exception):
    """A request was undone, or a hold made, after a run had read what goes."""


def begin_erasing(run: Run) -> None:
    """Until a run has begun to take something out, all of it can still be kept; from now on none.
    Raises ChangedMeanwhile."""
    asked = ForgetRequest.objects.filter(pk__in=run.inputs["requests"])
    left = [request for request in asked.select_for_update() if request.run_id != run.pk]
    is_undone = any(request.state != ForgetRequest.State.HIDDEN for request in left)
    if is_undone or (left and is_held(run.team_id, run.agent_id, run.owner_id)):
        raise ChangedMeanwhile
    # This run knows now what those before it had found.
    Run.objects.filter(pk__in=[request.run_id for request in left if request.run_id]).update(
        inputs={}
    )
    asked.update(run=run)


def lasting_holds(team_id: UUID) -> "QuerySet[LegalHold]":
    return LegalHold.objects.filter(team=team_id, ended_at=None)


def is_held(team_id: UUID, agent_id: UUID | None, owner_id: UUID | None) -> bool:
    """A hold on the team, the agent or the owner. Of an owner at all agents: `agent_id` None."""
    held = lasting_holds(team_id)
    if agent_id is not None:
        held = held.filter(Q(agent=None) | Q(agent=agent_id))
    return held.filter(Q(owner=None) | Q(owner=owner_id)).exists()


def check_hold(team_id: UUID, agent_id: UUID | None, owner_id: UUID | None) -> None:
    """Raises OnHold."""
    if is_held(team_id, agent_id, owner_id):
        raise OnHold


def make_hold(
    tx: Transaction,
    *,
    by: User,
    reason: str,
    agent: Agent | None = None,
    owner: Owner | None = None,
) -> LegalHold:
    hold = LegalHold.objects.create(
        team=tx.team,
        agent=agent,
        owner=owner,
        reason=reason,
        created_by=by,
        created_at=tx.now,
    )
    _record_hold(tx, "hold.made", hold)
    return hold


def end_hold(tx: Transaction, hold: LegalHold) -> None:
    """What waited for it is erased by the next tick, unless another hold keeps it."""
    hold.ended_at = tx.now
    hold.save(update_fields=["ended_at"])
    waiting = ForgetRequest.objects.filter(team=tx.team, state=ForgetRequest.State.HELD)
    waiting.update(state=ForgetRequest.State.HIDDEN, erase_at=tx.now)
    _record_hold(tx, "hold.ended", hold)


def _record_hold(tx: Transaction, action: str, hold: LegalHold) -> None:
    tx.record(
        action,
        **target(hold),
        on_behalf_of=hold.owner_id,
        labels={"reason": hold.reason},
    )


# What an erasure leaves: figures with a hash, and no word of what was erased.

LOG_EMPTIED = timedelta(minutes=10)  # for so long after an erasure every tick empties the log


def give_receipt(tx: Transaction, run: Run, request: ForgetRequest) -> Receipt:
    """By what the run has counted."""
    receipt = Receipt(
        team=tx.team,
        agent_id=run.agent_id,
        owner_label=str(run.owner_id or ""),
        counts=dict(run.result["counts"]),
        scanned=dict(run.result["scanned"]),
        remaining=run.result["remaining"],
        in_ledger=run.result.get("in_ledger", False),
        by=request.decided_by or request.asked_by,
        request=request,
        created_at=tx.now,
    )
    receipt.hash = receipt_digest(receipt)
    receipt.save(force_insert=True)
    tx.record(
        "memory.forgotten",
        **target(receipt),
        on_behalf_of=run.owner_id,
        details={**receipt.counts, "remaining": receipt.remaining, "hash": receipt.hash},
    )
    return receipt


def promises_bytes() -> bool:
    """SQLite overwrites what is deleted; PostgreSQL keeps it in its files until a vacuum."""
    return connection.vendor == "sqlite"


def receipts_of(team_id: UUID) -> "QuerySet[Receipt]":
    return Receipt.objects.filter(team=team_id).order_by("-created_at", "pk")


def receipt_digest(receipt: Receipt) -> str:
    """Of all that it says; the audit event has the same one."""
    said: dict[str, Any] = {
        "id": str(receipt.pk),
        "team": str(receipt.team_id),
        "agent": str(receipt.agent_id),
        "owner": receipt.owner_label,
        "counts": receipt.counts,
        "scanned": receipt.scanned,
        "remaining": receipt.remaining,
        "at": receipt.created_at.isoformat(),
    }
    if receipt.in_ledger:
        said["inLedger"] = True
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
