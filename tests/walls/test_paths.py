"""Names that no file may have: refused at every door, each time with the same reason."""

from collections.abc import Callable
from html import unescape
from urllib.parse import quote

import pytest

from memoryweb.markdown import paths
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import rename, write
from tests.api.client import Api
from tests.mcp.client import Mcp
from tests.web.pages import text, url
from tests.world import World, personal_token, signed_in

BAD = {
    "climbs out": "../x.md",
    "absolute": "/etc/x.md",
    "of Windows": "C:\\x.md",
    "empty part": "a//b.md",
    "dot part": "./a.md",
    "ends in a slash": "a.md/",
    "no such day": "memory/2026-02-30.md",
    "NUL": "a\0.md",
    "RTL override": "a\u202eb.md",
    "full-width": "\uff2d\uff25\uff2d\uff2f\uff32\uff39.md",
    "Cyrillic": "МEMORY.md",
    "Cyrillic folder": "mеmory/2026-11-20.md",
    "257 characters": "a" * 254 + ".md",
    "in capitals": "notes.MD",
    "core name in another case": "Memory.md",
}
REFUSED_CHARACTERS = "A path may not contain control, invisible or direction characters."
PERSON = Writer(AuthorKind.PERSON)
TEXT = "# Notes\n\n- Tea is served at five.\n"


def _door(world: World, path: str) -> str:
    """What the door of the floor below says: the others repeat it."""
    with write_transaction(world.team) as tx, pytest.raises(PathRefused) as refused:
        write(tx, Place(world.agent, None, path), TEXT, writer=PERSON)
    return str(refused.value)


def _renaming(world: World, path: str) -> str:
    file = File.objects.get(agent=world.agent, owner=None, path="SOUL.md")
    with write_transaction(world.team) as tx, pytest.raises(PathRefused) as refused:
        rename(tx, file, path, writer=PERSON)
    return str(refused.value)


def _new_file_page(world: World, path: str) -> str:
    address = url(world.team, "agents_new_file", world.agent.pk)
    answer = signed_in(world.bob).post(address, {"path": path, "content": TEXT})
    assert answer.status_code == 422
    return unescape(text(answer))


def _rename_page(world: World, path: str) -> str:
    file = File.objects.get(agent=world.agent, owner=None, path="SOUL.md")
    address = url(world.team, "agents_rename", world.agent.pk, "SOUL.md")
    answer = signed_in(world.bob).post(address, {"path": path, "sha256": file.sha256})
    assert answer.status_code == 422
    return unescape(text(answer))


def _member(world: World) -> Api:
    return Api(personal_token(world.team, world.bob))


def _api_put(world: World, path: str) -> str:
    address = f"/agents/{world.agent.pk}/workspace/files/{quote(path, safe='/')}"
    answer = _member(world).put(address, {"content": TEXT})
    if "\0" in path:  # no address of the API has one
        assert answer.status_code == 404
        return REFUSED_CHARACTERS
    assert answer.status_code == 400
    return str(answer.json()["detail"])


def _api_rename(world: World, path: str) -> str:
    address = f"/agents/{world.agent.pk}/workspace/files/SOUL.md/rename"
    answer = _member(world).post(address, {"filename": path})
    assert answer.status_code == 400
    return str(answer.json()["detail"])


def _tool(world: World, path: str) -> str:
    address = f"/agents/{world.agent.pk}/tools/write_workspace_memory_file"
    body = {"filename": path, "content": TEXT, "owner": "shared"}
    answer = _member(world).post(address, body)
    assert answer.status_code == 400
    return str(answer.json()["detail"])


def _reading_tool(world: World, path: str) -> str:
    address = f"/agents/{world.agent.pk}/tools/read_workspace_memory_file"
    answer = _member(world).post(address, {"filename": path, "owner": "shared"})
    assert answer.status_code == 400
    return str(answer.json()["detail"])


def _mcp(world: World, path: str) -> str:
    params = {
        "name": "write_workspace_memory_file",
        "arguments": {"filename": path, "content": TEXT},
    }
    client = Mcp(_member(world).token).as_host(agent=str(world.agent.pk))
    answer = client.earlier("tools/call", params).json()
    if "error" in answer:
        return str(answer["error"]["message"])
    assert answer["result"]["isError"]
    return str(answer["result"]["content"][0]["text"])


DOORS: dict[str, Callable[[World, str], str]] = {
    "door": _door,
    "renaming": _renaming,
    "new file page": _new_file_page,
    "rename page": _rename_page,
    "API": _api_put,
    "API renaming": _api_rename,
    "writing tool": _tool,
    "reading tool": _reading_tool,
    "MCP": _mcp,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_name_that_cannot_be_is_refused_with_its_reason(world: World, door: str) -> None:
    before = Revision.objects.count()
    for fault, path in BAD.items():
        with pytest.raises(PathRefused) as refused:
            paths.parse(path)
        # The API says of a NUL in any field of any call that it holds one.
        said = DOORS[door](world, path).replace(
            "filename contains a NUL character.", f"{refused.value}"
        )
        assert str(refused.value) in said, fault
    assert Revision.objects.count() == before


def test_each_fault_has_a_reason_of_its_kind(world: World) -> None:
    said = {fault: _door(world, path) for fault, path in BAD.items()}
    assert "real date" in said["no such day"]
    assert "only looks like “MEMORY.md”" in said["full-width"]
    assert said["full-width"] == said["Cyrillic"]
    assert "256 characters" in said["257 characters"]
    assert said["NUL"] == said["RTL override"] == REFUSED_CHARACTERS
    assert "“.md”" in said["in capitals"]


def test_two_names_that_differ_in_case_only_are_refused_everywhere(world: World) -> None:
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, None, "plans.md"), TEXT, writer=PERSON)
    api, agent = _member(world), f"/agents/{world.agent.pk}"
    body = {"filename": "Plans.md", "content": TEXT, "owner": "shared"}
    put = api.put(f"{agent}/workspace/files/Plans.md", {"content": TEXT})
    moved = api.post(f"{agent}/workspace/files/SOUL.md/rename", {"filename": "PLANS.md"})
    tool = api.post(f"{agent}/tools/write_workspace_memory_file", body)
    page = signed_in(world.bob).post(
        url(world.team, "agents_new_file", world.agent.pk), {"path": "Plans.md", "content": TEXT}
    )
    assert [answer.status_code for answer in (put, moved, tool, page)] == [409, 409, 409, 422]
    reason = "A file named “plans.md” exists already."
    assert {answer.json()["detail"] for answer in (put, moved, tool)} == {reason}
    assert reason in unescape(text(page))
