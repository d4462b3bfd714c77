"""What people say in two or three messages, as it stands in memory after the night."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.dreaming import schedule
from memoryweb.memory.models import File, Message
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.visible.readable import To, readable_files
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.extraction.talking import go_on, talk
from tests.world import World, integration_token

pytestmark = pytest.mark.django_db
YESTERDAY = timedelta(days=1)
SHOES = [("user", "Find me shoes."), ("assistant", "Sure. What shoe size?"), ("user", "43")]


def night(world: World, owner: Owner) -> str:
    """MEMORY.md after it."""
    with write_transaction(world.team) as tx:
        run = schedule.request(tx, Memory(world.agent, owner), trigger=Run.Trigger.COMMAND).run
    engine.work(run.pk)
    found = File.objects.of(world.agent.pk, owner.pk).filter(path="MEMORY.md")
    return "".join(found.values_list("raw_content", flat=True))


def given(world: World) -> str:
    """Of all files of the customer, what a prompt may hold."""
    files = list(File.objects.of(world.agent.pk, world.customer.pk).present())
    return "\n".join(one.remaining for one in readable_files(files, To.HOST))


def test_thanks_at_the_end_changes_nothing(world: World) -> None:
    said = "I am allergic to penicillin, please remember that."
    turns = [("user", said), ("assistant", "Noted."), ("user", "Thanks!")]
    talk(world, turns, at=datetime.now(UTC) - YESTERDAY)
    assert said in night(world, world.customer)


def test_a_short_answer_lives_until_it_changes(world: World) -> None:
    at = datetime.now(UTC) - YESTERDAY
    talk(world, SHOES, at=at)
    assert "- Shoe size? 43\n" in night(world, world.customer)
    go_on(world, [("user", "My shoe size is 44 now.")], at=at + timedelta(hours=2))
    memory = night(world, world.customer)
    assert "Shoe size? 43" not in memory
    assert "My shoe size is 44" in memory


def test_two_chats_at_once_are_both_kept(world: World) -> None:
    at = datetime.now(UTC) - YESTERDAY
    talk(world, SHOES, at=at)
    talk(world, [("user", "My sister Carla plays the cello.")], conversation="d", at=at)
    memory = night(world, world.customer)
    assert "Shoe size? 43" in memory
    assert "Carla" in memory


def test_what_was_said_before_a_pause_is_read_and_nothing_since(world: World) -> None:
    at = datetime.now(UTC) - YESTERDAY
    talk(world, SHOES[:2], at=at)
    world.customer.keeping = world.customer.using = False
    world.customer.save()
    go_on(world, SHOES[2:], at=at + timedelta(minutes=2))
    assert not Message.objects.filter(raw_content="43").exists()
    world.customer.keeping = world.customer.using = True
    world.customer.save()
    go_on(world, [("user", "My sister Carla plays the cello.")], at=at + timedelta(hours=1))
    memory = night(world, world.customer)
    assert "43" not in memory
    assert "Carla" in memory


def test_an_answer_that_is_forgotten_is_given_to_nobody(world: World) -> None:
    at = datetime.now(UTC) - YESTERDAY
    talk(world, SHOES, at=at)
    assert "Shoe size? 43" in night(world, world.customer)
    go_on(world, [("user", "Forget my shoe size.")], at=at + timedelta(hours=1))
    assert "size? 43" not in given(world)
    night(world, world.customer)
    assert "size? 43" not in given(world)


def test_an_answer_that_is_forgotten_before_it_was_read_is_never_noted(world: World) -> None:
    at = datetime.now(UTC) - YESTERDAY
    talk(world, [("user", "My shoe size is 43."), ("assistant", "Noted.")], at=at)
    go_on(world, [("user", "Forget my shoe size.")], at=at + timedelta(minutes=2))
    assert "43" not in night(world, world.customer)
    assert "size? 43" not in given(world)


def test_a_chat_of_a_program_is_read_when_it_is_finished(world: World) -> None:
    said: list[dict[str, Any]] = [
        {"role": role, "content": text, "timestamp": timezone.now().isoformat()}
        for role, text in SHOES
    ]
    path = f"/agents/{world.agent.pk}/conversations/c-1/messages"
    api = Api(integration_token(world.integration))
    api.post(path, {"endUserId": "customer-1", "messages": said, "finished": True})
    assert [run.kind for run in engine.run_pending()] == ["extraction"]
    assert "Shoe size? 43" in night(world, world.customer)


def test_an_import_is_read_at_once(world: World) -> None:
    talk(world, SHOES, source="import", at=datetime.now(UTC) - YESTERDAY)
    assert "Shoe size? 43" in night(world, world.customer)
