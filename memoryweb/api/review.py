"""What waits for a person by API: proposals, and likely passwords that were held back."""

from functools import partial
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query
from pydantic import Field

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner, visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.exceptions import Forbidden, NotFound, Problem, or_not_found
from memoryweb.api.query_parameters import OwnerPaging, page
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, IdOrNull, Items, Moment, RequestBody, one_of
from memoryweb.api.visibility import Visibility
from memoryweb.memory.models import HeldSecret, Proposal
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import Stale
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.review import Kind, decide, item_of, outcome, rows_of
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing.changes import Picked, changes_in, unmarked

proposals, secrets = Router(tags=["Proposals"]), Router(tags=["Secrets"])

PROPOSALS, HELD = "/agents/{agent_id}/proposals", "/secrets/held"


class BrokenGuard(Camel):
    guard: str
    detail: str


class ProposedLine(Camel):
    number: int = Field(description="From 1, to accept it by.")
    kind: Literal["add", "change", "retire"]
    heading: str
    old: str | None
    new: str | None


class ProposalOut(Camel):
    """`content` is null where it may not be shown."""

    id: Id
    filename: str
    owner: str
    run_id: IdOrNull = Field(description="Null if a program or tool proposed it.")
    base_revision: int
    content: str | None
    lines: list[ProposedLine] | None = Field(
        description="What would change in the file as it is now. Null where it can't be accepted, "
        "or not by you."
    )
    seen: str = Field(description="Which change these lines are of.")
    broken: list[BrokenGuard]
    state: Annotated[str, one_of(Proposal.State)]
    created_at: Moment


class AcceptedLines(RequestBody):
    lines: list[int] = Field(max_length=5000, description="Numbers of `lines`.")
    words: dict[int, str] = Field(
        default_factory=dict, description="By number: what a line shall say instead."
    )
    seen: str = Field(description="Of the proposal. If that has changed since: 409 `changed`.")


class ProposalFilter(OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["pending", "accepted", "rejected"] = Field("pending")


@proposals.operation("GET", PROPOSALS, Right.READ)
def list_proposals(
    request: Request, agent_id: str, query: Query[ProposalFilter]
) -> Items[ProposalOut]:
    """List proposals, newest first."""
    agent = request.auth.agent(agent_id)
    visible = visibility.seen_by(request.auth, query.owner)
    rows = _proposals(agent, visible).filter(state=query.state)
    shown = partial(_proposal, visible=visible, caller=request.auth)
    return page(rows, ["-created_at", "-id"], query, shown)


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
    picked = Picked(frozenset(body.lines), body.words, body.seen) if body else None
    return _decide(request.auth, agent_id, proposal_id, "accept", picked)


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
    caller: Caller, agent_id: str, proposal_id: str, decision: str, picked: Picked | None = None
) -> ProposalOut:
    proposal, visible, user = _proposal_of(caller, agent_id, proposal_id)
    try:
        with write_transaction(caller.team, actor=caller.actor) as work:
            decide(work, item_of(Kind.PROPOSAL, proposal), decision, by=user, picked=picked)
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
    user = caller.require_person(_("Only a person can decide on a proposal."))
    visible = visibility.seen_by(caller, None)
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
    file = proposal.file
    is_waiting = proposal.state == Proposal.State.PENDING
    if not is_waiting or (after := outcome(proposal)) is None:
        return None, ""
    look = Look(To.PAGE, files=[file])
    old, new = look.file(file).lines, look.then(file, after).split("\n")
    changes, seen = changes_in(file, after)
    lines = [
        ProposedLine(
            number=one.number,
            kind=one.kind,
            heading=one.heading,
            old=unmarked(old[one.row.old_number - 1]) if one.row.old_number else None,
            new=unmarked(new[one.row.new_number - 1]) if one.row.new_number else None,
        )
        for one in changes
    ]
    return lines, seen


class HeldSecretOut(Camel):
    """Never the value. Its place is null where it may not be shown."""

    id: Id
    agent_id: Id
    owner: str
    kind: str
    length: int = Field(description="Characters.")
    filename: str | None
    line: int | None
    conversation_id: str | None
    message_id: str | None
    author_kind: Annotated[str, one_of(AuthorKind)]
    state: Annotated[str, one_of(HeldSecret.State)]
    created_at: Moment
    decided_at: Moment | None


class HeldSecretFilter(OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["waiting", "released", "refused", "expired"] = "waiting"


class SecretDecision(RequestBody):
    decision: Literal["secret", "no_secret"] = Field(
        description="`secret`: keep it out. `no_secret`: let it through from now on."
    )
    value: str = Field(
        "", max_length=4096, description="With `no_secret`: the value, to put it back in its line."
    )


@secrets.operation("GET", HELD, Right.READ)
def list_held_secrets(request: Request, query: Query[HeldSecretFilter]) -> Items[HeldSecretOut]:
    """List held secrets, newest first."""
    visible = visibility.seen_by(request.auth, query.owner)
    rows = _secrets(request.auth, visible).filter(state=query.state)
    return page(rows, ["-created_at", "-id"], query, lambda row: _held(row, visible))


@secrets.operation(
    "POST",
    HELD + "/{held_id}/decide",
    Right.DECIDE_OWN,
    example={"state": "released", "decidedAt": "2026-11-20T10:00:00Z"},
    errors=(409, 429),
)
def decide_held_secret(request: Request, held_id: str, body: SecretDecision) -> HeldSecretOut:
    """Decide whether a held value is a secret."""
    held, visible, user = _held_of(request.auth, held_id)
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        item = item_of(Kind.SECRET, held)
        decide(work, item, body.decision, by=user, value=body.value)
    held.refresh_from_db(fields=["state", "decided_at"])
    return _held(held, visible)


def _secrets(caller: Caller, visible: Visibility) -> "QuerySet[HeldSecret]":
    """An integration reaches its agents alone."""
    rows = rows_of(Kind.SECRET, caller.team).filter(visible.rows())
    return rows.filter(agent__in=caller.agents())


def _held_of(caller: Caller, held_id: str) -> tuple[HeldSecret, Visibility, User]:
    wanted = known_id(held_id)
    if not rows_of(Kind.SECRET, caller.team).filter(pk=wanted, agent__in=caller.agents()).exists():
        raise NotFound
    user = caller.require_person(_("Only a person can decide on a held secret."))
    visible = visibility.seen_by(caller, None)
    held = or_not_found(_secrets(caller, visible).filter(pk=wanted).first())
    _check_may_decide(caller, held.owner)
    return held, visible, user


def _held(held: HeldSecret, visible: Visibility) -> HeldSecretOut:
    shows = visible.shows(held.owner)
    message = held.message if shows else None
    return HeldSecretOut.of(
        held,
        owner=acting_owner.shown(held.owner),
        filename=held.file.path if held.file and shows else None,
        line=held.line if shows else None,
        conversation_id=message.conversation.external_id if message else None,
        message_id=message.external_id if message else None,
    )


def _check_may_decide(caller: Caller, owner: Owner | None) -> None:
    if not caller.decides(owner):
        caller.require_for(owner, Right.DECIDE)
        raise Forbidden("personal", _("Only its owner can decide on personal memory."))
