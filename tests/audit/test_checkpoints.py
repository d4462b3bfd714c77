import json
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import ChainHead, Event, Maintenance
from memoryweb.audit.record import SYSTEM, Entry, record_all
from memoryweb.audit.verify import chains, verify
from memoryweb.runs.ticking import sign_audit

TEAM = uuid.UUID(int=7)
NOW = timezone.now()


@pytest.fixture
def events(db: None) -> list[Event]:
    Maintenance.objects.create(allowed=True)
    return record_all(TEAM, [Entry("file.written", SYSTEM, details={"n": n}) for n in range(5)])


def test_a_signed_head_agrees_with_its_chain(events: list[Event]) -> None:
    signed = checkpoints.sign(TEAM, NOW)
    assert signed
    assert signed.is_ours
    assert (signed.seq, signed.hash) == (5, bytes(events[4].hash).hex())
    assert verify(TEAM).checkpoints == 1


@pytest.mark.django_db
def test_no_chain_has_no_checkpoint() -> None:
    assert checkpoints.sign(TEAM, NOW) is None
    assert checkpoints.newest(TEAM) is None


def test_a_rewritten_chain_is_found(events: list[Event]) -> None:
    """Every hash was made anew: only what was signed before tells."""
    checkpoints.sign(TEAM, NOW)
    Event.objects.all().delete()
    ChainHead.objects.all().delete()
    record_all(TEAM, [Entry("file.deleted", SYSTEM) for _n in range(6)])
    assert (verify(TEAM).ok, verify(TEAM).first_bad_seq) == (False, 5)


def test_a_chain_shortened_with_its_head_is_found(events: list[Event]) -> None:
    checkpoints.sign(TEAM, NOW)
    Event.objects.filter(seq__gt=3).delete()
    ChainHead.objects.update(seq=3, hash=events[2].hash)
    assert (verify(TEAM).ok, verify(TEAM).first_bad_seq) == (False, 4)


def test_a_chain_removed_with_its_team_is_found(events: list[Event]) -> None:
    checkpoints.sign(TEAM, NOW)
    Event.objects.all().delete()
    ChainHead.objects.all().delete()
    assert chains() == [TEAM]
    assert verify(TEAM).first_bad_seq == 1


@pytest.mark.parametrize("field", ["seq", "hash", "at", "signature", "team"])
def test_a_changed_checkpoint_is_found(events: list[Event], field: str, settings: Any) -> None:
    checkpoints.sign(TEAM, NOW)
    path = Path(settings.CHECKPOINTS) / f"{TEAM}.jsonl"
    said = json.loads(path.read_text())
    said[field] = 4 if field == "seq" else "00" * 32
    path.write_text(json.dumps(said) + "\n")
    assert not verify(TEAM).ok


@pytest.mark.parametrize("line", ["{", "[]", '{"seq": "five"}', '{"seq": 5}', "\x00\xff"])
def test_a_torn_line_counts_as_unsigned(events: list[Event], line: str, settings: Any) -> None:
    checkpoints.sign(TEAM, NOW)
    with (Path(settings.CHECKPOINTS) / f"{TEAM}.jsonl").open("a") as stream:
        stream.write(line + "\n")
    assert not verify(TEAM).ok


def test_checkpoints_of_a_declared_gap_are_excused_and_no_others(
    events: list[Event], settings: Any
) -> None:
    """A backup of five events was restored, of a chain that had six and then went on otherwise."""
    kept = checkpoints.sign(TEAM, NOW)
    record_all(TEAM, [Entry("file.deleted", SYSTEM)])
    lost = checkpoints.sign(TEAM, NOW)
    assert kept
    assert lost
    Event.objects.filter(seq=6).delete()
    ChainHead.objects.update(seq=5, hash=events[4].hash, checkpoints=1)
    checkpoints.declare_gap(TEAM, timezone.now(), 9)
    assert not verify(TEAM).ok  # what else was done to it stays found
    ChainHead.objects.update(seal=keys.seal_of(ChainHead.objects.get(team_id=TEAM)))
    assert (verify(TEAM).ok, verify(TEAM).checkpoints) == (True, 1)
    assert checkpoints.judge(kept) == (True, "This head stands: event 5 is as it was signed.")
    ok, said = checkpoints.judge(lost)
    assert ok
    assert "Declared gap" in said
    assert "the log had 9 events" in said
    forged = checkpoints.Checkpoint(str(TEAM), 3, "00" * 32, lost.at, lost.key, lost.signature)
    assert not checkpoints.judge(forged)[0]
    with (Path(settings.CHECKPOINTS) / f"{TEAM}.jsonl").open("a") as stream:
        stream.write("{\n")
    assert not verify(TEAM).ok


def test_heads_are_signed_once_an_hour_where_they_moved(events: list[Event]) -> None:
    sign_audit(NOW)
    record_all(TEAM, [Entry("file.written", SYSTEM)])
    sign_audit(NOW + timedelta(minutes=59))
    assert [one.seq for one in checkpoints.kept(TEAM)] == [5]
    sign_audit(NOW + timedelta(minutes=60))
    sign_audit(NOW + timedelta(minutes=121))
    assert [one.seq for one in checkpoints.kept(TEAM)] == [5, 6]


def test_a_chain_is_verified_in_steps(events: list[Event]) -> None:
    first = verify(TEAM, most=3)
    assert (first.events, first.goes_on) == (3, True)
    second = verify(TEAM, after=3, most=3)
    assert (second.ok, second.events, second.goes_on) == (True, 5, False)
    Event.objects.filter(seq=5).delete()
    assert verify(TEAM, after=3, most=3).first_bad_seq == 5


def test_the_key_is_not_in_the_database(events: list[Event], settings: Any) -> None:
    before = keys.public_key()
    settings.CHECKPOINT_SECRET = "another"
    assert keys.public_key() != before
