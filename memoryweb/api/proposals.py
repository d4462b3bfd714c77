"""Proposals: what a machine wanted to change and a person decides."""

from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query, Router
from pydantic import Field

from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, redaction
from memoryweb.api import visibility as reaching
from memoryweb.api.auth import Caller, Request, known_id
from memoryweb.api.cursors import page
from memoryweb.api.exceptions import Forbidden, NotFound, Problem
from memoryweb.api.operations import ReachPaging, operation
from memoryweb.api.schemas import Camel, Items, Moment, one_of
from memoryweb.api.visibility import Reach as Visible
from memoryweb.memory.exceptions import Stale
from memoryweb.memory.review import proposals
from memoryweb.memory.transaction import unit
from memoryweb.review.models import Proposal
from memoryweb.review.waiting import proposals_of

router = Router(tags=["Proposals"])

BASE = "/agents/{agent_id}/proposals"
EXAMPLE = {
    "id": "3c0c2a1b-93b8-4b57-8d2b-9f55c1ad77f0",
    "filename": "MEMORY.md",
    "owner": "shared",
    "runId": "5f0f9d4e-0a3c-4df5-8b1e-0d9c0e1f2a3b",
    "baseRevision": 7,
    "content": "# Memory\n\n- Breakfast ends at eleven.\n",
    "broken": [{"guard": "dropped", "detail": "4 of 10 entries would go."}],
    "state": "pending",
    "createdAt": "2026-11-20T02:00:04Z",
}


class BrokenGuard(Camel):
    guard: str
    detail: str


class ProposalOut(Camel):
    """`content` is null where it may not be shown."""

    id: str
    filename: str
    owner: str
    run_id: str | None = Field(description="Null for what a program wrote by itself or by a tool.")
    base_revision: int
    content: str | None
    broken: list[BrokenGuard]
    state: Annotated[str, one_of(Proposal.State)]
    created_at: Moment


class Filter(ReachPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["pending", "accepted", "rejected"] = Field("pending")


@router.get(
    BASE,
    **operation(
        Items[ProposalOut],
        summary="List proposals, the latest first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_proposals(request: Request, agent_id: str, reach: Query[Filter]) -> Items[ProposalOut]:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.READ, Scope.MEMORY_READ)
    visible = reaching.reach(request.auth, reach.owner)
    rows = _of(agent, visible).filter(state=reach.state)
    found = page(rows, ["-created_at", "-id"], reach.cursor, reach.limit)
    return Items[ProposalOut](
        items=[_described(row, visible, request.auth) for row in found.rows],
        cursor=found.cursor,
    )


@router.post(
    BASE + "/{proposal_id}/accept",
    **operation(
        ProposalOut,
        summary="Write what was proposed",
        takes=(Permission.DECIDE, Scope.MEMORY_WRITE),
        example={**EXAMPLE, "state": "accepted"},
        errors=(409,),
    ),
)
def accept_proposal(request: Request, agent_id: str, proposal_id: str) -> ProposalOut:
    proposal, visible, user = _decidable(request.auth, agent_id, proposal_id)
    try:
        with unit(request.auth.team, actor=request.auth.actor) as work:
            proposals.accept(work, proposal, by=user)
    except Stale as stale:
        raise Problem(409, "stale", str(stale)) from None
    proposal.refresh_from_db(fields=["state"])
    return _described(proposal, visible, request.auth)


@router.post(
    BASE + "/{proposal_id}/reject",
    **operation(
        ProposalOut,
        summary="Leave the file alone; the same is not proposed again",
        takes=(Permission.DECIDE, Scope.MEMORY_WRITE),
        example={**EXAMPLE, "state": "rejected"},
        errors=(409,),
    ),
)
def reject_proposal(request: Request, agent_id: str, proposal_id: str) -> ProposalOut:
    proposal, visible, user = _decidable(request.auth, agent_id, proposal_id)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        proposals.reject(work, proposal, by=user)
    proposal.refresh_from_db(fields=["state"])
    return _described(proposal, visible, request.auth)


def _of(agent: Agent, visible: Visible) -> "QuerySet[Proposal]":
    return proposals_of(agent.team).filter(visible.rows("file__owner"), file__agent=agent)


def _decidable(caller: Caller, agent_id: str, proposal_id: str) -> tuple[Proposal, Visible, User]:
    agent = caller.agent(agent_id)
    wanted = known_id(proposal_id)
    caller.require_scope(Scope.MEMORY_WRITE)
    if caller.user is None:
        raise Forbidden("person_required", _("Only a person can decide on a proposal."))
    visible = reaching.reach(caller, None)
    proposal = _of(agent, visible).filter(pk=wanted).first()
    if proposal is None:
        raise NotFound
    if proposal.file.owner is None:
        caller.require(Permission.DECIDE, Scope.MEMORY_WRITE)
    elif not visible.shows(proposal.file.owner):
        raise Forbidden("personal", _("Only its owner decides about personal memory."))
    return proposal, visible, caller.user


def _described(proposal: Proposal, visible: Visible, caller: Caller) -> ProposalOut:
    file = proposal.file
    content = redaction.then(caller, file, proposal.content) if visible.shows(file.owner) else None
    return ProposalOut(
        id=str(proposal.pk),
        filename=file.path,
        owner=acting_owner.shown(file.owner),
        run_id=str(proposal.run_id) if proposal.run_id else None,
        base_revision=proposal.base_revision,
        content=content,
        broken=[BrokenGuard(**one) for one in proposal.broken],
        state=proposal.state,
        created_at=proposal.created_at,
    )
