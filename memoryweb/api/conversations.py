"""Conversations: messages in, and what extraction made of them."""

from contextlib import suppress
from typing import Annotated, Any, Literal

from django.db.models import Q, QuerySet
from ninja import Query, Status
from pydantic import ConfigDict, Field

from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import system_owner
from memoryweb.api import acting_owner, dreaming, facts, quotas, schemas
from memoryweb.api.acting_owner import Visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.domain_errors import REFUSALS
from memoryweb.api.facts import FactOut, FactText
from memoryweb.api.forgetting import ForgetOffer, offer_of
from memoryweb.api.pipeline import body_of
from memoryweb.api.problems import Forbidden, Invalid, NotFound
from memoryweb.api.request_bodies import check_fields, parse
from memoryweb.api.routing import Router, read_by_hand
from memoryweb.extraction import requests
from memoryweb.memory.conversations import (
    Intake,
    add_messages,
    conversation_id,
    parse_batch,
    speaks_against_memory,
)
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.prompt import carried, last_prompt
from memoryweb.memory.visible.hidden import hidden
from memoryweb.runs.models import Run

router = Router(tags=["Conversations"])

BASE = "/agents/{agent_id}/conversations"
MOST_NAMED = 10  # of the owners who have a conversation of the same id


class MessageIn(schemas.RequestBody):
    id: str | None = Field(None, min_length=1, max_length=255)
    role: Literal["user", "assistant", "system", "tool"]
    name: str | None = Field(
        None,
        max_length=120,
        description="Who speaks. One name is the owner, whatever it is; from where users have "
        "several, only the owner's id, name and address are.",
    )
    content: str = Field(description="At most 256 KiB.")
    timestamp: schemas.Moment | None = Field(
        None, description="ISO 8601. Default: the time of the previous message, or now."
    )
    tools_used: list[str] | None = None


class _Speaker(schemas.OwnerFields):
    """Whose messages a batch holds, read from the whole of it."""

    model_config = ConfigDict(extra="ignore")


class MessageBatch(schemas.OwnerFields):
    """All or nothing: 1 to 1,000 messages, at most 8 MiB of text."""

    messages: list[MessageIn] = Field(min_length=1, max_length=1000)
    source: Literal["chat", "api", "import", "cron", "dream"] = "api"
    ephemeral: bool = Field(False, description="Keep nothing of this conversation.")
    finished: bool = Field(
        False, description="Extract now instead of waiting until the conversation is quiet."
    )


class MaskedInMessage(schemas.MaskedOut):
    message: int = Field(description="Index in the batch, starting at 0.")


class MessageReceipt(schemas.Camel):
    """`masked` is there when something was masked, `forget` when something is offered."""

    conversation_id: str
    added: int
    duplicates: int
    run: dreaming.RunOut | None
    masked: list[MaskedInMessage] = []
    forget: ForgetOffer | None = None


class ConversationOut(schemas.Camel):
    conversation_id: str
    owner: str
    source: Annotated[str, schemas.one_of(Conversation.Source)]
    group: bool
    ephemeral: bool
    message_count: int
    extracted_upto: int
    waiting: bool
    skipped: str
    started_at: schemas.Moment | None
    last_message_at: schemas.Moment | None


class MessageOut(schemas.Camel):
    id: str
    role: Annotated[str, schemas.one_of(Message.Role)]
    name: str
    content: str
    timestamp: schemas.Moment
    tools_used: list[str]


class ConversationText(ConversationOut):
    """`cursor` pages through the messages."""

    messages: list[MessageOut]
    cursor: str | None


class SummarizeAnswer(schemas.Camel):
    run: dreaming.RunOut | None
    skipped: str | None = Field(description="Why nothing was extracted; null if a run was started.")


def _hear_refused(request: Request, agent_id: str, conversation: str) -> None:
    hear_refused(request.auth, request.auth.agent(agent_id), conversation, body_of(request))


quotas.hears["send_messages"] = _hear_refused


@router.operation(
    "POST",
    BASE + "/{path:conversation}/messages",
    Right.WRITE_OWN,
    leaves_out_unset=True,
    extra=read_by_hand(MessageBatch),
    errors=(409, 413),
)
def send_messages(request: Request, agent_id: str, conversation: str) -> MessageReceipt:
    """Send messages to a conversation."""
    agent = request.auth.agent(agent_id)
    return received(request.auth, agent, conversation, body_of(request))


def hear_refused(
    caller: Caller, agent: Agent, conversation: str, body: dict[str, Any], source: str = ""
) -> None:
    """What their owner asks of memory in messages that a quota refuses. Whatever is wrong with
    them, they are refused anyway."""
    with suppress(*REFUSALS):
        if speaks_against_memory(parse_batch(body).messages):
            received(caller, agent, conversation, body, source, refused=True)


def received(
    caller: Caller,
    agent: Agent,
    conversation: str,
    body: dict[str, Any],
    source: str = "",
    *,
    refused: bool = False,
) -> MessageReceipt:
    """`source`: in place of what the body says."""
    external_id, batch = conversation_id(conversation), parse_batch(body)
    _check_fields(body)
    speaker = parse(_Speaker, body)
    with caller.write() as tx:
        # Within: a refused batch makes no owner either.
        owner = _speaker(caller, speaker, external_id)
        added = add_messages(
            tx,
            agent=agent,
            owner=owner,
            conversation_id=external_id,
            messages=batch.messages,
            source=source or batch.source,
            group=batch.group,
            ephemeral=batch.ephemeral,
            token=caller.token,
            refused=refused,
        )
        run = None
        if not added.skipped:
            trigger, talk = Run.Trigger.CONVERSATION, added.conversation
            how = {"finished": batch.finished, "waited": added.waited}
            run = _extraction(tx, caller, talk, trigger, **how)
    return MessageReceipt(
        conversation_id=external_id,
        added=added.added,
        duplicates=added.duplicates,
        run=dreaming.described(run, acting_owner.of_owner(owner)) if run else None,
        **_told(added),
    )


@router.operation("GET", BASE, Right.READ)
def list_conversations(
    request: Request, agent_id: str, query: Query[schemas.OwnerPaging]
) -> schemas.Items[ConversationOut]:
    """List conversations, newest first."""
    caller = request.auth
    agent = caller.agent(agent_id)
    owner = acting_owner.asked(caller, query.owner, default="me")
    readable = agent.conversations.filter(
        acting_owner.of_owner(owner).rows(), last_message_at__isnull=False
    ).select_related("owner__integration")
    order = ["-last_message_at", "-id"]
    return schemas.page(readable, order, query, lambda row: ConversationOut.of(row, **_named(row)))


@router.operation("GET", BASE + "/{path:conversation}", Right.READ)
def read_conversation(
    request: Request, agent_id: str, conversation: str, query: Query[schemas.OwnerPaging]
) -> ConversationText:
    """Read a conversation and its messages."""
    caller = request.auth
    agent = caller.agent(agent_id)
    found = conversation_of(agent, conversation, acting_owner.seen_by(caller, query.owner))
    away = hidden(teams=[found.team_id], which=Q(message__conversation=found))
    shown = schemas.page(
        found.messages.all(),
        ["position"],
        query,
        lambda row: MessageOut.of(row, id=row.external_id, content=away.said(row)),
    )
    said = {"messages": shown.items, "cursor": shown.cursor}
    return ConversationText.of(found, **_named(found), **said)


@router.operation(
    "POST",
    "/memory/{agent_id}/summarize/{path:conversation}",
    Right.DREAM,
    status=202,
    extra=read_by_hand(schemas.OwnerFields, required=False),
)
def summarize(
    request: Request, agent_id: str, conversation: str, query: Query[schemas.OwnerQuery]
) -> Status[SummarizeAnswer]:
    """Extract a conversation now."""
    caller = request.auth
    agent = caller.agent(agent_id)
    found = conversation_of(agent, conversation, _asked(caller, body_of(request), query.owner))
    with caller.write() as tx:
        run = _extraction(tx, caller, found, Run.Trigger.API, finished=True)
    is_skipped = run is not None and run.status == Run.Status.SKIPPED
    answer = SummarizeAnswer(
        run=dreaming.described(run, acting_owner.of_owner(found.owner)) if run else None,
        skipped=run.reason if run and is_skipped else None,
    )
    return Status(202, answer)


def _check_fields(body: dict[str, Any]) -> None:
    check_fields(MessageBatch, body)
    for index, message in enumerate(body["messages"]):
        check_fields(MessageIn, message, f"messages[{index}].")


def _told(added: Intake) -> dict[str, Any]:
    found = [MaskedInMessage(message=at, kind=one.kind, line=one.line) for at, one in added.masked]
    told: dict[str, Any] = {"masked": found} if found else {}
    return told | ({"forget": offer_of(added.offer)} if added.offer else {})


def _speaker(caller: Caller, fields: schemas.OwnerFields, conversation: str) -> Owner:
    """Whose conversation this is. What is sent as shared belongs to the system and writes TEAM."""
    owner = acting_owner.acting(caller, fields, room=conversation)
    caller.require_for(owner, Right.WRITE)
    return owner or system_owner(caller.team)


def _extraction(
    tx: Transaction, caller: Caller, talk: Conversation, trigger: Run.Trigger, **how: bool
) -> Run | None:
    return requests.request(
        tx,
        agent=talk.agent,
        owner=talk.owner,
        trigger=trigger,
        conversation=talk,
        user=caller.user,
        integration=caller.integration,
        **how,
    )


def _asked(caller: Caller, body: dict[str, Any], owner: str | None) -> Visibility:
    """Whom the call is about: by its body or its address."""
    fields = parse(schemas.OwnerFields, body)
    if fields.model_fields_set:
        return acting_owner.of_owner(acting_owner.acting(caller, fields))
    return acting_owner.seen_by(caller, owner)


def conversation_of(agent: Agent, external_id: str, visible: Visibility) -> Conversation:
    """Messages are readable by their owner only; who sees owners is told that it is not theirs."""
    listed = agent.conversations.filter(visible.rows())
    conversation = _the_only(listed.filter(visible.readable()), external_id)
    if conversation:
        return conversation
    if listed.filter(external_id=external_id).exists():
        raise Forbidden("personal", "Only their owner can read these messages.")
    raise NotFound


def _the_only(listed: QuerySet[Conversation], external_id: str) -> Conversation | None:
    """The conversation of that id. Where several owners have one, the caller must name whose."""
    named = listed.filter(external_id=external_id).select_related("owner__integration", "agent")
    found = list(named.order_by("created_at", "pk")[:MOST_NAMED])
    if len(found) > 1:
        whose = ", ".join(f"owner={acting_owner.shown(one.owner)}" for one in found)
        raise Invalid(
            "owner",
            f"Several owners have a conversation “{external_id}”. Send one of: {whose}.",
            code="owner_ambiguous",
        )
    return found[0] if found else None


def _named(conversation: Conversation) -> dict[str, Any]:
    owner = acting_owner.shown(conversation.owner)
    return {"conversation_id": conversation.external_id, "owner": owner}


# What a conversation's last prompt carried, and what of it is not true (SPEC §6.1).

last_prompt_router = Router(tags=["Conversations"])
ONE = BASE + "/{path:conversation}"


class LastPrompt(schemas.Camel):
    """`at` is null if no prompt was asked for. If there are no facts, memory did not hold what
    was answered."""

    conversation_id: str
    at: schemas.Moment | None
    facts: list[FactOut]


class NotTrue(schemas.RequestBody):
    fact: schemas.Id = Field(description="One of the `facts` of the last prompt.")


@last_prompt_router.operation("GET", ONE + "/last-prompt", Right.READ)
def read_last_prompt(
    request: Request, agent_id: str, conversation: str, query: Query[schemas.OwnerQuery]
) -> LastPrompt:
    """List the facts that a conversation's last prompt carried."""
    agent, talk = _found(request, agent_id, conversation, query)
    visible = acting_owner.seen_by(request.auth, query.owner)
    prompt = last_prompt(talk)
    return LastPrompt(
        conversation_id=talk.external_id,
        at=prompt.at if prompt else None,
        facts=facts.described_all(request.auth, agent, visible, carried(prompt)),
    )


@last_prompt_router.operation("POST", ONE + "/not-true", Right.FACTS_OWN, errors=(409,))
def retire_carried_fact(
    request: Request,
    agent_id: str,
    conversation: str,
    body: NotTrue,
    query: Query[schemas.OwnerQuery],
) -> FactText:
    """Mark a fact of a conversation's last prompt as not true."""
    _agent, talk = _found(request, agent_id, conversation, query)
    if not carried(last_prompt(talk)).filter(pk=known_id(body.fact)).exists():
        raise NotFound
    return facts.retire_fact(request, agent_id, body.fact)


def _found(
    request: Request, agent_id: str, conversation: str, query: schemas.OwnerQuery
) -> tuple[Agent, Conversation]:
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    return agent, conversation_of(agent, conversation, visible)
