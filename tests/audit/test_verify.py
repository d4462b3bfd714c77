import json
import uuid
from typing import Any

import pytest

from memoryweb.audit import keys
from memoryweb.audit.models import ChainHead, Event, Label, Maintenance
from memoryweb.audit.record import SYSTEM, Actor, Entry, record_all
from memoryweb.audit.verify import Verification, chains, verify

TEAM = uuid.UUID(int=7)


@pytest.fixture
def events(db: None) -> list[Event]:
    """Five events, in a database whose guards somebody has taken down."""
    Maintenance.objects.create(allowed=True)
    entries = [
        Entry(
            "file.written" if number else "team.created",
            Actor("person", id="p1", role="admin", token_id=uuid.uuid4()),
            on_behalf_of=uuid.uuid4(),
            details={"number": number},
            agent_id=uuid.uuid4(),
            labels={"path": f"note-{number}.md"},
        )
        for number in range(5)
    ]
    return record_all(TEAM, entries)


def test_a_chain_as_written_verifies(events: list[Event]) -> None:
    assert verify(TEAM) == Verification(ok=True, events=5, head=bytes(events[4].hash).hex())


@pytest.mark.django_db
def test_an_empty_chain_verifies() -> None:
    assert verify(TEAM) == Verification(ok=True, events=0)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("action", "file.deleted"),
        ("actor_id", "p2"),
        ("at_us", 1),
        ("details", "{}"),
        ("ip", "192.0.2.9"),
        ("on_behalf_of", uuid.UUID(int=1)),
        ("outcome", "refused"),
        ("token_id", None),
        ("target_revision", 9),
        ("canonical", b"{}"),
        ("hash", bytes(32)),
        ("previous", bytes(32)),
    ],
)
def test_a_changed_column_is_found(events: list[Event], column: str, value: Any) -> None:
    Event.objects.filter(seq=3).update(**{column: value})
    assert (verify(TEAM).ok, verify(TEAM).first_bad_seq) == (False, 3)


def test_every_column_that_says_something_is_hashed(events: list[Event]) -> None:
    structure = {"id", "team_id", "seq", "canonical", "previous", "hash"}
    columns = {field.attname for field in Event._meta.concrete_fields} - structure
    assert set(json.loads(bytes(events[0].canonical))) == columns | {"labels"}


def test_a_rewritten_event_breaks_the_one_after_it(events: list[Event]) -> None:
    second = Event.objects.get(seq=2)
    said = json.loads(bytes(second.canonical)) | {"outcome": "refused"}
    second.outcome = "refused"
    second.canonical = keys.canonical(said)
    second.hash = keys.link(TEAM, 2, bytes(second.previous), second.canonical)
    second.save()
    assert verify(TEAM).first_bad_seq == 3


def test_a_missing_event_is_named(events: list[Event]) -> None:
    Event.objects.filter(seq=4).delete()
    assert verify(TEAM).first_bad_seq == 4


def test_a_missing_end_is_named(events: list[Event]) -> None:
    Event.objects.filter(seq=5).delete()
    assert verify(TEAM).first_bad_seq == 5


def test_a_missing_head_is_found(events: list[Event]) -> None:
    ChainHead.objects.all().delete()
    assert verify(TEAM).first_bad_seq == 1


def test_a_head_set_back_is_found(events: list[Event]) -> None:
    ChainHead.objects.update(seq=3, hash=events[2].hash)
    assert verify(TEAM).first_bad_seq == 4


def test_a_head_of_another_history_is_found(events: list[Event]) -> None:
    ChainHead.objects.update(hash=bytes(32))
    assert verify(TEAM).first_bad_seq == 5


def test_a_chain_without_a_head_is_still_a_chain(events: list[Event]) -> None:
    ChainHead.objects.all().delete()
    assert chains() == [TEAM]


def test_a_changed_label_is_found(events: list[Event]) -> None:
    Label.objects.filter(event__seq=2).update(text="note-9.md")
    assert verify(TEAM).first_bad_seq == 2


def test_a_label_without_its_salt_proves_nothing(events: list[Event]) -> None:
    Label.objects.filter(event__seq=2).update(salt=None)
    assert verify(TEAM).first_bad_seq == 2


def test_an_erased_label_leaves_the_chain_whole(events: list[Event]) -> None:
    Label.objects.filter(event__seq=2).update(text="", salt=None)
    Label.objects.filter(event__seq=4).delete()
    assert (verify(TEAM).ok, verify(TEAM).erased) == (True, 2)


def test_while_its_team_stands_only_words_of_memories_are_erased(events: list[Event]) -> None:
    """And the row of a label stays, when its words go."""
    [own] = record_all(TEAM, [Entry("team.changed", Actor("system"), labels={"name": "Acme"})])
    assert verify(TEAM, stands=True).ok
    Label.objects.filter(event__seq=2).update(text="", salt=None)
    assert (verify(TEAM, stands=True).ok, verify(TEAM, stands=True).erased) == (True, 1)
    Label.objects.filter(event__seq=own.seq).update(text="", salt=None)
    assert verify(TEAM, stands=True).first_bad_seq == own.seq
    Label.objects.filter(event__seq=2).delete()
    assert verify(TEAM, stands=True).first_bad_seq == 2


@pytest.mark.django_db
def test_a_team_that_stands_has_a_chain() -> None:
    assert chains([TEAM]) == [TEAM]
    assert verify(TEAM, stands=True).first_bad_seq == 1


def test_the_events_of_another_team_do_not_count(events: list[Event]) -> None:
    record_all(uuid.UUID(int=8), [Entry("file.written", SYSTEM)])
    assert verify(TEAM).events == 5
