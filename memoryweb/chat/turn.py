"""One turn with an agent: what it is given, what its model answers, and both kept at once."""

import json
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import Integration, Token, User
from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.agents.owners import system_owner
from memoryweb.audit.record import Actor
from memoryweb.chat import compaction
from memoryweb.chat.compaction import TalkArchive
from memoryweb.core.database_unavailable import RETRY_SECONDS, refusal
from memoryweb.core.tables import MemoryRefused
from memoryweb.extraction import requests
from memoryweb.llm import client, tokens, transport
from memoryweb.llm.client import Pieces, Question
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import ModelError, TooLarge
from memoryweb.llm.parsing import clean
from memoryweb.llm.providers import Reply
from memoryweb.memory import prompt as memory_prompt
from memoryweb.memory.conversations import NewMessage, add_messages
from memoryweb.memory.models import Conversation, ForgetRequest, Injection, Message
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.prompt import KEPT_MESSAGES, Context, Turn
from memoryweb.memory.visible.readable import To, readable_messages
from memoryweb.runs.models import Run

MOST_TOKENS = 4_096  # of an answer
# After the files, which stay the same byte for byte and name tools for agents that have them.
_HERE = (
    "\n\nIn this chat you have no tools: never call one, nor say that you did. What the person "
    "says is read for your memory by itself, and what you know of it stands in the messages. "
    "Today is {today:%A, %Y-%m-%d}."
)
ANSWER = ":answer"  # behind the id of the message that it answers


@dataclass(frozen=True)
class ChatQuestion:
    """`owner` None speaks with the shared memory. A `message_id` that was sent before is answered
    as it was then."""

    agent: Agent
    owner: Owner | None
    conversation_id: str
    message: str
    actor: Actor
    message_id: str | None = None
    token: Token | None = None
    user: User | None = None
    integration: Integration | None = None

    @property
    def speaker(self) -> Owner:
        return self.owner or system_owner(self.agent.team)

    @property
    def conversation(self) -> Conversation | None:
        named = self.agent.conversations.filter(external_id=self.conversation_id)
        return named.filter(owner=self.speaker).first() if self.speaker.pk else None


@dataclass(frozen=True)
class Prompt:
    """`turns` are what the model is sent after the system prompt, the message last. `archived`:
    what it is no longer sent since this turn."""

    asked: ChatQuestion
    context: Context
    turns: tuple[Turn, ...]
    injection: Injection
    archived: TalkArchive | None = None

    def shorter(self) -> Iterator["Prompt"]:
        """For a model that finds it too large: with the last turns alone, then without memory."""
        last = (*self.context.talk[-KEPT_MESSAGES:], *self.context.message)
        yield replace(self, turns=(*self.context.memory, *last))
        yield replace(self, turns=last)


def answered_before(asked: ChatQuestion) -> str | None:
    """What the same message was answered with."""
    talk = asked.conversation if asked.message_id else None
    said = talk and talk.messages.filter(external_id=f"{asked.message_id}{ANSWER}").first()
    return next(readable_messages([said], To.PAGE)).shown if said else None


def prompt_for(asked: ChatQuestion) -> Prompt:
    """Built, and recorded as given. Earlier turns are archived when they are many or don't fit.

    Raises NotConfigured or HostRefused, before anything is recorded.
    """
    endpoint = endpoint_for(asked.agent.team_id, "chat", local_only=asked.agent.local_models_only)
    talk = asked.conversation
    reader = Reader(asked.agent, asked.owner)
    window = _window(endpoint)
    built = memory_prompt.build(reader, asked.message, conversation=talk, window=window)
    archived = compaction.when_due(talk, reader, asked.actor, built)
    if archived:  # its model's answer may have told more of how it counts
        window = _window(endpoint)
        built = memory_prompt.build(reader, asked.message, conversation=talk, window=window)
    with write_transaction(asked.agent.team, actor=asked.actor) as tx:
        injection = memory_prompt.served(tx, built, conversation=talk, token=asked.token)
    return Prompt(asked, built, built.messages, injection, archived)


def _window(endpoint: Endpoint) -> int:
    """In tokens of our estimate, with room for what is said of this place: three quarters of it are
    filled."""
    factor = transport.dialect_of(endpoint.url, endpoint.model).factor
    return int(settings.MODEL_WINDOW / factor) - tokens.estimate(_HERE) * 4 // 3 - 1


def pieces(prompt: Prompt) -> Pieces:
    """The model's answer as it comes. Raises a ModelError; nothing is kept by it."""
    deadline = time.monotonic() + settings.CHAT_TIMEOUT_SECONDS
    for one in (prompt, *prompt.shorter()):
        try:
            return (yield from _asked(one, deadline))
        except TooLarge as error:
            refusal = error
    raise refusal


@dataclass(frozen=True)
class StoredAnswer:
    """`is_kept`: not while memory is paused; `offer`: what it may have asked to forget."""

    text: str
    is_kept: bool
    offer: ForgetRequest | None = None


def keep(prompt: Prompt, text: str) -> StoredAnswer:
    asked, said_at = prompt.asked, prompt.injection.at
    said = NewMessage(Message.Role.USER, asked.message, id=asked.message_id, timestamp=said_at)
    return keep_turn(asked, [said], text, prompt.injection)


def keep_turn(
    asked: ChatQuestion, said: Sequence[NewMessage], text: str, injection: Injection
) -> StoredAnswer:
    """What was said and the answer, or nothing; extraction is asked for as after any batch."""
    with write_transaction(asked.agent.team, actor=asked.actor) as tx:
        id, at = asked.message_id, max(injection.at, tx.now)
        id = id and f"{id}{ANSWER}"
        answer = NewMessage(Message.Role.ASSISTANT, clean(text), id=id, timestamp=at)
        added = add_messages(
            tx,
            agent=asked.agent,
            owner=asked.speaker,
            conversation_id=asked.conversation_id,
            messages=[*said, answer],
            source=Conversation.Source.CHAT,
            token=asked.token,
        )
        if not added.skipped:
            # The conversation's first prompt was made before the conversation.
            first = Injection.objects.filter(pk=injection.pk, conversation=None)
            first.update(conversation=added.conversation)
            requests.request(
                tx,
                agent=asked.agent,
                owner=asked.speaker,
                trigger=Run.Trigger.CONVERSATION,
                conversation=added.conversation,
                user=asked.user,
                integration=asked.integration,
                waited=added.waited,
            )
    return StoredAnswer(text, not added.skipped, added.offer)


def _asked(prompt: Prompt, deadline: float) -> Pieces:
    agent = prompt.asked.agent
    today = timezone.now().astimezone(agent.zone)
    system = f"{prompt.context.system}{_HERE.format(today=today)}".lstrip()
    most = min(MOST_TOKENS, max(64, settings.MODEL_WINDOW // 4))
    question = client.in_words(system, prompt.turns, most)
    endpoint = endpoint_for(agent.team_id, "chat", local_only=agent.local_models_only)
    return (yield from answer_of(agent, question, endpoint, deadline))


def answer_of(agent: Agent, question: Question, endpoint: Endpoint, deadline: float) -> Pieces:
    return client.answer(
        question,
        endpoint=endpoint,
        team_id=agent.team_id,
        agent_id=agent.pk,
        deadline=deadline,
        daily_tokens=agent.team.token_budget,
    )


def whole(prompt: Prompt) -> Reply:
    """The answer at once."""
    answer = pieces(prompt)
    while True:
        try:
            next(answer)
        except StopIteration as end:
            reply: Reply = end.value
            return reply


# A turn as it is written: what its faces tell while it lasts.

EVENT_STREAM = "text/event-stream"
Refused = ModelError | MemoryRefused
Parts = Generator[str | Refused | StoredAnswer, None, None]


class NotKept(MemoryRefused):
    code = "unavailable"
    retry_after = RETRY_SECONDS
    sentence = gettext_lazy("This turn could not be saved right now. Send it again later.")


@contextmanager
def kept_or_refused() -> Iterator[None]:
    """Raises NotKept where the database can't take it now, nor what the model's answer cost."""
    try:
        yield
    except DatabaseError as error:
        if not refusal(error):
            raise
        raise NotKept from error


def begun(prompt: Prompt) -> tuple[str, Pieces]:
    """The first piece, and the rest. Raises a ModelError: told as any other call's failure."""
    answer = pieces(prompt)
    return next(answer), answer


def parts(prompt: Prompt, first: str, rest: Pieces) -> Parts:
    """The turn is kept at the end; a reader who has gone by then leaves nothing."""
    said = [first]
    ended: Refused | StoredAnswer
    with closing(rest):
        yield first
        try:
            with kept_or_refused():
                for piece in rest:
                    said.append(piece)
                    yield piece
                ended = keep(prompt, "".join(said))
        except (ModelError, MemoryRefused) as error:
            ended = error
    yield ended


def event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def event_stream(events: Iterator[bytes]) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(events, content_type=EVENT_STREAM)
    answer["X-Accel-Buffering"] = "no"  # a proxy in front would wait for the whole
    return answer
