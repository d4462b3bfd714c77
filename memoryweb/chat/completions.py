"""A turn that a program puts together itself, in OpenAI's format: memory goes into what it sends,
and what was said is kept."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from django.conf import settings

from memoryweb.agents.models import Reader
from memoryweb.chat.turn import ANSWER, ChatQuestion, answer_of, keep_turn, kept_or_refused
from memoryweb.language.secrets import credentials
from memoryweb.llm import client, passing, tokens, transport
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import TooLarge
from memoryweb.llm.parsing import clean
from memoryweb.llm.providers import text_of
from memoryweb.memory import conversations
from memoryweb.memory import prompt as memory_prompt
from memoryweb.memory.conversations import SPEAKING, NewMessage
from memoryweb.memory.models import Conversation, Injection, Message
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.prompt import LEAST_WINDOW, Context

SECONDS = 600
_INSTRUCTING = ("system", "developer")
# Of a message. Others, such as its id and time, are a program's own.
_PASSED = {
    *("role", "content", "name", "refusal", "audio", "tool_calls", "tool_call_id"),
    *("function_call", "reasoning", "reasoning_content", "reasoning_details"),
}
Sent = Mapping[str, Any]
Pieces = Generator[str, None, None]


@dataclass(frozen=True)
class Call:
    """`sent` is what goes on, without memory; `turns` is what was said in it."""

    asked: ChatQuestion
    talk: Conversation | None
    sent: Sent
    turns: Sequence[NewMessage]
    context: Context
    injection: Injection
    endpoint: Endpoint


def turns_of(messages: Sequence[Sent]) -> list[NewMessage]:
    """What a person and an assistant said. Raises BatchRefused."""
    texts = [clean(text_of(one.get("content"))) for one in messages]
    said = enumerate(zip(messages, texts, strict=True))
    turns = [
        # What else a message has is the model's alone.
        conversations.parse_message(
            {"role": one["role"], "name": one.get("name"), "content": text}, f"messages[{at}]"
        )
        for at, (one, text) in said
        if one["role"] in SPEAKING and text.strip()
    ]
    conversations.check_size(turns)
    return turns


def message_of(turns: Sequence[NewMessage]) -> str:
    """What the person said last."""
    return next((one.content for one in reversed(turns) if one.role == Message.Role.USER), "")


def found(
    asked: ChatQuestion, turns: Sequence[NewMessage], *, is_sent_again: bool
) -> Conversation | None:
    """The conversation that these turns go on with, where none was named."""
    agent, owner, answer = asked.agent, asked.speaker, f"{asked.message_id}{ANSWER}"
    theirs = agent.conversations.filter(owner=owner)
    talk = theirs.filter(messages__external_id=answer).first() if is_sent_again else None
    return talk or conversations.continued(theirs, turns, ANSWER)


def prepared(
    asked: ChatQuestion, talk: Conversation | None, sent: Sent, turns: Sequence[NewMessage]
) -> Call:
    """With what memory has for it, recorded as given. Raises NotConfigured or HostRefused, before
    anything is recorded."""
    agent = asked.agent
    found = endpoint_for(agent.team_id, "chat", local_only=agent.local_models_only)
    endpoint = passing.as_openai(found)
    sent = {**sent, "messages": [_masked(one) for one in sent["messages"]]}
    taken = tokens.estimate_messages(passing.question(sent).texts) - tokens.estimate(asked.message)
    factor = transport.dialect_of(endpoint.url, endpoint.model).factor
    window = max(LEAST_WINDOW, int(settings.MODEL_WINDOW / factor) - taken)
    reader = Reader(agent, asked.owner)
    built = memory_prompt.build(reader, asked.message, conversation=talk, window=window)
    with write_transaction(agent.team, actor=asked.actor) as tx:
        injection = memory_prompt.served(tx, built, conversation=talk, token=asked.token)
    return Call(asked, talk, sent, turns, built, injection, endpoint)


def pieces(call: Call) -> Pieces:
    """As `passing.question` has them, the end once the turn is kept: many read no further. Raises a
    ModelError or NotKept, and keeps nothing then."""
    with kept_or_refused():
        reply = yield from _answered(call)
        if reply.text.strip():  # else it calls tools, and what they find is answered
            _keep(call, reply.text)
    yield from reply.tail


def _answered(call: Call) -> client.Pieces:
    deadline = time.monotonic() + SECONDS
    messages = call.sent["messages"]
    for some in (_with_memory(messages, call.context), messages):  # the latter if it's too large
        question = passing.question({**call.sent, "messages": some})
        try:
            return (yield from answer_of(call.asked.agent, question, call.endpoint, deadline))
        except TooLarge as error:
            refusal = error
    raise refusal


def _keep(call: Call, text: str) -> None:
    said = conversations.untold(call.talk or call.asked.conversation, call.turns)
    if said and said[-1].role == Message.Role.USER:  # those before may have been said long ago
        said[-1] = replace(said[-1], timestamp=call.injection.at)
    keep_turn(call.asked, said, text, call.injection)


def _with_memory(messages: Sequence[Sent], built: Context) -> list[Sent]:
    """The agent's files begin the system prompt, and the owner's memory follows it."""
    instructions = list(takewhile(lambda one: one["role"] in _INSTRUCTING, messages))
    talk = messages[len(instructions) :]
    if built.system and instructions:
        instructions[0] = _behind(built.system, instructions[0])
    elif built.system:
        instructions = [{"role": "system", "content": built.system}]
    memory = ({"role": turn.role, "content": turn.content} for turn in built.memory)
    return [*instructions, *memory, *talk]


def _behind(text: str, message: Sent) -> Sent:
    content = message.get("content") or ""
    if isinstance(content, str):
        return {**message, "content": f"{text}\n\n{content}"}
    return {**message, "content": [{"type": "text", "text": text}, *content]}


def _masked(message: Sent) -> Sent:
    """What was said, without secrets; what tools found is theirs."""
    message = {name: message[name] for name in message if name in _PASSED}
    content = message.get("content")
    if message["role"] in {"tool", "function"} or not content:
        return message
    if isinstance(content, str):
        return {**message, "content": credentials.mask(content)[0]}
    texts = ((one, one.get("text")) for one in content)
    masked = [{**one, "text": credentials.mask(text)[0]} if text else one for one, text in texts]
    return {**message, "content": masked}
