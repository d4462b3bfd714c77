"""Conversations: messages in, and what extraction made of them."""

from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import ConfigDict, Field

from memoryweb.accounts.models import Token
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import system_owner
from memoryweb.api import acting_owner, runs
from memoryweb.api import visibility as reaching
from memoryweb.api.auth import Caller, Request
from memoryweb.api.bodies import check_fields, parse
from memoryweb.api.cursors import page
from memoryweb.api.exceptions import Forbidden, Invalid, NotFound
from memoryweb.api.operations import Reach, ReachPaging, operation
from memoryweb.api.pipeline import body_of
from memoryweb.api.schemas import Camel, HeldOut, Items, Moment, OwnerFields, RequestBody, one_of
from memoryweb.api.visibility import Reach as Visible
from memoryweb.conversations.models import Conversation, Message
from memoryweb.conversations.parsing import Batch, conversation_id, parse_batch
from memoryweb.extraction import requests
from memoryweb.memory.messages import Added, add_messages
from memoryweb.memory.transaction import Unit, unit
from memoryweb.runs.models import Run

router = Router(tags=["Conversations"])

BASE = "/agents/{agent_id}/conversations"
MOST_NAMED = 10  # of the owners who have a conversation of the same id
EXAMPLE = {
    "conversationId": "c-17",
    "owner": "api:helpdesk/42",
    "source": "api",
    "group": False,
    "ephemeral": False,
    "messageCount": 4,
    "extractedUpto": 4,
    "waiting": False,
    "skipped": "",
    "startedAt": "2026-11-20T09:12:00Z",
    "lastMessageAt": "2026-11-20T09:15:30Z",
}
MESSAGE = {
    "id": "m1",
    "role": "user",
    "name": "Inês",
    "content": "We arrive on Friday, and my son is allergic to nuts.",
    "timestamp": "2026-11-20T09:12:00Z",
    "toolsUsed": [],
}


class MessageIn(RequestBody):
    id: str | None = Field(None, min_length=1, max_length=255)
    role: Literal["user", "assistant", "system", "tool"]
    name: str | None = Field(None, max_length=120)
    content: str = Field(description="At most 256 KiB.")
    timestamp: Moment | None = Field(
        None, description="ISO 8601; without it, that of the message before, else now."
    )
    tools_used: list[str] | None = None


class _Speaker(OwnerFields):
    """Whose messages a batch holds, read from the whole of it."""

    model_config = ConfigDict(extra="ignore")


class MessageBatch(OwnerFields):
    """All or nothing: 1 to 1,000 messages, at most 8 MiB of text."""

    messages: list[MessageIn] = Field(min_length=1, max_length=1000)
    source: Literal["chat", "api", "import", "cron", "dream"] = "api"
    ephemeral: bool = Field(False, description="Keep nothing of this conversation.")
    finished: bool = Field(False, description="Extract now, not once it has been quiet.")


class HeldInMessage(HeldOut):
    message: int = Field(description="Its index in the batch, from 0.")


class MessagesReceived(Camel):
    """`held` is there when something was held back."""

    conversation_id: str
    added: int
    duplicates: int
    run: runs.RunOut | None
    held: list[HeldInMessage] = []


class ConversationOut(Camel):
    conversation_id: str
    owner: str
    source: Annotated[str, one_of(Conversation.Source)]
    group: bool
    ephemeral: bool
    message_count: int
    extracted_upto: int
    waiting: bool
    skipped: str
    started_at: Moment | None
    last_message_at: Moment | None


class MessageOut(Camel):
    id: str
    role: Annotated[str, one_of(Message.Role)]
    name: str
    content: str
    timestamp: Moment
    tools_used: list[str]


class ConversationText(ConversationOut):
    """`cursor` pages through the messages."""

    messages: list[MessageOut]
    cursor: str | None


class SummarizeAnswer(Camel):
    run: runs.RunOut | None
    skipped: str | None = Field(description="Why nothing is extracted; null when it is.")


@router.post(
    BASE + "/{path:conversation}/messages",
    **operation(
        MessagesReceived,
        leaves_out_unset=True,
        summary="Send messages to a conversation",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={
            "conversationId": "c-17",
            "added": 1,
            "duplicates": 0,
            "run": {**runs.EXAMPLE, "kind": "extraction", "status": "queued", "night": None},
        },
        body={"endUserId": "42", "messages": [MESSAGE], "finished": True},
        body_model=MessageBatch,
        errors=(409, 413),
    ),
)
def send_messages(request: Request, agent_id: str, conversation: str) -> MessagesReceived:
    caller = request.auth
    agent = caller.agent(agent_id)
    caller.require_scope(Scope.MEMORY_WRITE)
    body = body_of(request)
    external_id = conversation_id(conversation)
    batch = parse_batch(body)
    _check_fields(body)
    speaker = parse(_Speaker, body)
    with unit(caller.team, actor=caller.actor) as work:
        # Within: a refused batch makes no owner either.
        owner = _speaker(caller, speaker, external_id)
        added = _add(work, agent, owner, external_id, batch, caller.token)
        run = _extraction(work, caller, agent, added, finished=batch.finished)
    return MessagesReceived(
        conversation_id=external_id,
        added=added.added,
        duplicates=added.duplicates,
        run=runs.described(run, reaching.of_owner(owner)) if run else None,
        **_held(added),
    )


@router.get(
    BASE,
    **operation(
        Items[ConversationOut],
        summary="List conversations, the latest first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_conversations(
    request: Request, agent_id: str, reach: Query[ReachPaging]
) -> Items[ConversationOut]:
    caller = request.auth
    agent = caller.agent(agent_id)
    caller.require(Permission.READ, Scope.MEMORY_READ)
    owner = acting_owner.asked(caller, reach.owner, default="me")
    readable = agent.conversations.filter(
        reaching.of_owner(owner).rows(), last_message_at__isnull=False
    ).select_related("owner__integration")
    found = page(readable, ["-last_message_at", "-id"], reach.cursor, reach.limit)
    return Items[ConversationOut](
        items=[ConversationOut(**_described(row)) for row in found.rows], cursor=found.cursor
    )


@router.get(
    BASE + "/{path:conversation}",
    **operation(
        ConversationText,
        summary="Read a conversation and its messages",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={**EXAMPLE, "messages": [MESSAGE], "cursor": None},
    ),
)
def read_conversation(
    request: Request, agent_id: str, conversation: str, reach: Query[ReachPaging]
) -> ConversationText:
    caller = request.auth
    agent = caller.agent(agent_id)
    caller.require(Permission.READ, Scope.MEMORY_READ)
    found = _conversation(agent, conversation, reaching.reach(caller, reach.owner))
    messages = page(found.messages.all(), ["position"], reach.cursor, reach.limit)
    return ConversationText(
        **_described(found),
        messages=[_message(message) for message in messages.rows],
        cursor=messages.cursor,
    )


@router.post(
    "/memory/{agent_id}/summarize/{path:conversation}",
    **operation(
        SummarizeAnswer,
        status=202,
        summary="Extract a conversation now",
        takes=(Permission.DREAM, Scope.DREAM_RUN),
        example={
            "run": {**runs.EXAMPLE, "kind": "extraction", "status": "queued", "night": None},
            "skipped": None,
        },
        body={"endUserId": "42"},
        body_model=OwnerFields,
        body_required=False,
    ),
)
def summarize(
    request: Request, agent_id: str, conversation: str, reach: Query[Reach]
) -> Status[SummarizeAnswer]:
    caller = request.auth
    agent = caller.agent(agent_id)
    caller.require(Permission.DREAM, Scope.DREAM_RUN)
    found = _conversation(agent, conversation, _asked(caller, body_of(request), reach.owner))
    with unit(caller.team, actor=caller.actor) as work:
        run = requests.request(
            work,
            agent=agent,
            owner=found.owner,
            trigger=Run.Trigger.API,
            conversation=found,
            user=caller.user,
            integration=caller.integration,
            finished=True,
        )
    is_skipped = run is not None and run.status == Run.Status.SKIPPED
    answer = SummarizeAnswer(
        run=runs.described(run, reaching.of_owner(found.owner)) if run else None,
        skipped=run.reason if run and is_skipped else None,
    )
    return Status(202, answer)


def _check_fields(body: dict[str, Any]) -> None:
    check_fields(MessageBatch, body)
    for index, message in enumerate(body["messages"]):
        check_fields(MessageIn, message, f"messages[{index}].")


def _held(added: Added) -> dict[str, Any]:
    found = [HeldInMessage(message=at, kind=one.kind, line=one.line) for at, one in added.held]
    return {"held": found} if found else {}


def _speaker(caller: Caller, fields: OwnerFields, conversation: str) -> Owner:
    """Whose conversation this is. What is sent as shared belongs to the system and writes TEAM."""
    owner = acting_owner.acting(caller, fields, room=conversation)
    if owner is None:
        caller.require(Permission.WRITE, Scope.MEMORY_WRITE)
        return system_owner(caller.team)
    return owner


def _add(
    work: Unit, agent: Agent, owner: Owner, external_id: str, batch: Batch, token: Token
) -> Added:
    return add_messages(
        work,
        agent=agent,
        owner=owner,
        conversation_id=external_id,
        messages=batch.messages,
        source=batch.source,
        group=batch.group,
        ephemeral=batch.ephemeral,
        token=token,
    )


def _extraction(
    work: Unit, caller: Caller, agent: Agent, added: Added, *, finished: bool
) -> Run | None:
    if added.skipped:
        return None
    return requests.request(
        work,
        agent=agent,
        owner=added.conversation.owner,
        trigger=Run.Trigger.CONVERSATION,
        conversation=added.conversation,
        user=caller.user,
        integration=caller.integration,
        finished=finished,
    )


def _asked(caller: Caller, body: dict[str, Any], owner: str | None) -> Visible:
    """Whom the call is about: by its body or its address."""
    fields = parse(OwnerFields, body)
    if fields.model_fields_set:
        return reaching.of_owner(acting_owner.acting(caller, fields))
    return reaching.reach(caller, owner)


def _conversation(agent: Agent, external_id: str, visible: Visible) -> Conversation:
    """Messages are readable by their owner only; who sees owners is told that it is not theirs."""
    listed = agent.conversations.filter(visible.rows())
    conversation = the_only(listed.filter(visible.readable()), external_id)
    if conversation:
        return conversation
    if listed.filter(external_id=external_id).exists():
        raise Forbidden("personal", _("Messages are readable by their owner only."))
    raise NotFound


def the_only(listed: QuerySet[Conversation], external_id: str) -> Conversation | None:
    """The conversation of that id. Where several owners have one, the caller must name whose."""
    named = listed.filter(external_id=external_id).select_related("owner__integration", "agent")
    found = list(named.order_by("created_at", "pk")[:MOST_NAMED])
    if len(found) > 1:
        whose = ", ".join(f"owner={acting_owner.shown(one.owner)}" for one in found)
        raise Invalid(
            "owner",
            _("Several owners have a conversation “{id}”. Send one of: {list}.").format(
                id=external_id, list=whose
            ),
            code="owner_ambiguous",
        )
    return found[0] if found else None


def _described(conversation: Conversation) -> dict[str, Any]:
    return {
        "conversation_id": conversation.external_id,
        "owner": acting_owner.shown(conversation.owner),
        "source": conversation.source,
        "group": conversation.group,
        "ephemeral": conversation.ephemeral,
        "message_count": conversation.message_count,
        "extracted_upto": conversation.extracted_upto,
        "waiting": conversation.waiting,
        "skipped": conversation.skipped,
        "started_at": conversation.started_at,
        "last_message_at": conversation.last_message_at,
    }


def _message(message: Message) -> MessageOut:
    return MessageOut(
        id=message.external_id,
        role=message.role,
        name=message.name,
        content=message.content,
        timestamp=message.timestamp,
        tools_used=message.tools_used,
    )
