import threading
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memoryweb.audit.models import Event
from memoryweb.core.tables import TeamManager
from memoryweb.memory.conversations.messages import (
    Intake,
    NewMessage,
    add_messages,
    import_messages,
)
from memoryweb.memory.models import Conversation, ForgetRequest, Message, Passage
from memoryweb.memory.models.refusals import BatchRefused, MessageConflict
from memoryweb.memory.models.writer import write_transaction
from tests.language.test_credentials import draw
from tests.snapshot import restored_world
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def say(content: str, **fields: Any) -> NewMessage:
    return NewMessage(**{"role": "user", "content": content} | fields)


def add(world: World, *messages: NewMessage, **fields: Any) -> Intake:
    where: dict[str, Any] = {
        "agent": world.agent,
        "owner": world.customer,
        "conversation_id": "c",
    }
    with write_transaction(world.team) as tx:
        return add_messages(tx, messages=messages, **where | fields)


def kept() -> list[tuple[int, str, str]]:
    rows = Message.objects.order_by("conversation", "position")
    return list(rows.values_list("position", "external_id", "raw_content"))


def test_the_first_batch_makes_the_conversation(world: World) -> None:
    first, second = NOON, NOON + timedelta(minutes=3)
    added = add(world, say("Hello", timestamp=second), say("again", timestamp=first), source="chat")
    made = Conversation.objects.get()
    assert (added.conversation, added.added, added.duplicates) == (made, 2, 0)
    assert (made.agent, made.owner, made.source) == (world.agent, world.customer, "chat")
    assert (made.message_count, made.extracted_upto, made.waiting) == (2, 0, True)
    assert (made.started_at, made.last_message_at) == (first, second)


def test_messages_keep_their_order_over_batches(world: World) -> None:
    add(world, say("one", id="x"), say("two"))
    add(world, say("three", id="y"))
    assert kept() == [(1, "x", "one"), (2, "m2", "two"), (3, "y", "three")]


def test_a_made_id_never_collides_with_a_given_one(world: World) -> None:
    add(world, say("one", id="m3"), say("two"))
    add(world, say("three"), say("four", id="m3-"))
    assert [name for _position, name, _text in kept()] == ["m3", "m2", "m3--", "m3-"]


def test_the_same_id_with_the_same_text_is_a_duplicate(world: World) -> None:
    add(world, say("one", id="a"), say("two", id="b"))
    added = add(world, say("two", id="b"), say("three", id="c"))
    assert (added.added, added.duplicates) == (1, 1)
    assert [text for _position, _name, text in kept()] == ["one", "two", "three"]


def test_the_same_id_with_another_text_refuses_the_whole_batch(world: World) -> None:
    add(world, say("one", id="a"))
    with pytest.raises(MessageConflict) as caught:
        add(world, say("new", id="b"), say("changed", id="a"))
    assert (caught.value.index, caught.value.field) == (1, "messages[1].id")
    assert kept() == [(1, "a", "one")]


def test_the_same_id_may_stand_in_two_conversations(world: World) -> None:
    add(world, say("one", id="a"))
    assert add(world, say("two", id="a"), conversation_id="d").added == 1


def test_two_owners_have_their_own_conversation_of_one_name(world: World) -> None:
    first = add(world, say("one"))
    other = add(world, say("mine"), owner=world.sender)
    assert first.conversation != other.conversation
    assert (other.conversation.owner, other.conversation.message_count) == (world.sender, 1)


def test_two_agents_and_two_teams_have_their_own_conversation_of_one_name(world: World) -> None:
    add(world, say("one"))
    add(world, say("two"), agent=world.other_agent, owner=world.sender)
    with write_transaction(world.twin.team) as tx:
        home = world.twin
        messages = [say("three")]
        add_messages(
            tx, agent=home.agent, owner=home.customer, conversation_id="c", messages=messages
        )
    assert Conversation.objects.filter(external_id="c").count() == 3


def test_a_secret_is_masked_and_the_batch_kept(world: World) -> None:
    secret = f"ghp_{draw(36)}"
    add(world, say(f"my key is {secret}", id="a", name=f"Ann {secret}"), say("thanks"))
    first = Message.objects.get(position=1)
    assert first.raw_content == "my key is [secret: github-token]"
    assert first.name == "Ann [secret: github-token]"
    assert first.masked == 2
    event = Event.objects.get(action="conversation.received")
    assert secret not in event.details
    assert '"kind": "github-token"' in event.details
    assert not Passage.objects.filter(raw_tokens__contains=secret[4:30].lower()).exists()


def test_a_masked_message_that_comes_again_is_a_duplicate(world: World) -> None:
    message = say(f"my key is ghp_{draw(36)}", id="a")
    add(world, message)
    assert add(world, message).duplicates == 1


ASKING = [
    ("Forget my password hunter2-blue.", "Forget my password [secret: password]."),
    ("Please forget my PIN 4711", "Please forget my PIN [secret: password]"),
    ("Vergiss mein Passwort hunter2-blau.", "Vergiss mein Passwort [secret: password]."),
    ("忘掉我的密码hunter2", "忘掉我的密码[secret: password]"),
    ("Forget that my password is hunter2x.", "Forget that my password is [secret: password]."),
    ("Hi!\nForget my password swordfish.", "Hi!\nForget my password [secret: password]."),
]


@pytest.mark.parametrize(("said", "stored"), ASKING)
def test_who_asks_to_forget_a_password_is_heard_and_the_password_is_not_kept(
    world: World, said: str, stored: str
) -> None:
    for _ in range(2):
        added = add(world, say(said, id="m"))
        assert [(index, one.kind) for index, one in added.masked] == [(0, "password")]
        assert added.masked[0][1].line == said.count("\n") + 1
    assert kept() == [(1, "m", stored)]
    assert ForgetRequest.objects.filter(owner=world.customer, via="message").exists()


def test_what_was_stored_before_it_was_masked_is_the_same_when_it_comes_again(
    world: World,
) -> None:
    add(world, say("Forget my password hunter2-blue.", id="m"))
    Message.objects.update(raw_content="Forget my password hunter2-blue.")
    assert add(world, say("Forget my password hunter2-blue.", id="m")).duplicates == 1


@pytest.mark.parametrize(
    "said",
    [
        *("Forget my password.", "Forget my password manager.", "Forget my password, thanks!"),
        *("Forget my password for the bank, please.", "Forget my appointment on 5 May."),
        *("Forget my pin collection.", "Forget that my PIN changed.", "忘记我的密码提示"),
        "Forget my password entirely.",
    ],
)
def test_a_request_that_names_no_password_is_kept_as_it_was_said(world: World, said: str) -> None:
    assert add(world, say(said)).masked == ()
    assert [text for _at, _id, text in kept()] == [said]


@pytest.mark.parametrize("place", ["conversationId", "messages[0].id"])
def test_an_id_that_is_a_secret_is_refused(world: World, place: str) -> None:
    secret = f"ghp_{draw(36)}"
    fields = {"conversation_id": secret} if place == "conversationId" else {}
    with pytest.raises(BatchRefused) as caught:
        add(world, say("x", id=secret if not fields else "a"), **fields)
    assert caught.value.field == place
    assert secret not in str(caught.value)
    assert not Conversation.objects.exists()


def test_a_batch_is_one_event_without_any_text(world: World) -> None:
    before = Event.objects.count()
    add(world, say("Carla's birthday is on Sunday", id="a"), say("yes", id="b"))
    event = Event.objects.latest("seq")
    assert Event.objects.count() == before + 1
    assert (event.action, event.on_behalf_of) == ("conversation.received", world.customer.pk)
    assert b"Carla" not in bytes(event.canonical)


def test_a_batch_that_changes_nothing_is_no_event(world: World) -> None:
    add(world, say("one", id="a"))
    before = Event.objects.count()
    add(world, say("one", id="a"))
    assert Event.objects.count() == before


def test_messages_can_be_found(world: World) -> None:
    add(world, say("Carla plays the cello"))
    found = Passage.objects.get(kind="message")
    assert (found.owner_id, found.agent_id) == (world.customer.pk, world.agent.pk)
    assert found.said == "Carla plays the cello"


def test_a_message_that_can_be_found_is_not_kept_twice(world: World) -> None:
    add(world, say("Carla plays the cello"))
    found = Passage.objects.get(kind="message")
    assert found.raw_text == ""
    assert found.reach not in found.raw_tokens


def test_nothing_is_kept_while_memory_is_paused(world: World) -> None:
    world.customer.keeping = world.customer.using = False
    world.customer.save()
    added = add(world, say("keep this"))
    assert (added.added, added.skipped) == (0, "paused")
    assert Conversation.objects.get().skipped == "paused"
    assert not Message.objects.exists()
    assert not Passage.objects.filter(kind="message").exists()


def test_nothing_is_kept_of_an_ephemeral_conversation_also_later(world: World) -> None:
    assert add(world, say("forget this"), ephemeral=True).skipped == "ephemeral"
    assert add(world, say("and this")).skipped == "ephemeral"
    assert add(world, say("but this"), conversation_id="d").added == 1
    assert [text for _position, _name, text in kept()] == ["but this"]


def test_the_future_counts_as_now_for_the_conversation(world: World) -> None:
    add(world, say("from tomorrow", timestamp=timezone.now() + timedelta(days=400)))
    made = Conversation.objects.get()
    assert made.last_message_at is not None
    assert made.last_message_at <= timezone.now()
    assert Message.objects.get().timestamp > timezone.now()


FILE = b"""\
{"conversation": "c1", "id": "1", "role": "user", "name": "Ann", "content": "I moved to Porto.", \
"timestamp": "2026-03-01T10:00:00Z"}
{"conversation": "c2", "id": "1", "role": "user", "content": "My cat is called Mole."}
{"conversation": "c1", "id": "2", "role": "assistant", "content": "Lovely!"}
"""


def take(world: World, content: bytes = FILE) -> Any:
    return import_messages(
        lambda: write_transaction(world.team),
        agent=world.agent,
        find_owner=lambda: world.customer,
        open_file=lambda: BytesIO(content),
    )


def test_a_file_is_imported_conversation_by_conversation(world: World) -> None:
    done = take(world)
    assert (done.conversations, done.added, done.duplicates) == (2, 3, 0)
    assert set(Conversation.objects.values_list("external_id", "source", "message_count")) == {
        ("c1", "import", 2),
        ("c2", "import", 1),
    }
    assert Event.objects.filter(action="conversation.imported").count() == 2


def test_importing_a_file_again_adds_nothing(world: World) -> None:
    take(world)
    before = kept()
    done = take(world)
    assert (done.added, done.duplicates) == (0, 3)
    assert kept() == before


def test_a_bad_line_imports_nothing(world: World) -> None:
    with pytest.raises(BatchRefused):
        take(world, FILE + b"{}\n")
    assert not Conversation.objects.exists()


def test_a_conflict_far_down_the_file_imports_nothing(world: World) -> None:
    add(world, say("other words", id="1"), conversation_id="c2")
    with pytest.raises(MessageConflict):
        take(world)
    assert not Conversation.objects.filter(external_id="c1").exists()


@pytest.mark.django_db(transaction=True)
def test_batches_that_come_at_once_leave_no_gap() -> None:
    world = restored_world()

    def send(number: int) -> None:
        for turn in range(5):
            add(world, say(f"{number}/{turn}"), say("ok"))
        connection.close()

    senders = [threading.Thread(target=send, args=(number,)) for number in range(3)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert [position for position, _name, _text in kept()] == list(range(1, 31))
    assert Conversation.objects.get().message_count == 30


def test_no_query_is_built_for_what_a_message_does_not_hold(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    rows_of = TeamManager.get_queryset

    def counted(manager: TeamManager[Any]) -> Any:
        built.append(manager.model.__name__)
        return rows_of(manager)

    add(world, say("The first one, which makes the conversation."))
    counts = []
    for size in (2, 20, 2, 20):  # those of a length are prepared when it comes first
        built.clear()
        with monkeypatch.context() as patch:
            patch.setattr(TeamManager, "get_queryset", counted)
            add(world, *(say(f"Box {number} of {size} stands there.") for number in range(size)))
        counts.append(len(built))
    assert counts[2] == counts[3]
    assert "NoSecret" not in built
