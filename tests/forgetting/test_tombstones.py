"""What was erased comes back by no door, until its person writes it again."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, File, Message, Tombstone
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.snapshots import service
from memoryweb.memory.writing import tombstones, write
from memoryweb.memory.writing.write import NewLine
from tests.forgetting.asking import WEIGHT
from tests.snapshots.archives import of
from tests.world import World

pytestmark = pytest.mark.django_db
LONG_AGO = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def buried(world: World) -> World:
    with scope(team=world.team):
        tombstones.bury(world.team.pk, world.agent.pk, world.customer.pk, [WEIGHT], timezone.now())
    return world


def _place(world: World, path: str = "MEMORY.md") -> Place:
    return Place(world.agent, world.customer, path)


def _text(world: World, path: str = "MEMORY.md") -> str:
    with scope(team=world.team):
        return File.objects.get(owner=world.customer, path=path).raw_content


def _say(world: World, messages: Sequence[NewMessage], talk: str = "talk") -> list[str]:
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id=talk,
            messages=messages,
        )
        rows = Message.objects.filter(conversation__external_id=talk).order_by("position")
        return list(rows.values_list("raw_content", flat=True))


@pytest.mark.parametrize("kind", [AuthorKind.AGENT, AuthorKind.SYSTEM])
def test_no_machine_writes_it(buried: World, kind: AuthorKind) -> None:
    content = f"# Memory\n\n- {WEIGHT}\n- Tea. {WEIGHT}\n- I weigh 63 kilos.\n"
    with write_transaction(buried.team) as tx:
        write.write(tx, _place(buried), content, writer=Writer(kind))
        lines = [NewLine(f"- 08:00 Maria: {WEIGHT.upper()}"), NewLine("- 08:00 I like tea.")]
        write.append(tx, _place(buried, "memory/2026-03-02.md"), lines, writer=Writer(kind))
    assert _text(buried) == "# Memory\n\n- Tea. \n- I weigh 63 kilos.\n"
    assert _text(buried, "memory/2026-03-02.md") == "# 2026-03-02\n\n- 08:00 I like tea.\n"


def test_no_archive_brings_it(buried: World) -> None:
    archive = of({"MEMORY.md": f"# Memory\n\n- {WEIGHT}\n- I like tea.\n"})
    writer = Writer(AuthorKind.PERSON, user=buried.alice)
    with write_transaction(buried.team) as tx:
        shown = service.preview(Memory(buried.agent, buried.customer), archive, by=writer)
        assert [item.after for item in shown.plan.items] == ["# Memory\n\n- I like tea.\n"]
        service.apply(tx, Memory(buried.agent, buried.customer), archive, shown.token, by=writer)
    assert "kilos" not in _text(buried)


def test_a_replay_or_an_import_does_not_bring_it(buried: World) -> None:
    said = [NewMessage("user", f"Hi. {WEIGHT} Bye."), NewMessage("user", "What now?")]
    assert _say(buried, said) == ["Hi. [forgotten] Bye.", "What now?"]
    old = NewMessage("user", WEIGHT, "m-1", timestamp=LONG_AGO)
    assert _say(buried, [old], "old") == ["[forgotten]"]
    assert _say(buried, [old], "old") == ["[forgotten]"]


def test_its_person_writes_it_again(buried: World) -> None:
    assert _say(buried, [NewMessage("user", WEIGHT)]) == [WEIGHT]
    with write_transaction(buried.team) as tx:
        write.write(tx, _place(buried), f"- {WEIGHT}\n", writer=Writer(AuthorKind.DREAM))
    assert WEIGHT in _text(buried)
    assert Tombstone.objects.filter(lifted_at=None).count() == 0


def test_a_person_writes_it_again_in_the_editor(buried: World) -> None:
    writer = Writer(AuthorKind.PERSON, user=buried.bob)
    with write_transaction(buried.team) as tx:
        write.write(tx, _place(buried), f"- {WEIGHT}\n", writer=writer)
    assert WEIGHT in _text(buried)


def test_the_assistant_saying_it_lifts_nothing(buried: World) -> None:
    assert _say(buried, [NewMessage("assistant", WEIGHT)]) == ["[forgotten]"]


def test_another_owner_still_says_it(buried: World) -> None:
    with write_transaction(buried.team) as tx:
        place = Place(buried.agent, buried.sender, "MEMORY.md")
        write.write(tx, place, f"- {WEIGHT}\n", writer=Writer(AuthorKind.DREAM))
        assert WEIGHT in File.objects.get(owner=buried.sender, path="MEMORY.md").raw_content


def test_a_word_that_everybody_says_is_not_kept_out(world: World) -> None:
    with scope(team=world.team):
        made = tombstones.bury(world.team.pk, world.agent.pk, None, ["yes."], timezone.now())
    assert made == 0
