"""What an owner says against their memory counts at once, and the next dream writes it."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from memoryweb.agents.models import dream_time
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, Fact
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append
from tests.dreaming.nights import NIGHT, answer, dream, memory, text_of
from tests.fakes import ModelServer
from tests.stories.telling import note_of, prompt, says
from tests.world import World

pytestmark = pytest.mark.django_db
OLD, NEW = "We live in Hamburg.", "We moved to Berlin."
NEXT = NIGHT + timedelta(days=1)


@pytest.fixture
def hamburg(world: World) -> Fact:
    says(world, "first", OLD, day=NIGHT - timedelta(days=2))
    dream(world, world.customer, NIGHT)
    return Fact.objects.get(raw_text=OLD)


def test_a_move_is_in_the_next_prompt_and_in_memory_after_the_night(
    world: World, hamburg: Fact
) -> None:
    assert OLD in text_of(world, world.customer)
    says(world, "second", NEW, day=NEXT)
    assert "Hamburg" not in prompt(world, "Where do we live?")
    dream(world, world.customer, NEXT)
    text = text_of(world, world.customer)
    assert NEW in text
    assert "Hamburg" not in text
    hamburg.refresh_from_db()
    newer = Fact.objects.get(raw_text=NEW, file__isnull=False)
    assert (hamburg.state, hamburg.superseded_by, hamburg.hidden_at) == ("superseded", newer, None)
    assert hamburg.said_at
    assert newer.said_at
    assert hamburg.said_at < newer.said_at


def test_a_shared_note_of_what_is_over_answers_no_more(world: World) -> None:
    """Nobody said it in a conversation."""

    def note(text: str, day: date) -> None:
        line = NewLine(f"- 13:10 {text}", Origin((), durable=True))
        with write_transaction(world.team) as tx:
            place = Place(world.agent, None, note_of(day))
            append(tx, place, [line], writer=Writer(AuthorKind.AGENT))

    note("Ines lives in Lund.", NIGHT - timedelta(days=1))
    dream(world, None, NIGHT)
    assert "Lund" in prompt(world, "Where does Ines live?")
    note("Ines moved to Berlin.", NEXT - timedelta(days=1))
    dream(world, None, NEXT)
    assert "Berlin" in text_of(world, None)
    assert "Lund" not in prompt(world, "Where does Ines live?")
    assert "Lund" in prompt(world, "Where did Ines live before?")
    note("Ines lives in Lund.", timezone.now().date() + timedelta(days=1))
    assert "Lund" in prompt(world, "Where does Ines live?")


def test_what_the_owner_said_is_over_leaves_without_a_newer_value(
    world: World, hamburg: Fact
) -> None:
    says(world, "second", "We don't live in Hamburg any more.", day=NEXT)
    dream(world, world.customer, NEXT)
    assert "We live in Hamburg" not in text_of(world, world.customer)
    hamburg.refresh_from_db()
    assert (hamburg.state, hamburg.hidden_at) != ("active", None)
    assert hamburg.file is None


@pytest.mark.parametrize("paused", [True, False], ids=["paused", "ephemeral"])
def test_a_move_that_was_told_where_nothing_is_kept_takes_the_old_value_out(
    world: World, hamburg: Fact, paused: bool
) -> None:
    """Nothing takes its place, and it does not come back."""
    set_paused(owner=world.customer, paused=paused, by=SYSTEM)
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="unkept",
            messages=[NewMessage("user", NEW, timestamp=hamburg.created_at + timedelta(hours=1))],
            ephemeral=not paused,
        )
    set_paused(owner=world.customer, paused=False, by=SYSTEM)
    assert "Hamburg" not in prompt(world, "Where do we live?")
    for days in (1, 2, 3):
        dream(world, world.customer, NIGHT + timedelta(days=days))
        text = text_of(world, world.customer)
        assert "Hamburg" not in text
        assert "Berlin" not in text
    hamburg.refresh_from_db()
    assert (hamburg.state, hamburg.why, hamburg.file) == ("retired", "asked", None)


def test_a_pinned_line_stays_though_its_owner_said_otherwise(world: World) -> None:
    memory(world, world.customer, f"# Memory\n\n<!-- pinned -->\n- {OLD}\n<!-- /pinned -->\n")
    says(world, "second", NEW, day=NEXT)
    dream(world, world.customer, NEXT)
    assert OLD in text_of(world, world.customer)


def test_a_model_is_shown_that_it_is_out_of_date_and_need_not_bring_what_was_said(
    world: World, hamburg: Fact, model_server: ModelServer
) -> None:
    says(world, "second", NEW, day=NEXT)
    model_server.answer(answer())
    dream(world, world.customer, NEXT)
    (told,) = model_server.requests[-1].data["memory"]
    assert (told["text"], told["outdated"]) == (OLD, True)
    assert "Hamburg" not in text_of(world, world.customer)
    hamburg.refresh_from_db()
    assert hamburg.superseded_by == Fact.objects.get(raw_text=NEW, file__isnull=False)


def test_a_dream_waits_for_the_note_of_what_was_said_against_a_statement(
    world: World, hamburg: Fact
) -> None:
    says(world, "second", NEW, day=NEXT, is_noted=False)
    assert OLD in text_of(world, world.customer)
    assert "Hamburg" not in prompt(world, "Where do we live?")
    dream(world, world.customer, NEXT)
    assert OLD not in text_of(world, world.customer)
    hamburg.refresh_from_db()
    assert hamburg.superseded_by == Fact.objects.get(raw_text=NEW, file__isnull=False)


def test_it_leaves_after_a_day_when_nothing_is_noted(world: World, hamburg: Fact) -> None:
    says(world, "second", NEW, day=NEXT, is_noted=False)
    night = dream_time(world.agent, NEXT)
    Fact.objects.filter(pk=hamburg.pk).update(hidden_at=night - timedelta(hours=25))
    dream(world, world.customer, NEXT)
    assert OLD not in text_of(world, world.customer)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My sister lives in Leeds.", "My sister moved to York."),
        ("I work at Acme Glass.", "I work at Globex now."),
        ("Meine Schwester wohnt in Graz.", "Meine Schwester ist nach Linz gezogen."),
    ],
)
@pytest.mark.parametrize("nights", [1, 2])
@pytest.mark.first_two
def test_the_later_value_of_one_thing_replaces_the_earlier(
    world: World, old: str, new: str, nights: int
) -> None:
    says(world, "first", old, day=NIGHT - timedelta(days=2))
    if nights == 2:
        dream(world, world.customer, NIGHT)
    says(world, "second", new, day=NIGHT - timedelta(days=1))
    dream(world, world.customer, NEXT)
    text = text_of(world, world.customer)
    assert (old in text, new in text) == (False, True)
    assert not Fact.objects.filter(state="disputed").exists()
