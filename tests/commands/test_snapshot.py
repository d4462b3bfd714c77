from pathlib import Path

import pytest

from memoryweb.audit.models import Event
from memoryweb.memory.models import File, Import, Message
from memoryweb.memory.snapshots import contents
from tests.commands.calling import Answer, run
from tests.language.test_secret_assignments import drawn
from tests.snapshots.archives import of
from tests.snapshots.exports import TALK, sent
from tests.world import World

ARCHIVE = of({"work/USER.md": "# User\n\n- Likes tea.\n", "work/TOOLS.md": "?"})


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "in.zip"
    path.write_bytes(ARCHIVE)
    return path


def snapshot(world: World, act: str, path: Path, *more: str, agent: str = "Atlas") -> Answer:
    named = ["--team", str(world.team.pk), "--agent", agent, "--owner", "shared"]
    return run("snapshot", act, *named, str(path), *more)


def test_an_export_imported_into_another_agent_gives_the_same_files(
    world: World, tmp_path: Path, archive: Path
) -> None:
    assert not snapshot(world, "import", archive).failure
    out = tmp_path / "out.zip"
    assert snapshot(world, "export", out, "--json").json["files"] == 4
    assert snapshot(world, "import", out, "--json", agent="Beacon").json["update"] == 1
    files = File.objects.filter(owner=None, path="PROFILE.md")
    atlas, beacon = (
        files.get(agent=world.agent).raw_content,
        files.get(agent=world.other_agent).raw_content,
    )
    assert atlas == beacon == "# User\n\n- Likes tea.\n"
    assert Event.objects.filter(action="snapshot.exported").count() == 1


def test_a_dry_run_says_what_would_happen_and_writes_nothing(world: World, archive: Path) -> None:
    answer = snapshot(world, "import", archive, "--dry-run")
    assert "Would create 0, update 1 and skip 0 files." in answer.output
    assert "ignored  work/TOOLS.md" in answer.output
    assert not Import.objects.exists()


def test_a_refused_archive_fails_with_its_code(world: World, archive: Path) -> None:
    archive.write_bytes(ARCHIVE + b"more")
    answer = snapshot(world, "import", archive, "--json")
    assert answer.json["code"] == "data_after"
    assert answer.failure


def test_a_file_that_is_not_there_is_said(world: World, tmp_path: Path) -> None:
    assert "cannot be used" in snapshot(world, "import", tmp_path / "none.zip").failure


def test_whose_memory_has_no_default(world: World, archive: Path) -> None:
    answer = run("snapshot", "import", "--team", "x", "--agent", "Atlas", str(archive))
    assert "--owner" in answer.failure


def test_an_owner_s_own_memory_is_taken(world: World, tmp_path: Path, archive: Path) -> None:
    owner = str(world.customer.pk)
    named = ["--team", str(world.team.pk), "--agent", "Atlas", "--owner", owner]
    assert not run("snapshot", "import", *named, str(archive)).failure
    assert File.objects.get(owner=world.customer).path == "PROFILE.md"


def test_what_one_import_could_not_take_is_written_in_parts(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "MOST_FILES", 2)
    answer = snapshot(world, "export", tmp_path / "out.zip", "--json").json
    names = [Path(path).name for path in answer["paths"]]
    assert names == ["out-part-1-of-2.zip", "out-part-2-of-2.zip"]
    assert not (tmp_path / "out.zip").exists()
    for path in answer["paths"]:
        assert not snapshot(world, "import", Path(path), agent="Beacon").failure


def test_a_dry_run_says_which_lines_would_be_held_back(world: World, tmp_path: Path) -> None:
    path, value = tmp_path / "in.zip", drawn(41)
    path.write_bytes(of({"MEMORY.md": f"- Tea.\n- password: {value}\n"}))
    answer = snapshot(world, "import", path, "--dry-run")
    assert "line 2 contains what looks like a password and would be masked" in answer.output
    assert value not in answer.output


def test_a_chatgpt_export_is_worked_to_its_end(world: World, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(sent([TALK]))
    bob = f"user:{world.bob.email}"
    named = ["--team", str(world.team.pk), "--agent", "Atlas", "--owner", bob]
    dry = run("snapshot", "import", *named, str(path), "--dry-run")
    assert "4 new messages of 1 conversations" in dry.output
    assert not Message.objects.exists()
    done = run("snapshot", "import", *named, str(path), "--json").json
    assert (done["status"], done["format"]) == ("succeeded", "chatgpt")
    assert Message.objects.count() == 4
    assert run("snapshot", "import", *named, str(path), "--json").json["import"] is None


def test_a_folder_of_markdown_is_read_and_notes_are_written(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    (folder / "trips").mkdir(parents=True)
    (folder / "trips" / "Ferry.md").write_text("It leaves at six.\n")
    (folder / "Tea.md").write_text("At five.\n")
    assert snapshot(world, "import", folder, "--json").json["create"] == 2
    out = tmp_path / "out.zip"
    assert not snapshot(world, "export", out, "--notes").failure
    assert b"atlas-shared/notes/trips/Ferry.md" in out.read_bytes()
