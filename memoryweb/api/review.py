"""What waits for a person by API: proposals."""

from functools import partial
from typing import Annotated, Literal

from django.db.models import QuerySet
from ninja import Query
from pydantic import Field

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner, schemas
from memoryweb.api.acting_owner import Visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.problems import Forbidden, Problem, or_not_found
from memoryweb.api.routing import Router
from memoryweb.memory.models import Proposal
from memoryweb.memory.models.refusals import Stale
from memoryweb.memory.review import Kind, ProposalLines, decide, item_of, rows_of
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing.changes import Pick, plain, unmarked

proposals = Router(tags=["Proposals"])

PROPOSALS = "/agents/{agent_id}/proposals"


class BrokenGuard(schemas.Camel):
    guard: str
    detail: str


class ProposedLine(schemas.Camel):
    number: int = Field(description="From 1, to accept it by.")
    kind: Literal["add", "change", "retire"]
    heading: str
    old: str | None
    new: str | None


class ProposalOut(schemas.Camel):
    """`content` is null where it may not be shown."""

    id: schemas.Id
    filename: str
    owner: str
    run_id: schemas.IdOrNull = Field(description="Null if a program or tool proposed it.")
    base_revision: int
    content: str | None
    lines: list[ProposedLine] | None = Field(
        description="What would change in the file as it is now. Null where it can't be accepted, "
        "or not by you."
    )
    seen: str = Field(description="Which change these lines are of.")
    broken: list[BrokenGuard]
    state: Annotated[str, schemas.one_of(Proposal.State)]
    created_at: schemas.Moment


class AcceptedLines(schemas.TypedBody):
    lines: list[int] = Field(max_length=5000, description="Numbers of `lines`.")
    words: dict[int, str] = Field(
        default_factory=dict, description="By number: what a line shall say instead."
    )
    seen: str = Field(description="Of the proposal. If that has changed since: 409 `changed`.")


class ProposalFilter(schemas.OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["pending", "accepted", "rejected"] = Field("pending")


@proposals.operation("GET", PROPOSALS, Right.READ)
def list_proposals(
    request: Request, agent_id: str, query: Query[ProposalFilter]
) -> schemas.Items[ProposalOut]:
    """List proposals, newest first."""
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    rows = _proposals(agent, visible).filter(state=query.state)
    shown = partial(_proposal, visible=visible, caller=request.auth)
    return schemas.page(rows, ["-created_at", "-id"], query, shown)


@proposals.operation(
    "POST",
    PROPOSALS + "/{proposal_id}/accept",
    Right.DECIDE_OWN,
    body={"lines": [1], "words": {}, "seen": "0b5f2c7d9a1e4f60b3c8d7e6a5940312"},
    example={"state": "accepted"},
    errors=(409,),
)
def accept_proposal(
    request: Request, agent_id: str, proposal_id: str, body: AcceptedLines | None = None
) -> ProposalOut:
    """Accept a proposal, or some of its lines, and write it.

    Without a body all of it. What is left out isn't proposed again.
    """
    picked = Pick(frozenset(body.lines), body.words, body.seen) if body else None
    no_secrets = body is not None and body.no_secrets
    return _decide(request.auth, agent_id, proposal_id, "accept", picked, no_secrets=no_secrets)


@proposals.operation(
    "POST",
    PROPOSALS + "/{proposal_id}/reject",
    Right.DECIDE_OWN,
    example={"state": "rejected"},
    errors=(409,),
)
def reject_proposal(request: Request, agent_id: str, proposal_id: str) -> ProposalOut:
    """Reject a proposal; it isn't proposed again."""
    return _decide(request.auth, agent_id, proposal_id, "reject")


def _decide(
    caller: Caller,
    agent_id: str,
    proposal_id: str,
    decision: str,
    picked: Pick | None = None,
    *,
    no_secrets: bool = False,
) -> ProposalOut:
    proposal, visible, user = _proposal_of(caller, agent_id, proposal_id)
    try:
        with caller.write() as tx:
            item = item_of(Kind.PROPOSAL, proposal)
            decide(tx, item, decision, by=user, picked=picked, no_secrets=no_secrets)
    except Stale as stale:
        raise Problem(409, "stale", str(stale)) from None
    proposal.refresh_from_db(fields=["state"])
    return _proposal(proposal, visible, caller)


def _proposals(agent: Agent, visible: Visibility) -> "QuerySet[Proposal]":
    return rows_of(Kind.PROPOSAL, agent.team).filter(visible.rows("file__owner"), file__agent=agent)


def _proposal_of(
    caller: Caller, agent_id: str, proposal_id: str
) -> tuple[Proposal, Visibility, User]:
    agent = caller.agent(agent_id)
    wanted = known_id(proposal_id)
    user = caller.require_person("Only a person can decide on a proposal.")
    visible = acting_owner.seen_by(caller, None)
    proposal = or_not_found(_proposals(agent, visible).filter(pk=wanted).first())
    _check_may_decide(caller, proposal.file.owner)
    return proposal, visible, user


def _proposal(proposal: Proposal, visible: Visibility, caller: Caller) -> ProposalOut:
    file = proposal.file
    shows = visible.shows(file.owner)
    content = Look(caller.to, files=[file]).proposed(proposal) if shows else None
    lines, seen = _lines(proposal) if shows and not caller.is_program else (None, "")
    return ProposalOut.of(
        proposal,
        filename=file.path,
        owner=acting_owner.shown(file.owner),
        content=content,
        lines=lines,
        seen=seen,
        broken=[BrokenGuard(**one) for one in proposal.broken],
    )


def _lines(proposal: Proposal) -> tuple[list[ProposedLine] | None, str]:
    """As people read them, and which change they are of."""
    if proposal.state != Proposal.State.PENDING:
        return None, ""
    made = ProposalLines(proposal, Look(To.PAGE, files=[proposal.file]))
    if not made.fits:
        return None, ""
    lines = [
        ProposedLine.of(
            one,
            old=unmarked(plain(one.old)) if one.old else None,
            new=unmarked(plain(one.new)) if one.new else None,
        )
        for one in made.lines
    ]
    return lines, made.seen


def _check_may_decide(caller: Caller, owner: Owner | None) -> None:
    if not caller.decides(owner):
        caller.require_for(owner, Right.DECIDE)
        raise Forbidden("personal", "Only its owner can decide on personal memory.")
