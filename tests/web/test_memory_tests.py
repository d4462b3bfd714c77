"""The pages of memory tests."""

from django.test import Client

from memoryweb.memory import facts
from memoryweb.memory.models import Contradiction, Fact, MemoryTest
from memoryweb.memory.models.writer import write_transaction
from tests.dreaming.nights import memory
from tests.memory.test_memory_tests import GUESTS, add, person
from tests.web.pages import text, url
from tests.world import World, signed_in

SQUARE = "Guests park on the square."
ASKED = {"question": "Where do guests park?", "must": "behind the house"}


def _page(world: World, query: str = "") -> str:
    return url(world.team, "agents_tests", world.agent.pk, query=query)


def _add(world: World, query: str = "") -> str:
    return url(world.team, "agents_tests_add", world.agent.pk, query=query)


def test_a_form_makes_one_and_the_page_runs_them(world: World, bob: Client) -> None:
    assert "No tests yet" in text(bob.get(_page(world)))
    assert bob.post(_add(world), ASKED)["Location"] == _page(world)
    page = text(bob.get(_page(world)))
    assert "Where do guests park?" in page
    assert "passes" not in page
    ran = text(bob.post(_page(world)))
    assert "0 passed, 1 failed." in ran
    assert "What it must hold isn’t there." in ran
    memory(world, None, f"# Memory\n\n- {GUESTS}\n")
    assert "1 passed, 0 failed." in text(bob.post(_page(world)))


def test_one_is_deleted_and_can_be_undone_by_the_message(world: World, bob: Client) -> None:
    answer = bob.post(_add(world), ASKED, follow=True)
    gone = url(world.team, "agents_test_delete", world.agent.pk, MemoryTest.objects.get().pk)
    assert text(answer).count(f'action="{gone}"') == 2  # the message's undo, and the row's
    assert bob.get(gone).status_code == 405
    assert bob.post(gone)["Location"] == _page(world)
    assert not MemoryTest.objects.exists()
    assert bob.post(gone).status_code == 404


def test_bad_input_is_told_in_the_form(world: World, bob: Client) -> None:
    for asked, said in (
        ({"question": "Where? " * 1_429, "must": "x"}, "at most 600 characters"),
        ({"question": "Where?"}, "what an answer must or must not hold"),
        (ASKED | {"must_not": "Behind the house"}, "No answer can hold this"),
        (ASKED | {"must": "AKIA" + "ABCDEFGHIJKLMNOP"}, "looks like a secret"),
    ):
        answer = bob.post(_add(world), asked)
        assert answer.status_code == 422
        assert said in text(answer)
    assert not MemoryTest.objects.exists()


def test_one_click_on_a_statement(world: World, bob: Client) -> None:
    memory(world, None, f"# Memory\n\n- {GUESTS}\n")
    fact = Fact.objects.get()
    make = url(world.team, "agents_test_fact", world.agent.pk, fact.pk)
    assert f'action="{make}"' in text(
        bob.get(url(world.team, "agents_fact", world.agent.pk, fact.pk))
    )
    assert bob.post(make)["Location"] == _page(world)
    assert MemoryTest.objects.get().must == GUESTS
    viewer = signed_in(world.vera)
    assert viewer.post(make).status_code == 403
    assert signed_in(world.charlie).post(make).status_code == 404


def test_one_click_on_a_correction(world: World, bob: Client) -> None:
    memory(world, None, f"# Memory\n\n- {SQUARE}\n")
    with write_transaction(world.team) as tx:
        facts.edit(tx, Fact.objects.get(), GUESTS, writer=person(world))
    old = Fact.objects.get(raw_text=SQUARE)
    make = url(world.team, "agents_test_fact", world.agent.pk, old.pk)
    assert f'action="{make}"' in text(
        bob.get(url(world.team, "agents_fact", world.agent.pk, old.pk))
    )
    bob.post(make)
    made = MemoryTest.objects.get()
    assert (made.must, made.must_not) == (GUESTS, SQUARE)


def test_one_click_on_a_contradiction(world: World, bob: Client) -> None:
    memory(world, None, f"# Memory\n\n- {GUESTS}\n- {SQUARE}\n")
    found = Contradiction.objects.create(team=world.team, agent=world.agent, key="k")
    Fact.objects.update(contradiction=found)
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, "KEEP_A", writer=person(world))
    make = url(world.team, "agents_test_contradiction", world.agent.pk, found.pk)
    page = url(world.team, "review_item", "contradiction", found.pk)
    assert make in text(bob.get(page))
    bob.post(make)
    made = MemoryTest.objects.get()
    assert {made.must, made.must_not} == {GUESTS, SQUARE}


def test_not_true_is_a_test_by_itself(world: World, bob: Client) -> None:
    memory(world, None, f"# Memory\n\n- {SQUARE}\n")
    with write_transaction(world.team) as tx:
        facts.not_true(tx, Fact.objects.get(), writer=person(world))
    page = text(bob.post(_page(world)))
    assert "Marked as not true: must not be said" in page
    assert "1 passed, 0 failed." in page


def test_ones_own_are_nobody_elses(world: World, bob: Client) -> None:
    bob.post(_add(world, "?owner=me"), ASKED)
    assert "Where do guests park?" in text(bob.get(_page(world, "?owner=me")))
    assert "Where do guests park?" not in text(bob.get(_page(world)))
    alice = signed_in(world.alice)
    theirs = f"?owner={world.bobs_memory.pk}"
    assert alice.get(_page(world, theirs)).status_code == 403
    test = MemoryTest.objects.get().pk
    gone = url(world.team, "agents_test_delete", world.agent.pk, test)
    assert alice.post(gone).status_code == 404


def test_many_are_shown_in_pages(world: World, bob: Client) -> None:
    for n in range(30):
        add(world, f"What is {n}?", "a number")
    page = text(bob.get(_page(world)))
    assert "1–25 of 30" in page
    assert "What is 0?" in text(bob.get(_page(world, "?page=2&run=1")))


def test_they_run_once_for_all_and_only_by_a_post(world: World, bob: Client) -> None:
    for n in range(30):
        add(world, f"What is {n}?", "a number")
    assert "failed." not in text(bob.get(_page(world, "?run=1")))
    ran = bob.post(_page(world))
    assert "0 passed, 30 failed." in text(ran)
    assert "page=2" not in ran.content.decode()
    assert "failed." in text(signed_in(world.vera).post(_page(world)))
    theirs = f"?owner={world.bobs_memory.pk}"
    assert signed_in(world.alice).post(_page(world, theirs)).status_code == 403
