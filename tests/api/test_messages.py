"""Message batches: what is taken, what is refused with its field named, all or nothing."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.memory.models import Message
from memoryweb.runs.models import Run
from tests.api.callers import Callers
from tests.world import World

HELLO = {"id": "m1", "role": "user", "content": "We arrive on Friday with our son."}


@pytest.fixture
def conversation(path: str) -> str:
    return f"{path}/conversations/c-1/messages"


def batch(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"endUserId": "42", "messages": list(messages), **more}


def say(**fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": "Good morning.", **fields}


REFUSED: list[tuple[str, Any, int, str]] = [
    ("no messages", batch(), 400, "messages"),
    ("an unknown field", batch(say(), finish=True), 400, "finish"),
    ("an unknown field of a message", batch(say(), say(time="now")), 400, "messages[1].time"),
    ("a field in another case", {**batch(say()), "end_user_id": "42"}, 400, "end_user_id"),
    ("messages missing", {"endUserId": "42"}, 400, "messages"),
    ("messages no list", {"endUserId": "42", "messages": "hello"}, 400, "messages"),
    ("1,001 messages", batch(*[say()] * 1001), 413, "messages"),
    ("a number as endUserId", {**batch(say()), "endUserId": 42}, 400, "endUserId"),
    ("NUL", batch(say(), say(content="a\0b")), 400, "messages[1].content"),
    ("a lone surrogate", batch(say(content="\ud83d")), 400, "messages[0].content"),
    ("1 MB", batch(say(content="x" * 1_000_000)), 413, "messages[0].content"),
    ("over 8 MiB", batch(*[say(content="x" * 250_000)] * 36), 413, "messages"),
    ("before 1970", batch(say(timestamp="1969-12-31T23:59:59Z")), 400, "messages[0].timestamp"),
    ("no time", batch(say(timestamp="yesterday")), 400, "messages[0].timestamp"),
    ("a number as time", batch(say(timestamp=1770000000)), 400, "messages[0].timestamp"),
    ("unknown role", batch(say(role="robot")), 400, "messages[0].role"),
    ("no content", batch({"role": "user"}), 400, "messages[0].content"),
    ("a number as id", batch(say(id=7)), 400, "messages[0].id"),
    ("the same id twice", batch(say(id="a"), say(id="a")), 400, "messages[1].id"),
    ("no object", batch("hello"), 400, "messages[0]"),  # type: ignore[arg-type]
    ("unknown source", batch(say(), source="fax"), 400, "source"),
    ("finished no flag", batch(say(), finished="yes"), 400, "finished"),
]


@pytest.mark.parametrize(
    ("body", "status", "field"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_bad_batch_is_refused_with_its_field(
    callers: Callers, conversation: str, body: Any, status: int, field: str
) -> None:
    sent = callers.helpdesk.post(conversation, body)
    assert (sent.status_code, sent.headers["Content-Type"]) == (
        status,
        "application/problem+json",
    )
    assert [error["field"] for error in sent.json()["errors"]] == [field]
    assert not Message.objects.exists()


NOT_JSON = {
    "not UTF-8": b'{"messages": "\xff"}',
    "cut off": b'{"messages": [',
    "not an object": b"[]",
    "NaN": b'{"messages": NaN}',
    "nested too deep": b'{"a":' * 40 + b"1" + b"}" * 40,
    "nested very deep": b"[" * 100_000,
    "a key twice": b'{"endUserId": "1", "endUserId": "2"}',
    "a huge number": b'{"a": ' + b"9" * 5000 + b"}",
    "too large a number": b'{"a": 1e999}',
    "a NUL in a key": b'{"a\\u0000": 1}',
    "half a character in a key": b'{"a\\ud800": 1}',
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_a_body_that_is_no_json_is_refused(
    callers: Callers, conversation: str, body: bytes
) -> None:
    sent = callers.helpdesk.post(conversation, body)
    assert sent.status_code == 400
    assert sent.json()["detail"]


def test_a_body_over_the_limit_is_not_read(callers: Callers, conversation: str) -> None:
    sent = callers.helpdesk.post(conversation, b" " * (20 * 1024 * 1024 + 1))
    assert (sent.status_code, sent.json()["code"]) == (413, "too_large")


def test_a_future_time_is_kept(world: World, callers: Callers, conversation: str) -> None:
    callers.helpdesk.post(conversation, batch(say(timestamp="2199-01-01T00:00:00Z")))
    assert Message.objects.get().timestamp.year == 2199


def test_the_same_batch_again_adds_nothing(callers: Callers, conversation: str) -> None:
    first = callers.helpdesk.post(conversation, batch(HELLO)).json()
    again = callers.helpdesk.post(conversation, batch(HELLO)).json()
    assert [(answer["added"], answer["duplicates"]) for answer in (first, again)] == [
        (1, 0),
        (0, 1),
    ]


def test_the_same_id_with_other_text_is_a_conflict(callers: Callers, conversation: str) -> None:
    callers.helpdesk.post(conversation, batch(HELLO))
    other = batch(say(id="m0"), {**HELLO, "content": "Something else altogether."})
    sent = callers.helpdesk.post(conversation, other)
    assert (sent.status_code, sent.json()["code"]) == (409, "message_conflict")
    assert sent.json()["errors"][0]["field"] == "messages[1].id"
    assert Message.objects.count() == 1


def test_a_refused_batch_makes_no_owner(callers: Callers, path: str) -> None:
    before = Owner.objects.count()
    token = "AKIA" + "QYLPMN5HHHFPZAM2"
    sent = callers.helpdesk.post(f"{path}/conversations/{token}/messages", batch(HELLO))
    assert (sent.status_code, Owner.objects.count()) == (400, before)


def test_a_message_without_a_time_was_said_with_the_one_before(
    callers: Callers, conversation: str
) -> None:
    earlier, later = "2024-03-15T10:00:00Z", "2024-03-15T10:05:00Z"
    said = [say(), say(timestamp=earlier), say(), say(), say(timestamp=later), say()]
    callers.helpdesk.post(conversation, batch(*said))
    first, *others = Message.objects.order_by("position").values_list("timestamp", flat=True)
    assert first.year > 2024
    assert [f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in others] == [
        earlier,
        earlier,
        earlier,
        later,
        later,
    ]


def test_two_end_users_have_their_own_conversation_of_one_id(
    callers: Callers, path: str, memory: str, conversation: str
) -> None:
    for user, text in (("42", "I am Ann."), ("43", "I am Ben.")):
        sent = callers.helpdesk.post(conversation, {**batch(say(content=text)), "endUserId": user})
        assert sent.json()["added"] == 1
        read = callers.helpdesk.get(f"{path}/conversations/c-1?owner=api:{user}").json()
        assert [message["content"] for message in read["messages"]] == [text]
        asked = callers.helpdesk.post(f"{memory}/summarize/c-1", {"endUserId": user}).json()
        assert asked["run"]["owner"] == f"api:helpdesk/{user}"


def test_an_id_that_several_owners_have_is_told_how_to_name_one(
    world: World, callers: Callers, path: str, memory: str, conversation: str
) -> None:
    callers.member.post(conversation, {"messages": [say(content="Mine.")]})
    callers.member.post(conversation, {"owner": "shared", "messages": [say(content="Ours.")]})
    address, mine = f"{path}/conversations/c-1", f"user:{world.bob.pk}"
    for asked in (callers.member.get(address), callers.member.post(f"{memory}/summarize/c-1")):
        assert (asked.status_code, asked.json()["code"]) == (400, "owner_ambiguous")
        assert f"owner={mine}, owner=system" in asked.json()["detail"]
    for owner, text in ((mine, "Mine."), ("system", "Ours."), ("shared", "Ours.")):
        read = callers.member.get(f"{address}?owner={owner}").json()
        assert [message["content"] for message in read["messages"]] == [text]
        summarized = callers.member.post(f"{memory}/summarize/c-1?owner={owner}")
        assert summarized.status_code == 202


def test_what_others_called_their_conversations_does_not_hide_ones_own(
    callers: Callers, path: str, conversation: str
) -> None:
    callers.helpdesk.post(conversation, batch(HELLO))
    address = f"{path}/conversations/c-1"
    assert callers.admin.get(address).status_code == 403
    callers.admin.post(conversation, {"messages": [say()]})
    assert callers.admin.get(address).json()["messageCount"] == 1


def test_a_secret_is_masked_and_the_batch_kept(callers: Callers, conversation: str) -> None:
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    sent = callers.helpdesk.post(conversation, batch(HELLO, say(content=f"My key is {key}.")))
    assert sent.json()["added"] == 2
    assert not Message.objects.filter(raw_content__contains=key).exists()


def test_a_finished_conversation_is_extracted_now(callers: Callers, conversation: str) -> None:
    talk = [say(content=f"Our son Rui is allergic to nuts, part {n}.") for n in range(4)]
    run = callers.helpdesk.post(conversation, batch(*talk, finished=True)).json()["run"]
    assert (run["kind"], run["status"], run["owner"]) == ("extraction", "queued", "api:helpdesk/42")
    assert set(run) == {
        "id", "kind", "agentId", "owner", "status", "reason", "phase", "attempts", "trigger",
        "night", "startedAt", "finishedAt", "tokensIn", "tokensOut", "error",
    }  # fmt: skip


def test_one_message_is_enough_for_a_run(callers: Callers, conversation: str) -> None:
    run = callers.helpdesk.post(conversation, batch(HELLO)).json()["run"]
    assert (run["kind"], run["status"]) == ("extraction", "queued")


def test_a_batch_is_one_event_with_its_token(
    world: World, callers: Callers, conversation: str
) -> None:
    callers.helpdesk.post(conversation, batch(HELLO, say(), say()))
    [event] = Event.objects.filter(team_id=world.team.pk, action="conversation.received")
    assert event.actor_kind == "integration"
    assert json.loads(event.details)["added"] == 3


def test_a_conversations_id_may_hold_any_sign(callers: Callers, path: str) -> None:
    sent = callers.helpdesk.post(
        f"{path}/conversations/feishu%2Froom%201%3F/messages", batch(HELLO)
    )
    assert sent.json()["conversationId"] == "feishu/room 1?"
    read = callers.helpdesk.get(f"{path}/conversations/feishu%2Froom%201%3F?owner=api:helpdesk/42")
    assert read.json()["messageCount"] == 1


def test_messages_page_in_order(callers: Callers, path: str, conversation: str) -> None:
    callers.helpdesk.post(conversation, batch(*[say(id=f"m{n}") for n in range(5)]))
    seen, cursor = [], ""
    while cursor is not None:
        read = callers.helpdesk.get(
            f"{path}/conversations/c-1?owner=api:42&limit=2&cursor={cursor}"
        ).json()
        seen += [message["id"] for message in read["messages"]]
        cursor = read["cursor"]
    assert seen == [f"m{n}" for n in range(5)]


def test_summarize_says_why_it_skips(callers: Callers, memory: str, conversation: str) -> None:
    callers.helpdesk.post(conversation, batch(HELLO) | {"source": "cron"})
    asked = callers.helpdesk.post(f"{memory}/summarize/c-1", {"endUserId": "42"})
    assert asked.status_code == 202
    assert (asked.json()["skipped"], asked.json()["run"]["status"]) == ("source", "skipped")


def test_extraction_is_asked_for_once_a_conversation(callers: Callers, conversation: str) -> None:
    first = callers.helpdesk.post(conversation, batch(say())).json()
    due = Run.objects.values_list("due_at", flat=True).get()
    with CaptureQueriesContext(connection) as statements:
        second = callers.helpdesk.post(conversation, batch(say(content="And ours."))).json()
    assert first["run"]["id"] == second["run"]["id"]
    assert Run.objects.filter(due_at__gt=due).exists()
    assert len(statements) <= 24
