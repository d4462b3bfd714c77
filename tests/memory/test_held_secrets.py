from datetime import timedelta

import pytest
from django.utils import timezone

from memoryweb.audit.models import Event
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import File, HeldSecret, Message, Passage
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import Decided, ValueRefused
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.review import secrets
from memoryweb.memory.review.secrets import MOST_TRIES
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import Place, Writer
from tests.language.test_secret_assignments import drawn
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]
VALUE = drawn(3)
TEXT = f"# Knowledge\n\n- Wi-Fi password: {VALUE}\n- Tea.\n"
MASKED = "# Knowledge\n\n- Wi-Fi password: [held: password]\n- Tea.\n"


def _write(world: World, text: str) -> File:
    place = Place(world.agent, None, "KNOWLEDGE.md")
    with write_transaction(world.team) as work:
        return write.write(work, place, text, writer=Writer(AuthorKind.AGENT)).file


def _held(world: World) -> HeldSecret:
    return HeldSecret.objects.get()


def _release(world: World, value: str = "") -> None:
    with write_transaction(world.team) as work:
        secrets.release(work, _held(world), by=world.alice, value=value)


def _refuse(world: World) -> None:
    with write_transaction(world.team) as work:
        secrets.refuse(work, _held(world), by=world.alice)


def _content() -> str:
    return File.objects.get(path="KNOWLEDGE.md").raw_content


def test_the_value_comes_back_to_its_line_however_far_it_moved(world: World) -> None:
    _write(world, TEXT)
    _write(world, "- new\n- newer\n" + MASKED)
    _release(world, f" {VALUE} ")
    assert _content() == "- new\n- newer\n" + TEXT
    assert _held(world).state == "released"
    assert Event.objects.filter(action="secret.decided", reason_code="released").count() == 1


def test_the_right_one_of_two_marks_is_replaced(world: World) -> None:
    _write(world, "- door password: [held: password]\n- tea\n")
    _write(world, f"- door password: [held: password]\n- tea\n- safe password: {VALUE}\n")
    _release(world, VALUE)
    assert _content() == f"- door password: [held: password]\n- tea\n- safe password: {VALUE}\n"


def test_a_wrong_value_changes_nothing(world: World) -> None:
    _write(world, TEXT)
    with pytest.raises(ValueRefused) as refused:
        _release(world, VALUE + "x")
    assert refused.value.code == "wrong_value"
    assert (_content(), _held(world).state) == (MASKED, "waiting")


def test_a_held_value_cannot_be_found_by_trying(world: World) -> None:
    _write(world, TEXT)
    for guess in range(MOST_TRIES):
        with pytest.raises(ValueRefused):
            _release(world, f"{VALUE}{guess}")
    with pytest.raises(ValueRefused) as refused:
        _release(world, VALUE)
    assert refused.value.code == "too_many_tries"
    tried = Event.objects.filter(action="secret.value_refused", outcome="refused")
    assert [event.target_id for event in tried] == [str(_held(world).pk)] * MOST_TRIES
    assert (_content(), _held(world).state) == (MASKED, "waiting")


def test_without_its_mark_the_value_cannot_be_put_back_but_released(world: World) -> None:
    _write(world, TEXT)
    _write(world, "# Knowledge\n")
    with pytest.raises(ValueRefused) as refused:
        _release(world, VALUE)
    assert refused.value.code == "no_place"
    assert _held(world).state == "waiting"
    _release(world)
    assert _write(world, TEXT).raw_content == TEXT


def test_a_secret_stays_out(world: World) -> None:
    _write(world, TEXT)
    _refuse(world)
    assert _write(world, TEXT + "- More.\n").raw_content == MASKED + "- More.\n"
    assert _held(world).state == "refused"


def test_it_is_decided_once(world: World) -> None:
    _write(world, TEXT)
    _refuse(world)
    with pytest.raises(Decided):
        _release(world, VALUE)
    assert _content() == MASKED


def test_the_same_value_elsewhere_in_that_memory_is_decided_with_it(world: World) -> None:
    _write(world, TEXT)
    with write_transaction(world.team) as work:
        place = Place(world.agent, None, "OTHER.md")
        write.write(work, place, TEXT, writer=Writer(AuthorKind.AGENT))
    with write_transaction(world.team) as work:
        first = HeldSecret.objects.filter(file__path="OTHER.md").get()
        secrets.refuse(work, first, by=world.alice)
    assert set(HeldSecret.objects.values_list("state", flat=True)) == {"refused"}


def test_a_message_gets_its_value_back_and_is_found_by_it(world: World) -> None:
    with write_transaction(world.team) as work:
        add_messages(
            work,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c",
            messages=[NewMessage("user", f"Hello.\nMy password is {VALUE}!", id="m1")],
        )
    _release(world, VALUE)
    message = Message.objects.get()
    assert (message.raw_content, message.masked) == (f"Hello.\nMy password is {VALUE}!", 0)
    assert VALUE in Passage.objects.get(message=message).said


def test_what_was_masked_in_a_message_meanwhile_stays_masked(world: World) -> None:
    with write_transaction(world.team) as work:
        said = [NewMessage("user", f"Key: one\nMy password is {VALUE}!", id="m1")]
        add_messages(
            work, agent=world.agent, owner=world.customer, conversation_id="c", messages=said
        )
    seen = _held(world)
    Message.objects.update(raw_content="Key: [secret: aws-key]\nMy password is [held: password]!")
    with write_transaction(world.team) as work:
        secrets.release(work, seen, by=world.alice, value=VALUE)
    assert Message.objects.get().raw_content == f"Key: [secret: aws-key]\nMy password is {VALUE}!"


def test_what_nobody_decides_in_thirty_days_counts_as_a_secret(world: World) -> None:
    _write(world, TEXT)
    now = timezone.now()
    assert secrets.expire(now + timedelta(days=29)) == 0
    assert secrets.expire(now + timedelta(days=31)) == 1
    assert _held(world).state == "expired"
    assert Event.objects.filter(action="secret.expired").count() == 1
    _write(world, TEXT + "- More.\n")
    assert HeldSecret.objects.count() == 1
