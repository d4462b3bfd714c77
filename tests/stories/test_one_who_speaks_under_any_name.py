"""A program gives its person's messages a name. One person speaks, whatever it says; a room is
where several names are, from then on."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.extraction.extractors import by_rules
from memoryweb.memory.conversations import NewMessage, add_messages, next_window
from memoryweb.memory.lines.source_classes import source_of_message
from memoryweb.memory.models import Conversation, ForgetRequest, Message
from memoryweb.memory.models.writer import write_transaction
from tests.dreaming.nights import NIGHT
from tests.world import World

pytestmark = pytest.mark.django_db
REMEMBER = "I am allergic to hazelnuts, please remember that."
LEEDS = "I live in Leeds."


def says(world: World, owner: Owner, *said: tuple[str, str], day: int = 0, **more: object) -> None:
    """Names and texts, in one batch of that day."""
    at = datetime.combine(NIGHT + timedelta(days=day), time(9), UTC)
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id="talk",
            messages=[
                NewMessage("user", text, name=name, timestamp=at + timedelta(minutes=n))
                for n, (name, text) in enumerate(said)
            ],
            **more,  # type: ignore[arg-type]
        )


def noted(world: World, owner: Owner) -> list[str]:
    """What an extraction of all of it writes down."""
    with scope(team=world.team):
        talk = Conversation.objects.select_related("agent", "owner__person").get(owner=owner)
        window = next_window(talk, size=30)
        assert window is not None
        return [line.text for line in by_rules(talk, window).findings.lines]


def whose(world: World, owner: Owner) -> list[str]:
    said = Message.objects.filter(conversation__owner=owner).order_by("position")
    return [
        str(source_of_message(one.conversation, one)) for one in said.select_related("conversation")
    ]


@pytest.mark.parametrize("name", ["Nora", "", "nora@example.com", "user", "客户", "🙂"])
def test_one_name_is_no_room(world: World, name: str) -> None:
    says(world, world.customer, (name, LEEDS), (name, REMEMBER))
    found = noted(world, world.customer)
    assert found[0] == LEEDS
    assert any("hazelnuts" in line and "Nora" not in line for line in found)
    assert whose(world, world.customer) == ["owner", "owner"]


def test_a_name_now_and_then_is_one_person(world: World) -> None:
    says(world, world.customer, ("Nora", LEEDS), ("", "I work as a nurse."))
    says(world, world.customer, ("nora", REMEMBER), ("NORA", "I like tea."), day=1)
    assert all(not line.startswith(("Nora", "nora")) for line in noted(world, world.customer))
    assert whose(world, world.customer) == ["owner"] * 4


def test_all_names_of_the_account_are_one_person(world: World) -> None:
    person = world.bob
    own = (person.name, str(world.bobs_memory.external_id), person.email, "")
    for day, name in enumerate(own):
        says(world, world.bobs_memory, (name, f"I have {day + 3} sheep in Wales."), day=day)
    assert not any(": I have" in line for line in noted(world, world.bobs_memory))
    assert whose(world, world.bobs_memory) == ["owner"] * 4


def test_what_was_said_before_a_second_one_joined_stays_theirs(world: World) -> None:
    owner, third = "owner", "third_party"
    says(world, world.customer, ("Nora", LEEDS), ("Nora", REMEMBER))
    says(world, world.customer, ("Tom", "I live in Rome."), ("Nora", "I like tea a lot."), day=1)
    says(world, world.customer, ("", "I drive a red car."), day=2)
    assert whose(world, world.customer) == [owner, owner, third, third, third]
    found = noted(world, world.customer)
    assert LEEDS in found
    assert "Tom: I live in Rome." in found


def test_the_accounts_own_name_is_theirs_also_in_a_room(world: World) -> None:
    says(world, world.bobs_memory, ("Robby", LEEDS))
    says(world, world.bobs_memory, ("Bob", "I like tea a lot."), ("Eve", "I hate tea."), day=1)
    says(world, world.bobs_memory, ("Robby", "I am forty."), day=2)
    assert whose(world, world.bobs_memory) == ["owner", "owner", "third_party", "third_party"]


def test_who_joins_asks_nothing_of_the_owners_memory(world: World) -> None:
    says(world, world.customer, ("Nora", "I weigh 62 kilos."))
    says(world, world.customer, ("Tom", "Please forget my weight."), day=1)
    assert not ForgetRequest.objects.exists()


def test_one_who_speaks_under_a_name_is_heard(world: World) -> None:
    says(world, world.customer, ("Nora", "I weigh 62 kilos."))
    says(world, world.customer, ("Nora", "Please forget my weight."), day=1)
    assert ForgetRequest.objects.get().state == ForgetRequest.State.HIDDEN


def test_in_a_batch_of_two_names_nobody_spoke_alone(world: World) -> None:
    says(world, world.customer, ("Tom", "Please forget my weight."), ("Nora", "Hello."))
    assert whose(world, world.customer) == ["third_party"] * 2
    assert not ForgetRequest.objects.exists()


def test_a_group_is_a_room_under_one_name(world: World) -> None:
    says(world, world.customer, ("Nora", LEEDS), group=True)
    assert noted(world, world.customer) == [f"Nora: {LEEDS}"]
    assert whose(world, world.customer) == ["third_party"]
