"""What an event's hash covers is kept in little room, and read as it was said."""

import os
from uuid import UUID

import pytest
from django.db import connection

from memoryweb.audit.models import Event, Maintenance
from memoryweb.audit.packing import packed, unpacked
from memoryweb.audit.record import SYSTEM, Entry, record_all
from memoryweb.audit.verify import verify

TEAM = UUID(int=7)


@pytest.mark.parametrize(
    "said", [b"", b"{}", b"\x01", b"\xff", "ä – 漢字".encode(), os.urandom(5000), b"a" * 10**6]
)
def test_what_is_packed_reads_as_it_was(said: bytes) -> None:
    assert unpacked(packed(said)) == said


def test_what_was_never_packed_or_is_broken_reads_as_it_is_stored() -> None:
    for stored in (b'{"action":"x"}', b"", b"\x01", b"\x01\xff\xff\xff", packed(b"{}")[:-1]):
        assert isinstance(unpacked(stored), bytes)
    assert unpacked(b'{"action":"x"}') == b'{"action":"x"}'
    assert unpacked(b"\x01\xff\xff\xff") == b"\x01\xff\xff\xff"


@pytest.mark.databases
@pytest.mark.django_db
def test_events_of_before_verify_beside_packed_ones() -> None:
    Maintenance.objects.create(allowed=True)
    first, second = record_all(TEAM, [Entry("file.written", SYSTEM)] * 2)
    with connection.cursor() as cursor:
        cursor.execute("SELECT canonical FROM audit_event WHERE seq = 1")
        assert len(bytes(cursor.fetchone()[0])) < len(first.canonical) / 2
        cursor.execute("UPDATE audit_event SET canonical = %s WHERE seq = 2", [second.canonical])
    there = Event.objects.order_by("seq")
    assert [bytes(one.canonical) for one in there] == [first.canonical, second.canonical]
    assert verify(TEAM).ok
