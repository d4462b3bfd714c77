"""A dream that a person took back: its run, its diary entry and MEMORY.md say so."""

from datetime import date, timedelta

from django.db.models import Q

from memoryweb.dreaming.diary import reverted
from memoryweb.memory.lines.sources import Kind, Source, lines_of
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.reverting import plan, revert
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, dream, note, text_of
from tests.world import World

DIARY = "# Dreams\n\n## 2026-03-11 02:00\n\nLater.\n\n## 2026-03-10 02:00\n\nI read.\n"


def test_the_sentence_stands_below_the_heading_of_its_entry() -> None:
    assert reverted(DIARY, "## 2026-03-10 02:00\n\nI read.\n", "Taken back.") == (
        "# Dreams\n\n## 2026-03-11 02:00\n\nLater.\n\n"
        "## 2026-03-10 02:00\n\nTaken back.\n\nI read.\n"
    )


def test_an_entry_that_is_not_there_changes_nothing() -> None:
    assert reverted(DIARY, "## 2026-02-01 02:00\n\nI read.\n", "Taken back.") == DIARY


def test_diary_and_run_say_who_took_it_back_and_the_entry_stays(world: World) -> None:
    run = _dreamt(world, "Marta's team ships on Thursdays.")
    entry = text_of(world, None, "DREAMS.md")
    _revert(world, run)
    run.refresh_from_db()
    diary = text_of(world, None, "DREAMS.md")
    assert (run.reverted_by, run.reverted_at is None) == (world.bob, False)
    assert "by Bob: what this dream changed is undone." in diary
    assert set(entry.split("\n")) <= set(diary.split("\n"))
    assert "Thursdays" not in text_of(world, None)


def test_its_diary_is_not_told_among_what_is_left_of_it(world: World) -> None:
    run = _dreamt(world, "Marta's team ships on Thursdays.")
    source = Source(world.agent, Kind.RUN, run.pk)
    assert [File.objects.get(pk=pk).path for pk in lines_of(source)] == ["MEMORY.md"]
    _revert(world, run)
    assert not lines_of(source)


def test_an_entry_that_moved_to_the_archive_says_so_there(world: World) -> None:
    run = _dreamt(world, "Marta's team ships on Thursdays.")
    later = NIGHT + timedelta(days=40)
    _noted(world, later, "Ines plays the violin.")
    dream(world, None, later)
    _revert(world, run)
    assert "by Bob" in text_of(world, None, f"memory/dreams/{NIGHT:%Y-%m}.md")
    assert "by Bob" not in text_of(world, None, "DREAMS.md")
    assert "Ines plays the violin." in text_of(world, None)


def test_an_archive_keeps_what_is_indented(world: World) -> None:
    run = _dreamt(world, "Marta's team ships on Thursdays.")
    text = "# Dreams\n\n## 2026-01-10 02:00\n\n- One thing\n    - and what belongs to it\n"
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, None, "DREAMS.md"), text, writer=Writer(AuthorKind.PERSON))
    later = NIGHT + timedelta(days=1)
    _noted(world, later, "Ines plays the violin.")
    assert dream(world, None, later).pk != run.pk
    assert "\n    - and what belongs to it\n" in text_of(world, None, "memory/dreams/2026-01.md")


def test_taking_it_back_twice_says_it_once(world: World) -> None:
    run = _dreamt(world, "Marta's team ships on Thursdays.")
    _revert(world, run)
    assert plan(Source(world.agent, Kind.RUN, run.pk), Q(), Q()).is_empty
    _revert(world, run)
    assert text_of(world, None, "DREAMS.md").count("by Bob") == 1


def _noted(world: World, night: date, said: str) -> None:
    """By a member: in what is shared, a dream takes only what somebody vouches for."""
    note(world, None, night, said, writer=Writer(AuthorKind.PERSON, user=world.bob))


def _dreamt(world: World, said: str) -> Run:
    _noted(world, NIGHT, said)
    return dream(world, None)


def _revert(world: World, run: Run) -> None:
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        revert(tx, Source(world.agent, Kind.RUN, run.pk), Q(), Q(), writer=writer)


def test_a_month_that_is_over_has_its_summary_on_top_of_the_archive(world: World) -> None:
    _dreamt(world, "Marta's team ships on Thursdays.")
    later = NIGHT + timedelta(days=40)
    _noted(world, later, "Ines plays the violin.")
    dream(world, None, later)
    archive = text_of(world, None, f"memory/dreams/{NIGHT:%Y-%m}.md")
    assert archive.startswith(f"# Dreams of {NIGHT:%Y-%m}\n\nDreams: 1. Statements learned: 1,")
    assert "- Learned: “Marta's team ships on Thursdays”." in archive
    file = File.objects.get(agent=world.agent, path=f"memory/dreams/{NIGHT:%Y-%m}.md")
    lines = file.raw_content.split("\n")
    [origin] = file.origins.filter(
        line=lines.index("- Learned: “Marta's team ships on Thursdays”.") + 1
    )
    assert origin.source_file_id is not None
