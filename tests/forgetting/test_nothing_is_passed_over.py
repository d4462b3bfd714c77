"""However much there is, what is meant is found: by requests, by erasing words, in diffs, and in
old requests."""

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.language.forget_requests import meant_by
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import finding
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import AuthorKind, File, ForgetRequest, Message
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.visible import placeholders
from memoryweb.memory.visible.request_contents import tell
from memoryweb.memory.writing.write import write
from tests.forgetting.asking import ECHO, MORNING, WEIGHT, lived
from tests.forgetting.test_requests import remembers, say
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]


def test_only_statements_that_may_fit_are_read(world: World) -> None:
    said = [f"I like {dish}." for dish in ("tea", "pies", "soup", "rice")]
    remembers(world, world.customer, *said, "Weight: 62", "My Größe is 180 cm.", "Owns five cats.")
    with scope(team=world.team):
        for about, found in (
            ("my weight", {"Weight: 62"}),
            ("the pie", {"I like pies."}),
            ("5 cats", {"Owns five cats."}),
        ):
            (meaning,) = meant_by(about)
            may = finding.facts_of(Memory(world.agent, world.customer), finding._may_fit(meaning))
            texts = {fact.raw_text for fact in may}
            assert found <= texts
            assert not texts & {"I like tea.", "I like soup.", "I like rice."}


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ("my allergies", "Allergic to nuts."),
        ("my cities", "I love the city of Leeds."),
        ("what I said about strasse", "The Straße is loud."),
        ("über Ärztin", "Die ÄRZTIN heißt Eva."),
        ("二级的体重", "体重62公斤"),
        ("two dogs", "We have 2 dogs."),
    ],
)
def test_other_forms_of_a_word_are_passed_over_by_no_database(about: str, text: str) -> None:
    (meaning,) = meant_by(about)
    stubs = meaning.stubs
    assert stubs is None or any(stub in text.lower() for stub in stubs)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我家的狗叫豆豆。", "忘掉我的狗的名字。"),
        ("うちの犬はポチという名前です。", "犬の名前を忘れてください。"),
        ("Our dog is called Bello.", "Please forget my dog's name."),
        ("Unser Hund heißt Bello.", "Vergiss den Namen meines Hundes."),
    ],
)
def test_what_was_only_said_is_found_in_every_script(world: World, said: str, asked: str) -> None:
    say(world, world.customer, said, "Noted.")
    say(world, world.customer, asked)
    assert [one.text for one in tell(ForgetRequest.objects.get()).hidden] == [said]


def test_an_echo_is_hidden_however_much_was_asked_in_a_conversation(world: World) -> None:
    lived(world, world.customer)
    say(world, world.customer, "Please forget my weight.")
    with write_transaction(world.team) as tx:
        talk = world.agent.conversations.get(external_id="talk", owner=world.customer)
        first = ForgetRequest.objects.get()
        for n in range(55):
            asked = Wish(
                Memory(world.agent, world.customer),
                ForgetRequest.Via.MESSAGE,
                f"Thing {n}",
                None,
                conversation=talk,
            )
            hide(tx, open_request(tx, asked), [], candidates=[])
        hidden = ForgetRequest.objects.exclude(pk=first.pk)
        hidden.update(state=ForgetRequest.State.HIDDEN, created_at=timezone.now())
    say(world, world.customer, "It rains.", ECHO)
    echo = Message.objects.filter(role="assistant").latest("pk")
    assert first.targets.filter(message=echo, is_hidden=True).exists()


def test_words_are_found_in_more_messages_than_are_read_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_AT_ONCE", 3)
    said = [NewMessage("user", f"Diabetes on day {n}.", timestamp=MORNING) for n in range(10)]
    with write_transaction(world.team) as tx:
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="talk", messages=said
        )
        Message.objects.filter(position__gt=5).update(reverted_at=timezone.now())
        found = finding.of_text(Memory(world.agent, world.customer), "diabetes")
    assert len(found.meant) == 10


def test_a_comparison_shows_no_forgotten_line(world: World) -> None:
    """Neither one that stands in the text nor one that stood there once."""
    place, person = (
        Place(world.agent, world.customer, "MEMORY.md"),
        Writer(AuthorKind.PERSON, user=world.bob),
    )
    with write_transaction(world.team) as tx:
        file = write(tx, place, f"- {WEIGHT}\n- Tea.\n", writer=person).file
        request = open_request(tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API))
        hide(tx, request, [finding.line_mention(file, WEIGHT)])
        write(tx, place, "- Tea.\n", writer=person)
        file = File.objects.get(pk=file.pk)
        shown = placeholders.shown_in_diff(file, f"- - {WEIGHT}\n  - Tea.\n+ - {WEIGHT}")
    assert WEIGHT not in shown
    assert "  - Tea." in shown
