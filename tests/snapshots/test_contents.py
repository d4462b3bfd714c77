"""Which files an archive's entries are."""

import hashlib
import json
import zipfile
from datetime import UTC, datetime
from io import BytesIO

import pytest

from memoryweb.memory.snapshots.contents import Contents, FileToPack, sort_out, write
from memoryweb.memory.snapshots.reading import Entry, read

EARLIER, LATER = datetime(2026, 11, 19, tzinfo=UTC), datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ATLAS = {"id": "5f0f9d4e", "name": "Atlas"}


def sorted_out(*names: str) -> Contents:
    return sort_out([Entry(name, name.encode()) for name in names])


def paths_of(*names: str) -> list[str]:
    return [file.path for file in sorted_out(*names).files]


def ignored(*names: str) -> dict[str, str]:
    return {one.name: one.code for one in sorted_out(*names).ignored}


def test_the_core_files_and_the_notes_are_taken_along() -> None:
    names = ["AGENTS.md", "KNOWLEDGE.md", "MEMORY.md", "PROFILE.md", "SOUL.md"]
    names.append("memory/2026-11-20.md")
    assert paths_of(*names, "manifest.json") == names
    assert ignored(*names, "manifest.json") == {}


def test_other_names_are_listed_as_ignored() -> None:
    names = [
        "DREAMS.md",
        "skills/x/SKILL.md",
        "notes.txt",
        ".git/config",
        "memory/dreams/2026-11.md",
    ]
    assert ignored("MEMORY.md", *names) == dict.fromkeys(names, "not_in_snapshot")


@pytest.mark.parametrize(
    "name",
    [
        "memory/2026-02-30.md",
        "memory/tea.md",
        "notes\u202e.md",
        "ＭEMORY.md",
        "МEMORY.md",
        "x" * 254 + ".md",
        "knowledge.MD",
        "a/b/c/d/e/f/g.md",
        "memory/2026-11-20-\u202e.md",
        "memory/2026-02-30-tea.md",
    ],
)
def test_a_name_that_no_file_may_have_is_ignored_with_the_reason_of_paths(name: str) -> None:
    found = sorted_out("MEMORY.md", name)
    assert [file.path for file in found.files] == ["MEMORY.md"]
    assert [(one.name, one.code) for one in found.ignored] == [(name, "path_refused")]
    assert found.ignored[0].reason.endswith(".")


def test_one_top_folder_is_stripped() -> None:
    assert paths_of("work/MEMORY.md", "work/memory/2026-11-20.md", "work/x.md") == [
        "MEMORY.md",
        "memory/2026-11-20.md",
    ]
    assert ignored("work/MEMORY.md", "work/x.md") == {"work/x.md": "not_in_snapshot"}


def test_a_folder_that_has_a_meaning_of_its_own_is_none_to_strip() -> None:
    assert paths_of("memory/2026-11-20.md", "memory/2026-11-21.md") == [
        "memory/2026-11-20.md",
        "memory/2026-11-21.md",
    ]


def test_a_workspace_in_a_folder_called_memory_is_found() -> None:
    assert paths_of("memory/AGENTS.md", "memory/memory/2026-11-20.md") == [
        "AGENTS.md",
        "memory/2026-11-20.md",
    ]


def test_two_top_folders_stay() -> None:
    assert paths_of("one/MEMORY.md", "two/MEMORY.md") == []


def test_what_a_mac_adds_does_not_hide_the_top_folder() -> None:
    assert paths_of("brain/MEMORY.md", "__MACOSX/brain/._MEMORY.md") == ["MEMORY.md"]


def test_openclaw_s_user_file_is_the_profile() -> None:
    found = sorted_out("USER.md", "MEMORY.md")
    assert {file.path: file.sources for file in found.files} == {
        "MEMORY.md": ("MEMORY.md",),
        "PROFILE.md": ("USER.md",),
    }


def test_a_profile_of_its_own_comes_before_openclaw_s() -> None:
    found = sorted_out("USER.md", "PROFILE.md")
    assert [file.sources for file in found.files] == [("PROFILE.md",)]
    assert [(one.name, one.code) for one in found.ignored] == [("USER.md", "twice")]


def test_notes_of_one_date_are_joined_in_order() -> None:
    found = sort_out(
        [
            Entry("memory/2026-11-20-tea.md", b"Green.\n"),
            Entry("memory/2026-11-20-0930.md", b"Ferry.\n\n"),
            Entry("memory/2026-11-20.md", b"# 2026-11-20\n"),
        ]
    )
    assert found.files[0].data == b"# 2026-11-20\n\nFerry.\n\nGreen.\n"
    assert [name[17:] for name in found.files[0].sources] == [".md", "-0930.md", "-tea.md"]


def test_the_same_files_give_the_same_bytes() -> None:
    files = [FileToPack("SOUL.md", "Calm.\n", EARLIER), FileToPack("MEMORY.md", "茶\n", LATER)]
    one = write(files, agent=ATLAS, owner="shared")
    assert write(files[::-1], agent=ATLAS, owner="shared") == one
    assert [entry.name for entry in read(one)] == ["manifest.json", "MEMORY.md", "SOUL.md"]


def test_no_entry_has_a_time_or_an_extra_field() -> None:
    raw = write([FileToPack("SOUL.md", "Calm.\n", LATER)], agent=ATLAS, owner="shared")
    with zipfile.ZipFile(BytesIO(raw)) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.extra for info in archive.infolist()} == {b""}


def test_the_manifest_tells_the_newest_change_and_each_hash() -> None:
    files = [FileToPack("SOUL.md", "Calm.\n", EARLIER), FileToPack("MEMORY.md", "Tea.\n", LATER)]
    manifest = json.loads(read(write(files, agent=ATLAS, owner="shared"))[0].data)
    assert manifest["time"] == "2026-11-20T09:30:00Z"
    assert manifest["schema"] == "memoryweb-snapshot/1"
    assert manifest["agent"] == ATLAS
    digest = hashlib.sha256(b"Calm.\n").hexdigest()
    assert manifest["files"][1] == {"path": "SOUL.md", "size": 6, "sha256": digest}


def test_an_empty_snapshot_has_no_time() -> None:
    assert json.loads(read(write([], agent=ATLAS, owner="shared"))[0].data)["time"] is None
