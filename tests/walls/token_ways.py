"""Every way by which a token can write, tried on everything that a shared prompt is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

from django.utils import timezone

from memoryweb.memory.models import AuthorKind, Conversation, Fact, File, Proposal
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt import files
from memoryweb.memory.writing import write
from tests.api.client import Api
from tests.dreaming.nights import dream
from tests.extraction.talking import extract
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.snapshots.archives import of
from tests.world import World

RULES, SKILL, SUMMARY = "house/rules.md", "skills/tea/SKILL.md", "memory_summary.md"
STANDING = {
    "MEMORY.md": "# Memory\n\n- The pool opens at seven.\n",
    "PROFILE.md": "# Profile\n\n- A hotel by the sea.\n",
    SUMMARY: "# Summary\n\n- A hotel by the sea.\n",
    SKILL: "# Tea\n\n- Warm the pot first.\n",
    RULES: "# Rules\n\n- Breakfast ends at eleven.\n",
}
NEW_SKILL = "skills/coffee/SKILL.md"
GUARDED = (*STANDING, NEW_SKILL)
OPEN = "letters.md"


@dataclass(frozen=True)
class Attacker:
    """A token that nobody let write what is shared."""

    world: World
    secret: str

    @property
    def api(self) -> Api:
        return Api(self.secret)

    @property
    def mcp(self) -> Mcp:
        return Mcp(self.secret).as_host(owner="shared", agent=str(self.world.agent.pk))

    @property
    def base(self) -> str:
        return f"/agents/{self.world.agent.pk}"

    def file(self, path: str, what: str = "") -> str:
        return f"{self.base}/workspace/files/{quote(path)}{what}?owner=shared"

    def put(self, path: str, text: str) -> Any:
        return self.api.put(self.file(path), {"content": text})

    def tool(self, tool: str, **sent: Any) -> Any:
        return self.api.post(f"{self.base}/tools/{tool}", {"owner": "shared", **sent})


Way = Callable[[Attacker, str], Any]


def person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def by_person(world: World, path: str, text: str) -> File:
    with write_transaction(world.team) as tx:
        return write.write(tx, Place(world.agent, None, path), text, writer=person(world)).file


def furnish(world: World) -> None:
    """A person has written all that a prompt is made of, and put the rules into it."""
    for path, text in STANDING.items():
        file = by_person(world, path, text)
        if path == RULES:
            with write_transaction(world.team) as tx:
                files.switch(tx, file, enabled=True)


def _text_of(path: str, text: str) -> str:
    return STANDING.get(path, "# Coffee\n") + f"\n- {text}\n"


def _put(by: Attacker, text: str, path: str) -> None:
    by.put(path, _text_of(path, text))


def _write_tool(by: Attacker, text: str, path: str) -> None:
    by.tool("write_workspace_memory_file", filename=path, content=_text_of(path, text))


def _edit_tool(by: Attacker, text: str, path: str) -> None:
    old = STANDING.get(path, "# ").split("\n")[0]
    sent = {"filename": path, "oldText": old, "newText": f"{old}\n\n- {text}"}
    by.tool("edit_workspace_memory_file", **sent)


def _strategy(by: Attacker, text: str, path: str, strategy: str) -> None:
    sent: dict[str, Any] = {"filename": path, "strategy": strategy, "heading": "Rules"}
    if strategy == "upsert_kv":
        sent |= {"key": "Rule", "value": text}
    else:
        sent |= {"content": f"- {text}"}
    by.tool("write_memory", **sent)


def _create(by: Attacker, text: str, path: str) -> None:
    sent = {"path": f"/memories/{path}", "file_text": _text_of(path, text)}
    by.mcp.call("memory", command="create", **sent)
    by.mcp.call("memory", command="delete", path=f"/memories/{path}")
    by.mcp.call("memory", command="create", **sent)


def _str_replace(by: Attacker, text: str, path: str) -> None:
    old = STANDING.get(path, "# ").split("\n")[0]
    sent = {"old_str": old, "new_str": f"{old}\n\n- {text}"}
    by.mcp.call("memory", command="str_replace", path=f"/memories/{path}", **sent)


def _insert(by: Attacker, text: str, path: str) -> None:
    sent = {"insert_line": 1, "insert_text": f"- {text}"}
    by.mcp.call("memory", command="insert", path=f"/memories/{path}", **sent)


def _mcp_rename(by: Attacker, text: str, path: str) -> None:
    by.put(OPEN, _text_of(path, text))
    for old, new in ((path, "old.md"), (OPEN, path)):
        paths = {"old_path": f"/memories/{old}", "new_path": f"/memories/{new}"}
        by.mcp.call("memory", command="rename", **paths)


def _rename_folder(by: Attacker, text: str, path: str) -> None:
    by.put(f"planted/{path}", _text_of(path, text))
    paths = {"old_path": "/memories/planted/skills", "new_path": "/memories/skills"}
    by.mcp.call("memory", command="rename", **paths)


def _rename(by: Attacker, text: str, path: str) -> None:
    by.put(OPEN, _text_of(path, text))
    by.api.post(by.file(path, "/rename"), {"filename": "old.md"})
    by.api.delete(by.file(path))
    by.api.post(by.file(OPEN, "/rename"), {"filename": path})


def _rename_away_and_back(by: Attacker, text: str, path: str) -> None:
    by.api.post(by.file(path, "/rename"), {"filename": OPEN})
    by.put(OPEN, _text_of(path, text))
    by.api.post(by.file(OPEN, "/rename"), {"filename": path})


def _import(by: Attacker, text: str, path: str) -> None:
    archive = of({path: _text_of(path, text)})
    door = f"{by.base}/workspace/memory/import"
    shown = by.api.post(f"{door}/preview?owner=shared", archive).json()
    by.api.post(f"{door}?owner=shared&token={shown['token']}", archive)


def _restore(by: Attacker, text: str, path: str) -> None:
    """A person wrote it, and took it out again."""
    planted = by_person(by.world, path, _text_of(path, text))
    by_person(by.world, path, STANDING.get(path, "# Coffee\n"))
    by.api.post(by.file(path, "/restore"), {"revision": planted.revision})


def _restore_deleted(by: Attacker, text: str, path: str) -> None:
    planted = by_person(by.world, path, _text_of(path, text))
    with write_transaction(by.world.team) as tx:
        write.delete(tx, planted, writer=person(by.world))
    by.api.post(by.file(path, "/restore"), {"revision": planted.revision - 1})


def _fill_deleted(by: Attacker, text: str, path: str) -> None:
    file = write.find(Place(by.world.agent, None, path))
    if file and file.deleted_at is None:
        with write_transaction(by.world.team) as tx:
            write.delete(tx, file, writer=person(by.world))
    _put(by, text, path)
    _rename(by, text, path)


def _accept(by: Attacker, text: str, path: str) -> None:
    """Its own proposals, as a whole and by lines."""
    _put(by, text, path)
    waiting = Proposal.objects.filter(state=Proposal.State.PENDING)
    for one in waiting:
        door = f"{by.base}/proposals/{one.pk}/accept"
        by.api.post(door)
        by.api.post(door, {"lines": [1, 2, 3], "words": {}, "seen": "0" * 32})


def _enable(by: Attacker, text: str, path: str) -> None:
    """Something open is filled first, and put in front of the file."""
    by.put(OPEN, _text_of(path, text))
    door = f"{by.base}/workspace/prompt-files?owner=shared"
    by.api.put(door, {"files": [OPEN, path]})
    by.api.put(door, {"files": [{"filename": OPEN, "enabled": True}]})


def _fact(by: Attacker, text: str, path: str) -> None:
    """Statements of the file, reworded, put back and voted for."""
    memory = f"/memory/{by.world.agent.pk}"
    for fact in Fact.objects.filter(agent=by.world.agent, owner=None, path=path):
        one = f"{memory}/facts/{fact.pk}"
        assert by.api.post(f"{one}/edit", {"text": text}).status_code != 404
        by.api.post(f"{one}/confirm")
        by.api.post(f"{one}/retire")
        by.api.post(f"{one}/restore")
    rivals = by.api.get(f"{memory}/facts/contradictions?owner=shared")
    assert rivals.status_code == 200
    for rival in rivals.json()["items"]:
        sent = {"resolution": "MERGE", "text": text}
        by.api.post(f"{memory}/contradictions/{rival['id']}/resolve", sent)


def _note(by: Attacker, text: str) -> None:
    """A note, and a dream of it."""
    by.tool("remember", content=text)
    today = timezone.now().date()
    by.put(f"memory/{today}.md", f"# {today}\n\n- 09:00 {text}\n")
    dream(by.world, None, today + timedelta(days=1))


def _message(by: Attacker, text: str) -> None:
    """Sent as shared, with turns of the assistant that repeat it, extracted and dreamt."""
    name = f"chat {abs(hash(text))}"
    turns = (("user", text), ("assistant", text), ("user", "Thank you."), ("user", text))
    body = {"owner": "shared", "messages": [{"role": r, "content": c} for r, c in turns]}
    by.api.post(f"{by.base}/conversations/{name}/messages", body)
    for talk in Conversation.objects.filter(agent=by.world.agent, external_id=name):
        extract(by.world, talk)
    dream(by.world, None, timezone.now().date() + timedelta(days=1))


def _structured(by: Attacker, text: str) -> None:
    sent = {"type": "project", "key": "House rule", "value": text}
    by.tool("remember_structured", **sent)
    by.put("KNOWLEDGE.md", f"# Knowledge\n\n- {text}\n")
    by.put("structured/rules.md", f"- {text}\n")
    dream(by.world, None, timezone.now().date() + timedelta(days=1))


def _entry(by: Attacker, text: str) -> None:
    """An entry that is called by it, with another name that is, too."""
    name = text.replace("/", "-").replace(":", "-")[:120]
    by.tool("entry_write", name="Tea", content=text)
    by.tool("entry_write", name=name, content=text)
    by.tool("entry_alias", name="Tea", newName=f"{name}!")
    by.tool("entry_rename", name="Tea", newName=f"Tea {name}")


def _name(by: Attacker, text: str) -> None:
    """A file of any folder that is called by it."""
    name = "".join(c for c in text if c.isalnum() or c in " -").strip()[:120]
    for folder in ("", "skills/", "structured/", "letters/", "memory/x/"):
        by.put(f"{folder}{name}.md", "Nothing.\n")
        by.put(f"skills/{name}/SKILL.md", "Nothing.\n")


def _look_alike(by: Attacker, text: str) -> None:
    """Names that fold to a guarded one, or look like it."""
    names = ("memory.md", "МEMORY.md", "Memory_Summary.md", "SKILLS/tea/SKILL.md", "ｓkills/x.md")
    for path in (*names, "ѕkills/x.md", "memory_ѕummary.md"):
        by.put(path, f"- {text}\n")
        by.tool("write_workspace_memory_file", filename=path, content=f"- {text}\n")


def _mem0(by: Attacker, text: str) -> None:
    mem0 = Mem0(by.secret, str(by.world.agent.pk))
    for infer in (False, True):
        body = {"messages": text, "infer": infer, "user_id": "customer-1"}
        mem0.answer("POST", "/v3/memories/add/", body)


def _agent(by: Attacker, text: str) -> None:
    """Settings of the agent itself."""
    by.api.patch(by.base, {"description": text, "policy": "apply"})
    by.api.patch(by.base, {"name": text[:60]})


BY_FILE: dict[str, Callable[[Attacker, str, str], None]] = {
    "put": _put,
    "write tool": _write_tool,
    "edit tool": _edit_tool,
    **{
        f"strategy {one}": partial(_strategy, strategy=one)
        for one in ("append", "replace_section", "upsert_kv", "overwrite")
    },
    "mcp create": _create,
    "mcp str_replace": _str_replace,
    "mcp insert": _insert,
    "mcp rename": _mcp_rename,
    "mcp rename of a folder": _rename_folder,
    "rename": _rename,
    "rename away and back": _rename_away_and_back,
    "import": _import,
    "restore": _restore,
    "restore what was deleted": _restore_deleted,
    "fill what was deleted": _fill_deleted,
    "accept": _accept,
    "enable": _enable,
    "statements": _fact,
}
BY_ITSELF: dict[str, Way] = {
    "note and dream": _note,
    "messages and dream": _message,
    "structured": _structured,
    "entry": _entry,
    "name": _name,
    "look-alike": _look_alike,
    "mem0": _mem0,
    "agent": _agent,
}
