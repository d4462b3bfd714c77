"""What its owner asks to forget in a conversation is hidden when the message is stored."""

from typing import Any

import pytest
from django_scopes import scope

from memoryweb.agents.models import Owner, Reader
from memoryweb.agents.owners import set_paused
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.extraction.pipeline import _window
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting.finding import fact_mention
from memoryweb.memory.forgetting.hiding import NothingToUndo, Wish, hide, open_request, undo
from memoryweb.memory.forgetting.requests import undo_of_fact
from memoryweb.memory.models import AuthorKind, Fact, ForgetRequest, Message, Target
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.prompt.context import build
from memoryweb.memory.visible.request_contents import tell
from memoryweb.memory.writing.write import write
from tests.forgetting.asking import WEIGHT, lived
from tests.world import World

pytestmark = pytest.mark.django_db
ASKED = "Please forget my weight."


def say(world: World, owner: Owner, *texts: str, talk: str = "talk", **more: Any) -> None:
    """The user first, then in turns."""
    roles = ("user", "assistant")
    messages = [NewMessage(roles[n % 2], text) for n, text in enumerate(texts)]
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id=talk,
            messages=messages,
            **more,
        )


def prompt(world: World, owner: Owner, message: str = "How heavy am I, 62?") -> str:
    with scope(team=world.team):
        talk = world.agent.conversations.filter(owner=owner).first()
        context = build(Reader(world.agent, owner), message, conversation=talk)
    return context.system + "".join(turn.content for turn in context.messages[:-1])


def remembers(world: World, owner: Owner | None, *lines: str) -> None:
    text = "# Memory\n\n" + "".join(f"- {line}\n" for line in lines)
    writer = Writer(AuthorKind.DREAM) if owner else Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, owner, "MEMORY.md"), text, writer=writer)


def request() -> ForgetRequest:
    return ForgetRequest.objects.get()


def texts(request: ForgetRequest, *, is_hidden: bool = True) -> set[str]:
    rows = request.targets.filter(is_hidden=is_hidden, fact__isnull=False)
    return set(rows.values_list("fact__raw_text", flat=True))


@pytest.fixture
def fact(world: World) -> Fact:
    return lived(world, world.customer)


def test_the_next_prompt_says_nothing_of_it_and_an_undo_brings_it_back(
    world: World, fact: Fact
) -> None:
    assert "62 kilos" in prompt(world, world.customer)
    say(world, world.customer, ASKED)
    told = prompt(world, world.customer)
    assert "62 kilos" not in told
    assert "I like tea." in told
    assert (request().state, request().via) == (
        ForgetRequest.State.HIDDEN,
        ForgetRequest.Via.MESSAGE,
    )
    assert Event.objects.filter(action="memory.forget_requested").count() == 1
    with write_transaction(world.team) as tx:
        undo(tx, request())
    assert "62 kilos" in prompt(world, world.customer)


@pytest.mark.parametrize(
    "asked",
    [
        "forget my weight",
        "Don't remember my weight.",
        "Please forget that I weigh 62 kilos.",
        "Vergiss bitte mein Gewicht!",
        "Lösche mein Gewicht.",
        "忘掉我的体重",
        "私の体重を忘れてください。",
    ],
)
def test_it_is_understood_in_four_languages(world: World, fact: Fact, asked: str) -> None:
    say(world, world.customer, asked)
    assert texts(request()) == {WEIGHT}


@pytest.mark.parametrize(
    "said",
    [
        "A mail says “forget my weight”, is that spam?",
        "> Please forget my weight",
        "I don't remember my weight",
        "Don't forget my weight",
        "Forget it.",
        "Dear Anna,\nplease forget my weight.\nBest, Tom",
        "Please forget my weight. " + "What a day it has been for all of us here. " * 9,
    ],
)
def test_what_asks_nothing_hides_nothing(world: World, fact: Fact, said: str) -> None:
    say(world, world.customer, said)
    assert not ForgetRequest.objects.exists()
    assert "62 kilos" in prompt(world, world.customer)


@pytest.mark.parametrize("more", [{"group": True}, {"source": "cron"}, {"source": "dream"}])
def test_rooms_and_machines_ask_nothing(world: World, fact: Fact, more: dict[str, Any]) -> None:
    say(world, world.customer, ASKED, talk="other", **more)
    assert not ForgetRequest.objects.exists()


def test_nobody_but_the_owner_asks(world: World, fact: Fact) -> None:
    messages = [
        NewMessage("user", "Hello!", name="Ana"),
        NewMessage("user", ASKED, name="Tom"),
        NewMessage("assistant", ASKED),
        NewMessage("system", ASKED),
    ]
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="two",
            messages=messages,
        )
    assert not ForgetRequest.objects.exists()


def test_another_owner_keeps_what_both_said(world: World, fact: Fact) -> None:
    lived(world, world.sender)
    say(world, world.customer, ASKED)
    assert "62 kilos" not in prompt(world, world.customer)
    assert "62 kilos" in prompt(world, world.sender)


@pytest.mark.parametrize("kept_out", ["paused", "ephemeral"])
def test_it_is_heard_where_no_message_is_kept(world: World, fact: Fact, kept_out: str) -> None:
    if kept_out == "paused":
        with write_transaction(world.team):
            set_paused(owner=world.customer, paused=True, by=SYSTEM)
    say(world, world.customer, ASKED, talk="off", ephemeral=kept_out == "ephemeral")
    assert not Message.objects.filter(raw_content=ASKED).exists()
    assert (request().state, request().message) == (ForgetRequest.State.HIDDEN, None)
    with write_transaction(world.team):
        set_paused(owner=world.customer, paused=False, by=SYSTEM)
    assert "62 kilos" not in prompt(world, world.customer)


def test_the_request_and_the_assistants_answer_to_it_are_nothing_to_write_down(
    world: World, fact: Fact
) -> None:
    answer = "Done, I no longer know that you weigh 62 kilos. What else?"
    say(world, world.customer, ASKED, answer, "Which tea is good in the evening, do you think?")
    with scope(team=world.team):
        window = _window(world.agent.conversations.get(), None)
        assert window is not None
        given = " ".join(window.texts.values())
    assert "weigh" not in given
    assert "evening" in given


def test_asking_twice_makes_one_request(world: World, fact: Fact) -> None:
    say(world, world.customer, ASKED, "Done.", "Forget my weight")
    assert request().state == ForgetRequest.State.HIDDEN


def test_what_never_was_is_told_and_hides_no_statement(world: World, fact: Fact) -> None:
    say(world, world.customer, "Please forget my yacht.")
    assert (request().state, texts(request())) == (ForgetRequest.State.OPEN, set())
    assert "62 kilos" in prompt(world, world.customer)
    assert "yacht" not in prompt(world, world.customer)


def test_of_more_than_five_statements_a_person_picks(world: World) -> None:
    remembers(world, world.customer, *(f"The garden has a rose number {n}." for n in range(40)))
    say(world, world.customer, "Forget about our garden.")
    assert request().state == ForgetRequest.State.OPEN
    assert request().erase_at is None
    assert (len(texts(request())), len(texts(request(), is_hidden=False))) == (0, 40)
    assert "rose number 7." in prompt(world, world.customer)


@pytest.mark.parametrize("said", ["Forget all of it.", "Forget everything.", "忘掉一切"])
def test_of_everything_a_person_picks(world: World, fact: Fact, said: str) -> None:
    say(world, world.customer, said)
    assert (request().state, texts(request())) == (ForgetRequest.State.OPEN, set())
    assert WEIGHT in texts(request(), is_hidden=False)


def test_up_to_five_statements_are_hidden_at_once(world: World) -> None:
    roses = [f"The garden has a rose number {n}." for n in range(5)]
    remembers(world, world.customer, *roses, "I like tea.")
    say(world, world.customer, "Forget about our garden.")
    assert texts(request()) == set(roses)


def test_what_is_said_after_the_request_stays(world: World, fact: Fact) -> None:
    say(world, world.customer, ASKED, "Done.", "I weigh 61 kilos now, write that down.")
    assert "61 kilos" in prompt(world, world.customer)


def test_what_was_just_said_is_hidden_with_all_that_was_made_of_it(
    world: World, fact: Fact
) -> None:
    say(world, world.customer, "Forget what I just said.")
    assert texts(request()) == {WEIGHT, "I like tea."}
    assert "62 kilos" not in prompt(world, world.customer)


@pytest.mark.parametrize(
    "asked",
    [
        "Don't remember that.",
        "That was private, pls dont save it",
        "Merk dir das bitte nicht.",
        "不要记住这个。",
        "それは覚えないでください。",
    ],
)
def test_that_is_what_was_said_in_the_sentence_before(world: World, asked: str) -> None:
    before, same = "I earn 52,000 a year.", "My sister lives in Utrecht."
    say(world, world.customer, "I like tea.", "Fine.", before, "Noted.", asked)
    say(world, world.customer, f"Hello! I sing on Mondays. {same} {asked}", talk="same")
    found = ForgetRequest.objects.all()
    assert {one.state for one in found} == {ForgetRequest.State.HIDDEN}
    assert [content.text for one in found for content in tell(one).hidden] == [before]
    in_same = Target.objects.filter(message__conversation__external_id="same")
    spans = [(row.message.raw_content, row.first, row.last) for row in in_same if row.message]
    assert {text[first:last].strip() for text, first, last in spans} == {same, asked}
    told = prompt(world, world.customer, "What tea do I like, what do I earn?")
    assert ("I like tea." in told, "52,000" in told) == (True, False)


def test_where_that_may_mean_several_sentences_a_person_picks(world: World) -> None:
    said = "I earn 52,000 a year. My sister lives in Utrecht."
    say(world, world.customer, said, "Noted.", "Don't remember that.")
    assert (request().state, request().why) == (ForgetRequest.State.OPEN, ForgetRequest.Why.NONE)
    assert request().targets.filter(is_hidden=False).count() == 2
    assert "52,000" in prompt(world, world.customer, "What do I earn?")


def test_after_a_question_or_an_order_that_means_nothing(world: World) -> None:
    say(world, world.customer, "Write a haiku about rain.", "Drops fall.", "Don't save that.")
    assert not request().targets.filter(message__raw_content__contains="haiku").exists()
    assert "haiku" in prompt(world, world.customer)


def test_what_may_be_about_other_things_is_offered_and_a_yes_hides_it(world: World) -> None:
    remembers(world, world.customer, "The garden has a rose.", "I like tea.")
    say(world, world.customer, "Can you erase everything about the garden?")
    assert (request().state, request().why) == (ForgetRequest.State.OPEN, ForgetRequest.Why.NONE)
    say(world, world.customer, "Yes, please.")
    assert texts(request()) == {"The garden has a rose."}


def test_before_anything_was_written_down_the_message_alone_is_hidden(world: World) -> None:
    say(world, world.customer, WEIGHT, "Noted: 62 kilos, you weigh what you want.", ASKED)
    assert request().state == ForgetRequest.State.HIDDEN
    assert "62 kilos" not in prompt(world, world.customer)


def test_what_the_assistant_answers_to_it_is_hidden_before_anything_was_written_down(
    world: World,
) -> None:
    say(world, world.customer, WEIGHT, "Noted.", talk="monday")
    say(world, world.customer, ASKED, "Done: I forgot that you weigh 62 kilos.", talk="tuesday")
    asked = "How much do I weigh, how many kilos?"
    with scope(team=world.team):
        found = build(Reader(world.agent, world.customer), asked).hits
    assert [one.said for one in found if "62" in one.said] == []


def test_a_statement_of_a_sister_is_no_statement_of_the_owner(world: World) -> None:
    remembers(world, world.customer, "I weigh 62 kilos.", "My sister weighs 80 kilos.")
    say(world, world.customer, ASKED)
    assert texts(request()) == {"I weigh 62 kilos."}


@pytest.mark.parametrize(
    "line",
    [
        "**Weight**: 62 kg",
        "weighs 62 kilos",
        "The user weighs 62 kilos.",
        "Weight: 62 kg",
        "She weighs 62 kilos.",
        "I'm down to 62 kg now.",
    ],
)
def test_programs_words_for_it_are_known(world: World, line: str) -> None:
    remembers(world, world.customer, line, "I like tea.")
    say(world, world.customer, ASKED)
    assert texts(request())
    assert "62 k" not in prompt(world, world.customer)


def test_shared_memory_is_not_the_owners_to_forget(world: World) -> None:
    remembers(world, None, "I weigh 62 kilos.")
    say(world, world.customer, ASKED)
    assert "62 kilos" in prompt(world, world.customer)


def test_what_an_owner_said_is_not_told_with_the_request_about_shared_memory(world: World) -> None:
    remembers(world, None, "Tobias has a burnout since May.")
    for _turn in range(2):
        say(world, world.customer, "Please forget that Tobias has a burnout since May.")
    shared = ForgetRequest.objects.get(owner=None)
    assert (shared.raw_about, shared.message, shared.conversation) == ("", None, None)
    assert shared.targets.filter(is_hidden=False).exists()
    remembers(world, None, "Tobias has a burnout since May.", "I weigh 62 kilos.")
    say(world, world.customer, ASKED)
    assert ForgetRequest.objects.filter(owner=None).count() == 2


def test_undoing_it_for_a_shared_statement_leaves_an_owners_request_alone(world: World) -> None:
    remembers(world, None, "The pool opens at nine.")
    shared = Fact.objects.get(owner=None)
    with write_transaction(world.team) as tx:
        private = open_request(
            tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.MESSAGE, "the pool")
        )
        hide(tx, private, [fact_mention(shared)])
    with write_transaction(world.team) as tx, pytest.raises(NothingToUndo):
        undo_of_fact(tx, shared, writer=Writer(AuthorKind.PERSON, user=world.alice))
    assert request().state == ForgetRequest.State.HIDDEN


def test_a_secret_in_a_request_is_not_kept_in_its_words(world: World) -> None:
    key = "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    with write_transaction(world.team):
        set_paused(owner=world.customer, paused=True, by=SYSTEM)
    say(world, world.customer, f"Forget my key {key}")
    assert key not in request().raw_about


def test_an_open_request_that_hides_nothing_hides_no_echo(world: World) -> None:
    say(world, world.customer, "Hello.")
    with write_transaction(world.team) as tx:
        talk = world.agent.conversations.get(owner=world.customer)
        asked = Wish(
            Memory(world.agent, world.customer),
            ForgetRequest.Via.MESSAGE,
            ASKED,
            talk.messages.get(),
        )
        open_request(tx, asked)
        answer = [NewMessage("assistant", "You weigh 62 kilos.")]
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="talk",
            messages=answer,
        )
    assert not request().targets.exists()
