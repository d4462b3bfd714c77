"""Statements: what is held, who said it and since when, how far it is trusted."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from typing import Annotated, Any, Literal

from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Agent, Reader, reading
from memoryweb.api import acting_owner, schemas
from memoryweb.api.acting_owner import Visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.problems import or_not_found
from memoryweb.api.routing import Router
from memoryweb.api.snapshots import ARCHIVE, ZIP
from memoryweb.language.extraction_rules import Kind
from memoryweb.memory import evidence_packs, questions
from memoryweb.memory import facts as memory_facts
from memoryweb.memory.evidence_packs import Auditor
from memoryweb.memory.models import Contradiction, Evidence, Fact, Scope, SourceClass
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements import listing
from memoryweb.memory.statements.trust import Band
from memoryweb.memory.statements.validity import state_on, today
from memoryweb.memory.still_true import still_true
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.visible.readable import Look, To, statement

router = Router(tags=["Facts"])

BASE = "/memory/{agent_id}/facts"
ONE = BASE + "/{fact_id}"
RIVALS = "/memory/{agent_id}/contradictions/{contradiction_id}"
_RETIRED = {"state": "retired", "why": "not_true", "filename": None, "lineNumber": None}
_ENDS = {"validTo": "2026-11-30"}
_RESOLVED = {"state": "resolved", "resolution": "KEEP_A", "decidedAt": "2026-11-20T10:00:00Z"}
State = Literal["pending", "active", "disputed", "superseded", "expired", "retired"]


class Statement(schemas.Camel):
    """What the API and an agent's tools say of one. `filename` is null if it is in no file."""

    id: schemas.Id
    owner: str
    scope: Annotated[str, schemas.one_of(Scope)]
    subject: str = Field(description="Whom or what it is about. Empty: the owner.")
    attribute: str = Field(
        description="What it gives a value of, such as `home`; may be empty. Facts with the same "
        "subject and attribute but other values contradict each other."
    )
    value: str
    text: str
    ended: list[schemas.EndedWords]
    kind: Annotated[str, schemas.one_of(Kind)]
    state: Annotated[str, schemas.one_of(Fact.State)]
    said_at: schemas.Moment | None = Field(description="Null if it is not known.")
    trust: schemas.Rounded
    filename: str | None
    contradiction: schemas.IdOrNull


class FactOut(Statement):
    """One statement. `filename` is null if it is in no file."""

    agent_id: schemas.Id
    why: str = Field(description="Why it is no longer current; empty while it is.")
    superseded_by: schemas.IdOrNull
    source: Annotated[str, schemas.one_of(SourceClass)]
    valid_from: date | None
    valid_to: date | None = Field(description="The last day, in the agent's time zone.")
    confirmed_at: schemas.Moment | None
    confirmed_by: schemas.IdOrNull = Field(description="The person's id.")
    band: Annotated[str, schemas.one_of(Band)]
    helpful: int
    unhelpful: int
    created_at: schemas.Moment
    changed_at: schemas.Moment


class EvidenceOut(schemas.Camel):
    """A message that says so, or the revision that wrote it down. All null where you may not read
    it."""

    text: str | None
    name: str | None
    conversation_id: str | None
    message_id: str | None
    filename: str | None
    revision: int | None
    said_at: schemas.Moment | None


class FactText(FactOut):
    """A fact with its evidence, and a page of what was ever said of the same, latest first."""

    line_number: int | None
    evidence: list[EvidenceOut]
    history: list[FactOut]
    history_cursor: str | None = Field(description="Send it as `cursor` for the next page.")


class ContradictionOut(schemas.Camel):
    """`a` is the current fact, `b` what contradicts it."""

    id: schemas.Id
    question: str = Field(
        description="Whether `a` still holds, as its person is asked: `IGNORE` says that it does, "
        "`KEEP_B` that it does no longer. Empty where both can't be true."
    )
    agent_id: schemas.Id
    owner: str
    state: Annotated[str, schemas.one_of(Contradiction.State)]
    resolution: Annotated[str, schemas.one_of(("", *Contradiction.Resolution.values))]
    a: FactOut | None
    b: list[FactOut]
    created_at: schemas.Moment
    decided_at: schemas.Moment | None


class FactEdit(schemas.TypedBody):
    text: str = Field(min_length=1, max_length=600, description="One line.")


class FactUntil(schemas.RequestBody):
    valid_to: date | None = Field(
        description="The last day, in the agent's time zone; null: as its text says."
    )


class StillTrue(schemas.RequestBody):
    words: str = Field("", max_length=600, description="Of `ended`; empty: all of them.")


class FactFeedback(schemas.RequestBody):
    helpful: schemas.Flag | None = Field(description="Null removes the vote.")


class Resolve(schemas.TypedBody):
    resolution: Literal["KEEP_A", "KEEP_B", "MERGE", "IGNORE"] = Field(
        description="`KEEP_A`: keep the current fact. `KEEP_B`: use the other. `MERGE`: replace "
        "both with `text`. `IGNORE`: keep both."
    )
    text: str = Field("", max_length=600, description="With `MERGE`.")


class FactQuery(schemas.OwnerPaging):
    """`owner`, `state`, `scope`, `kind`, `trust`, `atLeast`, `subject`, `q`, `cursor`, `limit`."""

    state: State | None = None
    scope: Literal["PERSONAL", "TEAM", "GLOBAL"] | None = None
    kind: Kind | None = None
    trust: Literal["high", "medium", "low"] | None = Field(None, description="A band of trust.")
    at_least: float = Field(0, ge=0, le=1, description="Only with this trust or more.")
    subject: str | None = Field(None, max_length=200, description="Empty: about the owner.")
    q: str = Field("", max_length=200, description="Text that the fact contains.")


class EvidenceQuery(schemas.Camel):
    at: schemas.Instant | None = Field(
        None,
        ge=datetime(2000, 1, 1, tzinfo=UTC),
        lt=datetime(2100, 1, 1, tzinfo=UTC),
        description="What was held then; default: now.",
        examples=["2026-11-20T09:00:00Z"],
    )


class ContradictionQuery(schemas.OwnerPaging):
    """`owner`, `state`, `cursor` and `limit`."""

    state: Literal["open", "resolved", "ignored"] = "open"


@router.operation("GET", BASE, Right.READ)
def list_facts(request: Request, agent_id: str, query: Query[FactQuery]) -> schemas.Items[FactOut]:
    """List facts, those that changed last first. Shared ones include what holds for all teams."""
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    with reading(Reader(agent)):
        found = listing.narrowed(
            _of(request.auth, agent, visible),
            timezone.now(),
            agent.zone,
            states=[query.state] if query.state else [],
            scope=query.scope or "",
            kind=query.kind or "",
            trusted=query.trust or "",
            at_least=query.at_least,
            subject=query.subject,
            words=query.q,
        )
        return schemas.page(found, ["-changed_at", "-id"], query, _described)


@router.operation("GET", BASE + "/contradictions", Right.READ)
def list_contradictions(
    request: Request, agent_id: str, query: Query[ContradictionQuery]
) -> schemas.Items[ContradictionOut]:
    """List contradictions, newest first."""
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    found = _rivals_of(request.auth, agent, visible).filter(state=query.state)
    return schemas.page(found, ["-created_at", "-id"], query, _rivals)


@router.operation("GET", ONE, Right.READ)
def read_fact(
    request: Request, agent_id: str, fact_id: str, query: Query[schemas.OwnerPaging]
) -> FactText:
    """Read a fact with its evidence and a page of its history."""
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    with reading(Reader(agent)):
        fact = _one(request.auth, agent, visible, fact_id)
        return _in_full(request.auth, agent, visible, fact, query)


@router.operation("POST", ONE + "/confirm", Right.FACTS_OWN, example={"trust": 0.8}, errors=(409,))
def confirm_fact(request: Request, agent_id: str, fact_id: str) -> FactText:
    """Confirm a fact: from now on only people change it."""
    return acted(request.auth, agent_id, fact_id, memory_facts.confirm)


@router.operation("POST", ONE + "/edit", Right.FACTS_OWN, errors=(409,))
def edit_fact(request: Request, agent_id: str, fact_id: str, body: FactEdit) -> FactText:
    """Reword a fact; the answer is the fact that takes its place."""
    return reworded(request.auth, agent_id, fact_id, body)


@router.operation("POST", ONE + "/until", Right.FACTS_OWN, example=_ENDS, errors=(409,))
def remember_fact_until(request: Request, agent_id: str, fact_id: str, body: FactUntil) -> FactText:
    """Choose until when a fact is remembered. A dream takes it out after that day."""
    act = partial(memory_facts.remember_until, day=body.valid_to)
    return acted(request.auth, agent_id, fact_id, act)


@router.operation("POST", ONE + "/retire", Right.FACTS_OWN, example=_RETIRED, errors=(409,))
def retire_fact(request: Request, agent_id: str, fact_id: str) -> FactText:
    """Mark a fact as not true: nothing said before can bring it back."""
    return acted(request.auth, agent_id, fact_id, memory_facts.not_true)


@router.operation("POST", ONE + "/restore", Right.FACTS_OWN, errors=(409,))
def restore_fact(request: Request, agent_id: str, fact_id: str) -> FactText:
    """Put a fact that is no longer current back into its file."""
    return acted(request.auth, agent_id, fact_id, memory_facts.restore)


@router.operation("POST", ONE + "/still-true", Right.FACTS_OWN, errors=(409,))
def keep_fact_true(request: Request, agent_id: str, fact_id: str, body: StillTrue) -> FactText:
    """Say that what had ended of a fact still holds."""
    return acted(request.auth, agent_id, fact_id, partial(still_true, words=body.words))


@router.operation("POST", ONE + "/feedback", Right.FACTS_OWN)
def rate_fact(request: Request, agent_id: str, fact_id: str, body: FactFeedback) -> FactText:
    """Vote on whether a fact is helpful: one vote per person, which you can change."""
    act = partial(memory_facts.vote, helpful=body.helpful)
    return acted(request.auth, agent_id, fact_id, act)


@router.operation("POST", RIVALS + "/resolve", Right.FACTS_OWN, example=_RESOLVED, errors=(409,))
def resolve_contradiction(
    request: Request, agent_id: str, contradiction_id: str, body: Resolve
) -> ContradictionOut:
    """Resolve a contradiction: facts and files change together."""

    def act(tx: Transaction, found: Contradiction, *, writer: Writer) -> None:
        by = body.typed_by(writer)
        memory_facts.resolve(tx, found, body.resolution, text=body.text, writer=by)

    return _decided(request.auth, agent_id, contradiction_id, act)


@router.operation("POST", RIVALS + "/undo", Right.FACTS_OWN, errors=(409,))
def undo_contradiction(request: Request, agent_id: str, contradiction_id: str) -> ContradictionOut:
    """Undo the resolution of a contradiction."""
    return _decided(request.auth, agent_id, contradiction_id, memory_facts.undo)


@router.operation(
    "GET",
    ONE + "/evidence",
    Right.PACK_EVIDENCE,
    extra={"responses": {200: {"description": "OK", "content": {ZIP: ARCHIVE}}}},
)
def pack_evidence(
    request: Request, agent_id: str, fact_id: str, query: Query[EvidenceQuery]
) -> HttpResponse:
    """Make an evidence pack of a fact; with the scope `memory:read`, too."""
    caller = request.auth
    caller.require(Right.READ)
    agent, visible = _of_person(caller, agent_id, fact_id, "Evidence is packed for a person.")
    fact = _one(caller, agent, visible, fact_id)
    mine, now = visible.texts or (), timezone.now()
    by = Auditor(caller.team, caller.actor, now, mine, visible.shows)
    packed = evidence_packs.pack(by, fact, query.at or now)
    response = HttpResponse(packed, content_type=ZIP)
    response["Content-Disposition"] = f'attachment; filename="{by.filename}"'
    return response


def reworded(caller: Caller, agent_id: str, fact_id: str, body: FactEdit) -> FactText:
    def act(tx: Transaction, fact: Fact, *, writer: Writer) -> None:
        memory_facts.edit(tx, fact, body.text, writer=body.typed_by(writer))

    return acted(caller, agent_id, fact_id, act, follows=True)


def acted(
    caller: Caller,
    agent_id: str,
    fact_id: str,
    act: Callable[..., object],
    *,
    follows: bool = False,
) -> FactText:
    """`follows`: the answer is the fact that took its place."""
    agent, visible = _of_person(caller, agent_id, fact_id)
    fact = _one(caller, agent, visible, fact_id)
    caller.require_for(fact.owner, Right.FACTS)
    with caller.write() as tx:
        act(tx, fact, writer=caller.writer)
    fact.refresh_from_db(fields=["superseded_by"])
    now = fact.superseded_by_id if follows else None
    return _in_full(caller, agent, visible, _one(caller, agent, visible, str(now or fact_id)))


def _decided(
    caller: Caller, agent_id: str, contradiction_id: str, act: Callable[..., object]
) -> ContradictionOut:
    agent, visible = _of_person(caller, agent_id, contradiction_id)
    shown = _rivals_of(caller, agent, visible)
    found = or_not_found(shown.filter(pk=contradiction_id).first())
    caller.require_for(found.owner, Right.FACTS)
    with caller.write() as tx:
        act(tx, found, writer=caller.writer)
    return _rivals(shown.get(pk=found.pk))


def _of_person(
    caller: Caller,
    agent_id: str,
    row_id: str,
    why: str = "Only a person can decide whether a fact is true.",
) -> tuple[Agent, Visibility]:
    agent = caller.agent(agent_id)
    known_id(row_id)
    caller.require_person(why)
    return agent, acting_owner.seen_by(caller, None)


def _of(caller: Caller, agent: Agent, visible: Visibility) -> "QuerySet[Any]":
    """Nobody is given what is to be forgotten; a program nothing that waits for a person either, or
    that its owner or anybody took back."""
    taken_back = Q(hidden_at__isnull=False) | Q(corrected_at__isnull=False)
    kept_back = taken_back | Q(state=Fact.State.PENDING)
    reach = visible.readable()
    own = agent.facts.filter(reach)
    facts = listing.weighed(listing.with_global(agent.pk, reach) if visible.shared else own)
    facts = remembered_of(facts)
    facts = facts.exclude(kept_back) if caller.is_program else facts
    return facts.select_related("agent", "owner__integration", "file")


def _rivals_of(caller: Caller, agent: Agent, visible: Visibility) -> "QuerySet[Contradiction]":
    """With their sides, as far as the caller may read them."""
    found = agent.contradictions.filter(visible.readable()).select_related("owner__integration")
    return found.prefetch_related(Prefetch("facts", _of(caller, agent, visible)))


def _one(caller: Caller, agent: Agent, visible: Visibility, fact_id: str) -> Any:
    return or_not_found(_of(caller, agent, visible).filter(pk=known_id(fact_id)).first())


def described_all(
    caller: Caller, agent: Agent, visible: Visibility, facts: "QuerySet[Fact]"
) -> list[FactOut]:
    """Of these what the caller may read."""
    rows = _of(caller, agent, visible).filter(pk__in=facts.values("pk"))
    return [_described(one) for one in rows.order_by("-changed_at", "pk")]


def _described(fact: Any) -> FactOut:
    return FactOut(**_fields(fact))


def _fields(fact: Any) -> dict[str, Any]:
    now = timezone.now()
    weight, said = listing.weight_of(fact, now), statement(fact, To.PAGE)
    values = {name: getattr(fact, name, None) for name in FactOut.model_fields}
    return values | {
        "text": said.text,
        "value": said.value,
        "ended": schemas.ended_words(said.ended),
        "owner": acting_owner.shown(fact.owner, fact.scope),
        "state": state_on(fact, today(now, fact.agent.zone)),
        "superseded_by": fact.superseded_by_id,
        "confirmed_by": fact.confirmed_by_id,
        "contradiction": fact.contradiction_id,
        "filename": fact.file.path if fact.file else None,
        "trust": weight.value,
        "band": weight.band,
    }


def _in_full(
    caller: Caller,
    agent: Agent,
    visible: Visibility,
    fact: Any,
    asked: schemas.Paging | None = None,
) -> FactText:
    earlier = _of(caller, agent, visible).filter(pk__in=listing.values_of(fact).values("pk"))
    grounds = list(listing.said_of([fact]))
    look = Look(caller.to, messages=[one.message for one in grounds if one.message])
    history = schemas.page(earlier, ["-changed_at", "-id"], asked or schemas.Paging(), _described)
    return FactText(
        **_fields(fact),
        line_number=listing.lines_of(fact.file).get(fact.fingerprint) if fact.file else None,
        evidence=[_ground(visible, one, look) for one in grounds],
        history=history.items,
        history_cursor=history.cursor,
    )


def _ground(visible: Visibility, one: Evidence, look: Look) -> EvidenceOut:
    values: dict[str, Any] = dict.fromkeys(EvidenceOut.model_fields)
    if one.message and visible.shows(one.message.conversation.owner):
        values |= {
            "text": look.quote(one),
            "name": one.message.name or one.message.role,
            "conversation_id": one.message.conversation.external_id,
            "message_id": one.message.external_id,
            "said_at": one.said_at,
        }
    elif one.root and visible.shows(one.root.file.owner):
        values |= {
            "name": one.root.author_kind,
            "filename": one.root.file.path,
            "revision": one.root.number,
            "said_at": one.said_at,
        }
    return EvidenceOut(**values)


def _rivals(found: Contradiction) -> ContradictionOut:
    facts = found.facts.all()
    sides = [_described(one) for one in listing.sides_of(found, facts)]
    return ContradictionOut.of(
        found,
        owner=acting_owner.shown(found.owner),
        question=questions.sentence(found, facts, To.PAGE) if found.is_question else "",
        a=next(iter(sides), None),
        b=sides[1:],
    )
