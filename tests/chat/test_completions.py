"""OpenAI's chat completions: memory in what goes on, and the turns that came with it kept once."""

import json
import sqlite3
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django_scopes import scope

from memoryweb.llm.models import Usage
from memoryweb.memory.agents import create_agent
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import (
    AuthorKind,
    Conversation,
    ForgetRequest,
    Injection,
    Message,
    Target,
)
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.api.callers import Callers, narrow
from tests.api.client import Api
from tests.fakes import Behaviour, ModelServer
from tests.world import World

CANOE = "Her canoe is red."
QUESTION = "What colour is the canoe?"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
CALLS = [{"id": "1", "type": "function", "function": {"name": "look", "arguments": f'"{KEY}"'}}]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def remembered(world: World) -> None:
    world.integration.agents = [str(world.agent.pk)]
    world.integration.save()
    place = Place(world.agent, world.customer, "MEMORY.md")
    with write_transaction(world.team) as tx:
        write(tx, place, f"- {CANOE}\n", writer=Writer(AuthorKind.DREAM, is_vouched=True))


def complete(caller: Api, *turns: Any, headers: dict[str, str] | None = None, **body: Any) -> Any:
    """Each turn a message, or a text: a person's and the model's by turns."""
    roles = ("user", "assistant")
    messages = [
        turn if isinstance(turn, dict) else {"role": roles[at % 2], "content": turn}
        for at, turn in enumerate(turns)
    ]
    sent = {"model": "gpt-x", "messages": messages, "user": "customer-1", **body}
    said = {"Authorization": f"Bearer {caller.token}", **(headers or {})}
    with scope():
        return Client().generic(
            "POST",
            "/v1/chat/completions",
            json.dumps(sent),
            content_type="application/json",
            headers=said,
        )


def said(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return str(answer.json()["choices"][0]["message"]["content"])


def streamed(answer: Any) -> list[Any]:
    text = b"".join(answer.streaming_content).decode()
    blocks = [block.removeprefix("data: ") for block in text.strip().split("\n\n")]
    return [one if one == "[DONE]" else json.loads(one) for one in blocks]


def talks(world: World) -> list[list[str]]:
    """What is kept of each conversation, the oldest first."""
    with scope(team=world.team):
        rows = Conversation.objects.order_by("created_at")
        return [
            [one.raw_content for one in row.messages.order_by("position")]
            for row in rows
            if row.message_count
        ]


def test_memory_goes_into_what_is_sent_and_the_turn_is_kept(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.text("It is red.")
    system = {"role": "system", "content": "Speak like a sailor."}
    answer = complete(callers.helpdesk, system, {"role": "user", "content": QUESTION})
    assert said(answer) == "It is red."
    sent = model_server.requests[0].body["messages"]
    assert [one["role"] for one in sent] == ["system", "user", "user"]
    assert sent[0]["content"].endswith("\n\nSpeak like a sailor.")
    assert len(sent[0]["content"]) > 100  # behind the agent's files
    assert CANOE in sent[1]["content"]
    assert sent[2]["content"] == QUESTION
    assert model_server.requests[0].model == "fake-model"
    assert talks(world) == [[QUESTION, "It is red."]]
    with scope(team=world.team):
        assert Injection.objects.filter(via=Injection.Via.CONTEXT).count() == 1
        talk = Conversation.objects.get()
    assert answer["X-Conversation"] == talk.external_id
    assert (talk.owner, talk.source, talk.waiting) == (world.customer, "chat", True)
    assert Usage.objects.get().used_in == 100


def test_a_stream_is_openais_and_is_kept_before_it_says_that_it_ends(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.text("It is red.")
    answer = complete(callers.helpdesk, QUESTION, stream=True)
    stream = iter(answer.streaming_content)
    told: list[Any] = []
    while not any(one["choices"][0]["finish_reason"] for one in told):
        told.append(json.loads(next(stream).decode().removeprefix("data: ")))
    assert talks(world) == [[QUESTION, "It is red."]]
    assert list(stream) == [b"data: [DONE]\n\n"]
    assert "".join(one["choices"][0]["delta"].get("content", "") for one in told) == "It is red."
    usage = Usage.objects.get()
    assert (usage.used_in, usage.used_out, usage.reserved) == (100, 20, 0)


def test_a_stream_tells_what_it_used_only_to_who_asks(
    callers: Callers, model_server: ModelServer
) -> None:
    for options in (None, {"include_usage": True}):
        model_server.text("Red.")
        answer = complete(callers.helpdesk, QUESTION, stream=True, stream_options=options)
        *told, done = streamed(answer)
        assert done == "[DONE]"
        assert any("usage" in one for one in told) is bool(options)
        assert all(one["choices"] for one in told) is not bool(options)


def test_turns_that_come_again_go_on_with_their_conversation(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    turns: list[str] = []
    for question, answer in (("Hello!", "Hello."), (QUESTION, "Red."), ("Why?", "Paint.")):
        turns.append(question)
        model_server.text(answer)
        turns.append(said(complete(callers.helpdesk, *turns)))
    assert talks(world) == [turns]
    with scope(team=world.team):
        times = list(Message.objects.order_by("position").values_list("timestamp", flat=True))
    assert times == sorted(times)


def test_a_named_conversation_keeps_what_it_has_not_heard(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    """Also of a program that sends the last turns alone, or asks for another answer."""
    model_server.default = lambda _received: Behaviour("I see.")
    named = {"X-Conversation": "c-9"}
    for turns in (["One."], ["One.", "I see.", "Two."], ["Two.", "I see.", "Three."], ["Four."]):
        assert complete(callers.helpdesk, *turns, headers=named)["X-Conversation"] == "c-9"
    kept = ["One.", "I see.", "Two.", "I see.", "Three.", "I see.", "Four.", "I see."]
    assert talks(world) == [kept]
    complete(callers.helpdesk, *kept[:-1], headers=named)
    assert talks(world) == [[*kept, "I see."]]


def test_tools_and_images_go_on_untouched_and_secrets_do_not(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{KEY}"}}
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": f"My key is {KEY}."}, image]},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "1", "content": KEY},
    ]
    model_server.text("Seen.")
    assert said(complete(callers.helpdesk, *turns, tools=TOOLS, temperature=0.7)) == "Seen."
    body = model_server.requests[0].body
    asked, called, found = body["messages"][-3:]
    assert asked["content"] == [
        {"type": "text", "text": "My key is [secret: github-token]."},
        image,
    ]
    assert [called, found] == turns[1:]
    assert (body["tools"], body["temperature"]) == (TOOLS, 0.7)
    assert talks(world) == [["My key is [secret: github-token].", "Seen."]]
    again: list[Any] = [*turns, {"role": "assistant", "content": "Seen."}]
    complete(callers.helpdesk, *again, {"role": "user", "content": "Thanks."})
    assert len(talks(world)) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_of_tools_comes_through_and_is_kept_with_its_answer(
    world: World, callers: Callers, model_server: ModelServer, stream: bool
) -> None:
    part = "delta" if stream else "message"
    message = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **CALLS[0]}]}
    whole = {"choices": [{"index": 0, part: message, "finish_reason": "tool_calls"}]}
    raw = json.dumps(whole).encode()
    model_server.then(
        Behaviour(raw=b"data: " + raw + b"\n\ndata: [DONE]\n\n")
        if stream
        else Behaviour(raw=raw, streams=False)
    )
    answer = complete(callers.helpdesk, QUESTION, tools=TOOLS, stream=stream)
    assert (streamed(answer)[0] if stream else answer.json()) == whole
    assert talks(world) == []
    assert Usage.objects.get().used_out > 0
    model_server.text("It is red.")
    found = {"role": "tool", "tool_call_id": "1", "content": "red"}
    complete(callers.helpdesk, QUESTION, message, found)
    assert talks(world) == [[QUESTION, "It is red."]]


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [
        (Behaviour(status=500, raw=b"{}", streams=False), 503),
        (Behaviour(status=401, raw=b"{}", streams=False), 502),
        (Behaviour(raw=b"data: {broken\n\n"), 502),
        (Behaviour(raw=b"[]", streams=False), 502),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.first_two
def test_a_model_that_fails_is_told_in_openais_words(
    world: World,
    callers: Callers,
    model_server: ModelServer,
    behaviour: Behaviour,
    status: int,
    stream: bool,
) -> None:
    model_server.then(behaviour)
    answer = complete(callers.helpdesk, QUESTION, stream=stream)
    assert answer.status_code == status
    assert answer.json()["error"]["message"] == answer.json()["detail"]
    assert answer.json()["error"]["type"] == "server_error"
    assert talks(world) == []
    assert Usage.objects.get().reserved == 0


@pytest.mark.parametrize(
    ("end", "code"),
    [("", "answer_unfinished"), ('data: {"error": {"message": "No."}}', "model_fault")],
)
def test_a_stream_that_breaks_says_so_and_keeps_nothing(
    world: World, callers: Callers, model_server: ModelServer, end: str, code: str
) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "It is"}, "finish_reason": None}]}
    model_server.then(Behaviour(raw=f"data: {json.dumps(chunk)}\n\n{end}\n\n".encode()))
    *told, last = streamed(complete(callers.helpdesk, QUESTION, stream=True))
    assert (told, last["error"]["code"]) == ([chunk], code)
    assert talks(world) == []


def test_a_reader_who_leaves_in_the_middle_leaves_nothing_but_its_cost(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.text("It is red. " * 200)
    answer = complete(callers.helpdesk, QUESTION, stream=True)
    next(iter(answer.streaming_content))
    for close in answer._resource_closers:  # what its `close` does, but for the database
        close()
    assert talks(world) == []
    assert (Usage.objects.get().reserved, Usage.objects.get().used_in > 0) == (0, True)


@pytest.mark.parametrize("stream", [False, True])
def test_it_stops_in_the_end(
    callers: Callers, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    monkeypatch.setattr("memoryweb.chat.completions.SECONDS", 0.3)
    model_server.hang()
    assert complete(callers.helpdesk, QUESTION, stream=stream).status_code == 504


def test_a_model_that_finds_it_too_large_gets_it_without_memory(
    callers: Callers, model_server: ModelServer
) -> None:
    too_large = Behaviour(status=400, raw=b'{"error": "context_length_exceeded"}', streams=False)
    model_server.then(too_large)
    model_server.text("Red.")
    assert said(complete(callers.helpdesk, QUESTION)) == "Red."
    assert [CANOE in one.user for one in model_server.requests] == [True, False]
    model_server.then(too_large)
    model_server.then(too_large)
    assert complete(callers.helpdesk, QUESTION).status_code == 413


def test_without_a_model_it_says_what_to_set(world: World, callers: Callers) -> None:
    answer = complete(callers.helpdesk, QUESTION)
    assert (answer.status_code, answer.json()["code"]) == (409, "model_not_configured")
    with scope(team=world.team):
        assert not Injection.objects.exists()


def test_an_agent_for_local_models_only_asks_no_other(
    world: World, callers: Callers, model_server: ModelServer, settings: Any
) -> None:
    world.agent.local_models_only = True
    world.agent.save()
    assert complete(callers.helpdesk, QUESTION).status_code == 409
    assert model_server.requests == []
    settings.LOCAL_MODEL_HOSTS = ["127.0.0.1"]
    model_server.text("Red.")
    assert said(complete(callers.helpdesk, QUESTION)) == "Red."


def test_anthropics_server_is_asked_in_openais_format(
    callers: Callers, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_PROVIDER = "anthropic"
    model_server.text("Red.")
    assert said(complete(callers.helpdesk, QUESTION)) == "Red."
    [request] = model_server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {settings.MODEL_KEY}"


def test_the_owner_is_the_tokens(world: World, callers: Callers, model_server: ModelServer) -> None:
    """`user` counts for a program alone, and reaches its own end users only."""
    model_server.default = lambda _received: Behaviour("Hello.")
    mine = {"X-Agent": str(world.agent.pk)}
    complete(callers.member, QUESTION, user="customer-1", headers=mine)
    complete(callers.helpdesk, QUESTION, user="customer-2")
    assert not any(CANOE in one.user for one in model_server.requests)
    assert "customer-2" not in json.dumps(model_server.requests[1].body)
    with scope(team=world.team):
        owners = [talk.owner for talk in Conversation.objects.order_by("created_at")]
    assert owners[0].person_id == world.bob.pk
    assert owners[1].external_id == "customer-2"
    refused = complete(callers.helpdesk, QUESTION, user=None)
    assert (refused.status_code, refused.json()["code"]) == (400, "owner_required")


def test_the_agent_is_the_tokens_or_a_headers_never_the_bodys(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    with write_transaction(world.team) as tx:
        other = str(create_agent(tx, name="Another").pk)
    refused = complete(callers.member, QUESTION, model=other)
    assert (refused.status_code, refused.json()["code"]) == (400, "agent_required")
    assert complete(callers.member, QUESTION, agent=other).status_code == 400
    theirs = {"X-Agent": str(world.twin.agent.pk)}
    assert complete(callers.member, QUESTION, headers=theirs).status_code == 404
    assert complete(callers.member, QUESTION, headers={"X-Agent": "Ada"}).status_code == 404
    model_server.text("Hello.")
    complete(callers.member, QUESTION, headers={"X-Agent": other})
    with scope(team=world.team):
        assert str(Conversation.objects.get().agent_id) == other


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": []},
        {"messages": [{"role": "user", "content": "Hi"}] * 1001},
        {"messages": [{"role": "king", "content": "Hi"}]},
        {"messages": [{"role": "user", "content": ["Hi"]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 7}]}]},
        {"messages": [{"role": "user", "content": "x" * 300_000}]},
        {"messages": [{"role": "user", "name": ["Hi"], "content": "Hi"}]},
        {"api_base": "https://elsewhere.example"},
        {"models": ["dearer"]},
        {"n": 2},
        {"max_tokens": -1},
        {"stream": "yes"},
        {"stream_options": 1},
        {"user": 7},
        {"user": "\n"},
    ],
)
@pytest.mark.first_two
def test_what_cannot_be_taken_is_named(
    callers: Callers, model_server: ModelServer, wrong: dict[str, Any]
) -> None:
    answer = complete(callers.helpdesk, QUESTION, **wrong)
    assert answer.status_code in {400, 413}
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert answer.json()["error"]["param"]
    assert model_server.requests == []


def test_a_token_without_the_scope_may_not(world: World) -> None:
    _token, api = narrow(world.team, ["memory:read", "memory:write"], integration=world.integration)
    assert complete(api, QUESTION).status_code == 403
    assert complete(Api("mwp_no"), QUESTION).status_code == 401


@pytest.mark.parametrize("stream", [False, True])
def test_the_same_key_is_answered_once(
    world: World, callers: Callers, model_server: ModelServer, stream: bool
) -> None:
    model_server.text("It is red.")
    key = {"Idempotency-Key": "k-1"}
    complete(callers.helpdesk, QUESTION, headers=key)
    again = complete(callers.helpdesk, QUESTION, headers=key, stream=stream)
    choice = streamed(again)[0]["choices"][0] if stream else again.json()["choices"][0]
    assert choice["delta" if stream else "message"]["content"] == "It is red."
    assert (len(model_server.requests), len(talks(world))) == (1, 1)


def test_nothing_is_kept_while_memory_is_paused(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    world.customer.keeping = world.customer.using = False
    world.customer.save()
    model_server.text("I can't know.")
    assert said(complete(callers.helpdesk, QUESTION)) == "I can't know."
    assert CANOE not in model_server.requests[0].user
    assert talks(world) == []


@pytest.mark.databases
def test_what_was_erased_of_a_conversation_does_not_come_back_with_it(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    """A program sends on what is forgotten here: it goes on with the same conversation."""
    model_server.default = lambda _received: Behaviour("I see.")
    weight = "My weight is 62 kilos."
    first = complete(callers.helpdesk, weight)["X-Conversation"]
    with write_transaction(world.team) as tx:
        message = Message.objects.get(role="user")
        memory = Memory(world.agent, world.customer)
        request = open_request(tx, Wish(memory, ForgetRequest.Via.API, "weight"))
        hide(tx, request, [Mention(Target.Kind.MESSAGE, weight, message=message)])
        message.raw_content = "[forgotten]"
        message.save()
    answer = complete(callers.helpdesk, weight, "I see.", "And now?")
    assert answer["X-Conversation"] == first
    assert talks(world) == [["[forgotten]", "I see.", "And now?", "I see."]]


def test_what_else_a_message_says_of_itself_is_neither_kept_nor_sent_on(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.text("Red.")
    of_itself = {"id": "x:answer", "timestamp": "2020-01-01T00:00:00Z", "toolsUsed": [1]}
    turns = [{"role": role, "content": "Hm.", **of_itself} for role in ("user", "assistant")]
    said(complete(callers.helpdesk, *turns, {"role": "user", "content": QUESTION, **of_itself}))
    assert not any(of_itself.keys() & one for one in model_server.requests[0].body["messages"])
    with scope(team=world.team):
        kept = Message.objects.filter(raw_content=QUESTION).get()
    assert (kept.external_id, kept.timestamp.year > 2020, kept.tools_used) == ("m3", True, [])


def test_more_than_can_be_kept_is_refused_before_the_model_is_asked(
    callers: Callers, model_server: ModelServer
) -> None:
    answer = complete(callers.helpdesk, *["x" * 255_000] * 34)
    assert (answer.status_code, answer.json()["error"]["param"]) == (413, "messages")
    assert model_server.requests == []


@pytest.mark.parametrize("name", ["chat.turn.add_messages", "llm.usage._settle"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_that_cannot_be_kept_now_is_told(
    callers: Callers,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    stream: bool,
    name: str,
) -> None:
    def locked(*_args: Any, **_named: Any) -> None:
        cause = sqlite3.OperationalError("database is locked")
        cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise OperationalError("database is locked") from cause

    monkeypatch.setattr(f"memoryweb.{name}", locked)
    model_server.text("It is red.")
    answer = complete(callers.helpdesk, QUESTION, stream=stream)
    told = streamed(answer)[-1] if stream else answer.json()
    assert told["error"]["code"] == "unavailable"
    if not stream:
        assert (answer.status_code, answer["Retry-After"]) == (503, "30")


def test_a_models_server_is_sent_to_no_private_address(
    callers: Callers, model_server: ModelServer
) -> None:
    image = {"type": "image_url", "image_url": {"url": "http://127.0.0.1/"}}
    answer = complete(callers.helpdesk, {"role": "user", "content": [image]}, QUESTION)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "messages")
    assert model_server.requests == []


def test_a_hostile_answer_can_be_kept(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.text("Red\x00 \ud800and round.")
    text = said(complete(callers.helpdesk, QUESTION))
    assert talks(world) == [[QUESTION, "Red \ufffdand round."]]
    model_server.text("Yes.")
    complete(callers.helpdesk, QUESTION, text.replace("\x00", ""), "Sure?")
