"""What is likely a password is masked in what machines write, and asked about where people type."""

import json

import pytest

from memoryweb.audit.models import Event
from memoryweb.memory.conversations.messages import Intake, NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, File, Message, NoSecret, Passage, Revision
from memoryweb.memory.models.refusals import AssignmentsFound
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.tools import files
from memoryweb.memory.writing import screening, write
from memoryweb.memory.writing.write import NewLine, WriteResult
from tests.language.test_secret_assignments import FORMS, drawn
from tests.memory.test_tools import acting
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]
VALUE = drawn(3)
TEXT = f"# Knowledge\n\n- Wi-Fi password: {VALUE}\n"
MASKED = "# Knowledge\n\n- Wi-Fi password: [secret: password]\n"
MACHINE = Writer(AuthorKind.AGENT)
SAMPLES = [
    form.format(drawn(seed))
    for forms in FORMS.values()
    for seed, form in enumerate(forms)  # each with each: tests/language/test_secret_assignments.py
]
ONE_LINE = [sample for sample in SAMPLES if "\n" not in sample]


def _person(world: World, *, no_secrets: bool = False) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice, no_secrets=no_secrets)


def _write(world: World, text: str, writer: Writer = MACHINE) -> WriteResult:
    with write_transaction(world.team) as tx:
        return write.write(tx, _place(world), text, writer=writer)


def _place(world: World) -> Place:
    return Place(world.agent, None, "KNOWLEDGE.md")


def _send(world: World, text: str, message_id: str = "m1") -> Intake:
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c",
            messages=[NewMessage("user", text, id=message_id)],
        )


def _release(world: World, text: str = TEXT) -> None:
    """A person types it, says that it is no secret, and takes it out again."""
    with write_transaction(world.team) as tx:
        writer = _person(world, no_secrets=True)
        file = write.write(tx, Place(world.agent, None, "typed.md"), text, writer=writer).file
        write.delete(tx, file, writer=writer)


def _details(action: str) -> dict[str, object]:
    details: dict[str, object] = json.loads(Event.objects.get(action=action).details)
    return details


def test_a_machine_s_write_is_masked_and_its_event_says_where(world: World) -> None:
    written = _write(world, TEXT)
    assert written.file.raw_content == MASKED
    assert [(one.kind, one.line) for one in written.masked] == [("password", 3)]
    event = Event.objects.get(action="secret.masked")
    assert (event.target_id, event.target_revision) == (str(written.file.pk), 1)
    known_as = screening.fingerprint(world.team.pk, VALUE)[:16]
    about = {"kind": "password", "line": 3, "length": len(VALUE), "fingerprint": known_as}
    assert _details("secret.masked") == {"secrets": [about]}


def test_no_text_column_keeps_the_value(world: World) -> None:
    _write(world, TEXT)
    for model in (File, Revision, Passage, NoSecret, Event):
        for row in model._default_manager.values():
            assert VALUE not in str(row)
            assert VALUE.lower() not in str(row)


def test_every_sample_is_kept_out_of_a_file(world: World) -> None:
    for number, sample in enumerate(SAMPLES):
        text = f"# {number}\n\n{sample}\n"
        assert len(_write(world, text).masked) == 1, sample


def test_every_sample_is_kept_out_of_a_note_of_lines(world: World) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "memory/2026-11-20.md")
        lines = [NewLine(f"- {sample}") for sample in ONE_LINE]
        written = write.append(tx, place, lines, writer=MACHINE)
    assert len(written.masked) == len(ONE_LINE)
    assert [one.line for one in written.masked] == list(range(3, 3 + len(ONE_LINE)))


def test_every_sample_is_kept_out_of_a_message(world: World) -> None:
    for number, sample in enumerate(SAMPLES):
        added = _send(world, sample, f"x{number}")
        assert [index for index, _sight in added.masked] == [0], sample
    contents = Message.objects.values_list("raw_content", flat=True)
    assert all("[secret: " in content for content in contents)


def test_a_masked_text_is_stable(world: World) -> None:
    _write(world, TEXT)
    assert _write(world, MASKED + "- and tea\n").masked == ()
    again = _write(world, TEXT + "- and tea\n")
    assert (again.changed, len(again.masked)) == (False, 1)


def test_what_a_person_released_passes(world: World) -> None:
    _release(world)
    assert _write(world, TEXT).file.raw_content == TEXT


def test_a_release_of_one_team_means_nothing_to_another(world: World) -> None:
    _release(world)
    with write_transaction(world.twin.team) as tx:
        place = Place(world.twin.agent, None, "KNOWLEDGE.md")
        written = write.write(tx, place, TEXT, writer=MACHINE)
    assert written.file.raw_content == MASKED
    assert written.masked[0].fingerprint != screening.fingerprint(world.team.pk, VALUE)


def test_a_person_is_asked_with_the_lines_named(world: World) -> None:
    with pytest.raises(AssignmentsFound) as asked:
        _write(world, TEXT, _person(world))
    assert asked.value.found == (("password", 3),)
    assert not File.objects.filter(path="KNOWLEDGE.md").exists()


def test_a_person_who_appends_is_asked_too(world: World) -> None:
    place, line = Place(world.agent, None, "memory/2026-11-20.md"), NewLine(f"password: {VALUE}")
    with pytest.raises(AssignmentsFound), write_transaction(world.team) as tx:
        write.append(tx, place, [line], writer=_person(world))
    with write_transaction(world.team) as tx:
        writer = _person(world, no_secrets=True)
        written = write.append(tx, place, [line], writer=writer)
    assert VALUE in written.file.raw_content
    assert NoSecret.objects.count() == 1


def test_a_person_who_says_it_is_none_is_believed_and_named(world: World) -> None:
    written = _write(world, TEXT, _person(world, no_secrets=True))
    assert written.file.raw_content == TEXT
    said = NoSecret.objects.get()
    known_as = screening.fingerprint(world.team.pk, VALUE)
    assert (said.fingerprint, said.owner, said.said_by) == (known_as, None, world.alice)
    assert Event.objects.filter(action="secret.released").count() == 1
    assert str(_details("secret.released")).count("password") == 1


def test_no_machine_says_that_it_is_none(world: World) -> None:
    program = Writer(AuthorKind.AGENT, user=world.alice, no_secrets=True)
    assert _write(world, TEXT, program).file.raw_content == MASKED
    assert not NoSecret.objects.exists()


def test_what_stands_there_already_does_not_block_an_edit(world: World) -> None:
    _write(world, TEXT, _person(world, no_secrets=True))
    NoSecret.objects.all().delete()
    written = _write(world, TEXT + "- tea\n", _person(world))
    assert written.file.raw_content == TEXT + "- tea\n"


def test_a_restored_revision_is_screened(world: World) -> None:
    written = _write(world, TEXT, _person(world, no_secrets=True))
    _write(world, "# Knowledge\n", _person(world))
    with write_transaction(world.team) as tx:
        restored = write.restore(tx, written.file, 1, writer=_person(world))
    assert restored.file.raw_content == TEXT
    NoSecret.objects.all().delete()
    _write(world, "# Knowledge\n", _person(world))
    with write_transaction(world.team) as tx:
        restored = write.restore(tx, written.file, 1, writer=_person(world))
    assert restored.file.raw_content == MASKED


def test_a_message_is_kept_masked(world: World) -> None:
    added = _send(world, f"my password is {VALUE}, keep it")
    message = Message.objects.get()
    assert message.raw_content == "my password is [secret: password], keep it"
    assert message.masked == 1
    assert [(index, one.kind) for index, one in added.masked] == [(0, "password")]
    details = _details("conversation.received")
    assert details["masked"] == 1
    assert '"kind": "password"' in json.dumps(details)


def test_the_same_message_sent_again_is_a_duplicate_whatever_was_said_of_it(world: World) -> None:
    _send(world, f"my password is {VALUE}")
    _release(world)
    assert _send(world, f"my password is {VALUE}").duplicates == 1


def test_a_message_that_an_earlier_version_masked_is_a_duplicate_too(world: World) -> None:
    _send(world, f"my password is {VALUE}")
    Message.objects.update(raw_content="my password is [held: password]")
    assert _send(world, f"my password is {VALUE}").duplicates == 1


def test_what_is_remembered_twice_is_written_once(world: World) -> None:
    for _twice in range(2):
        with write_transaction(world.team) as tx:
            said = files.remember(
                tx, acting(world, world.customer), f"The password is {VALUE}", writer=MACHINE
            )
    assert said.written is None


def test_a_text_on_its_way_into_a_prompt_is_masked(world: World) -> None:
    data = {"memory": TEXT, "notes": [{"text": f"token={VALUE}"}], "limit": 3}
    assert screening.data_for_prompt(data, world.team.pk, owner_id=None) == {
        "memory": MASKED,
        "notes": [{"text": "token=[secret: token]"}],
        "limit": 3,
    }


def test_a_prompt_has_what_a_person_released(world: World) -> None:
    _release(world)
    assert screening.for_prompt(TEXT, world.team.pk, owner_id=None) == TEXT


def test_what_a_person_released_in_their_own_memory_passes_in_no_other(world: World) -> None:
    own = Place(world.agent, world.customer, "KNOWLEDGE.md")
    with write_transaction(world.team) as tx:
        write.write(tx, own, TEXT, writer=_person(world, no_secrets=True))
    assert _write(world, TEXT).file.raw_content == MASKED
    assert VALUE in _send(world, TEXT).conversation.messages.get().raw_content
    with write_transaction(world.team) as tx:
        again = write.write(tx, own, f"{TEXT}\n{TEXT}", writer=MACHINE)
    assert not again.masked


def test_what_was_released_in_shared_memory_passes_in_personal_memory(world: World) -> None:
    _write(world, TEXT, _person(world, no_secrets=True))
    assert VALUE in _send(world, TEXT).conversation.messages.get().raw_content
