"""Legal holds: what is under one can be hidden, and is not erased (SPEC §9)."""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import ForgetRequest, LegalHold
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.transaction import Transaction
from memoryweb.runs.models import Run


class OnHold(MemoryRefused):
    code = "legal_hold"

    def __init__(self) -> None:
        super().__init__(_("A legal hold keeps this from being erased. It stays hidden."))


class ChangedMeanwhile(Exception):
    """A request was undone, or a hold made, after a run had read what goes."""


def begin(run: Run) -> None:
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


def lasting(team_id: UUID) -> "QuerySet[LegalHold]":
    return LegalHold.objects.filter(team=team_id, ended_at=None)


def is_held(team_id: UUID, agent_id: UUID | None, owner_id: UUID | None) -> bool:
    """A hold on the team, the agent or the owner. Of an owner at all agents: `agent_id` None."""
    held = lasting(team_id)
    if agent_id is not None:
        held = held.filter(Q(agent=None) | Q(agent=agent_id))
    return held.filter(Q(owner=None) | Q(owner=owner_id)).exists()


def check(team_id: UUID, agent_id: UUID | None, owner_id: UUID | None) -> None:
    """Raises OnHold."""
    if is_held(team_id, agent_id, owner_id):
        raise OnHold


def make(
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
    _record(tx, "hold.made", hold)
    return hold


def end(tx: Transaction, hold: LegalHold) -> None:
    """What waited for it is erased by the next tick, unless another hold keeps it."""
    hold.ended_at = tx.now
    hold.save(update_fields=["ended_at"])
    waiting = ForgetRequest.objects.filter(team=tx.team, state=ForgetRequest.State.HELD)
    waiting.update(state=ForgetRequest.State.HIDDEN, erase_at=tx.now)
    _record(tx, "hold.ended", hold)


def _record(tx: Transaction, action: str, hold: LegalHold) -> None:
    tx.record(
        action,
        **target(hold),
        on_behalf_of=hold.owner_id,
        labels={"reason": hold.reason},
    )
