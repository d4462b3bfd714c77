"""A save writes what changed and nothing else, and leaves what a whole rebuild would make."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryweb.agents.models import Reader
from memoryweb.memory.index import fulltext, reindexing
from memoryweb.memory.lines.history import blame_of
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, File, LineOrigin, Passage
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.tools import files
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from tests.soaking import first_in_gate
from tests.statements import statements
from tests.world import World

PATH = "KNOWLEDGE.md"
NUMBERS = itertools.count()
LINES = [
    *("- one lamp", "- two lamps", "a paragraph", "goes on", "# Harbour", "## Quay", "", "", " "),
    *("```", "~~~~", "<!-- pinned -->", "<!-- /pinned -->", "1. first", "# Harbour #", "灯台へ"),
]
edits = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 4), st.lists(st.sampled_from(LINES), max_size=4)),
    min_size=1,
    max_size=3,
)


def save(world: World, text: str, writer: Writer, path: str = PATH) -> write.WriteResult:
    with write_transaction(world.team) as tx:
        return write.write(tx, Place(world.agent, None, path), text, writer=writer)


def rows_of(model: Any, file: File) -> dict[tuple[str, int], dict[str, Any]]:
    rows = model.objects.filter(file=file).values()
    return {(model.__name__, row["id"]): row for row in rows}


def text_of(count: int) -> str:
    chosen = random.Random(count)
    words = ["lamp", "quay", "tide", "mast", "rope", "buoy", "keel", "oar"]
    return "".join(f"- {n} {' '.join(chosen.choices(words, k=6))}.\n" for n in range(count))


@pytest.mark.django_db
@settings(
    max_examples=settings().max_examples // 2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(edits, st.booleans()), min_size=1, max_size=5))
def test_whatever_is_edited_the_index_is_what_a_rebuild_makes(
    world: World, saves: list[tuple[list[tuple[int, int, list[str]]], bool]]
) -> None:
    # Each example has a file of its own: what people pinned in another's would be put back in it.
    lines, path = list[str](), f"x/n{next(NUMBERS)}.md"
    for changes, by_person in saves:
        for at, taken, put in changes:
            lines[at : at + taken] = put
        kind = AuthorKind.PERSON if by_person else AuthorKind.AGENT
        file = save(world, "\n".join(lines), Writer(kind), path).file
        lines = file.raw_content.split("\n")  # what waits for a person was put back
        found = reindexing.check(world.team)
        assert (found.differences, found.stale) == ((), 0)
        assert fulltext.is_sound()
        written = {n for n, line in enumerate(lines, start=1) if line.strip()}
        counted = Counter(LineOrigin.objects.filter(file=file).values_list("line", flat=True))
        assert counted == Counter(written)


@pytest.mark.django_db
@settings(
    max_examples=settings().max_examples // 2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(edits, min_size=1, max_size=4))
def test_whatever_is_edited_each_line_keeps_the_source_that_it_came_with(
    world: World, saves: list[list[tuple[int, int, list[str]]]]
) -> None:
    """Lines of this test say where they came from, so that any shift by one would show."""
    other = save(world, "- elsewhere", Writer(AuthorKind.AGENT)).file
    lines: list[str] = []
    count = 0
    for number, changes in enumerate(saves):
        fresh: list[str] = []
        for at, taken, put in changes:
            made = [f"- {count + n} {'lamp' if n % 2 else '灯'}" for n in range(len(put))]
            count += len(made)
            fresh += made
            lines[at : at + taken] = made
        origins = {
            n: Origin((Source(other.pk, 1, int(line.split()[1])),))
            for n, line in enumerate(lines, start=1)
            if line in fresh
        }
        place = Place(world.agent, None, "MEMORY.md")
        with write_transaction(world.team) as tx:
            text = "\n".join([f"# {number}", *lines])
            shifted = {n + 1: origin for n, origin in origins.items()}
            writer = Writer(AuthorKind.DREAM, is_vouched=True)
            file = write.write(tx, place, text, writer=writer, origins=shifted).file
        rows = LineOrigin.objects.filter(file=file, line__gt=1).order_by("line")
        told = list(rows.values_list("line", "source_line"))
        assert told == [(n, int(line.split()[1])) for n, line in enumerate(lines, start=2)]


@pytest.mark.django_db
def test_a_program_that_saves_unbalanced_pins_again_and_again_doubles_nothing(world: World) -> None:
    pinned = "<!-- pinned -->\n## Quay\n\na paragraph"
    save(world, f"~~~~\n{pinned}", Writer(AuthorKind.PERSON))
    sizes = []
    for _ in range(5):
        file = save(world, f"# Harbour\n```\n{pinned}\n- more", Writer(AuthorKind.AGENT)).file
        assert file.raw_content.endswith(f"\n{pinned}")
        sizes.append(file.size)
    assert len(set(sizes)) == 1


@pytest.mark.django_db
def test_a_changed_line_replaces_its_own_rows_alone(world: World) -> None:
    lines = text_of(200).split("\n")
    file = save(world, "\n".join(lines), Writer(AuthorKind.PERSON)).file
    before = rows_of(Passage, file), rows_of(LineOrigin, file)
    lines[100] = "- something else"
    save(world, "\n".join(lines), Writer(AuthorKind.PERSON))
    after = rows_of(Passage, file), rows_of(LineOrigin, file)
    for old, new in zip(before, after, strict=True):
        assert sum(new.get(key) == row for key, row in old.items()) == len(old) - 1
        assert [row["line"] for key, row in new.items() if key not in old] == [101]


@pytest.mark.django_db
def test_lines_that_move_keep_their_rows_under_new_numbers(world: World) -> None:
    lines = text_of(200).split("\n")
    file = save(world, "\n".join(lines), Writer(AuthorKind.PERSON)).file
    before = rows_of(Passage, file), rows_of(LineOrigin, file)
    lines.insert(100, "- something else")
    del lines[10]
    save(world, "\n".join(lines), Writer(AuthorKind.PERSON))
    for old, new in zip(before, (rows_of(Passage, file), rows_of(LineOrigin, file)), strict=True):
        moved = {row["line"]: new[key]["line"] for key, row in old.items() if key in new}
        expected = {n: n - (n > 11) + (n > 100) for n in range(1, 201) if n != 11}
        assert moved == expected
    assert fulltext.is_sound()


@pytest.mark.django_db
def test_a_rename_writes_no_passage_anew_where_the_weight_stays(world: World) -> None:
    file = save(world, text_of(20), Writer(AuthorKind.PERSON)).file
    before = rows_of(Passage, file)
    with write_transaction(world.team) as tx:
        write.rename(tx, file, "skills/lamps/SKILL.md", writer=Writer(AuthorKind.PERSON))
    assert rows_of(Passage, file) == before


@pytest.mark.django_db
def test_scattered_changes_take_as_many_statements_as_one(world: World) -> None:
    lines = text_of(300).split("\n")
    save(world, "\n".join(lines), Writer(AuthorKind.PERSON))
    counted = []
    for changed in (range(150, 151), range(0, 300, 3)):
        for at in reversed(changed):
            lines[at : at + 1] = [f"- new {at}", lines[at], ""]
        with CaptureQueriesContext(connection) as queries:
            save(world, "\n".join(lines), Writer(AuthorKind.PERSON))
        counted.append(len(statements(queries)))
    assert counted[0] == counted[1] <= 30
    assert reindexing.check(world.team).differences == ()


@pytest.mark.django_db
def test_who_wrote_a_line_is_still_told_right_after_many_moves(world: World) -> None:
    chosen = random.Random(7)
    lines: list[str] = []
    brought: dict[str, int] = {}
    for number in range(1, 30):
        for _turn in range(chosen.randint(1, 3)):
            at, taken = chosen.randint(0, len(lines)), chosen.choice([0, 0, 1, 2])
            fresh = f"{chosen.getrandbits(64):x} {chosen.getrandbits(64):x}"
            lines[at : at + taken] = [fresh]
            brought[fresh] = number
        file = save(world, "\n".join(lines), Writer(AuthorKind.PERSON)).file
    assert blame_of(file, file.revision) == [brought[line] for line in lines]


@pytest.mark.django_db
def test_adding_to_a_long_note_touches_no_more_rows_than_to_a_short_one(world: World) -> None:
    place = Place(world.agent, None, "memory/2026-11-20.md")
    touched = []
    for count in (5, 400):
        with write_transaction(world.team) as tx:
            said = [NewLine(f"- 09:00 lamp {n}") for n in range(count)]
            file = write.append(tx, place, said, writer=Writer(AuthorKind.AGENT)).file
        before = rows_of(Passage, file), rows_of(LineOrigin, file)
        with CaptureQueriesContext(connection) as queries, write_transaction(world.team) as tx:
            write.append(tx, place, [NewLine("- 10:00 tide")], writer=Writer(AuthorKind.AGENT))
        after = rows_of(Passage, file), rows_of(LineOrigin, file)
        changed = [
            sum(old.get(key) != new.get(key) for key in old.keys() | new.keys())
            for old, new in zip(before, after, strict=True)
        ]
        touched.append((len(statements(queries)), *changed))
    assert touched[0] == touched[1] == (touched[0][0], 1, 1)


@pytest.mark.django_db
def test_marking_many_lines_takes_as_many_statements_as_marking_one(world: World) -> None:
    counted = []
    for count in (1, 300):
        lines = [f"- see https://shop{count}-{n}.example/lamps" for n in range(count)]
        with CaptureQueriesContext(connection) as queries:
            file = save(world, "\n".join(lines), Writer(AuthorKind.AGENT), path=f"s{count}.md").file
        counted.append(len(statements(queries)))
        assert LineOrigin.objects.filter(file=file).exclude(marks="").count() == count
    assert counted[0] == counted[1] <= 30


@pytest.mark.django_db
def test_remembering_takes_as_many_statements_and_rows_however_long_the_day_is(
    world: World,
) -> None:
    now = datetime(2026, 11, 20, 9, tzinfo=UTC)
    acting = files.Acting(Reader(world.agent), now)
    place = Place(world.agent, None, "memory/2026-11-20.md")
    writer = Writer(AuthorKind.AGENT)
    touched = []
    for count in (3, 500):
        with write_transaction(world.team) as tx:
            said = [NewLine(f"- 08:00 lamp {count} {n}") for n in range(count)]
            file = write.append(tx, place, said, writer=writer).file
        before = rows_of(Passage, file) | rows_of(LineOrigin, file)
        with CaptureQueriesContext(connection) as queries, write_transaction(world.team) as tx:
            files.remember(tx, acting, f"a tide of {count}", writer=writer)
        after = rows_of(Passage, file) | rows_of(LineOrigin, file)
        changed = sum(before.get(key) != row for key, row in after.items())
        touched.append((len(statements(queries)), changed, len(before.keys() - after.keys())))
    assert touched[0] == touched[1]


HOSTILE: dict[str, Callable[[int], str]] = {
    "spaces in a heading": lambda n: "# a" + " " * 100 * n + "b",
    "one long heading above many blocks": lambda n: "# " + "head " * 5 * n + "\n" + "- a\n" * n,
    "headings in one line": lambda n: "# " * 50 * n,
    "newlines": lambda n: "\n" * 100 * n,
    "fences that nothing closes": lambda n: "```\nx\n" * n + "````",
    "pins that nothing closes": lambda n: "<!-- pinned -->\nx\n" * n,
    "tiny blocks": lambda n: "- a\n" * 2 * n,
    "lists within lists": lambda n: "".join("  " * step + "- x\n" for step in range(n // 7)),
}


@pytest.mark.django_db
@pytest.mark.parametrize("size", first_in_gate(1, [200, 2_000]))
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.first_two
def test_a_text_made_to_hang_a_save_is_kept_and_indexed_as_any_other(
    world: World, name: str, size: int
) -> None:
    """At the larger size a step that takes the square of the length would take minutes."""
    text = HOSTILE[name](size)
    save(world, text, Writer(AuthorKind.PERSON))
    file = save(world, f"- first\n{text}\n- last", Writer(AuthorKind.AGENT)).file
    assert text in file.raw_content
    assert reindexing.check(world.team).differences == ()


@pytest.mark.django_db
def test_headings_above_a_block_are_indexed_once_each_and_not_without_end(world: World) -> None:
    file = save(world, f"# {'head ' * 10_000}\n\n- a lamp\n", Writer(AuthorKind.PERSON)).file
    assert len(Passage.objects.get(file=file).raw_tokens) < 2_000
