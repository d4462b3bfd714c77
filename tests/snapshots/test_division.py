"""A memory that one import could not take is divided into archives that it can."""

from datetime import UTC, date, datetime, timedelta

from memoryweb.memory.snapshots.contents import FileSize, FileToPack, Part, divide, write
from memoryweb.memory.snapshots.reading import MAX_ENTRY, MAX_TOTAL, read

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def memory(notes: int, size: int = 100) -> list[FileSize]:
    days = [date(2024, 1, 1) + timedelta(number) for number in range(notes)]
    core = [FileSize(name, size) for name in ("SOUL.md", "AGENTS.md", "MEMORY.md")]
    return [*(FileSize(f"memory/{day}.md", size, day) for day in days), *core]


def archive(part: Part) -> bytes:
    packed = [FileToPack(file.path, "a" * file.size, NOW) for file in part.files]
    number = (part.number, part.of) if part.of > 1 else None
    return write(packed, agent={"name": "Atlas"}, owner="shared", part=number)


def test_what_fits_is_one_part() -> None:
    assert [len(part.files) for part in divide(memory(496))] == [499]
    assert [len(part.files) for part in divide([])] == [0]


def test_each_part_is_taken_by_an_import() -> None:
    parts = divide(memory(1200))
    assert [len(part.files) for part in parts] == [499, 499, 205]
    for part in parts:
        assert len(read(archive(part))) == len(part.files) + 1


def test_no_part_is_larger_than_an_import_takes() -> None:
    parts = divide(memory(30, size=MAX_ENTRY))
    assert [len(part.files) for part in parts] == [15, 15, 3]
    assert all(sum(len(one.data) for one in read(archive(part))) <= MAX_TOTAL for part in parts)


def test_core_files_come_first_and_notes_in_time() -> None:
    first, second = divide(memory(600)[::-1])
    assert (first.has_core, second.has_core) == (True, False)
    assert (first.number, second.number, second.of) == (1, 2, 2)
    assert first.last is not None
    assert second.first == first.last + timedelta(1)


def test_every_file_is_in_one_part() -> None:
    files = memory(1200)
    found = [file for part in divide(files) for file in part.files]
    assert sorted(found, key=lambda one: one.path) == sorted(files, key=lambda one: one.path)


def test_a_part_of_one_state_has_the_same_bytes_and_says_which_it_is() -> None:
    part = divide(memory(600))[1]
    assert archive(part) == archive(divide(memory(600))[1])
    assert b'"part": 2' in read(archive(part))[0].data
    assert b'"part"' not in read(archive(divide(memory(5))[0]))[0].data
