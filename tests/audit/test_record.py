import json
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from memoryweb.audit import keys
from memoryweb.audit.models import ChainHead, Event, Label
from memoryweb.audit.record import (
    SYSTEM,
    Actor,
    Entry,
    Origin,
    OutsideTransaction,
    UnknownAction,
    current,
    lock,
    record,
    record_all,
)
from memoryweb.audit.verify import verify

pytestmark = pytest.mark.databases

TEAM = uuid.UUID(int=7)
WROTE = Entry("file.written", SYSTEM)


@pytest.mark.django_db
def test_events_follow_one_another() -> None:
    first, second = record(TEAM, WROTE), record(TEAM, WROTE)
    assert (first.seq, second.seq) == (1, 2)
    assert second.previous == first.hash


@pytest.mark.django_db
def test_each_team_has_a_chain_of_its_own() -> None:
    record(TEAM, WROTE)
    assert record(uuid.UUID(int=8), WROTE).seq == 1


@pytest.mark.django_db
def test_the_first_event_follows_nothing() -> None:
    assert record(TEAM, WROTE).previous == bytes(32)


@pytest.mark.django_db
def test_the_hash_covers_what_is_stored() -> None:
    event = record(TEAM, Entry("file.written", SYSTEM, labels={"path": "notes about Ann.md"}))
    event.refresh_from_db()
    canonical = bytes(event.canonical)
    assert bytes(event.hash) == keys.link(TEAM, 1, bytes(32), canonical)


@pytest.mark.django_db
def test_an_event_says_who_for_whom_and_on_what() -> None:
    token, owner, run = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    record(
        TEAM,
        Entry(
            "file.written",
            Actor("person", id="p1", role="member", token_id=token),
            target_kind="file",
            target_id=run,
            target_revision=4,
            before_revision=3,
            on_behalf_of=owner,
            run_id=run,
            details={"lines": 3, "kinds": ["a", "b"]},
        ),
    )
    event = Event.objects.get()
    assert (event.actor_kind, event.actor_id, event.actor_role) == ("person", "p1", "member")
    assert (event.token_id, event.on_behalf_of, event.run_id) == (token, owner, run)
    assert (event.target_kind, event.target_id) == ("file", str(run))
    assert (event.before_revision, event.target_revision) == (3, 4)
    assert json.loads(event.details) == {"lines": 3, "kinds": ["a", "b"]}


@pytest.mark.django_db
def test_an_event_says_where_the_request_came_from() -> None:
    token = current.set(Origin("192.0.2.1", "curl/8", "abc"))
    record(TEAM, WROTE)
    current.reset(token)
    event = Event.objects.get()
    assert (event.ip, event.user_agent, event.request_id) == ("192.0.2.1", "curl/8", "abc")


@pytest.mark.django_db
def test_the_text_of_a_label_stands_only_beside_the_chain() -> None:
    record(TEAM, Entry("file.written", SYSTEM, labels={"path": "memory/zebra.md"}))
    event = Event.objects.get()
    assert b"zebra" not in bytes(event.canonical)
    assert Label.objects.get().text == "memory/zebra.md"


@pytest.mark.django_db
def test_the_same_text_commits_differently_each_time() -> None:
    entry = Entry("file.written", SYSTEM, labels={"path": "a.md"})
    said = [json.loads(bytes(e.canonical))["labels"]["path"] for e in record_all(TEAM, [entry] * 2)]
    assert said[0] != said[1]


@pytest.mark.parametrize(
    "details", [{"why": "Ann asked for it"}, {"deep": {"er": ["über"]}}, {"x": object()}]
)
@pytest.mark.django_db
def test_details_refuse_text(details: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        record(TEAM, Entry("file.written", SYSTEM, details=details))
    assert not Event.objects.exists()


@pytest.mark.django_db
def test_an_action_outside_the_catalogue_is_refused() -> None:
    with pytest.raises(UnknownAction):
        record(TEAM, Entry("file.eaten", SYSTEM))


@pytest.mark.django_db
def test_many_events_cost_no_more_statements_than_one(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    record(TEAM, WROTE)
    with django_assert_num_queries(3):
        record(TEAM, WROTE)
    with django_assert_num_queries(3):
        record_all(TEAM, [WROTE] * 50)
    with django_assert_num_queries(4):
        record_all(TEAM, [Entry("file.written", SYSTEM, labels={"path": "a.md"})] * 50)


@pytest.mark.django_db
def test_no_events_cost_nothing(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert record_all(TEAM, []) == []


@pytest.mark.django_db(transaction=True)
def test_it_refuses_to_write_outside_a_transaction() -> None:
    with pytest.raises(OutsideTransaction):
        record(TEAM, WROTE)


@pytest.mark.django_db(transaction=True)
def test_an_event_vanishes_with_its_change() -> None:
    with transaction.atomic():
        record(TEAM, WROTE)
        transaction.set_rollback(True)
    assert not Event.objects.exists()
    assert not ChainHead.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_leave_no_gap() -> None:
    def write(_: int) -> None:
        try:
            for _turn in range(5):
                with transaction.atomic():
                    lock(TEAM)
                    record_all(TEAM, [WROTE, WROTE])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert list(Event.objects.order_by("seq").values_list("seq", flat=True)) == [*range(1, 41)]
    assert verify(TEAM).ok
