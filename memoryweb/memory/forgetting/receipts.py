"""What an erasure leaves: figures with a hash, and no word of what was erased."""

import hashlib
import json
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from memoryweb.audit.record import target
from memoryweb.memory.models import ForgetRequest, Receipt
from memoryweb.memory.models.transaction import Transaction
from memoryweb.runs.models import Run

LOG_EMPTIED = timedelta(minutes=10)  # for so long after an erasure every tick empties the log


def give(tx: Transaction, run: Run, request: ForgetRequest) -> Receipt:
    """By what the run has counted."""
    receipt = Receipt(
        team=tx.team,
        agent_id=run.agent_id,
        owner_label=str(run.owner_id or ""),
        counts=dict(run.result["counts"]),
        scanned=dict(run.result["scanned"]),
        remaining=run.result["remaining"],
        by=request.decided_by or request.asked_by,
        request=request,
        created_at=tx.now,
    )
    receipt.hash = digest(receipt)
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


def of(team_id: UUID) -> "QuerySet[Receipt]":
    return Receipt.objects.filter(team=team_id).order_by("-created_at", "pk")


def digest(receipt: Receipt) -> str:
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
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
