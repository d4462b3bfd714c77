"""Anthropic's memory tool over the workspace: the sentences that models were trained on."""

from typing import Any

import pytest

from memoryweb.memory.models import File
from tests.mcp.client import Mcp
from tests.world import World

TEA = "/memories/tea.md"


class Memory:
    def __init__(self, mcp: Mcp) -> None:
        self.mcp = mcp

    def __call__(self, command: str, *, refused: bool = False, **arguments: Any) -> str:
        result = self.mcp.call("memory", command=command, **arguments)
        assert result["isError"] is refused, result
        assert "structuredContent" not in result
        return str(result["content"][0]["text"])


@pytest.fixture
def memory(mcp: Mcp) -> Memory:
    made = Memory(mcp)
    made("create", path=TEA, file_text="green\nblack\noolong\n")
    return made


def test_a_file_is_made_once(memory: Memory) -> None:
    other = "/memories/plans/June.md"
    said = memory("create", path=other, file_text="# June\n")
    assert said == f"File created successfully at: {other}"
    again = memory("create", path=TEA, file_text="", refused=True)
    assert again == f"File {TEA} already exists"


def test_a_file_is_shown_with_its_numbers(memory: Memory) -> None:
    head = f"Here's the content of {TEA} with line numbers:\n"
    assert memory("view", path=TEA) == head + (
        "     1\tgreen\n     2\tblack\n     3\toolong\n     4\t"
    )
    assert memory("view", path=TEA, view_range=[2, 3]) == head + "     2\tblack\n     3\toolong"
    assert memory("view", path=TEA, view_range=[3, -1]) == head + "     3\toolong\n     4\t"
    missing = memory("view", path="/memories/none.md", refused=True)
    assert missing == "The path /memories/none.md does not exist. Please provide a valid path."


def test_a_folder_is_shown_two_levels_deep(memory: Memory) -> None:
    memory("create", path="/memories/a/b/c.md", file_text="x" * 1536)
    head, *lines = memory("view", path="/memories/").split("\n")
    assert head == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
        "items:"
    )
    assert {"19B\t/memories/tea.md", "1.5K\t/memories/a/", "1.5K\t/memories/a/b/"} <= {*lines}
    assert lines[0].endswith("\t/memories")
    assert not any("c.md" in line for line in lines)
    assert memory("view", path="/memories/a/b").endswith("1.5K\t/memories/a/b/c.md")


def test_text_is_replaced_where_it_stands_once(memory: Memory) -> None:
    assert memory("str_replace", path=TEA, old_str="black", new_str="red") == (
        "The memory file has been edited. Here is the snippet showing the change (with line "
        "numbers):\n     1\tgreen\n     2\tred\n     3\toolong\n     4\t"
    )
    none = memory("str_replace", path=TEA, old_str="white", new_str="x", refused=True)
    assert none == (
        f"No replacement was performed, old_str `white` did not appear verbatim in {TEA}."
    )
    several = memory("str_replace", path=TEA, old_str="e", new_str="x", refused=True)
    assert several == (
        "No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 1, 2. "
        "Please ensure it is unique"
    )


def test_what_is_kept_back_is_not_shown_beside_a_change(mcp: Mcp, memory: Memory) -> None:
    memory("create", path="/memories/MEMORY.md", file_text="- Lives in Porto.\n- Likes tea.\n")
    mcp.call("forget", text="that I live in Porto")
    said = memory("str_replace", path="/memories/MEMORY.md", old_str="tea", new_str="milk")
    assert "- Likes milk." in said
    for shown in (said, memory("view", path="/memories/MEMORY.md")):
        assert "Porto" not in shown


def test_of_two_files_of_one_name_the_owners_own_is_listed(memory: Memory) -> None:
    memory("create", path="/memories/MEMORY.md", file_text="- Likes tea.\n")
    assert "13B\t/memories/MEMORY.md" in memory("view", path="/memories")


def test_a_line_is_put_in(memory: Memory) -> None:
    said = memory("insert", path=TEA, insert_line=1, insert_text="white\n")
    assert said == f"The file {TEA} has been edited."
    assert File.objects.get(path="tea.md").raw_content == "green\nwhite\nblack\noolong\n"
    far = memory("insert", path=TEA, insert_line=9, insert_text="x", refused=True)
    assert far == ("Invalid `insert_line` parameter: 9. It should be within the range [0, 4].")


def test_files_and_folders_are_renamed_and_never_over_another(memory: Memory) -> None:
    for name in ("a/one.md", "a/two.md", "b.md"):
        memory("create", path=f"/memories/{name}", file_text="x\n")
    taken = memory("rename", old_path=TEA, new_path="/memories/b.md", refused=True)
    assert taken == "The destination /memories/b.md already exists"
    moved = memory("rename", old_path="/memories/a", new_path="/memories/c")
    assert moved == "Successfully renamed /memories/a to /memories/c"
    kept = set(File.objects.present().exclude(owner=None).values_list("path", flat=True))
    assert kept == {"tea.md", "b.md", "c/one.md", "c/two.md"}


def test_files_and_folders_are_deleted_but_not_all(memory: Memory) -> None:
    memory("create", path="/memories/a/one.md", file_text="x\n")
    assert memory("delete", path="/memories/a") == "Successfully deleted /memories/a"
    gone = memory("delete", path="/memories/a", refused=True)
    assert gone == "The path /memories/a does not exist"
    root = memory("delete", path="/memories", refused=True)
    assert root == "Cannot delete the /memories directory itself"
    assert File.objects.present().filter(path="tea.md").exists()


def test_a_folder_of_which_one_file_may_not_move_stays_whole(memory: Memory) -> None:
    for name in ("a/one.md", "a/b/c/two.md"):
        memory("create", path=f"/memories/{name}", file_text="x\n")
    assert memory("rename", old_path="/memories/a", new_path="/memories/v/w/x/y", refused=True)
    kept = set(File.objects.present().exclude(owner=None).values_list("path", flat=True))
    assert kept == {"tea.md", "a/one.md", "a/b/c/two.md"}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/memories2/x.md", "/memories/../x.md", "/memories/x.txt", "", "x.md"]
)
def test_a_path_leads_nowhere_else(memory: Memory, path: str) -> None:
    assert memory("create", path=path, file_text="x", refused=True)
    assert memory("delete", path=path, refused=True)


def test_what_a_command_needs_is_named(memory: Memory) -> None:
    assert memory("create", path=TEA, refused=True) == "file_text: this command needs it."
    assert "command" in memory("fly", refused=True)


def test_shared_files_are_read_and_left_alone(world: World, memory: Memory) -> None:
    assert "SOUL.md" in memory("view", path="/memories")
    soul = File.objects.get(agent=world.agent, owner=None, path="SOUL.md")
    line = soul.raw_content.split("\n")[0]
    assert line in memory("view", path="/memories/SOUL.md")
    for command, more in (
        ("str_replace", {"old_str": line, "new_str": "x"}),
        ("insert", {"insert_line": 0, "insert_text": "x"}),
        ("delete", {}),
    ):
        assert "does not exist" in memory(command, path="/memories/SOUL.md", refused=True, **more)
    soul.refresh_from_db()
    assert (soul.deleted_at, soul.raw_content.split("\n")[0]) == (None, line)


def test_another_owners_files_are_out_of_reach(mcp: Mcp, memory: Memory) -> None:
    other = Memory(mcp.as_host(owner="api:customer-2"))
    assert "tea.md" not in other("view", path="/memories")
    assert "does not exist" in other("view", path=TEA, refused=True)
    assert "does not exist" in other("delete", path=TEA, refused=True)
