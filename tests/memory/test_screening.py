"""What is likely a password is kept out of every text, until a person decides."""

import pytest

from memoryweb.audit.models import Event
from memoryweb.memory.conversations.messages import Added, NewMessage, add_messages
from memoryweb.memory.models import File, HeldSecret, Message, Passage, Revision
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import AssignmentsFound
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.tools import files
from memoryweb.memory.writing import screening, write
from memoryweb.memory.writing.screening import Likely
from memoryweb.memory.writing.write import NewLine, Place, Writer, Written
from tests.language.test_secret_assignments import FORMS, drawn
from tests.memory.test_tools import acting
from tests.world import World

pytestmark = pytest.mark.django_db
VALUE = drawn(3)
TEXT = f"# Knowledge\n\n- Wi-Fi password: {VALUE}\n"
MASKED = "# Knowledge\n\n- Wi-Fi password: [held: password]\n"
MACHINE = Writer(AuthorKind.AGENT)
SAMPLES = [
    form.format(drawn(seed)) for forms in FORMS.values() for form in forms for seed in range(3)
]
ONE_LINE = [sample for sample in SAMPLES if "\n" not in sample]


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _write(world: World, text: str, writer: Writer = MACHINE, **more: object) -> Written:
    with write_transaction(world.team) as work:
        return write.write(work, _place(world), text, writer=writer, **more)  # type: ignore[arg-type]


def _place(world: World) -> Place:
    return Place(world.agent, None, "KNOWLEDGE.md")


def _send(world: World, text: str, message_id: str = "m1") -> Added:
    with write_transaction(world.team) as work:
        return add_messages(
            work,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c",
            messages=[NewMessage("user", text, id=message_id)],
        )


def _release(world: World) -> None:
    HeldSecret.objects.update(state=HeldSecret.State.RELEASED)


def test_a_write_keeps_the_value_out_and_notes_where_it_stood(world: World) -> None:
    written = _write(world, TEXT)
    assert written.file.raw_content == MASKED
    held = HeldSecret.objects.get()
    assert (held.kind, held.line, held.length, held.revision) == ("password", 3, len(VALUE), 1)
    assert (held.file, held.agent, held.owner, held.author_kind) == (
        written.file,
        world.agent,
        None,
        "agent",
    )
    assert held.fingerprint == screening.fingerprint(world.team.pk, VALUE)
    assert [(one.kind, one.line) for one in written.held] == [("password", 3)]


def test_no_text_column_keeps_the_value(world: World) -> None:
    _write(world, TEXT)
    for model in (File, Revision, Passage, HeldSecret, Event):
        for row in model._default_manager.values():
            assert VALUE not in str(row)
            assert VALUE.lower() not in str(row)


def test_every_sample_is_kept_out_of_a_file(world: World) -> None:
    for number, sample in enumerate(SAMPLES):
        text = f"# {number}\n\n{sample}\n"
        assert len(_write(world, text).held) == 1, sample


def test_every_sample_is_kept_out_of_a_note_of_lines(world: World) -> None:
    with write_transaction(world.team) as work:
        place = Place(world.agent, None, "memory/2026-11-20.md")
        lines = [NewLine(f"- {sample}") for sample in ONE_LINE]
        written = write.append(work, place, lines, writer=MACHINE)
    assert len(written.held) == len(ONE_LINE)
    assert [one.line for one in written.held] == list(range(3, 3 + len(ONE_LINE)))


def test_every_sample_is_kept_out_of_a_message(world: World) -> None:
    for number, sample in enumerate(SAMPLES):
        added = _send(world, sample, f"x{number}")
        assert [index for index, _held in added.held] == [0], sample
    contents = Message.objects.values_list("raw_content", flat=True)
    assert all("[held: " in content for content in contents)


def test_a_masked_text_is_stable(world: World) -> None:
    _write(world, TEXT)
    again = _write(world, MASKED + "- and tea\n")
    assert again.held == ()
    assert HeldSecret.objects.count() == 1


def test_one_secret_in_one_file_waits_once(world: World) -> None:
    _write(world, TEXT)
    _write(world, TEXT + "- and tea\n")
    assert HeldSecret.objects.count() == 1


def test_another_value_in_the_same_place_is_noted_though_the_text_stays(world: World) -> None:
    _write(world, TEXT)
    written = _write(world, TEXT.replace(VALUE, drawn(4)))
    assert not written.changed
    assert HeldSecret.objects.count() == 2


def test_what_a_person_called_a_secret_stays_out_and_is_not_asked_again(world: World) -> None:
    _write(world, TEXT)
    HeldSecret.objects.update(state=HeldSecret.State.REFUSED)
    assert _write(world, TEXT + "- tea\n").file.raw_content == MASKED + "- tea\n"
    assert HeldSecret.objects.count() == 1


def test_what_a_person_released_passes(world: World) -> None:
    _write(world, TEXT)
    _release(world)
    assert _write(world, TEXT).file.raw_content == TEXT


def test_a_release_of_one_team_means_nothing_to_another(world: World) -> None:
    _write(world, TEXT)
    _release(world)
    with write_transaction(world.twin.team) as work:
        place = Place(world.twin.agent, None, "KNOWLEDGE.md")
        written = write.write(work, place, TEXT, writer=MACHINE)
    assert written.file.raw_content == MASKED
    assert written.held[0].fingerprint != screening.fingerprint(world.team.pk, VALUE)


def test_a_person_is_asked_with_the_lines_named(world: World) -> None:
    with pytest.raises(AssignmentsFound) as asked:
        _write(world, TEXT, _person(world), likely=Likely.ASK)
    assert asked.value.found == (("password", 3),)
    assert not File.objects.filter(path="KNOWLEDGE.md").exists()


def test_a_person_who_says_it_is_none_is_believed_and_named(world: World) -> None:
    written = _write(world, TEXT, _person(world), likely=Likely.RELEASE)
    assert written.file.raw_content == TEXT
    released = HeldSecret.objects.get()
    assert (released.state, released.decided_by) == ("released", world.alice)
    assert Event.objects.filter(action="secret.released").count() == 1


def test_what_stands_there_already_does_not_block_an_edit(world: World) -> None:
    _write(world, TEXT, _person(world), likely=Likely.RELEASE)
    HeldSecret.objects.all().delete()
    written = _write(world, TEXT + "- tea\n", _person(world), likely=Likely.ASK)
    assert written.file.raw_content == TEXT + "- tea\n"


def test_a_restored_revision_is_screened(world: World) -> None:
    written = _write(world, TEXT, _person(world), likely=Likely.RELEASE)
    HeldSecret.objects.all().delete()
    _write(world, "# Knowledge\n", _person(world))
    with write_transaction(world.team) as work:
        restored = write.restore(work, written.file, 1, writer=_person(world))
    assert restored.file.raw_content == MASKED
    assert HeldSecret.objects.get().state == "waiting"


def test_a_message_is_kept_masked_and_noted_for_its_owner(world: World) -> None:
    added = _send(world, f"my password is {VALUE}, keep it")
    message = Message.objects.get()
    assert message.raw_content == "my password is [held: password], keep it"
    assert message.masked == 1
    held = HeldSecret.objects.get()
    assert (held.message, held.owner, held.file) == (message, world.customer, None)
    assert [(index, one.kind) for index, one in added.held] == [(0, "password")]


def test_the_same_message_sent_again_is_a_duplicate_whatever_was_decided(world: World) -> None:
    _send(world, f"my password is {VALUE}")
    _release(world)
    assert _send(world, f"my password is {VALUE}").duplicates == 1


def test_what_is_remembered_twice_is_written_once(world: World) -> None:
    for _twice in range(2):
        with write_transaction(world.team) as work:
            said = files.remember(
                work, acting(world, world.customer), f"The password is {VALUE}", writer=MACHINE
            )
    assert said.written is None


def test_a_text_on_its_way_into_a_prompt_is_masked(world: World) -> None:
    data = {"memory": TEXT, "notes": [{"text": f"token={VALUE}"}], "limit": 3}
    assert screening.data_for_prompt(data, world.team.pk, owner_id=None) == {
        "memory": MASKED,
        "notes": [{"text": "token=[held: token]"}],
        "limit": 3,
    }


def test_a_prompt_has_what_a_person_released(world: World) -> None:
    _write(world, TEXT)
    _release(world)
    assert screening.for_prompt(TEXT, world.team.pk, owner_id=None) == TEXT


def test_what_a_person_released_in_their_own_memory_passes_in_no_other(world: World) -> None:
    own = Place(world.agent, world.customer, "KNOWLEDGE.md")
    with write_transaction(world.team) as work:
        write.write(work, own, TEXT, writer=_person(world), likely=Likely.RELEASE)
    assert _write(world, TEXT).file.raw_content == MASKED
    assert VALUE in _send(world, TEXT).conversation.messages.get().raw_content
    with write_transaction(world.team) as work:
        again = write.write(work, own, f"{TEXT}\n{TEXT}", writer=MACHINE)
    assert not again.held


def test_what_was_released_in_shared_memory_passes_in_personal_memory(world: World) -> None:
    _write(world, TEXT, _person(world), likely=Likely.RELEASE)
    assert VALUE in _send(world, TEXT).conversation.messages.get().raw_content
