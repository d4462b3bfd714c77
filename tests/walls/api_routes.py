"""Every operation of the API, and what each caller is answered. One without an entry fails."""

from dataclasses import dataclass, field
from typing import Any

from tests.walls.api_stage import ARCHIVE

SAY = [{"role": "user", "content": "Good morning."}]
CHAT = {"agentId": "", "owner": "shared", "message": "/memory"}
CUSTOMER = "api:helpdesk/customer-1"
END_USER = {"endUserId": "customer-1"}
READ = {"admin": 200, "member": 200, "viewer": 200, "auditor": 200, "helpdesk": 200}
WRITE = READ | {"viewer": 403, "auditor": 403}
MANAGE = WRITE | {"member": 403, "helpdesk": 403}
ACCEPTED = 202


def answering(status: int, table: dict[str, int]) -> dict[str, int]:
    return {caller: status if code == 200 else code for caller, code in table.items()}


@dataclass(frozen=True)
class Route:
    """`path` is filled with the ids of a stage. `about` says how a program names an owner."""

    method: str
    path: str
    answers: dict[str, int]
    body: dict[str, Any] | bytes | None = None
    about: str = "query"  # query | body | nobody
    stranger: int = 404
    foreign: int | None = None  # what a program of another team is answered, if another thing
    changes: bool = False
    ids: tuple[str, ...] = field(default=("agent",))


FILES = "/agents/{agent}/workspace/files"
MEMORIES = "/agents/{agent}/workspace/memory"
TOOLS = "/agents/{agent}/tools/"
TALKS = "/agents/{agent}/conversations"
MEMORY = "/memory/{agent}"
ENTRY = "/dream/reports/{dream}/entries/0/"
TEXT = {"content": "# Knowledge\n\n- Tea is served at five.\n"}


def _read(path: str, **more: Any) -> Route:
    return Route("GET", path, READ, **more)


def _tool(name: str, body: dict[str, Any], *, changes: bool = False, helpdesk: int = 200) -> Route:
    body = {**body, "owner": "shared"}
    table = (WRITE if changes else READ) | {"helpdesk": helpdesk}
    return Route("POST", TOOLS + name, table, body, "nobody", changes=changes)


def _decided(path: str, body: dict[str, Any] | None, row: str) -> Route:
    """What people decide of shared memory, and no program."""
    answers = MANAGE | {"member": 200}
    return Route("POST", MEMORY + path, answers, body, "nobody", changes=True, ids=("agent", row))


def _forgotten(act: str, body: dict[str, Any] | None) -> Route:
    """What is shared only an admin forgets."""
    path = MEMORY + "/requests/{asked}/" + act
    return Route("POST", path, MANAGE, body, "nobody", changes=True, ids=("agent", "asked"))


# A program's own end users alone, of whichever team it is.
CODES: dict[str, Any] = {
    "answers": dict.fromkeys(("admin", "member", "viewer", "auditor"), 403) | {"helpdesk": 200},
    "body": {},
    "about": "body",
    "stranger": 403,
    "foreign": 200,
    "changes": True,
    "ids": (),
}

ADDRESS, WRONG = "/owners/{owner}/address", {"helpdesk": 400}
ADDRESSES = CODES | {"body": None, "about": "nobody", "foreign": 403}

ROUTES: dict[str, Route] = {
    "list_agents": _read("/agents", about="nobody", stranger=200, ids=()),
    "create": Route(
        "POST",
        "/agents",
        answering(201, MANAGE),
        {"name": "Night porter"},
        "nobody",
        stranger=201,
        changes=True,
        ids=(),
    ),
    "read_agent": _read("/agents/{agent}", about="nobody"),
    "change": Route(
        "PATCH",
        "/agents/{agent}",
        MANAGE,
        {"dreamAt": "03:30"},
        "nobody",
        foreign=403,
        changes=True,
    ),
    "archive": Route(
        "DELETE",
        "/agents/{agent}",
        answering(204, MANAGE),
        None,
        "nobody",
        foreign=403,
        changes=True,
    ),
    "restore": Route(
        "POST",
        "/agents/{archived}/restore",
        MANAGE,
        None,
        "nobody",
        foreign=403,
        changes=True,
        ids=("archived",),
    ),
    "list_files": _read(FILES),
    "read_file": _read(FILES + "/MEMORY.md"),
    "write_file": Route(
        "PUT",
        FILES + "/KNOWLEDGE.md?owner=shared",
        answering(201, WRITE),
        TEXT,
        "nobody",
        changes=True,
    ),
    "delete_file": Route(
        "DELETE",
        FILES + "/structured/wifi.md?owner=shared",
        answering(204, WRITE),
        None,
        "nobody",
        changes=True,
    ),
    "list_revisions": _read(FILES + "/MEMORY.md/revisions"),
    "read_revision": _read(FILES + "/MEMORY.md/revisions/1"),
    "restore_file": Route(
        "POST",
        FILES + "/MEMORY.md/restore?owner=shared",
        WRITE | {"helpdesk": 202},
        {"revision": 1},
        "nobody",
        changes=True,
    ),
    "rename_file": Route(
        "POST",
        FILES + "/structured/wifi.md/rename?owner=shared",
        WRITE,
        {"filename": "structured/guests.md"},
        "nobody",
        changes=True,
    ),
    "list_prompt_files": _read("/agents/{agent}/workspace/prompt-files"),
    "arrange_prompt_files": Route(
        "PUT",
        "/agents/{agent}/workspace/prompt-files?owner=shared",
        WRITE | {"helpdesk": 403},
        {"files": [{"filename": "MEMORY.md", "enabled": False}]},
        "nobody",
        changes=True,
    ),
    "export_snapshot": _read(MEMORIES + "/export"),
    "preview_import": Route(
        "POST", MEMORIES + "/import/preview?owner=shared", WRITE, ARCHIVE, "nobody"
    ),
    "import_snapshot": Route(
        "POST",
        MEMORIES + "/import?owner=shared&token={preview}",
        WRITE,
        ARCHIVE,
        "nobody",
        changes=True,
    ),
    "list_workspace_memory_files": _tool("list_workspace_memory_files", {}),
    "read_workspace_memory_file": _tool("read_workspace_memory_file", {"filename": "MEMORY.md"}),
    "write_workspace_memory_file": _tool(
        "write_workspace_memory_file", {"filename": "KNOWLEDGE.md", **TEXT}, changes=True
    ),
    "edit_workspace_memory_file": _tool(
        "edit_workspace_memory_file",
        {"filename": "MEMORY.md", "oldText": "Breakfast", "newText": "Lunch"},
        changes=True,
        helpdesk=202,
    ),
    "remember": _tool("remember", {"content": "Prefers a high floor."}, changes=True),
    "write_memory": _tool(
        "write_memory",
        {"filename": "KNOWLEDGE.md", "strategy": "append", "content": "- Tea at five."},
        changes=True,
    ),
    "forget": _tool("forget", {"text": "my booking"}, changes=True),
    "forget_memory": Route(
        "POST",
        MEMORY + "/forget",
        MANAGE | {"member": 200},
        {"text": "half past ten", "owner": "shared"},
        "nobody",
        changes=True,
    ),
    "list_receipts": _read(MEMORY + "/receipts"),
    "erase_owner": Route(
        "DELETE",
        "/owners/{owner}",
        answering(ACCEPTED, MANAGE),
        None,
        "nobody",
        foreign=403,
        changes=True,
        ids=("owner",),
    ),
    "list_forget_requests": _read(MEMORY + "/requests"),
    "erase_forget_request": _forgotten("erase", {}),
    "undo_forget_request": _forgotten("undo", None),
    "keep_forget_request": _forgotten("keep", None),
    "entry_list": _tool("entry_list", {}),
    "entry_read": _tool("entry_read", {"name": "Keys"}),
    "entry_write": _tool("entry_write", {"name": "room keys", "content": "Three."}, changes=True),
    "entry_rename": _tool("entry_rename", {"name": "1", "newName": "Key cards"}, changes=True),
    "entry_alias": _tool("entry_alias", {"name": "Keys", "newName": "key rack"}, changes=True),
    "entry_remove": _tool("entry_remove", {"name": "room keys"}, changes=True),
    "fact_search": _tool("fact_search", {"query": "tea"}),
    "fact_probe": _tool("fact_probe", {"entity": "Ada"}),
    "fact_list_contradictions": _tool("fact_list_contradictions", {}),
    "remember_structured": _tool(
        "remember_structured", {"type": "stay", "key": "Check-in", "value": "15:00"}, changes=True
    ),
    "recall_structured": _tool("recall_structured", {"type": "stay"}),
    "forget_structured": _tool(
        "forget_structured", {"type": "Marta-old", "key": "home"}, changes=True
    ),
    "memory_search": _tool("memory_search", {"query": "tea"}),
    "memory_get": _tool("memory_get", {"date": "today"}),
    "search_workspace_memory": _tool("search_workspace_memory", {"query": "tea"}),
    "build_context": Route(
        "POST", "/agents/{agent}/context", READ, {"message": "Tea?"}, "body", changes=True
    ),
    "send_chat": Route("POST", "/chat", WRITE, CHAT, "nobody", changes=True),
    "stream_chat": Route("POST", "/chat/stream", WRITE, CHAT, "nobody", changes=True),
    # There is no model here: tests/chat/test_completions.py has one.
    "complete_chat": Route(
        "POST",
        "/chat/completions",
        answering(409, READ),
        {"messages": SAY, "user": "customer-1"},
        "nobody",
        changes=True,
    ),
    "search_workspace": _read("/agents/{agent}/workspace/search?q=tea"),
    "send_messages": Route(
        "POST", TALKS + "/new/messages", READ, {"messages": SAY}, "body", changes=True
    ),
    "list_conversations": _read(TALKS),
    "read_conversation": Route(
        "GET",
        TALKS + "/{talk}",
        # Only its owner reads a conversation; who sees owners is told that it exists.
        {"admin": 403, "member": 404, "viewer": 404, "auditor": 403, "helpdesk": 200},
        ids=("agent", "talk"),
    ),
    "read_last_prompt": Route(
        "GET",
        TALKS + "/{talk}/last-prompt",
        {"admin": 403, "member": 404, "viewer": 404, "auditor": 403, "helpdesk": 200},
        ids=("agent", "talk"),
    ),
    "retire_carried_fact": Route(
        "POST",
        TALKS + "/{talk}/not-true",
        {"admin": 403, "member": 404, "viewer": 404, "auditor": 403, "helpdesk": 400},
        {"fact": "00000000-0000-0000-0000-000000000000"},
        "nobody",
        changes=True,
        ids=("agent", "talk"),
    ),
    "reset": Route(
        "POST",
        TALKS + "/{talk}/reset",
        {"admin": 404, "member": 404, "viewer": 404, "auditor": 404, "helpdesk": 200},
        {},
        "body",
        changes=True,
        ids=("agent", "talk"),
    ),
    "summarize": Route(
        "POST",
        MEMORY + "/summarize/{talk}",
        {"admin": 403, "member": 404, "viewer": 403, "auditor": 403, "helpdesk": ACCEPTED},
        {},
        "body",
        changes=True,
        ids=("agent", "talk"),
    ),
    "dream_now": Route(
        "POST",
        MEMORY + "/emergence",
        answering(ACCEPTED, WRITE),
        {"owner": "shared"},
        "nobody",
        changes=True,
    ),
    "dream_on_topic": Route(
        "POST",
        MEMORY + "/dreaming/focused",
        answering(ACCEPTED, WRITE),
        {"owner": "shared", "topic": "breakfast"},
        "nobody",
        changes=True,
    ),
    "read_dreaming_status": _read(MEMORY + "/dreaming/status"),
    "list_candidates": _read(MEMORY + "/dreaming/candidates"),
    "read_diary": _read(MEMORY + "/dreaming/dreams"),
    "list_reports": _read(MEMORY + "/dream/reports"),
    "read_report": Route(
        "GET",
        MEMORY + "/dream/reports/{run}",
        {"admin": 200, "member": 404, "viewer": 404, "auditor": 200, "helpdesk": 200},
        ids=("agent", "run"),
    ),
    "confirm_report_entry": _decided(ENTRY + "confirm", None, "dream"),
    "edit_report_entry": _decided(ENTRY + "edit", {"text": "Breakfast ends at ten."}, "dream"),
    "forget_report_entry": _decided(ENTRY + "forget", None, "dream"),
    "list_facts": _read(MEMORY + "/facts"),
    "read_fact": _read(
        MEMORY + "/facts/{fact}?owner=shared", about="nobody", ids=("agent", "fact")
    ),
    "pack_evidence": Route(
        "GET",
        MEMORY + "/facts/{fact}/evidence",
        dict.fromkeys(READ, 403) | {"auditor": 200},
        None,
        "nobody",
        stranger=403,
        foreign=403,
        ids=(),
    ),
    "list_contradictions": _read(MEMORY + "/facts/contradictions"),
    "read_morning_card": _read(MEMORY + "/dream/morning-card"),
    "mark_morning_card_seen": Route(
        "POST", MEMORY + "/dream/morning-card/seen", READ, {}, "body", changes=True
    ),
    "confirm_fact": _decided("/facts/{fact}/confirm", None, "fact"),
    "edit_fact": _decided("/facts/{fact}/edit", {"text": "Breakfast ends at ten."}, "fact"),
    "remember_fact_until": _decided("/facts/{fact}/until", {"validTo": "2099-12-31"}, "fact"),
    "retire_fact": _decided("/facts/{fact}/retire", None, "fact"),
    "restore_fact": _decided("/facts/{retired}/restore", None, "retired"),
    "keep_fact_true": _decided("/facts/{fact}/still-true", {}, "fact"),
    "rate_fact": _decided("/facts/{fact}/feedback", {"helpful": True}, "fact"),
    "resolve_contradiction": _decided(
        "/contradictions/{contradiction}/resolve", {"resolution": "KEEP_A"}, "contradiction"
    ),
    "undo_contradiction": _decided("/contradictions/{resolved}/undo", None, "resolved"),
    "list_memory_tests": Route(
        "GET", "/agents/{agent}/tests", READ | {"helpdesk": 403}, about="nobody"
    ),
    "make_memory_test": Route(
        "POST",
        "/agents/{agent}/tests",
        MANAGE | {"member": 200},
        {"question": "When is tea?", "must": "at five"},
        "nobody",
        changes=True,
    ),
    "run_memory_tests": Route(
        "POST", "/agents/{agent}/tests/run", READ | {"helpdesk": 403}, about="nobody"
    ),
    "delete_memory_test": Route(
        "DELETE",
        "/agents/{agent}/tests/{test}?owner=shared",
        answering(204, MANAGE | {"member": 200}),
        about="nobody",
        changes=True,
        ids=("agent", "test"),
    ),
    "list_proposals": _read("/agents/{agent}/proposals"),
    "accept_proposal": Route(
        "POST",
        "/agents/{agent}/proposals/{proposal}/accept",
        MANAGE | {"member": 200},
        None,
        "nobody",
        changes=True,
        ids=("agent", "proposal"),
    ),
    "reject_proposal": Route(
        "POST",
        "/agents/{agent}/proposals/{proposal}/reject",
        MANAGE | {"member": 200},
        None,
        "nobody",
        changes=True,
        ids=("agent", "proposal"),
    ),
    "read_run": Route(
        "GET",
        "/runs/{run}",
        {"admin": 200, "member": 404, "viewer": 404, "auditor": 200, "helpdesk": 200},
        ids=("run",),
    ),
    "list_owners": Route(
        "GET", "/owners", MANAGE | {"auditor": 200}, None, "nobody", stranger=200, ids=()
    ),
    "link_code": Route("POST", "/owners/link-code", **CODES),
    "memory_link": Route("POST", "/owners/memory-link", **CODES),
    "give_address": Route("PUT", ADDRESS, **ADDRESSES | {"body": {"email": "c@harbour.example"}}),
    "confirm_address": Route(
        "POST",
        ADDRESS + "/confirm",
        **ADDRESSES | {"body": {"code": "AAAA-AAAA"}, "answers": CODES["answers"] | WRONG},
    ),
    "remove_address": Route(
        "DELETE", ADDRESS, **ADDRESSES | {"answers": answering(204, CODES["answers"])}
    ),
    "list_events": Route(
        "GET",
        "/audit/events",
        MANAGE | {"auditor": 200},
        None,
        "nobody",
        stranger=200,
        ids=(),
    ),
}
