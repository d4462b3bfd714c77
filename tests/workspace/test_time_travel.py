from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.memory.lines.revisions import Past, changes, files_at, workspace_at
from memoryweb.memory.models import AuthorKind, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, delete, write
from memoryweb.runs.models import Run
from tests.world import World

SYSTEM = Writer(AuthorKind.SYSTEM)
START = timezone.now() - timedelta(days=30)


@pytest.fixture
def story(world: World) -> World:
    """An hour a step, counted from START: 1 a note, 2 more of it, 3 a plan, 4 the note is gone."""
    world.agent.files.all().delete()
    with write_transaction(world.team) as tx:
        tx.now = _hour(1)
        write(tx, _place(world, "note.md"), "One.\n", writer=SYSTEM)
        tx.now = _hour(2)
        append(tx, _place(world, "note.md"), [NewLine("Two.")], writer=SYSTEM)
        tx.now = _hour(3)
        plan = write(tx, _place(world, "plan.md"), "Go.\n", writer=SYSTEM).file
        tx.now = _hour(4)
        delete(tx, world.agent.files.get(path="note.md"), writer=SYSTEM)
        tx.now = _hour(5)
        write(tx, _place(world, "plan.md"), "Stay.\n", writer=SYSTEM)
    Revision.objects.filter(file=plan, number=1).update(path="idea.md")
    return world


@pytest.mark.parametrize(
    ("hour", "texts"),
    [
        (0, {}),
        (1, {"note.md": "One.\n"}),
        (2, {"note.md": "One.\nTwo.\n"}),
        (3, {"note.md": "One.\nTwo.\n", "idea.md": "Go.\n"}),
        (4, {"idea.md": "Go.\n"}),
        (5, {"plan.md": "Stay.\n"}),
    ],
)
def test_a_workspace_reads_as_it_did_then(story: World, hour: int, texts: dict[str, str]) -> None:
    found = workspace_at(story.agent.pk, None, _hour(hour) + timedelta(minutes=5))
    assert {past.path: past.content for past in found} == texts


def test_sizes_are_those_of_then(story: World) -> None:
    (past,) = files_at(story.agent.pk, None, _hour(2))
    assert (past.number, past.size) == (2, len("One.\nTwo.\n"))


def test_changes_between_two_moments_name_what_became_of_each_file(story: World) -> None:
    then, now = (files_at(story.agent.pk, None, _hour(hour)) for hour in (2, 5))
    assert [(one.kind, one.path) for one in changes(then, now)] == [
        ("removed", "note.md"),
        ("added", "plan.md"),
    ]
    then = files_at(story.agent.pk, None, _hour(3))
    assert [(one.kind, one.path) for one in changes(then, now)][1] == ("renamed", "plan.md")
    then, now = (files_at(story.agent.pk, None, _hour(hour)) for hour in (1, 2))
    assert [one.kind for one in changes(then, now)] == ["changed"]


def test_nothing_changed_between_a_moment_and_itself(story: World) -> None:
    pasts = files_at(story.agent.pk, None, _hour(3))
    assert changes(pasts, pasts) == []


def test_an_owners_past_holds_nothing_of_another_reach(story: World) -> None:
    with write_transaction(story.team) as tx:
        place = Place(story.agent, story.bobs_memory, "MEMORY.md")
        write(tx, place, "Bob's.\n", writer=SYSTEM)
    assert _paths(files_at(story.agent.pk, story.bobs_memory.pk, timezone.now())) == ["MEMORY.md"]
    assert _paths(files_at(story.agent.pk, None, timezone.now())) == ["plan.md"]
    assert files_at(story.agent.pk, story.customer.pk, timezone.now()) == []
    assert files_at(story.other_agent.pk, story.bobs_memory.pk, timezone.now()) == []


def test_a_simulated_night_happened_at_its_own_clock(story: World) -> None:
    run = Run.objects.create(
        team=story.team,
        agent=story.agent,
        kind=Run.Kind.DREAM,
        trigger=Run.Trigger.COMMAND,
        clock=_hour(10),
    )
    with write_transaction(story.team) as tx:
        writer = Writer(AuthorKind.DREAM, run=run, is_vouched=True)
        write(tx, _place(story, "DREAMS.md"), "A boat.\n", writer=writer)
    assert "DREAMS.md" not in _paths(files_at(story.agent.pk, None, _hour(9)))
    assert "DREAMS.md" in _paths(files_at(story.agent.pk, None, _hour(10)))


@pytest.mark.parametrize("path", ["DREAMS.md", "memory/2026-11-20.md"])
def test_a_simulated_night_shows_nothing_that_was_written_after_it(story: World, path: str) -> None:
    """The file that it added to, or the note that it read, is younger than its clock."""
    run = Run.objects.create(
        team=story.team,
        agent=story.agent,
        kind=Run.Kind.DREAM,
        trigger=Run.Trigger.COMMAND,
        clock=_hour(10),
    )
    with write_transaction(story.team) as tx:
        write(tx, _place(story, path), "- Later.\n", writer=SYSTEM)
    with write_transaction(story.team) as tx:
        writer = Writer(AuthorKind.DREAM, run=run)
        write(tx, _place(story, "DREAMS.md"), "- Later.\n- A boat.\n", writer=writer)
    then = workspace_at(story.agent.pk, None, _hour(11))
    assert "Later" not in "".join(past.content for past in then)
    now = workspace_at(story.agent.pk, None, timezone.now())
    assert "A boat" in "".join(past.content for past in now)


def test_the_list_takes_one_statement_however_many_files(story: World) -> None:
    with write_transaction(story.team) as tx:
        for number in range(30):
            write(tx, _place(story, f"n{number}.md"), "text", writer=SYSTEM)
    with CaptureQueriesContext(connection) as queries:
        assert len(files_at(story.agent.pk, None, timezone.now())) == 31
    assert len(queries) == 1


def test_more_files_than_one_statement_asks_for_all_have_their_text(story: World) -> None:
    with write_transaction(story.team) as tx:
        for number in range(120):
            write(tx, _place(story, f"n{number}.md"), f"{number}", writer=SYSTEM)
    found = workspace_at(story.agent.pk, None, timezone.now())
    assert {p.content for p in found} == {*(str(n) for n in range(120)), "Stay.\n"}


def _place(world: World, path: str) -> Place:
    return Place(world.agent, None, path)


def _hour(count: int) -> datetime:
    return START + timedelta(hours=count)


def _paths(pasts: list[Past]) -> list[str]:
    return [past.path for past in pasts]
