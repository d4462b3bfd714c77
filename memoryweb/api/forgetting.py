"""Forgetting: statements, lines or words of one memory, and the receipts of what was erased."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from ninja import Query, Status
from pydantic import Field

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, schemas
from memoryweb.api.acting_owner import Visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.dreaming import RunOut, described
from memoryweb.api.problems import Forbidden, Invalid, NotFound, or_not_found
from memoryweb.api.routing import Router
from memoryweb.markdown.paths import fold
from memoryweb.memory import forgetting
from memoryweb.memory.forgetting import Finding, Wish
from memoryweb.memory.models import ForgetRequest, Receipt
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.visible import request_contents

router = Router(tags=["Forgetting"])

BASE = "/memory/{agent_id}"
_REMAINS = "Rows that still had it after the erasure: 0."


class ForgetIn(schemas.OwnerFields):
    """`ids`, or `filename` and `lines`, or `text`; and whose memory."""

    ids: list[str] = Field(default_factory=list, max_length=50, description="Of facts.")
    filename: str | None = None
    lines: list[int] = Field(default_factory=list, max_length=500, description="From 1.")
    text: str = Field("", max_length=500, description="Everything with these words.")
    dry_run: schemas.Flag = Field(False, description="Only say what would go.")


class PlaceOut(schemas.Camel):
    kind: str = Field(description="`fact`, `line` or `message`.")
    text: str | None = Field(description="Null where programs may not read it.")
    where: str = Field(description="The file or conversation.")


class ForgetOut(schemas.Camel):
    request: schemas.IdOrNull = Field(description="Null for a dry run.")
    hidden: list[PlaceOut] = Field(description="Given to nobody from now on, and erased.")
    candidates: list[PlaceOut] = Field(description="Not hidden: a person picks from them.")
    erase_at: schemas.Moment | None = Field(description="Until then it can be undone.")


class ReceiptOut(schemas.Camel):
    id: schemas.Id
    agent_id: schemas.IdOrNull
    owner: str = Field(description="The owner's id, or `shared`.")
    request: schemas.IdOrNull
    counts: dict[str, int]
    scanned: dict[str, int] = Field(description="Rows that were looked through, by table.")
    remaining: int = Field(description=_REMAINS)
    in_ledger: bool = Field(description="False: an older backup can bring it back.")
    hash: str = Field(description="SHA-256 of the other fields; the audit event has it, too.")
    created_at: schemas.Moment


class ErasureOut(schemas.Camel):
    runs: list[RunOut]


@router.operation("POST", BASE + "/forget", Right.DECIDE_OWN)
def forget_memory(request: Request, agent_id: str, body: ForgetIn) -> ForgetOut:
    """Forget statements, lines or words.

    What a person forgets of their own memory, or an admin of the shared one, is hidden at once and
    erased ten minutes later. What a program asks is a request, as with the tool `forget`; what a
    member asks of shared memory waits in Review.
    """
    caller = request.auth
    agent = caller.agent(agent_id)
    owner = acting_owner.acting(caller, body, default="me")
    return forgotten(caller, Memory(agent, owner), body)


@router.operation("GET", BASE + "/receipts", Right.READ)
def list_receipts(
    request: Request, agent_id: str, query: Query[schemas.OwnerPaging]
) -> schemas.Items[ReceiptOut]:
    """List receipts of erasures, newest first."""
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    found = _receipts(agent, visible)
    return schemas.page(found, ["-created_at", "-id"], query, _receipt)


@router.operation("DELETE", "/owners/{owner_id}", Right.FORGET, status=202, errors=(409,))
def erase_owner(request: Request, owner_id: str) -> Status[ErasureOut]:
    """Erase everything that is kept about an owner. It can't be undone."""
    caller = request.auth
    user = caller.require_person("Only a person can erase somebody's memory.")
    owner = or_not_found(caller.team.owners.filter(pk=known_id(owner_id)).first())
    if owner.is_system:
        raise Forbidden("system_owner", "The system has no memory of its own to erase.")
    with caller.write() as tx:
        made = forgetting.erase_owner(tx, owner, user)
    visible = acting_owner.of_owner(None)
    return Status(202, ErasureOut(runs=[described(run, visible) for run in made]))


def forgotten(caller: Caller, memory: Memory, body: ForgetIn) -> ForgetOut:
    found = _found(memory, body)
    told = partial(_answer, _secret(found) if caller.is_program else lambda _one: False)
    if body.dry_run:
        return told(None, found.meant, found.candidates)
    is_person = caller.user is not None and not caller.is_program
    # Whoever reaches a personal memory here acts for its owner.
    is_theirs = memory.owner is not None or caller.decides(None, Permission.FORGET)
    if not is_theirs:
        caller.require(Right.DECIDE)
    with caller.write() as tx:
        by, about = caller.user if is_person else None, body.text.strip()
        asked = Wish(memory, ForgetRequest.Via.API, about, by=by)
        made = forgetting.forget(tx, asked, found, is_person=is_person, is_theirs=is_theirs)
    if made.state == ForgetRequest.State.OPEN:
        return told(made, (), (*found.meant, *found.candidates))
    return told(made, found.meant, found.candidates)


def _found(memory: Memory, body: ForgetIn) -> Finding:
    """Raises Invalid, NotFound."""
    if [bool(body.ids), bool(body.filename), bool(body.text.strip())].count(True) != 1:
        raise Invalid("text", "Send ids, or a filename with lines, or a text.")
    if body.text:
        return forgetting.of_text(memory, body.text.strip())
    if body.ids:
        wanted = {known_id(one) for one in body.ids}
        facts = memory.agent.facts.filter(owner=memory.owner, pk__in=wanted)
        rows = list(facts.select_related("agent", "owner", "file"))
        if len(rows) < len(wanted):
            raise NotFound
        return forgetting.of_facts(memory, rows)
    there = memory.agent.files.filter(owner=memory.owner, deleted_at=None)
    named = there.filter(folded_path=fold(body.filename or ""))
    file = or_not_found(named.select_related("agent", "owner").first())
    if not body.lines:
        raise Invalid("lines", "Send the numbers of the lines.")
    return forgetting.of_lines(file, body.lines)


def _receipts(agent: Agent, visible: Visibility) -> "QuerySet[Receipt]":
    """They say figures alone, and whose memory it was by its id."""
    rows = agent.receipts.filter(team=agent.team_id)
    if visible.owners is None:
        return rows
    labels = {str(one) for one in visible.owners} | ({""} if visible.shared else set())
    return rows.filter(owner_label__in=labels)


def _receipt(row: Receipt) -> ReceiptOut:
    return ReceiptOut.of(row, owner=row.owner_label or acting_owner.SHARED, request=row.request_id)


def _secret(found: Finding) -> Callable[[Mention], bool]:
    return request_contents.withheld_among([*found.meant, *found.candidates])


def _answer(
    is_secret: Callable[[Mention], bool],
    made: ForgetRequest | None,
    hidden: tuple[Mention, ...],
    candidates: tuple[Mention, ...],
) -> ForgetOut:
    said: dict[str, Any] = {
        "hidden": [_place(one, is_secret=is_secret(one)) for one in hidden],
        "candidates": [_place(one, is_secret=is_secret(one)) for one in candidates],
    }
    erase_at = made.erase_at if made else None
    return ForgetOut(request=str(made.pk) if made else None, erase_at=erase_at, **said)


def _place(one: Mention, *, is_secret: bool) -> PlaceOut:
    text = None if is_secret else one.text
    return PlaceOut(kind=str(one.kind), text=text, where=one.where)


# What was asked to be forgotten: what it hides, what it offers, and what a person decides.

requests_router = Router(tags=["Forgetting"])

REQUESTS = "/memory/{agent_id}/requests"
ONE = REQUESTS + "/{request_id}"
_UNDONE = {"state": "undone", "eraseAt": None, "decidedAt": "2026-11-20T10:00:00Z"}


class ToldOut(schemas.Camel):
    """A statement, and the files and conversations that say it."""

    id: schemas.Id = Field(description="The fact's id, or the place's where no fact says it.")
    text: str | None = Field(description="Null where it is hidden from you, as from any program.")
    where: list[str]


class ForgetOffer(schemas.Camel):
    """Was asked to be forgotten and hides nothing yet. Ask the person: their next message, if it
    says no more than yes, forgets all that is offered."""

    offered: list[ToldOut]
    why: Annotated[str, schemas.one_of(("", *ForgetRequest.Why))] = Field(
        description="`pasted`: it may be somebody else's text. `many`: more than five statements. "
        "`daily`: more than five in a day. `all`: everything. `none`: nothing is clearly meant."
    )


class ForgetRequestOut(schemas.Camel):
    id: schemas.Id
    agent_id: schemas.Id
    owner: str
    via: Annotated[str, schemas.one_of(ForgetRequest.Via)]
    about: str = Field(
        description="What was asked; empty once it is erased. Who doesn't decide about it "
        "reads `[forgotten]` where it says more than a topic of what is hidden."
    )
    state: Annotated[str, schemas.one_of(ForgetRequest.State)]
    hidden: list[ToldOut]
    candidates: list[ToldOut] = Field(description="Not hidden: pick from them to forget more.")
    erase_at: schemas.Moment | None
    created_at: schemas.Moment
    decided_at: schemas.Moment | None


class RequestQuery(schemas.OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["open", "hidden", "held", "undone", "kept", "erased"] | None = None


class CandidateChoice(schemas.RequestBody):
    ids: list[str] = Field(
        default_factory=list, max_length=200, description="Of `candidates`: forget these, too."
    )


@requests_router.operation("GET", REQUESTS, Right.READ)
def list_forget_requests(
    request: Request, agent_id: str, query: Query[RequestQuery]
) -> schemas.Items[ForgetRequestOut]:
    """List requests to forget, newest first."""
    caller, agent = request.auth, request.auth.agent(agent_id)
    found = _of(agent, acting_owner.seen_by(caller, query.owner))
    found = found.filter(state=query.state) if query.state else found
    return schemas.page(found, ["-created_at", "-id"], query, partial(_described, caller))


@requests_router.operation("POST", ONE + "/erase", Right.DECIDE_OWN, errors=(409,))
def erase_forget_request(
    request: Request, agent_id: str, request_id: str, body: CandidateChoice
) -> ForgetRequestOut:
    """Erase what it hides now, and the candidates that you pick."""
    act = partial(forgetting.erase, picked=body.ids)
    return _decided(request.auth, agent_id, request_id, act)


@requests_router.operation("POST", ONE + "/undo", Right.DECIDE_OWN, example=_UNDONE, errors=(409,))
def undo_forget_request(request: Request, agent_id: str, request_id: str) -> ForgetRequestOut:
    """Undo a request: what it hid is there again."""
    return _decided(request.auth, agent_id, request_id, forgetting.undo)


@requests_router.operation("POST", ONE + "/keep", Right.DECIDE_OWN, errors=(409,))
def keep_forget_request(request: Request, agent_id: str, request_id: str) -> ForgetRequestOut:
    """Keep all that it is about, and close the request."""
    return _decided(request.auth, agent_id, request_id, forgetting.keep)


def offer_of(found: ForgetRequest | None) -> ForgetOffer | None:
    """As an agent may tell it."""
    if found is None:
        return None
    offered = [_content_out(one, is_shown=True) for one in request_contents.offered_of(found)]
    return ForgetOffer(offered=offered, why=found.why)


def _decided(
    caller: Caller, agent_id: str, request_id: str, act: Callable[..., ForgetRequest]
) -> ForgetRequestOut:
    agent, wanted = caller.agent(agent_id), known_id(request_id)
    user = caller.require_person("Only a person can decide what is forgotten.")
    found = or_not_found(_of(agent, acting_owner.seen_by(caller, None)).filter(pk=wanted).first())
    if not caller.decides(found.owner, Permission.FORGET):
        raise Forbidden("may_not_forget", "Only an admin can erase shared memory.")
    with caller.write() as tx:
        decided = act(tx, found, user)
    decided.owner = found.owner
    return _described(caller, decided)


def _of(agent: Agent, visible: Visibility) -> "QuerySet[ForgetRequest]":
    found = request_contents.requests_of(agent).filter(visible.readable())
    return found.select_related("owner__integration")


def _described(caller: Caller, found: ForgetRequest) -> ForgetRequestOut:
    account = request_contents.tell(found)
    is_theirs = caller.decides(found.owner, Permission.FORGET)
    secret = request_contents.withheld_targets(found) if caller.is_program else set()
    return ForgetRequestOut.of(
        found,
        owner=acting_owner.shown(found.owner),
        about=request_contents.about_of(found, is_theirs=is_theirs),
        hidden=[_content_out(one, is_shown=is_theirs) for one in account.hidden],
        candidates=[
            _content_out(one, is_shown=secret.isdisjoint(one.targets)) for one in account.candidates
        ],
    )


def _content_out(one: request_contents.RequestContent, *, is_shown: bool) -> ToldOut:
    return ToldOut(id=one.id, text=one.text if is_shown else None, where=list(one.where))
