"""The transaction that every change of memory happens in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.audit import record as chain
from memoryweb.audit.record import SYSTEM, Actor, Entry
from memoryweb.memory.models.refusals import SecretRefused
from memoryweb.runs.models import Run


@dataclass
class Transaction:
    """One transaction of one team. Events are buffered and written together at its end."""

    team: Team
    actor: Actor
    run: Run | None = None
    now: datetime = field(default_factory=lambda: timezone.now())
    entries: list[Entry] = field(default_factory=list)

    def record(self, action: str, **fields: Any) -> None:
        if self.run is not None:
            fields.setdefault("run_id", self.run.pk)
            fields.setdefault("model", self.run.model)
            fields.setdefault("on_behalf_of", self.run.owner_id)
            fields.setdefault("agent_id", self.run.agent_id)
        self.entries.append(Entry(action=action, actor=self.actor, **fields))


@contextmanager
def write_transaction(
    team: Team, *, actor: Actor = SYSTEM, run: Run | None = None
) -> Iterator[Transaction]:
    """Open a writing transaction of a team, its audit head locked first.

    The order is what keeps two writers of two files from deadlocking on PostgreSQL. Never call
    a model inside. A refused secret rolls everything back and still leaves an event.
    """
    try:
        with transaction.atomic(), scope(team=team):
            chain.lock(team.pk)
            # Its time is taken under the lock, so that what is later in the chain has a later one.
            tx = Transaction(team, actor, run)
            yield tx
            chain.record_all(team.pk, tx.entries)
    except SecretRefused as refusal:
        run_id = run.pk if run else None
        _leave(team, Entry("secret.refused", actor, reason_code=refusal.kind, run_id=run_id))
        raise


def _leave(team: Team, entry: Entry) -> None:
    """What was refused is all that stays of a transaction."""
    with transaction.atomic():
        chain.record(team.pk, replace(entry, outcome="refused"))
