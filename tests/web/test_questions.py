"""A question about one's memory, decided where its person is: in Review, or by a memory link."""

from django.urls import reverse
from django_scopes import scope

from memoryweb.memory.models import Contradiction, Fact
from tests.facts.asking import NEWER, OLDER, ask
from tests.web.pages import text, url
from tests.web.stage import Stage
from tests.web.test_visits import opened, page
from tests.world import World, signed_in

ASKS = f"Is “{OLDER[:-1]}” (28 Sep) still true?"


def test_its_person_alone_is_asked_in_review(world: World) -> None:
    found = ask(world, world.bobs_memory)
    where = url(world.team, "review_item", "contradiction", found.pk)
    shown = text(signed_in(world.bob).get(where))
    assert f"You said “{NEWER[:-1]}” (2 Oct). {ASKS}" in shown
    assert "Still true" in shown
    assert "No longer" in shown
    assert "Does this take its place?" in shown
    assert "Says otherwise" not in shown
    assert ASKS in text(signed_in(world.bob).get(url(world.team, "review")))
    assert OLDER[:-1] not in text(signed_in(world.alice).get(url(world.team, "review")))


def test_one_statement_alone_is_decided_in_two_ways(world: World) -> None:
    found = ask(world, world.bobs_memory, alone=True)
    client, where = signed_in(world.bob), ("contradiction", found.pk)
    shown = text(client.get(url(world.team, "review_item", *where)))
    assert ASKS in shown
    assert "The newer one is wrong" not in shown
    client.post(url(world.team, "review_decide", *where), {"decision": "KEEP_B"})
    gone = Fact.objects.get(raw_text=OLDER)
    assert (gone.file, gone.why) == (None, Fact.Why.ASKED)
    client.post(url(world.team, "review_decide", *where), {"decision": "undo"})
    assert Fact.objects.get(raw_text=OLDER).file is not None


def test_a_memory_link_asks_whom_it_is_about(stage: Stage) -> None:
    with scope(team=stage.world.team):
        found = ask(stage.world, stage.world.customer)
    client = opened(stage)
    assert ASKS in page(client)
    answered = {"question": str(found.pk), "decision": "IGNORE"}
    assert client.post(reverse("visit_answer"), answered).status_code == 302
    found.refresh_from_db()
    assert found.state == Contradiction.State.IGNORED
    assert ASKS not in page(client)
    assert client.post(reverse("visit_answer"), answered).status_code == 404


def test_a_memory_link_answers_for_nobody_else(stage: Stage) -> None:
    with scope(team=stage.world.team):
        found = ask(stage.world, stage.world.bobs_memory)
    client = opened(stage)
    assert ASKS not in page(client)
    answered = {"question": str(found.pk), "decision": "KEEP_B"}
    assert client.post(reverse("visit_answer"), answered).status_code == 404
    assert Fact.objects.get(raw_text=OLDER, owner=stage.world.bobs_memory).file is not None
