"""A history imported at once: notes that no night reads any more, dreamt over week by week."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from memoryweb.agents.models import Owner, dream_time
from memoryweb.dreaming import backfill, schedule
from memoryweb.dreaming.models import Report
from memoryweb.memory.models import Fact, File
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.commands.calling import run as command
from tests.dreaming.nights import dream, memory, note, text_of
from tests.world import World

DAY = date(2026, 3, 2)
BERLIN, LEEDS = "I live in Berlin.", "I live in Leeds."


def _ask(world: World, owner: Owner | None) -> Run | None:
    with write_transaction(world.team) as tx:
        made = backfill.request(tx, Memory(world.agent, owner))
    return made.run if made else None


def _weeks(world: World) -> list[Run]:
    return list(Run.objects.filter(trigger="backfill").order_by("clock"))


def _history(world: World, weeks: int, owner: Owner | None) -> None:
    for week in range(weeks):
        day = DAY + timedelta(weeks=week)
        note(world, owner, day, f"My cat number {week + 1} is called Momo{week}.")


def test_it_goes_week_by_week_from_the_oldest_and_takes_no_night(world: World) -> None:
    _history(world, 3, world.customer)
    first = _ask(world, world.customer)
    assert first is not None
    assert first.result == {"week": 1, "weeks": 3}
    list(engine.run_pending())
    clocks = [run.clock for run in _weeks(world)]
    nights = [DAY + timedelta(weeks=week + 1) for week in range(3)]
    assert clocks == [dream_time(world.agent, night) for night in nights]
    assert [run.night for run in _weeks(world)] == [None, None, None]
    assert [run.status for run in _weeks(world)] == ["succeeded"] * 3
    assert _weeks(world)[-1].result == {"week": 3, "weeks": 3}
    assert all(f"Momo{week}" in text_of(world, world.customer) for week in range(3))
    assert _ask(world, world.customer) is None


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "UTC", "Asia/Tokyo"])
def test_each_date_of_a_week_is_read_wherever_the_agent_is(world: World, zone: str) -> None:
    world.agent.time_zone = zone
    world.agent.save()
    for ahead in range(9):
        note(world, world.customer, DAY + timedelta(days=ahead), f"My cat is called Momo{ahead}.")
    _ask(world, world.customer)
    list(engine.run_pending())
    read = [len(run.inputs["notes"]) for run in _weeks(world)]
    assert read == [7, 2]


def test_what_was_said_later_stands(world: World) -> None:
    today = timezone.now().date()
    note(world, world.customer, today, LEEDS)
    dream(world, world.customer, today + timedelta(days=1))
    assert LEEDS in text_of(world, world.customer, "PROFILE.md")
    note(world, world.customer, DAY, BERLIN)
    _ask(world, world.customer)
    list(engine.run_pending())
    assert LEEDS in text_of(world, world.customer, "PROFILE.md")
    assert BERLIN not in text_of(world, world.customer)
    assert Report.objects.get(run__trigger="backfill").operations.get().code == "outdated"


def test_a_value_that_changed_within_the_history_ends_as_the_last_one(world: World) -> None:
    note(world, world.customer, DAY, BERLIN)
    note(world, world.customer, DAY + timedelta(weeks=2), LEEDS)
    _ask(world, world.customer)
    list(engine.run_pending())
    assert BERLIN not in text_of(world, world.customer)
    assert Fact.objects.get(raw_text=BERLIN).state == "superseded"
    assert Fact.objects.get(raw_text=LEEDS).state == "active"


def test_what_left_since_does_not_come_back(world: World) -> None:
    memory(world, world.customer, "# Memory\n\n- Our wedding is on 2026-03-05.\n")
    assert dream(world, world.customer, date(2026, 3, 7)).status == "succeeded"
    note(world, world.customer, DAY, "Our wedding is on 2026-03-05.")
    _ask(world, world.customer)
    list(engine.run_pending())
    assert "wedding" not in text_of(world, world.customer)


def test_notes_that_a_night_reads_or_has_read_are_left_to_it(world: World) -> None:
    today = timezone.now().date()
    note(world, world.customer, today - timedelta(days=6), BERLIN)
    note(world, world.customer, DAY, LEEDS)
    dream(world, world.customer, DAY)
    assert backfill.owners(world.agent) == []
    note(world, world.customer, DAY, "Momo is my cat.")
    assert backfill.owners(world.agent) == [world.customer]


def test_two_requests_are_one_run(world: World) -> None:
    _history(world, 1, world.customer)
    first, second = _ask(world, world.customer), _ask(world, world.customer)
    assert first == second


def test_a_worker_that_dies_between_weeks_leaves_the_next_one_queued(world: World) -> None:
    _history(world, 3, world.customer)
    _ask(world, world.customer)
    engine.work_next()
    assert [run.status for run in _weeks(world)] == ["succeeded", "queued"]
    list(engine.run_pending())
    assert [run.status for run in _weeks(world)] == ["succeeded"] * 3


def test_stopped_it_ends_its_week_and_goes_on_there_when_asked_again(world: World) -> None:
    _history(world, 3, world.customer)
    run = _ask(world, world.customer)
    assert run is not None
    with write_transaction(world.team) as tx:
        backfill.stop(tx, run)
    list(engine.run_pending())
    assert len(_weeks(world)) == 1
    again = _ask(world, world.customer)
    assert again is not None
    assert again.result == {"week": 1, "weeks": 2}


def test_an_agent_that_dreams_no_more_goes_no_further(world: World) -> None:
    _history(world, 3, world.customer)
    _ask(world, world.customer)
    type(world.agent).objects.filter(pk=world.agent.pk).update(dreaming=False)
    list(engine.run_pending())
    assert len(_weeks(world)) == 1


def test_its_diary_entries_stand_at_their_dates_and_on_their_notes(world: World) -> None:
    newest = f"## {timezone.now():%Y-%m-%d} 02:00\n\n" + "Long ago. " * 1_000
    diary = "# Dreams\n\n" + newest + "\n" + newest.replace("02:00", "03:00") + "\n"
    memory(world, world.customer, "# Memory\n")
    File.objects.filter(owner=world.customer).update(path="DREAMS.md", folded_path="dreams.md")
    File.objects.filter(owner=world.customer).update(raw_content=diary)
    note(world, world.customer, DAY, LEEDS)
    _ask(world, world.customer)
    list(engine.run_pending())
    archive = File.objects.get(path="memory/dreams/2026-03.md")
    assert LEEDS.removesuffix(".") in archive.raw_content
    sources = {row.source_file.path for row in archive.origins.all() if row.source_file}
    assert f"memory/{DAY}.md" in sources


def test_the_command_works_through_all_of_it(world: World) -> None:
    _history(world, 2, world.customer)
    _history(world, 1, None)
    asked = ("--team", world.team.slug, "--agent", "atlas", "--backfill", "--json")
    assert len(command("dream", *asked).json["runs"]) == 3
    assert command("dream", *asked).json["runs"] == []


def test_a_nights_dream_in_between_is_not_disturbed(world: World) -> None:
    today = timezone.now().date()
    _history(world, 2, world.customer)
    note(world, world.customer, today, LEEDS)
    _ask(world, world.customer)
    engine.work_next()
    assert dream(world, world.customer, today).status == "succeeded"
    list(engine.run_pending())
    assert [run.status for run in _weeks(world)] == ["succeeded"] * 2
    assert schedule.with_new_notes(world.agent, timezone.now()) == []
