"""Talking with an agent: one turn, whole or as it is written (SPEC §13)."""

import hashlib
import json
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from django.http import HttpResponseBase
from pydantic import Field

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner, conversations, pipeline, quotas
from memoryweb.api.auth import Caller, Request, Right
from memoryweb.api.context import IncludedHit, hits_of
from memoryweb.api.domain_errors import problem_of
from memoryweb.api.forgetting import ForgetOffer, offer_of
from memoryweb.api.pipeline import body_of
from memoryweb.api.problems import Invalid, NotFound, respond
from memoryweb.api.request_bodies import parse
from memoryweb.api.routing import Router, read_by_hand
from memoryweb.api.schemas import Camel, OwnerFields
from memoryweb.chat import commands, turn
from memoryweb.chat.compaction import TalkArchive
from memoryweb.chat.turn import ChatQuestion, Prompt, StoredAnswer
from memoryweb.memory.conversations import conversation_id

router = Router(tags=["Chat"])

_STREAMED = (
    'event: delta\ndata: {"text": "The quiet one"}\n\n'
    'event: done\ndata: {"conversationId": "c-17", "answer": "The quiet one", "kept": true}\n\n'
)


class ChatRequest(OwnerFields):
    agent_id: str | None = Field(
        None, description="May be left out where the token reaches one agent alone."
    )
    message: str = Field(
        min_length=1,
        max_length=262_144,
        description="`/new` archives the conversation and begins another, `/memory view` tells "
        "what is remembered, `/memory clear` forgets it, `/memory enqueue` reads what was said "
        "for memory, `/memory rebuild` starts a dream.",
    )
    conversation_id: str | None = Field(
        None, max_length=255, description="Leave it out to begin a conversation."
    )


class ArchivedOut(Camel):
    """An earlier part of the conversation: `name` is that of the entry that sums it up."""

    name: str
    count: int = Field(description="Messages that it sums up.")
    summary: str


class ChatAnswer(Camel):
    """`hits` are the statements and passages that were found for the message."""

    conversation_id: str
    answer: str
    kept: bool = Field(
        description="Both messages were added to the conversation: not those of a command, nor "
        "while memory is paused."
    )
    silent: bool
    archived: ArchivedOut | None = Field(
        None, description="What prompts of this conversation hold in short since this turn."
    )
    hits: list[IncludedHit]
    forget: ForgetOffer | None = Field(
        None, description="What the message may have asked to forget, and a yes would."
    )


class ResetAnswer(Camel):
    """`conversationId`: the one that goes on, empty but for a recap. What was said stays."""

    conversation_id: str
    archived: ArchivedOut | None


_WHOSE = set(OwnerFields.model_fields)


@dataclass(frozen=True)
class _Turn:
    """Of what is known before the model is asked, `said` is the whole answer."""

    asked: ChatQuestion
    conversation_id: str
    prompt: Prompt | None = None
    said: str = ""
    archived: TalkArchive | None = None

    def answer(self, text: str, kept: StoredAnswer | None = None) -> ChatAnswer:
        built = self.prompt.context if self.prompt else None
        return ChatAnswer(
            conversation_id=self.conversation_id,
            answer=text,
            kept=kept is not None and kept.is_kept,
            archived=ArchivedOut(**asdict(self.archived)) if self.archived else None,
            silent=built.is_silent if built else True,
            hits=hits_of(built) if built else [],
            forget=offer_of(kept.offer) if kept else None,
        )


def hear_refused(
    caller: Caller, agent_id: str | None, named: str | None, message: str, whose: dict[str, Any]
) -> None:
    """What the message asks of memory."""
    if agent := caller.agent_or_only(agent_id):
        said = {"messages": [{"role": "user", "content": message}], "source": "chat", **whose}
        talk = named or f"chat-{uuid.uuid4().hex[:16]}"
        conversations.hear_refused(caller, agent, talk, said)


def _hear_refused(request: Request) -> None:
    asked = parse(ChatRequest, body_of(request))
    whose = asked.model_dump(by_alias=True, exclude_unset=True, include=_WHOSE)
    hear_refused(request.auth, asked.agent_id, asked.conversation_id, asked.message, whose)


quotas.hears |= dict.fromkeys(("send_chat", "stream_chat"), _hear_refused)


@router.operation(
    "POST", "/chat", Right.CHAT, errors=(409, 413, 429, 502, 503, 504), has_own_key=True
)
def send_chat(request: Request, body: ChatRequest) -> ChatAnswer:
    """Say something to an agent and get its answer."""
    begun = _begun(request, body)
    if begun.prompt is None:
        return begun.answer(begun.said)
    kept = turn.keep(begun.prompt, turn.whole(begun.prompt).text)
    return begun.answer(kept.text, kept)


@router.operation(
    "POST",
    "/chat/stream",
    Right.CHAT,
    errors=(409, 413, 429, 502, 503, 504),
    has_own_key=True,
    extra={
        "responses": {
            200: {
                "description": "Server-sent events: `start` (the answer's fields so far), `delta` "
                "(`text`), and in the end `done` (the whole answer) or `error` (a problem; "
                "nothing was kept).",
                "content": {
                    "text/event-stream": {"schema": {"type": "string"}, "example": _STREAMED}
                },
            }
        }
    },
)
def stream_chat(request: Request, body: ChatRequest) -> HttpResponseBase:
    """Say something to an agent and read its answer as it is written."""
    begun = _begun(request, body)
    if begun.prompt is None:
        whole = begun.answer(begun.said)
        return turn.event_stream(iter([_event("done", whole)]))
    first, rest = turn.begun(begun.prompt)
    return turn.event_stream(_events(request.auth, begun, turn.parts(begun.prompt, first, rest)))


@router.operation(
    "POST",
    "/agents/{agent_id}/conversations/{path:conversation}/reset",
    Right.CHAT,
    extra=read_by_hand(OwnerFields, required=False),
)
def reset(request: Request, agent_id: str, conversation: str) -> ResetAnswer:
    """Archive a conversation and begin another, as `/new` in a chat does."""
    caller = request.auth
    agent, external_id = caller.agent(agent_id), conversation_id(conversation)
    fields = parse(OwnerFields, body_of(request))
    asked = question(
        caller, agent, acting_owner.acting(caller, fields, room=external_id), external_id
    )
    if asked.conversation is None:
        raise NotFound
    told = commands.begin_anew(asked)
    archived = ArchivedOut(**asdict(told.archived)) if told.archived else None
    return ResetAnswer(conversation_id=told.conversation_id, archived=archived)


def _begun(request: Request, body: ChatRequest) -> _Turn:
    caller = request.auth
    agent = caller.agent_or_only(body.agent_id)
    if agent is None:
        raise Invalid("agentId", "This token reaches several agents. Say which one is meant.")
    key = turn_key(request, caller)
    # Without an id the same key begins the same conversation.
    named = body.conversation_id or f"chat-{key[:16] if key else uuid.uuid4().hex[:16]}"
    owner = acting_owner.acting(caller, body, room=named)
    asked = question(caller, agent, owner, conversation_id(named), body.message, key)
    if (command := commands.said_to(asked, _rights(caller))) is not None:
        answer, archived = command.answer, command.archived
        return _Turn(asked, command.conversation_id, said=answer, archived=archived)
    if (said := turn.answered_before(asked)) is not None:
        return _Turn(asked, asked.conversation_id, said=said)
    prompt = turn.prompt_for(asked)
    return _Turn(asked, asked.conversation_id, prompt, archived=prompt.archived)


def question(
    caller: Caller,
    agent: Agent,
    owner: Owner | None,
    conversation: str,
    message: str = "",
    key: str | None = None,
) -> ChatQuestion:
    caller.require_for(owner, Right.WRITE)
    return ChatQuestion(
        agent=agent,
        owner=owner,
        conversation_id=conversation,
        message=message,
        actor=caller.actor,
        message_id=key,
        token=caller.token,
        user=caller.user,
        integration=caller.integration,
    )


def _rights(caller: Caller) -> commands.Rights:
    is_person = caller.user is not None and not caller.is_program
    return commands.Rights(
        may_dream=Right.DREAM.scope in caller.scopes and caller.may(Permission.DREAM),
        may_clear=is_person and Right.DECIDE_OWN.scope in caller.scopes,
    )


def turn_key(request: Request, caller: Caller) -> str | None:
    """The answer is found again by it as long as the conversation is kept."""
    key = pipeline.key_of(request)
    return key and hashlib.sha256(f"{caller.token.pk}:{key}".encode()).hexdigest()[:32]


def _events(caller: Caller, begun: _Turn, parts: turn.Parts) -> Iterator[bytes]:
    yield _event("start", begun.answer(""))
    with closing(parts):
        for part in parts:
            if isinstance(part, str):
                yield turn.event("delta", {"text": part})
            elif isinstance(part, turn.Refused):
                yield turn.event("error", json.loads(respond(problem_of(caller, part)).content))
            else:
                yield _event("done", begun.answer(part.text, part))


def _event(name: str, answer: ChatAnswer) -> bytes:
    return turn.event(name, answer.model_dump(mode="json", by_alias=True))
