"""A model replaces a statement by a true one that nothing proves to replace it: both stay, and a
person is asked."""

import pytest
from django.test import Client

from memoryweb.dreaming.models import Operation
from memoryweb.memory.models import Contradiction, Fact
from tests.dreaming.nights import NIGHT, answer, dream, memory, note, text_of
from tests.fakes import ModelServer
from tests.web.pages import url
from tests.world import World, signed_in

RED, GREEN = "The lamp in the hall is red.", "The lamp in the hall glows green."
REPLACE = {"op": "replace", "old": "s1", "text": GREEN, "sources": ["n1"], "why": "superseded"}


@pytest.fixture
def asked(world: World, model_server: ModelServer) -> Contradiction:
    memory(world, None, f"# Memory\n\n- {RED}\n")
    note(world, None, NIGHT, GREEN)
    model_server.answer(answer(REPLACE))
    run = dream(world, None)
    assert run.status == "succeeded"
    assert f"“{GREEN[:-1]}”. Beside it stands “{RED[:-1]}”." in run.report.diary
    assert Operation.objects.get(report=run.report).against == RED
    return Contradiction.objects.get()


def _lines(world: World) -> list[str]:
    return [line[2:] for line in text_of(world, None).split("\n") if "lamp" in line]


def _decide(world: World, found: Contradiction, code: str) -> str:
    client: Client = signed_in(world.alice)
    address = url(world.team, "review_decide", "contradiction", found.pk)
    return client.post(address, {"decision": code}, follow=True).content.decode()


def test_both_hold_until_somebody_decides(world: World, asked: Contradiction) -> None:
    assert _lines(world) == [RED, GREEN]
    assert set(asked.facts.values_list("raw_text", "state")) == {
        (RED, Fact.State.ACTIVE),
        (GREEN, Fact.State.ACTIVE),
    }
    page = signed_in(world.alice).get(url(world.team, "review_item", "contradiction", asked.pk))
    assert "Is this still true?" in page.content.decode()


@pytest.mark.parametrize(
    ("code", "stand"), [("KEEP_B", [GREEN]), ("IGNORE", [RED, GREEN]), ("KEEP_A", [RED])]
)
def test_what_is_decided_is_done_and_can_be_undone(
    world: World, asked: Contradiction, code: str, stand: list[str]
) -> None:
    _decide(world, asked, code)
    assert _lines(world) == stand
    if code == "KEEP_B":
        red = Fact.objects.get(raw_text=RED)
        assert (red.state, red.superseded_by) == (
            Fact.State.SUPERSEDED,
            Fact.objects.get(raw_text=GREEN),
        )
    _decide(world, asked, "undo")
    assert sorted(_lines(world)) == sorted([RED, GREEN])
    asked.refresh_from_db()
    assert asked.state == Contradiction.State.OPEN
