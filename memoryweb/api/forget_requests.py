"""What was asked to be forgotten: what it hides, what it offers, and what a person decides."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query
from pydantic import Field

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.exceptions import Forbidden, or_not_found
from memoryweb.api.pagination import page
from memoryweb.api.query_parameters import OwnerPaging
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, Items, Moment, RequestBody, one_of
from memoryweb.api.visibility import Visibility
from memoryweb.memory import forgetting
from memoryweb.memory.models import Request as ForgetRequest
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.visible.request_contents import (
    Told,
    about_for_others,
    offered_of,
    requests_of,
    tell,
)
from memoryweb.memory.visible.withheld import withheld_targets

router = Router(tags=["Forgetting"])

BASE = "/memory/{agent_id}/requests"
ONE = BASE + "/{request_id}"
_UNDONE = {"state": "undone", "eraseAt": None, "decidedAt": "2026-11-20T10:00:00Z"}


class ToldOut(Camel):
    """A statement, and the files and conversations that say it."""

    id: Id = Field(description="The fact's id, or the place's where no fact says it.")
    text: str | None = Field(description="Null where it is hidden from you, as from any program.")
    where: list[str]


class ForgetOffer(Camel):
    """Was asked to be forgotten and hides nothing yet. Ask the person: their next message, if it
    says no more than yes, forgets all that is offered."""

    offered: list[ToldOut]
    why: Annotated[str, one_of(("", *ForgetRequest.Why))] = Field(
        description="`pasted`: it may be somebody else's text. `many`: more than five statements. "
        "`daily`: more than five in a day. `all`: everything. `none`: nothing is clearly meant."
    )


class ForgetRequestOut(Camel):
    id: Id
    agent_id: Id
    owner: str
    via: Annotated[str, one_of(ForgetRequest.Via)]
    about: str = Field(
        description="What was asked; empty once it is erased. Who doesn't decide about it "
        "reads `[forgotten]` where it says more than a topic of what is hidden."
    )
    state: Annotated[str, one_of(ForgetRequest.State)]
    hidden: list[ToldOut]
    candidates: list[ToldOut] = Field(description="Not hidden: pick from them to forget more.")
    erase_at: Moment | None
    created_at: Moment
    decided_at: Moment | None


class RequestQuery(OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["open", "hidden", "held", "undone", "kept", "erased"] | None = None


class Picked(RequestBody):
    ids: list[str] = Field(
        default_factory=list, max_length=200, description="Of `candidates`: forget these, too."
    )


@router.operation("GET", BASE, Right.READ)
def list_forget_requests(
    request: Request, agent_id: str, query: Query[RequestQuery]
) -> Items[ForgetRequestOut]:
    """List requests to forget, newest first."""
    caller, agent = request.auth, request.auth.agent(agent_id)
    found = _of(agent, visibility.seen_by(caller, query.owner))
    found = found.filter(state=query.state) if query.state else found
    return page(found, ["-created_at", "-id"], query, partial(_described, caller))


@router.operation("POST", ONE + "/erase", Right.DECIDE_OWN, errors=(409,))
def erase_forget_request(
    request: Request, agent_id: str, request_id: str, body: Picked
) -> ForgetRequestOut:
    """Erase what it hides now, and the candidates that you pick."""
    act = partial(forgetting.erase, picked=body.ids)
    return _decided(request.auth, agent_id, request_id, act)


@router.operation("POST", ONE + "/undo", Right.DECIDE_OWN, example=_UNDONE, errors=(409,))
def undo_forget_request(request: Request, agent_id: str, request_id: str) -> ForgetRequestOut:
    """Undo a request: what it hid is there again."""
    return _decided(request.auth, agent_id, request_id, forgetting.undo)


@router.operation("POST", ONE + "/keep", Right.DECIDE_OWN, errors=(409,))
def keep_forget_request(request: Request, agent_id: str, request_id: str) -> ForgetRequestOut:
    """Keep all that it is about, and close the request."""
    return _decided(request.auth, agent_id, request_id, forgetting.keep)


def offer_of(found: ForgetRequest | None) -> ForgetOffer | None:
    """As an agent may tell it."""
    if found is None:
        return None
    return ForgetOffer(
        offered=[_told_out(one, is_shown=True) for one in offered_of(found)], why=found.why
    )


def _decided(
    caller: Caller, agent_id: str, request_id: str, act: Callable[..., ForgetRequest]
) -> ForgetRequestOut:
    agent, wanted = caller.agent(agent_id), known_id(request_id)
    user = caller.require_person(_("Only a person can decide what is forgotten."))
    found = or_not_found(_of(agent, visibility.seen_by(caller, None)).filter(pk=wanted).first())
    if not caller.decides(found.owner, Permission.FORGET):
        raise Forbidden("may_not_forget", _("Only an admin can erase shared memory."))
    with write_transaction(caller.team, actor=caller.actor) as work:
        decided = act(work, found, user)
    decided.owner = found.owner
    return _described(caller, decided)


def _of(agent: Agent, visible: Visibility) -> "QuerySet[ForgetRequest]":
    found = requests_of(agent).filter(visible.readable())
    return found.select_related("owner__integration")


def _described(caller: Caller, found: ForgetRequest) -> ForgetRequestOut:
    account, is_theirs = tell(found), caller.decides(found.owner, Permission.FORGET)
    secret = withheld_targets(found) if caller.is_program else set()
    return ForgetRequestOut.of(
        found,
        owner=acting_owner.shown(found.owner),
        about=found.about if is_theirs else about_for_others(found),
        hidden=[_told_out(one, is_shown=is_theirs) for one in account.hidden],
        candidates=[
            _told_out(one, is_shown=secret.isdisjoint(one.targets)) for one in account.candidates
        ],
    )


def _told_out(one: Told, *, is_shown: bool) -> ToldOut:
    return ToldOut(id=one.id, text=one.text if is_shown else None, where=list(one.where))
