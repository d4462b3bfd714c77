from datetime import UTC, datetime, timedelta

from memoryweb.memory import write
from memoryweb.memory.machine_changes import changed_by_machines
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Place, Writer
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, File, Revision
from tests.world import World

NIGHT = datetime(2026, 3, 10, 2, tzinfo=UTC)
DAY = timedelta(days=1)


def _run(world: World, clock: datetime | None, kind: str = "dream") -> Run:
    return Run.objects.create(
        team=world.team, agent=world.agent, kind=kind, trigger="command", clock=clock,
        status="succeeded",
    )  # fmt: skip


def _write(world: World, text: str, writer: Writer) -> File:
    with write_transaction(world.team) as work:
        return write.write(work, Place(world.agent, None, "MEMORY.md"), text, writer=writer).file


def test_a_simulated_night_counts_on_its_own_date_and_not_on_the_day_it_was_run(
    world: World,
) -> None:
    _write(world, "- one\n", Writer(AuthorKind.PERSON, user=world.alice))
    file = _write(
        world, "- one\n- two\n", Writer(AuthorKind.DREAM, run=_run(world, NIGHT), is_vouched=True)
    )
    now = datetime.now(UTC)
    assert changed_by_machines(file.pk, NIGHT - DAY, NIGHT) == 1
    assert changed_by_machines(file.pk, now - DAY, now) == 0


def test_extractions_and_dreams_count_and_what_a_person_wrote_or_accepted_does_not(
    world: World,
) -> None:
    started = datetime.now(UTC)
    _write(world, "- one\n", Writer(AuthorKind.PERSON, user=world.alice))
    extraction = _run(world, None, "extraction")
    _write(world, "- one\n- two\n", Writer(AuthorKind.EXTRACTION, run=extraction, is_vouched=True))
    dream = _run(world, None)
    _write(world, "- 1\n- 2\n", Writer(AuthorKind.DREAM, run=dream, is_vouched=True))
    _write(
        world, "- a\n- 2\n", Writer(AuthorKind.DREAM, user=world.alice, run=dream, is_vouched=True)
    )
    file = _write(world, "- b\n- 2\n", Writer(AuthorKind.PERSON, user=world.alice))
    assert changed_by_machines(file.pk, started, datetime.now(UTC)) == 3


def test_a_revision_that_stands_on_an_appended_one_is_counted_as_well(world: World) -> None:
    started = datetime.now(UTC)
    place = Place(world.agent, None, "MEMORY.md")
    with write_transaction(world.team) as work:
        write.append(work, place, [write.NewLine("- by hand")], writer=Writer(AuthorKind.AGENT))
    assert Revision.objects.latest("pk").is_delta
    text = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md").content
    file = _write(
        world, text + "- two\n", Writer(AuthorKind.DREAM, run=_run(world, None), is_vouched=True)
    )
    assert changed_by_machines(file.pk, started, datetime.now(UTC)) == 1
