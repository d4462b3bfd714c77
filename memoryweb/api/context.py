"""What an agent is given for a message: `POST …/context` (SPEC §8.1)."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.api import acting_owner, schemas
from memoryweb.api.auth import Caller, Request, Right
from memoryweb.api.forgetting import ForgetOffer, offer_of
from memoryweb.api.routing import Router
from memoryweb.dreaming import night_results
from memoryweb.dreaming.night_results import AgentNight, NightResult, Reach
from memoryweb.dreaming.operations import OUTCOMES
from memoryweb.memory import prompt, questions
from memoryweb.memory.forgetting import offer_to
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.models import Conversation
from memoryweb.memory.models import Scope as FileScope
from memoryweb.memory.prompt import Added, Context, PromptFile, PromptHit
from memoryweb.memory.statements.listing import weighed, weight_of
from memoryweb.memory.statements.trust import Band

# The morning card: what an agent's last dream did, for whoever it is about (SPEC §6.2).

card_router = Router(tags=["Dreaming"])

CARD = "/memory/{agent_id}/dream/morning-card"


class MorningItem(schemas.Camel):
    """One thing that the dream did. Confirm, reword or retire it as the fact that it is."""

    fact_id: schemas.IdOrNull = Field(description="Null where the statement is gone.")
    owner: str
    outcome: Annotated[str, schemas.one_of(OUTCOMES)]
    text: str = Field(description="What stands now, or what left.")
    before: list[str]
    reason: str
    said_by: str = Field(description="Who said it last; empty if it is not known.")
    said_at: schemas.Moment | None
    band: Annotated[str, schemas.one_of(("", *Band))]
    new: schemas.Flag


class MorningCard(schemas.Camel):
    """`night` is null where no dream has told anything yet."""

    night: date | None
    items: list[MorningItem]
    question: str | None = Field(
        None,
        description="In a prompt, at most one a day: whether something older still holds. Ask it; "
        "what the person answers in their next message counts.",
    )


class MorningCardDismissal(schemas.Camel):
    seen_at: schemas.Moment


@card_router.operation("GET", CARD, Right.READ)
def read_morning_card(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery]
) -> MorningCard:
    """Read what the last dream did to shared memory and to an owner's."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    agent, owner = memory.agent, memory.owner
    reader = Reader(agent, owner if owner and not owner._state.adding else None)
    return _card(reader, _night(reader, owner))


@card_router.operation("POST", CARD + "/seen", Right.READ)
def mark_morning_card_seen(
    request: Request, agent_id: str, body: schemas.OwnerFields
) -> MorningCardDismissal:
    """Say that the card was told: it is offered no more, here or on the first page."""
    agent = request.auth.agent(agent_id)
    owner = acting_owner.acting(request.auth, body)
    now = timezone.now()
    night_results.mark([agent], night_results.who(None, owner), now)
    return MorningCardDismissal(seen_at=now)


def offered(reader: Reader) -> MorningCard | None:
    """What this reader has not been told; None where there is nothing."""
    night = _night(reader, reader.owner)
    if night is None or reader.owner is None:
        return None
    night.learned = [one for one in night.learned if one.is_new and one.holds]
    return _card(reader, night) if night.learned else None


def _night(reader: Reader, owner: Owner | None) -> AgentNight | None:
    return night_results.last_night(reader.agent, _reach(reader), night_results.who(None, owner))


def _reach(reader: Reader) -> Reach:
    """Shared memory, and the reader's own."""
    own = [reader.owner.pk] if reader.owner else []
    return lambda owner: (
        Q(**{owner: None}) | Q(**{f"{owner}__source": "system"}) | Q(**{f"{owner}__in": own})
    )


def _card(reader: Reader, night: AgentNight | None) -> MorningCard:
    if night is None:
        return MorningCard(night=None, items=[])
    held = (one for one in night.learned if one.holds)
    shown = [one for one in held if not (one.fact and one.fact.is_hidden)]
    facts = weighed(reader.agent.facts.filter(pk__in=[one.fact.pk for one in shown if one.fact]))
    bands = {fact.pk: weight_of(fact, timezone.now()).band for fact in facts}
    return MorningCard(night=night.day, items=[_item(reader, one, bands) for one in shown])


def _item(reader: Reader, one: NightResult, bands: Mapping[UUID, Band]) -> MorningItem:
    operation, fact, said = one.operation, one.fact, one.said
    message, root = (said.message, said.root) if said else (None, None)
    who = message.name if message else str(root.user or "") if root else ""
    own = reader.owner if reader.owner and one.report.owner_id == reader.owner.pk else None
    return MorningItem(
        fact_id=fact.pk if fact else None,
        owner=acting_owner.shown(own),
        outcome=operation.outcome,
        text=one.stands or operation.after or " ".join(operation.before),
        before=operation.before,
        reason=operation.reason,
        said_by=who,
        said_at=said.said_at if said else None,
        band=bands[fact.pk] if fact else "",
        new=one.is_new,
    )


router = Router(tags=["Context"])


class ContextRequest(schemas.OwnerFields):
    message: str = Field(
        min_length=1, max_length=262_144, description="The person's message, without earlier ones."
    )
    conversation_id: str | None = Field(
        None,
        max_length=255,
        description="Adds its earlier messages to the prompt, and counts daily notes that are used "
        "as recalled. Leave it out for neither.",
    )
    budget: schemas.Whole = Field(
        prompt.WINDOW,
        ge=prompt.LEAST_WINDOW,
        le=prompt.MOST_WINDOW,
        description="The model's context window in tokens. At most three quarters are filled.",
    )
    ephemeral: schemas.Flag = Field(
        False, description="Use shared memory only, as for a paused owner."
    )


class PromptMessage(schemas.Camel):
    role: Literal["user", "assistant"]
    content: str


class IncludedFile(schemas.Camel):
    """A file and what of it was put in; `lastLine` 0: there was no room for it."""

    filename: str
    owner: str
    scope: Annotated[str, schemas.one_of(FileScope)]
    part: Literal["system", "memory"] = Field(
        description="`system`: in the system prompt. `memory`: in the first user message."
    )
    revision: int
    last_line: int
    lines: list[tuple[int, int]] = Field(
        description="First and last line of each stretch that was put in. Of a file that is too "
        "long for its room these are its pinned lines, and those that have to do with the message."
    )
    characters: int
    tokens: int
    cut: int = Field(description="Characters left out to fit the budget.")
    masked: int = Field(description="Number of masked secrets.")


class _Place(schemas.Camel):
    filename: str | None
    line_number: int | None
    conversation_id: str | None
    message_id: str | None
    date: date | None


class OtherPlace(_Place):
    kind: Literal["file", "message"]


class HitOut(_Place):
    """What search results and prompts say of what was found."""

    fact_id: str | None = Field(None, description="Of a statement that stands in no file.")
    owner: str
    score: schemas.Rounded
    relevance: schemas.Rounded = Field(description="0 to 1: how much of the query the hit answers.")
    until: date | None = Field(None, description="When what it says was over.")
    ended: list[schemas.EndedWords] = Field([], description="What of it holds no longer.")
    others: list[OtherPlace] = Field([], description="Where the same is said, too.")


class IncludedHit(HitOut):
    kind: Literal["file", "message", "fact"]
    text: str


class AddedText(schemas.Camel):
    """What stands behind a line of the owner's block and is no part of it: when it was said, and
    until when some of it held. The line is one of a file, or a statement that stands in none."""

    filename: str | None
    line_number: int | None
    fact_id: str | None
    text: str


class TokenGauge(schemas.Camel):
    """Estimated tokens: of the whole and its parts. `dropped` counts earlier messages that did
    not fit; the last two are always there."""

    window: int
    budget: int
    used: int
    system: int
    memory: int
    conversation: int
    message: int
    dropped: int


class IncludedWish(schemas.Camel):
    """How the owner wants to be answered, in their own words."""

    fact_id: str
    text: str


class IncludedNotice(schemas.Camel):
    """What conversations are told, once: something that an earlier answer stood on was wrong."""

    fact_id: schemas.Id = Field(description="Of the statement that was taken back.")
    text: str = Field(description="What holds now, or that the answer was wrong.")


class ContextOut(schemas.Camel):
    """Send `system` as the system prompt and then `messages`, as they are."""

    system: str
    messages: list[PromptMessage]
    included: list[IncludedFile]
    hits: list[IncludedHit] = Field(
        description="The turns that stand right beside the best of them are given, too; the "
        "relevance of one that says nothing of the message itself is 0."
    )
    added: list[AddedText] = Field(
        description="What stands behind lines of the first message, in their order: until when "
        "some of the line held, `(until 2026-09-28: live in Altona)`, and the day that it was "
        "said. A program that writes such a line back with it doesn't change it."
    )
    wishes: list[IncludedWish] = Field(
        description="Given before the block of data as what the person wishes, five at most; all "
        "else that is remembered instructs nobody."
    )
    notices: list[IncludedNotice] = Field(
        description="What was corrected since earlier answers in this conversation; it stands at "
        "the end of the block of data. Each is given once."
    )
    silent: bool = Field(
        description="Nothing was found that answers the message: there are no hits, and the prompt "
        "is what every message gets."
    )
    gauge: TokenGauge
    morning: MorningCard | None = Field(
        None,
        description="In the first conversation of the day: what the last dream did, as far as it "
        "has not been told. Offer it to the person, and say so with `morning-card/seen`.",
    )
    forget: ForgetOffer | None = Field(
        None, description="What this owner may have asked to forget. Ask whether they want it."
    )


@router.operation("POST", "/agents/{agent_id}/context", Right.READ)
def build_context(request: Request, agent_id: str, body: ContextRequest) -> ContextOut:
    """Get the prompt for a message: memory, conversation and search hits."""
    caller = request.auth
    agent = caller.agent(agent_id)
    owner = acting_owner.acting(caller, body, room=body.conversation_id or "")
    conversation = conversation_of(agent, owner, body.conversation_id)
    reader = Reader(agent, owner)
    window, ephemeral = body.budget, body.ephemeral
    is_first = bool(body.conversation_id) and prompt.is_first_today(reader)
    built = serve(caller, reader, body.message, conversation, window=window, ephemeral=ephemeral)
    answer = _answer(built)
    answer.morning = _morning(caller, built.reader) if is_first else None
    asked = built.reader.owner
    if asked and (conversation or not body.conversation_id):
        answer.forget = offer_of(offer_to(timezone.now(), agent, asked, conversation))
    return answer


def _morning(caller: Caller, reader: Reader) -> MorningCard | None:
    card, asked = offered(reader), questions.to_tell(reader)
    if asked is None:
        return card
    found, said = asked
    with caller.write() as tx:
        questions.told(tx, found)
    card = card or MorningCard(night=None, items=[])
    card.question = said
    return card


def serve(
    caller: Caller,
    reader: Reader,
    message: str,
    conversation: Conversation | None,
    *,
    window: int = prompt.WINDOW,
    ephemeral: bool = False,
) -> Context:
    """Built, and recorded as given."""
    built = prompt.build(
        reader, message, conversation=conversation, window=window, ephemeral=ephemeral
    )
    with caller.write() as tx:
        prompt.served(tx, built, conversation=conversation, token=caller.token)
    return built


def conversation_of(
    agent: Agent, owner: Owner | None, external_id: str | None
) -> Conversation | None:
    """The owner's own conversation of that id; a shared one belongs to the system."""
    if external_id is None:
        return None
    own = acting_owner.of_owner(owner).rows()
    return agent.conversations.select_related("owner").filter(own, external_id=external_id).first()


def _answer(built: Context) -> ContextOut:
    whose = built.reader.owner
    return ContextOut(
        system=built.system,
        messages=[PromptMessage.of(turn) for turn in built.messages],
        included=[
            *(_included(one, None, "system") for one in built.shared),
            *(_included(one, whose, "memory") for one in built.personal),
        ],
        hits=hits_of(built),
        added=[_added(one) for one in built.added],
        wishes=[IncludedWish(fact_id=str(one.fact.pk), text=one.text) for one in built.wishes],
        notices=[IncludedNotice(fact_id=str(one.fact_id), text=one.text) for one in built.notices],
        silent=built.is_silent,
        gauge=TokenGauge.of(built.gauge),
    )


def hits_of(built: Context) -> list[IncludedHit]:
    return [_hit(one, built.reader.owner) for one in built.hits]


def _included(
    one: PromptFile, owner: Owner | None, part: Literal["system", "memory"]
) -> IncludedFile:
    return IncludedFile.of(
        one,
        filename=one.file.path,
        owner=acting_owner.shown(owner),
        scope=one.file.scope,
        part=part,
        revision=one.file.revision,
        lines=list(one.lines),
    )


def _added(one: Added) -> AddedText:
    return AddedText(
        filename=one.file.path if one.file else None,
        line_number=one.line if one.file else None,
        fact_id=str(one.fact.pk) if one.fact else None,
        text=one.text,
    )


def found_at(hit: Hit) -> dict[str, Any]:
    """What every hit says of its places."""
    return {
        **_place(hit),
        **({"kind": "fact", "fact_id": str(hit.fact.pk)} if hit.fact else {}),
        "score": hit.score,
        "relevance": hit.relevance,
        "until": hit.until,
        "ended": schemas.ended_words(hit.ended),
        "others": [OtherPlace(**_place(other)) for other in hit.others],
    }


def _place(hit: Hit) -> dict[str, Any]:
    message = hit.message
    return {
        "kind": "message" if message else "file",
        "filename": hit.file.path if hit.file else None,
        "line_number": hit.line if hit.file else None,
        "conversation_id": message.conversation.external_id if message else None,
        "message_id": message.external_id if message else None,
        "date": hit.date,
    }


def _hit(one: PromptHit, owner: Owner | None) -> IncludedHit:
    whose = acting_owner.shown(owner if one.hit.owner_id else None)
    return IncludedHit(owner=whose, text=one.said, **found_at(one.hit))
