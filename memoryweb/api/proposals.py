"""Proposals: what a machine wanted to change and a person decides."""

from functools import partial
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query
from pydantic import Field

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, redaction, visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.exceptions import Forbidden, NotFound, Problem
from memoryweb.api.pagination import page
from memoryweb.api.query_parameters import OwnerPaging
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, IdOrNull, Items, Moment, one_of
from memoryweb.api.visibility import Visibility
from memoryweb.memory.exceptions import Stale
from memoryweb.memory.review.decisions import decide
from memoryweb.memory.transaction import write_transaction
from memoryweb.review.inbox import Kind, item_of, rows_of
from memoryweb.review.models import Proposal

router = Router(tags=["Proposals"])

BASE = "/agents/{agent_id}/proposals"


class BrokenGuard(Camel):
    guard: str
    detail: str


class ProposalOut(Camel):
    """`content` is null where it may not be shown."""

    id: Id
    filename: str
    owner: str
    run_id: IdOrNull = Field(description="Null if a program or tool proposed it.")
    base_revision: int
    content: str | None
    broken: list[BrokenGuard]
    state: Annotated[str, one_of(Proposal.State)]
    created_at: Moment


class Filter(OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["pending", "accepted", "rejected"] = Field("pending")


@router.operation("GET", BASE, Right.READ)
def list_proposals(request: Request, agent_id: str, query: Query[Filter]) -> Items[ProposalOut]:
    """List proposals, newest first."""
    agent = request.auth.agent(agent_id)
    visible = visibility.seen_by(request.auth, query.owner)
    rows = _of(agent, visible).filter(state=query.state)
    shown = partial(_described, visible=visible, caller=request.auth)
    return page(rows, ["-created_at", "-id"], query, shown)


@router.operation(
    "POST",
    BASE + "/{proposal_id}/accept",
    Right.DECIDE_OWN,
    example={"state": "accepted"},
    errors=(409,),
)
def accept_proposal(request: Request, agent_id: str, proposal_id: str) -> ProposalOut:
    """Accept a proposal and write it."""
    return _decide(request.auth, agent_id, proposal_id, "accept")


@router.operation(
    "POST",
    BASE + "/{proposal_id}/reject",
    Right.DECIDE_OWN,
    example={"state": "rejected"},
    errors=(409,),
)
def reject_proposal(request: Request, agent_id: str, proposal_id: str) -> ProposalOut:
    """Reject a proposal; it isn't proposed again."""
    return _decide(request.auth, agent_id, proposal_id, "reject")


def _decide(caller: Caller, agent_id: str, proposal_id: str, decision: str) -> ProposalOut:
    proposal, visible, user = _decidable(caller, agent_id, proposal_id)
    try:
        with write_transaction(caller.team, actor=caller.actor) as work:
            decide(work, item_of(Kind.PROPOSAL, proposal), decision, by=user)
    except Stale as stale:
        raise Problem(409, "stale", str(stale)) from None
    proposal.refresh_from_db(fields=["state"])
    return _described(proposal, visible, caller)


def _of(agent: Agent, visible: Visibility) -> "QuerySet[Proposal]":
    return rows_of(Kind.PROPOSAL, agent.team).filter(visible.rows("file__owner"), file__agent=agent)


def _decidable(
    caller: Caller, agent_id: str, proposal_id: str
) -> tuple[Proposal, Visibility, User]:
    agent = caller.agent(agent_id)
    wanted = known_id(proposal_id)
    user = caller.require_person(_("Only a person can decide on a proposal."))
    visible = visibility.seen_by(caller, None)
    proposal = _of(agent, visible).filter(pk=wanted).first()
    if proposal is None:
        raise NotFound
    if proposal.file.owner is None:
        caller.require(Right.DECIDE)
    elif not visible.shows(proposal.file.owner):
        raise Forbidden("personal", _("Only its owner can decide on personal memory."))
    return proposal, visible, user


def _described(proposal: Proposal, visible: Visibility, caller: Caller) -> ProposalOut:
    file = proposal.file
    content = redaction.then(caller, file, proposal.content) if visible.shows(file.owner) else None
    return ProposalOut.of(
        proposal,
        filename=file.path,
        owner=acting_owner.shown(file.owner),
        content=content,
        broken=[BrokenGuard(**one) for one in proposal.broken],
    )
