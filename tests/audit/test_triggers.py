import uuid
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.db import DatabaseError, IntegrityError, connection, transaction

from memoryweb.audit.models import Event, Maintenance
from memoryweb.audit.record import SYSTEM, Entry, record
from memoryweb.audit.triggers import check_triggers, create_triggers, drop_triggers, missing

pytestmark = pytest.mark.databases

TEAM = uuid.UUID(int=7)


def _update() -> None:
    Event.objects.update(outcome="refused")


def _delete() -> None:
    Event.objects.all()._raw_delete("default")


def _replace() -> None:
    event = Event.objects.get()
    columns = ", ".join(field.attname for field in Event._meta.concrete_fields)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT OR REPLACE INTO audit_event ({columns}) SELECT {columns} FROM audit_event"
            " WHERE id = %s",
            [event.pk],
        )


def _truncate() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE audit_event CASCADE")


TAMPERING = {
    "sqlite": [_update, _delete, _replace],
    "postgresql": [_update, _delete, _truncate],
}[connection.vendor]


@pytest.mark.django_db
@pytest.mark.parametrize("tamper", TAMPERING)
def test_the_database_refuses(tamper: Callable[[], None]) -> None:
    record(TEAM, Entry("file.written", SYSTEM))
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        tamper()
    assert Event.objects.get().outcome == "ok"


@pytest.mark.django_db
@pytest.mark.parametrize("tamper", TAMPERING)
def test_it_refuses_while_maintenance_is_closed(tamper: Callable[[], None]) -> None:
    record(TEAM, Entry("file.written", SYSTEM))
    Maintenance.objects.create(allowed=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        tamper()


@pytest.mark.django_db
def test_maintenance_lets_go() -> None:
    record(TEAM, Entry("file.written", SYSTEM))
    Maintenance.objects.create(allowed=True)
    _delete()
    assert not Event.objects.exists()


@pytest.mark.django_db
def test_the_system_check_passes_as_installed() -> None:
    assert check_triggers(databases=["default"]) == []


@pytest.mark.django_db
def test_the_system_check_fails_without_them() -> None:
    drop_triggers()
    with pytest.raises(SystemCheckError, match="does not protect audit events"):
        call_command("check", databases=["default"])
    create_triggers()


@pytest.mark.only_on("sqlite", why="PostgreSQL's triggers hold no text of their own")
@pytest.mark.django_db
def test_a_trigger_that_does_nothing_is_missing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER audit_event_no_update")
        cursor.execute(
            "CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event BEGIN SELECT 1; END"
        )
    assert missing() == ["audit_event_no_update"]
    create_triggers()


@pytest.mark.django_db(transaction=True)
def test_a_flush_of_real_data_is_refused() -> None:
    with transaction.atomic():
        record(TEAM, Entry("file.written", SYSTEM))
    with pytest.raises((CommandError, DatabaseError)):
        call_command("flush", interactive=False, verbosity=0)
    assert Event.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_they_are_back_after_a_flush() -> None:
    drop_triggers()
    call_command("flush", interactive=False, verbosity=0)
    assert check_triggers(databases=["default"]) == []
