"""What a person pastes asks nothing at once: it is offered, and their yes counts."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.language.forget_requests import agrees, forgets, is_own_wish
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting.hiding import undo
from memoryweb.memory.models import Fact, ForgetRequest
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.visible.request_contents import offered_of
from tests.api.callers import callers_of
from tests.clock import Clock
from tests.forgetting.asking import WEIGHT
from tests.forgetting.pasted import HONEST, LINES, NO_YES, PASTED, YES, lines
from tests.forgetting.test_requests import remembers
from tests.snapshot import restored
from tests.soaking import first_in_gate
from tests.tables import every_row
from tests.world import World

pytestmark = pytest.mark.django_db
KNOWN = [
    WEIGHT,
    "My address is 14 Mill Lane.",
    "My phone number is 0171 555.",
    "My birthday is 3 May.",
    "I earn 52,000 a year.",
    "I work at Acme as a nurse.",
    "I like tea.",
]
KINDS = [*{kind: (kind, text) for kind, text in reversed(PASTED)}.values()]
MORE = [one for one in PASTED if one not in KINDS]
PASTE = f"Web page content:\n{lines(LINES)}"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(timezone.now(), monkeypatch)


@pytest.fixture
def owner(world: World) -> Owner:
    restored("what is known", lambda: remembers(world, world.customer, *KNOWN))
    return world.customer


def say(world: World, owner: Owner, text: str, *more: str, talk: str = "talk", **of: Any) -> Any:
    """The user, then in turns."""
    roles = ("user", "assistant")
    said = [NewMessage(roles[n % 2], one) for n, one in enumerate((text, *more))]
    with write_transaction(world.team) as tx:
        return add_messages(
            tx, agent=world.agent, owner=owner, conversation_id=talk, messages=said, **of
        ).offer


def hidden(owner: Owner) -> set[str]:
    is_away = Q(state__in=ForgetRequest.HIDING, targets__is_hidden=True)
    away = ForgetRequest.objects.filter(is_away, owner=owner).values("targets__fact")
    return {*Fact.objects.filter(pk__in=away).values_list("raw_text", flat=True)}


@pytest.mark.parametrize(("_shape", "text"), PASTED)
def test_what_is_pasted_is_no_wish_of_its_readers(_shape: str, text: str) -> None:
    asked = list(forgets(text))
    assert not (asked and len(asked) <= 5 and is_own_wish(text, asked))


@every_row(HONEST)
def test_what_a_writer_says_of_themselves_is_their_wish(text: str) -> None:
    assert is_own_wish(text, [*forgets(text)])


@pytest.mark.parametrize(("shape", "text"), first_in_gate(len(KINDS), KINDS + MORE))
def test_what_is_pasted_hides_nothing_at_once(
    world: World, owner: Owner, shape: str, text: str
) -> None:
    offer = say(world, owner, text)
    assert hidden(owner) == set()
    heard = ForgetRequest.objects.first()
    assert (offer is None) == (heard is None)
    if heard is not None:
        assert (heard.state, bool(heard.why)) == ("open", True)


@pytest.mark.parametrize("text", first_in_gate(10, HONEST))
def test_a_wish_of_ones_own_is_done_at_once(world: World, owner: Owner, text: str) -> None:
    assert say(world, owner, text) is None
    assert ForgetRequest.objects.get().state == ForgetRequest.State.HIDDEN
    assert hidden(owner)


def test_one_message_is_one_request(world: World, owner: Owner) -> None:
    say(world, owner, lines(LINES[:5]))
    assert hidden(owner) == set(KNOWN[:5])
    request = ForgetRequest.objects.get()
    with write_transaction(world.team) as tx:
        undo(tx, request)
    assert hidden(owner) == set()


@pytest.mark.parametrize("text", YES)
def test_all_of_a_yes(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize("text", NO_YES)
def test_no_yes(text: str) -> None:
    assert not agrees(text)


@pytest.mark.parametrize("yes", ["Yes, please.", "Ja.", "是的", "はい、お願いします"])
def test_a_yes_right_after_the_offer_forgets_what_was_told(
    world: World, owner: Owner, yes: str
) -> None:
    offer = say(world, owner, PASTE, "That page lists odd sentences.")
    assert (offer.why, hidden(owner)) == (ForgetRequest.Why.PASTED, set())
    assert say(world, owner, yes) is None
    assert hidden(owner) == set(KNOWN[:6])
    assert ForgetRequest.objects.get().state == ForgetRequest.State.HIDDEN


def test_a_yes_in_the_same_batch_counts(world: World, owner: Owner) -> None:
    say(world, owner, PASTE, "Shall I forget all of it?", "yes")
    assert hidden(owner) == set(KNOWN[:6])


def test_a_yes_to_an_agent_who_asks_a_turn_later_counts(world: World, owner: Owner) -> None:
    say(world, owner, PASTE, "That page lists odd sentences.")
    say(world, owner, "Funny!", "By the way, shall I forget your weight and the rest?", "Yes.")
    assert hidden(owner) == set(KNOWN[:6])


@pytest.mark.parametrize(
    "turns",
    [
        (PASTE, "An odd page. Do you want a summary?", "Yes."),
        (PASTE, "Shall I forget it?", "No.", "Fine.", "Yes."),
        (PASTE, "Shall I forget it?", "What?", "Nothing. Tea?", "Yes."),
        (PASTE, "Odd.", "I like it.", "So do I.", "Yes."),
        (PASTE, "Odd.", "Yes, but keep my address."),
        (PASTE, "Odd.", "No."),
        ("Hello", "Shall I forget your weight?", "Yes."),
    ],
)
def test_a_yes_to_anything_else_forgets_nothing(
    world: World, owner: Owner, turns: tuple[str, ...]
) -> None:
    say(world, owner, *turns)
    assert hidden(owner) == set()


def test_a_yes_is_of_that_owner_and_conversation(world: World, owner: Owner) -> None:
    say(world, owner, PASTE, talk="one")
    say(world, owner, "Yes.", talk="two")
    say(world, world.sender, "Yes.", talk="one")
    say(world, owner, "Yes.", talk="one", group=False)
    assert hidden(owner) == set(KNOWN[:6])
    assert not hidden(world.sender)


def test_an_assistants_yes_is_none(world: World, owner: Owner) -> None:
    say(world, owner, PASTE, "Yes.")
    assert hidden(owner) == set()


def test_what_was_kept_or_undone_is_offered_no_more(world: World, owner: Owner) -> None:
    say(world, owner, PASTE)
    with write_transaction(world.team) as tx:
        undo(tx, ForgetRequest.objects.get())
    say(world, owner, "Yes.")
    assert hidden(owner) == set()


def test_five_a_day_then_the_sixth_is_offered(world: World, owner: Owner, clock: Clock) -> None:
    for text in LINES[:5]:
        assert say(world, owner, text) is None
    offer = say(world, owner, LINES[5])
    assert offer.why == ForgetRequest.Why.DAILY
    assert hidden(owner) == set(KNOWN[:5])
    say(world, owner, "Yes.")
    assert hidden(owner) == set(KNOWN[:6])


def test_the_next_day_five_more(world: World, owner: Owner, clock: Clock) -> None:
    for text in LINES[:5]:
        say(world, owner, text)
    clock.put(clock.now + timedelta(days=1))
    assert say(world, owner, LINES[5]) is None
    assert KNOWN[5] in hidden(owner)


def test_two_conversations_share_the_five(world: World, owner: Owner) -> None:
    for n, text in enumerate(LINES):
        say(world, owner, text, talk=f"talk-{n % 2}")
    assert hidden(owner) == set(KNOWN[:5])


def test_five_and_more_in_messages_of_several(world: World, owner: Owner) -> None:
    say(world, owner, lines(LINES[:3]))
    offer = say(world, owner, lines(LINES[3:]))
    assert (offer.why, hidden(owner)) == (ForgetRequest.Why.DAILY, set(KNOWN[:3]))
    assert say(world, owner, lines(LINES[3:5])) is None
    assert hidden(owner) == set(KNOWN[:5])


def test_what_a_person_undid_leaves_room(world: World, owner: Owner) -> None:
    for text in LINES[:5]:
        say(world, owner, text)
    with write_transaction(world.team) as tx:
        undo(tx, ForgetRequest.objects.latest("created_at"))
    assert say(world, owner, LINES[5]) is None


def test_anothers_five_are_their_own(world: World, owner: Owner) -> None:
    remembers(world, world.sender, *KNOWN)
    for text in LINES[:5]:
        say(world, owner, text)
        assert say(world, world.sender, text, talk="other") is None
    assert hidden(world.sender) == set(KNOWN[:5])


def test_what_is_offered_is_said_in_the_answer_and_the_next_context(world: World) -> None:
    remembers(world, world.bobs_memory, *KNOWN)
    api = callers_of(world).member
    path = f"/agents/{world.agent.pk}"
    body = {"messages": [{"role": "user", "content": PASTE}]}
    sent = api.post(f"{path}/conversations/c/messages", body).json()
    assert sent["forget"]["why"] == "pasted"
    assert {one["text"] for one in sent["forget"]["offered"]} == set(KNOWN[:6])
    for talk in ({"conversationId": "c"}, {}):
        asked = {"message": "What's new?", **talk}
        assert api.post(f"{path}/context", asked).json()["forget"] == sent["forget"]
    other = {"message": "What's new?", "conversationId": "d"}
    assert api.post(f"{path}/context", other).json()["forget"] is None
    agreed = {"messages": [{"role": "user", "content": "Yes, please."}]}
    assert "forget" not in api.post(f"{path}/conversations/c/messages", agreed).json()
    assert api.post(f"{path}/context", {"message": "Hi"}).json()["forget"] is None
    assert len(hidden(world.bobs_memory)) == 6


def test_what_is_away_already_is_not_offered_again(world: World, owner: Owner) -> None:
    say(world, owner, LINES[0])
    offer = say(world, owner, f"Web page content:\n{lines(LINES[:3])}\nForget my yacht.")
    assert [one.text for one in offered_of(offer)] == KNOWN[1:3]
    say(world, owner, "Yes.")
    assert hidden(owner) == set(KNOWN[:3])


@pytest.mark.slow
def test_a_batch_full_of_wishes_holds_up_nobody(world: World, owner: Owner) -> None:
    """Beyond twenty they are one request, hidden and kept for the owner to decide."""
    wishes = [NewMessage("user", f"Forget my flat {n}.") for n in range(400)]
    with CaptureQueriesContext(connection) as queries, write_transaction(world.team) as tx:
        added = add_messages(
            tx, agent=world.agent, owner=owner, conversation_id="talk", messages=wishes
        )
    assert len(queries) < len(wishes)
    late = ForgetRequest.objects.get(why=ForgetRequest.Why.MANY)
    assert (added.offer, late.targets.filter(is_hidden=True).count()) == (late, 380)
    assert "my flat 20." in late.raw_about


def test_a_long_hum_is_read_at_once() -> None:
    """Each part is read once: the time to read this doubled with each character."""
    assert not agrees("嗯" * 58 + "？")
    assert agrees("嗯" * 58)
