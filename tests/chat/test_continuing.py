"""Programs that send all turns each time: which conversation goes on, and what of it is new."""

from uuid import uuid4

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.memory.agents import create_agent
from memoryweb.memory.conversations import NewMessage, untold
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.writer import write_transaction
from tests.api.callers import Callers
from tests.chat.test_completions import complete
from tests.fakes import Behaviour, ModelServer
from tests.pace import assert_linear
from tests.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def with_the_agent(world: World) -> None:
    world.integration.agents = [str(world.agent.pk)]
    world.integration.save()


def test_other_turns_or_another_owner_or_agent_begin_a_conversation(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.default = lambda _received: Behaviour("Hello.")
    complete(callers.helpdesk, "Hello!")
    complete(callers.helpdesk, "Hello!")  # no answer of ours is among the turns
    complete(callers.helpdesk, "Hello!", "Hello?", "What?")
    complete(callers.helpdesk, "Hello!", "Hello.", "What?", user="customer-2")
    mine = {"X-Agent": str(world.agent.pk)}
    complete(callers.member, "Hello!", "Hello.", "What?", headers=mine)
    with scope(team=world.team):
        counts = Conversation.objects.order_by("created_at").values_list("message_count", flat=True)
        assert list(counts) == [2, 2, 4, 4, 4]
        with write_transaction(world.team) as tx:
            other = str(create_agent(tx, name="Another").pk)
    complete(callers.member, "Hello!", "Hello.", "What?", headers={"X-Agent": other})
    with scope(team=world.team):
        assert Conversation.objects.get(agent__pk=other).message_count == 4


def test_the_newest_of_those_that_begin_alike_goes_on(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    model_server.default = lambda _received: Behaviour("Hello.")
    ids = [complete(callers.helpdesk, "Hello!")["X-Conversation"] for _time in range(3)]
    assert complete(callers.helpdesk, "Hello!", "Hello.", "Well?")["X-Conversation"] == ids[2]
    assert complete(callers.helpdesk, "Hello!", "Hello.", "So?")["X-Conversation"] == ids[1]


@pytest.mark.slow
def test_what_is_new_of_long_talks_with_secrets_is_found_in_linear_time(world: World) -> None:
    def talk_of(count: int) -> tuple[Conversation, list[NewMessage]]:
        talk = Conversation.objects.create(
            team=world.team, agent=world.agent, owner=world.customer, external_id=uuid4().hex
        )
        Message.objects.bulk_create(
            Message(
                team=world.team,
                conversation=talk,
                position=at,
                external_id=f"m{at}",
                role="user",
                raw_content=f"My key {at} is [secret: github-token].",
                timestamp=timezone.now(),
            )
            for at in range(2 * count)
        )
        return talk, [NewMessage("user", f"What about {at % 99}?") for at in range(count)]

    assert_linear(lambda given: untold(*given), talk_of)
