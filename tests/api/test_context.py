from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.audit.verify import verify
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import (
    AuthorKind,
    Conversation,
    Fact,
    File,
    InjectedSpan,
    Injection,
    RecallEvent,
)
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.api.callers import Callers
from tests.facts.asking import OLDER, ask
from tests.memory.test_wishes import WISH, wish
from tests.statements import statements
from tests.world import World

CANOE = "Her canoe is red."
ASKED = {"endUserId": "customer-1", "message": "What colour has the canoe?"}


@pytest.fixture
def address(path: str) -> str:
    return f"{path}/context"


def talk(world: World, owner: Owner, source: str = "api") -> Conversation:
    said = [NewMessage("user", "I have a boat."), NewMessage("assistant", "Which one?")]
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id="c-1",
            messages=said,
            source=source,
        ).conversation


def note(world: World, owner: Owner | None) -> File:
    place = Place(world.agent, owner, "memory/2026-11-20.md")
    with write_transaction(world.team) as tx:
        line = NewLine(f"- 09:12 {CANOE}")
        return append(tx, place, [line], writer=Writer(AuthorKind.EXTRACTION, is_vouched=True)).file


def test_it_answers_with_the_prompt_and_what_is_in_it(
    world: World, callers: Callers, address: str
) -> None:
    note(world, world.customer)
    talk(world, world.customer)
    answer = callers.helpdesk.post(address, {**ASKED, "conversationId": "c-1"}).json()
    assert set(answer) == {
        "system",
        "messages",
        "included",
        "hits",
        "added",
        "wishes",
        "notices",
        "silent",
        "gauge",
        "morning",
        "forget",
    }
    assert "Long-term Memory" in answer["system"]
    assert [turn["role"] for turn in answer["messages"]] == ["user", "user", "assistant", "user"]
    assert CANOE in answer["messages"][0]["content"]
    assert answer["messages"][-1]["content"] == ASKED["message"]
    assert [one["filename"] for one in answer["included"]] == [
        "AGENTS.md",
        "SOUL.md",
        "MEMORY.md",
    ]
    (hit,) = answer["hits"]
    assert (hit["filename"], hit["lineNumber"]) == ("memory/2026-11-20.md", 3)
    assert hit["owner"] == "api:helpdesk/customer-1"
    assert answer["gauge"]["window"] == 128_000
    assert answer["gauge"]["used"] == sum(
        answer["gauge"][part] for part in ("system", "memory", "conversation", "message")
    )


def remember(world: World, text: str) -> File:
    """The customer's own, said on 28 September."""
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "MEMORY.md")
        file = write(tx, place, text, writer=Writer(AuthorKind.DREAM, is_vouched=True)).file
    Fact.objects.filter(file=file).update(said_at=datetime(2026, 9, 28, 9, tzinfo=UTC))
    return file


def test_days_that_stand_behind_lines_are_listed(
    world: World, callers: Callers, address: str
) -> None:
    remember(world, "# Memory\n\n- Likes trains.\n")
    answer = callers.helpdesk.post(address, ASKED).json()
    assert "- Likes trains. (2026-09-28)\n" in answer["messages"][0]["content"]
    assert answer["added"] == [
        {"filename": "MEMORY.md", "lineNumber": 3, "factId": None, "text": " (2026-09-28)"}
    ]


def test_how_the_owner_wants_to_be_answered_is_listed(
    world: World, callers: Callers, address: str
) -> None:
    wish(world)
    answer = callers.helpdesk.post(address, ASKED).json()
    fact = Fact.objects.get(raw_text=WISH)
    assert answer["wishes"] == [{"factId": str(fact.pk), "text": WISH}]
    assert f"\n- {WISH}\n" in answer["messages"][0]["content"].partition("<data-")[0]


def test_an_agent_that_writes_back_what_it_read_stores_no_day(
    world: World, callers: Callers, path: str
) -> None:
    file = remember(world, "- Likes trains.\n- Has a canoe.\n")
    before = dict(Fact.objects.filter(file=file).values_list("raw_text", "pk"))
    said = "- Likes trains. (2026-09-28)\n- Has a canoe. (2026-12-24)\n- Sings. (2026-09-28)\n"
    address = f"{path}/workspace/files/MEMORY.md?owner=api:helpdesk/customer-1"
    assert callers.helpdesk.put(address, {"content": said}).status_code == 200
    file.refresh_from_db()
    assert file.raw_content == (
        "- Likes trains.\n- Has a canoe. (2026-12-24)\n- Sings. (2026-09-28)\n"
    )
    stands = Fact.objects.get(file=file, raw_text="Likes trains.")
    assert stands.pk == before["Likes trains."]


def test_what_was_given_is_recorded_with_its_lines(
    world: World, callers: Callers, address: str
) -> None:
    file = note(world, world.customer)
    conversation = talk(world, world.customer)
    answer = callers.helpdesk.post(address, {**ASKED, "conversationId": "c-1"}).json()
    injection = Injection.objects.get()
    assert (injection.via, injection.owner, injection.conversation) == (
        "context",
        world.customer,
        conversation,
    )
    assert injection.tokens == answer["gauge"]["used"]
    assert injection.token is not None
    spans = InjectedSpan.objects.filter(injection=injection)
    assert spans.count() == 4  # PROFILE.md is as it was seeded
    assert list(spans.filter(file=file).values_list("revision", "first_line", "last_line")) == [
        (1, 3, 3)
    ]


def test_it_takes_few_statements_however_much_it_finds(
    world: World, callers: Callers, address: str
) -> None:
    note(world, world.customer)
    talk(world, world.customer)
    told = [NewMessage("user", f"The canoe has {n} seats and a colour.") for n in range(40)]
    with write_transaction(world.team) as tx:
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="c-2", messages=told
        )
    callers.helpdesk.post(address, ASKED)
    with CaptureQueriesContext(connection) as queries:
        answer = callers.helpdesk.post(address, ASKED).json()
    assert len(answer["hits"]) > 30
    assert len(statements(queries)) <= 21


def test_the_event_holds_numbers_and_no_text(world: World, callers: Callers, address: str) -> None:
    note(world, world.customer)
    callers.helpdesk.post(address, ASKED)
    event = Event.objects.get(action="context.served")
    assert (event.actor_kind, event.on_behalf_of) == ("integration", world.customer.pk)
    assert "canoe" not in bytes(event.canonical).decode()
    assert verify(world.team.pk).ok


def test_a_recall_counts_once_for_a_conversation_and_a_query(
    world: World, callers: Callers, address: str
) -> None:
    note(world, world.customer)
    talk(world, world.customer)
    for _turn in range(2):
        callers.helpdesk.post(address, {**ASKED, "conversationId": "c-1"})
    assert list(RecallEvent.objects.values_list("via", flat=True)) == ["prefetch"]
    assert Injection.objects.count() == 2


@pytest.mark.parametrize("source", ["cron", "dream"])
def test_scheduled_talk_recalls_nothing(
    world: World, callers: Callers, address: str, source: str
) -> None:
    note(world, world.customer)
    talk(world, world.customer, source)
    answer = callers.helpdesk.post(address, {**ASKED, "conversationId": "c-1"}).json()
    assert (len(answer["hits"]), RecallEvent.objects.count()) == (1, 0)


def test_a_key_sent_again_gets_the_same_answer_and_is_recorded_once(
    world: World, callers: Callers, address: str
) -> None:
    note(world, world.customer)
    answers = [
        callers.helpdesk.post(address, ASKED, idempotency_key="one").content for _turn in range(2)
    ]
    assert answers[0] == answers[1]
    assert Injection.objects.count() == 1


@pytest.mark.parametrize("owner", ["customer", "sender"])
def test_another_owners_conversation_of_that_id_is_not_put_in(
    world: World, callers: Callers, address: str, owner: str
) -> None:
    talk(world, getattr(world, owner))
    asked = {"owner": "shared"} if owner == "customer" else {"endUserId": "customer-1"}
    body = {**asked, "message": "Boat?", "conversationId": "c-1"}
    answer = callers.helpdesk.post(address, body)
    assert [turn["content"] for turn in answer.json()["messages"]] == ["Boat?"]
    assert "boat" not in answer.content.decode()


def test_a_shared_conversation_is_the_systems(
    world: World, callers: Callers, path: str, address: str
) -> None:
    said = [{"role": "user", "content": "The lift is broken."}]
    talks = f"{path}/conversations/desk/messages"
    callers.helpdesk.post(talks, {"owner": "shared", "messages": said})
    body = {"owner": "shared", "message": "Which lift?", "conversationId": "desk"}
    answer = callers.helpdesk.post(address, body).json()
    assert [turn["content"] for turn in answer["messages"]] == [
        "The lift is broken.",
        "Which lift?",
    ]


def test_who_it_is_about_has_to_be_said(callers: Callers, address: str) -> None:
    answer = callers.helpdesk.post(address, {"message": "Hello"})
    assert (answer.status_code, answer.json()["code"]) == (400, "owner_required")


def test_a_person_asks_for_oneself_and_for_nobody_else(
    world: World, callers: Callers, address: str
) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "MEMORY.md")
        write(tx, place, "- Owns a kayak.\n", writer=Writer(AuthorKind.PERSON))
    assert "kayak" in callers.member.post(address, {"message": "Hello"}).content.decode()
    other = {"message": "Hello", "owner": str(world.bobs_memory.pk)}
    assert callers.admin.post(address, other).status_code == 403


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"message": ""}, "message"),
        ({"message": None}, "message"),
        ({"budget": 10}, "budget"),
        ({"budget": "much"}, "budget"),
        ({"conversationId": "c" * 256}, "conversationId"),
        ({"endUserId": 7}, "endUserId"),
    ],
)
def test_what_cannot_be_taken_is_named(
    callers: Callers, address: str, changed: dict[str, Any], field: str
) -> None:
    answer = callers.helpdesk.post(address, {**ASKED, **changed})
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert Injection.objects.count() == 0


def test_a_tools_answer_counts_as_given(world: World, callers: Callers, path: str) -> None:
    file = note(world, world.customer)
    tools = {
        "read_workspace_memory_file": {"filename": file.path},
        "memory_search": {"query": "canoe"},
        "search_workspace_memory": {"query": "canoe"},
        "memory_get": {"date": "2026-11-20"},
    }
    before = datetime.now(UTC)
    for tool, arguments in tools.items():
        body = {"endUserId": "customer-1", **arguments}
        callers.helpdesk.post(f"{path}/tools/{tool}", body)
    spans = InjectedSpan.objects.filter(file=file, injection__at__gte=before).order_by("pk")
    assert list(spans.values_list("injection__via", "first_line", "last_line")) == [
        ("tool", 1, 3),
        ("tool", 3, 3),
        ("search", 3, 3),
        ("tool", 1, 3),
    ]


def test_a_search_that_finds_nothing_gives_nothing(callers: Callers, path: str) -> None:
    body = {"endUserId": "customer-1", "query": "zeppelin"}
    callers.helpdesk.post(f"{path}/tools/memory_search", body)
    assert Injection.objects.count() == 0


def test_prompts_are_counted_by_whether_memory_had_something_to_say(
    world: World, callers: Callers, address: str
) -> None:
    note(world, world.customer)
    for message in (ASKED["message"], "How are you?", "Thanks!"):
        callers.helpdesk.post(address, {**ASKED, "message": message})
    status = address.replace("/agents/", "/memory/").replace("/context", "/dreaming/status")
    told = callers.helpdesk.get(f"{status}?owner=api:helpdesk/customer-1").json()["prompts"]
    assert told == {"served": 3, "used": 1, "silent": 2}
    others = callers.helpdesk.get(f"{status}?owner=shared").json()["prompts"]
    assert others == {"served": 0, "used": 0, "silent": 0}


def test_the_first_conversation_of_a_day_asks_whether_something_still_holds(
    world: World, callers: Callers, address: str
) -> None:
    ask(world, world.customer)
    body = {**ASKED, "conversationId": "c-1"}
    first = callers.helpdesk.post(address, body).json()["morning"]
    asked = first["question"]
    assert asked.endswith(f"(2 Oct). Is “{OLDER[:-1]}” (28 Sep) still true?")
    assert callers.helpdesk.post(address, body).json()["morning"] is None


def test_who_has_an_account_is_asked_there(world: World, callers: Callers, address: str) -> None:
    ask(world, world.bobs_memory)
    body = {"message": "Hello there!", "conversationId": "c-1"}
    assert callers.member.post(address, body).json()["morning"] is None
