"""Memory tests: made, told, run and overtaken; whose they are, and what erasing takes of them."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.memory import facts, memory_tests
from memoryweb.memory.forgetting import erasing
from memoryweb.memory.memory_tests import ListedTest, breaks, says
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, MemoryTest
from memoryweb.memory.models.refusals import ContentRefused
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.visible.text_matching import asks_for
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.runs import engine
from tests.dreaming.nights import memory
from tests.forgetting.test_erasing import erased, forgotten, holding
from tests.tables import every_row
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]

HOME = "I live in Porto."
GUESTS = "Guests park behind the house."


def person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def add(
    world: World, question: str, must: str = "", must_not: str = "", owner: Owner | None = None
) -> MemoryTest:
    with write_transaction(world.team) as tx:
        its = Memory(world.agent, owner)
        return memory_tests.add(tx, its, question, must, must_not, writer=person(world))


def listed(world: World, owner: Owner | None = None) -> list[ListedTest]:
    return memory_tests.listed(Memory(world.agent, owner))


def greens(world: World, owner: Owner | None = None) -> list[bool]:
    return [bool(one.passed) for one in memory_tests.run(Memory(world.agent, owner))]


def act(world: World, do: object, text: str, *args: object, **more: object) -> None:
    fact = Fact.objects.get(raw_text=text)
    with write_transaction(world.team) as tx:
        do(tx, fact, *args, writer=person(world), **more)  # type: ignore[operator]


def test_it_tells_whether_an_answer_would_hold_what_it_must(world: World) -> None:
    bob = world.bobs_memory
    memory(world, bob, f"# Memory\n\n- {HOME}\n")
    add(world, "Where do I live?", "Porto", "Leeds", bob)
    assert greens(world, bob) == [True]
    memory(world, bob, "# Memory\n\n- I live in Leeds.\n")
    [one] = memory_tests.run(Memory(world.agent, bob))
    assert (one.passed, "Leeds" in one.said) == (False, True)


def test_words_that_ended_are_not_said(world: World) -> None:
    bob = world.bobs_memory
    line = "- I live in Leeds and keep bees. <!-- until 2026-09-28: I live in Leeds -->"
    memory(world, bob, f"# Memory\n\n{line}\n", person(world))
    add(world, "What do I keep?", "keep bees", "I live in Leeds", bob)
    assert greens(world, bob) == [True]


def test_it_is_asked_of_a_day_of_the_past(world: World) -> None:
    memory(world, None, f"# Memory\n\n- {GUESTS}\n", person(world))
    add(world, "Where do guests park?", GUESTS)
    MemoryTest.objects.update(as_of=date(2020, 1, 1))
    assert greens(world) == [False]
    MemoryTest.objects.update(as_of=timezone.localdate() + timedelta(days=1))
    assert greens(world) == [True]


def test_one_click_makes_it_of_a_statement_and_of_its_correction(world: World) -> None:
    memory(world, None, "# Memory\n\n- Guests park on the square.\n")
    act(world, facts.edit, "Guests park on the square.", GUESTS)
    wanted = {"must": GUESTS, "must_not": "Guests park on the square."}
    for text in wanted.values():
        asked = memory_tests.about_fact(Fact.objects.get(raw_text=text))
        assert {name: asked[name] for name in wanted} == wanted
        made = add(world, asked["question"], asked["must"], asked["must_not"])
    assert [one.test for one in listed(world)] == [made]  # the same once


def test_one_click_makes_it_of_a_contradiction(world: World) -> None:
    memory(world, None, f"# Memory\n\n- {GUESTS}\n- The lift is out of order.\n")
    found = Contradiction.objects.create(team=world.team, agent=world.agent, key="k")
    Fact.objects.filter(raw_text=GUESTS).update(contradiction=found)
    other = Fact.objects.filter(raw_text__startswith="The lift")
    other.update(contradiction=found, state=Fact.State.RETIRED)
    asked = memory_tests.about_contradiction(found)
    assert (asked["must"], asked["must_not"]) == (GUESTS, "The lift is out of order.")


def test_what_was_marked_as_not_true_is_a_test_and_stored_once(world: World) -> None:
    memory(world, None, f"# Memory\n\n- {GUESTS}\n")
    act(world, facts.not_true, GUESTS)
    [one] = listed(world)
    assert (one.fact, one.test.must_not) == (Fact.objects.get(raw_text=GUESTS), GUESTS)
    assert not MemoryTest.objects.exists()
    assert greens(world) == [True]


def test_a_persons_own_later_word_retires_it(world: World) -> None:
    memory(world, None, f"# Memory\n\n- {GUESTS}\n")
    add(world, "Where do guests park?", GUESTS)
    act(world, facts.edit, GUESTS, "Guests park behind the house, by the well.")
    assert [one.is_retired for one in listed(world)] == [False]  # it says so still
    act(world, facts.edit, "Guests park behind the house, by the well.", "Guests park in town.")
    assert [one.is_retired for one in listed(world)][:1] == [True]
    assert greens(world) == []


def test_a_program_makes_none(world: World) -> None:
    with write_transaction(world.team) as tx, pytest.raises(WriteRefused):
        memory_tests.add(
            tx, Memory(world.agent, None), "Why?", "x", writer=Writer(AuthorKind.AGENT)
        )


REFUSED = {
    "no question": ("", "Porto", ""),
    "nothing asked": ("Where?", "", " \n"),
    "too long": ("Where? " * 1_500, "Porto", ""),
    "must and must not": ("Where?", "Porto and Leeds", "Leeds"),
    "a secret": ("What is the key?", "AKIA" + "ABCDEFGHIJKLMNOP", ""),
    "a password": ("password=hunter2!!", "Porto", ""),
}


@every_row(REFUSED.values())
def test_what_is_no_test_is_refused(question: str, must: str, must_not: str) -> None:
    made = MemoryTest(question=question, must=must, must_not=must_not.strip())
    with pytest.raises(ContentRefused):
        memory_tests.check(made)


def test_control_characters_become_blanks(world: World) -> None:
    made = add(world, "Where\0do\x1bI\nlive?", "Po\udc00rto")
    assert (made.question, made.must) == ("Where do I live?", "Po rto")


def test_a_memory_has_so_many_and_no_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_tests, "MOST", 2)
    made = [add(world, f"What is {n}?", "a number") for n in range(2)]
    with pytest.raises(ContentRefused, match="at most"):
        add(world, "What is 3?", "a number")
    assert add(world, "What is 1?", "a number") == made[1]


def test_whose_memory_it_speaks_of_is_who_is_told(world: World) -> None:
    add(world, "Where do I live?", "Porto", owner=world.bobs_memory)
    assert [len(listed(world, one)) for one in (world.bobs_memory, None, world.customer)] == [
        1,
        0,
        0,
    ]
    with write_transaction(world.team) as tx:
        its = Memory(world.agent, None)
        assert not memory_tests.remove(tx, its, MemoryTest.objects.get().pk)


def test_making_and_deleting_leave_events_without_words(world: World) -> None:
    made = add(world, "Where do I live?", "Porto", owner=world.bobs_memory)
    with write_transaction(world.team) as tx:
        assert memory_tests.remove(tx, Memory(world.agent, world.bobs_memory), made.pk)
    events = Event.objects.filter(target_id=str(made.pk)).order_by("seq")
    assert list(events.values_list("action", flat=True)) == ["test.made", "test.deleted"]
    assert not MemoryTest.objects.exists()


def test_what_is_forgotten_takes_its_tests_along(world: World) -> None:
    bob = world.bobs_memory
    memory(world, bob, f"# Memory\n\n- {HOME}\n- I keep bees.\n")
    add(world, "Where do I live?", "Porto", owner=bob)
    add(world, "I live in …", HOME, owner=bob)
    add(world, "What do I keep?", "bees", owner=bob)
    fact = Fact.objects.get(raw_text=HOME)
    forgotten(world, fact)
    assert [one.test.must for one in listed(world, bob)] == ["bees"]  # hidden at once
    assert len(memory_tests.standing(world.agent.pk, bob.pk)) == 1
    asked = memory_tests.about_fact(Fact.objects.get(raw_text=HOME))
    assert asked == {"question": "", "must": "", "must_not": ""}
    erased(world, fact)
    assert MemoryTest.objects.get().must == "bees"
    assert not {"memory.MemoryTest", "memory.Fact"} & holding("Porto")
    with pytest.raises(ContentRefused, match="erased"):
        add(world, "I live in …", HOME, owner=bob)

    gone = Event.objects.filter(action="test.deleted", on_behalf_of=bob.pk, agent_id=world.agent.pk)
    assert gone.count() == 2


# What is asked and what must be held, and whether it goes with a statement that is forgotten.
GOES = {
    "all of it": ("I live in …", HOME, HOME, True),
    "together": ("Where do I live?", "Porto", HOME, True),
    "another one's": ("What colour is the canoe?", "red", "My car is red.", False),
    "a common name": ("Where do we meet?", "Leeds", "My aunt lives in Leeds.", False),
    "of what was asked": (
        "What colour is the canoe?",
        "red",
        "The canoe at the lake is red.",
        True,
    ),
    "no word was asked": ("Who am I?", "a nurse", "I am a nurse at the clinic.", True),
    "nothing of it": ("Who am I?", "a nurse", "I play tennis.", False),
    "several of its words": ("Which treatment?", "weekly insulin", "Bo gets weekly insulin.", True),
    "a number": ("How much do I weigh?", "62", "I weigh 62 kilos.", True),
    "in other words": ("Do I eat fish?", "no", "I don't eat fish.", True),
    "denied": ("Do I eat fish?", "no fish", "I don't eat fish.", True),
    "the old answer": ("Where do guests park?", GUESTS, "Guests park on the square.", False),
    "Japanese": ("どこに住んでいますか。", "大阪", "私は大阪に住んでいます。", True),
    "Japanese of another": ("会議はどこですか。", "大阪", "私は大阪に住んでいます。", False),
    "German": ("Wo wohne ich?", "Köln", "Ich wohne in Köln.", True),
}


@every_row(GOES.values())
def test_which_go_with_what_is_forgotten(asked: str, must: str, forgotten: str, goes: bool) -> None:
    assert asks_for(asked, (must, ""), forgotten) is goes
    assert asks_for(asked, ("", must), forgotten) is goes


def test_erasing_an_owner_takes_their_tests(world: World) -> None:
    add(world, "Where do I live?", "Porto", owner=world.customer)
    add(world, "Where do guests park?", "behind the house")
    with write_transaction(world.team) as tx:
        erasing.erase_owner(tx, world.customer, world.alice)
    list(engine.run_pending())
    assert [one.must for one in MemoryTest.objects.all()] == ["behind the house"]


SAYS = {
    "its words": ("I live in Porto.", "Porto", True),
    "in another form": ("I LIVE in  Porto!", "i live in porto", True),
    "within more": ("I live in Porto with my family.", "I live in Porto.", True),
    "of another": ("My sister lives in Leeds.", "I live in Leeds.", False),
    "half a word": ("I live in Portobello.", "Porto", False),
    "denied": ("I no longer live in Porto.", "I live in Porto.", False),
    "denied words": ("We don't ship on Fridays.", "Fridays", False),
    "one of two sentences": ("I don't smoke. I live in Porto.", "Porto", True),
    "another number": ("Room 17 is free.", "Room 1", False),
    "Japanese": ("私は大阪に住んでいます。", "大阪", True),
}


@every_row(SAYS.values())
def test_what_a_line_says(line: str, words: str, said: bool) -> None:
    assert says(line, words) is said


def test_one_word_alone_has_to_be_said_of_what_was_asked() -> None:
    test = MemoryTest(question="Where do I live?", must_not="Leeds")
    assert breaks(test, "I live in Leeds.")
    assert not breaks(test, "The Leeds office closes at five.")
