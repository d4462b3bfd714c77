"""What a team's programs may use (`Team.quotas`). Reading, correcting, forgetting, erasing and
taking along what is remembered is never refused; each call counts."""

from collections.abc import Callable

from django.urls import reverse

from memoryweb.api.auth import Caller
from memoryweb.api.problems import Problem
from memoryweb.runs import counting

# Operations, tools and methods that work for an agent, and those that also store something.
_ASKS = {
    *("build_context", "dream_now", "dream_on_topic", "summarize", "mem0_search", "prompts/get"),
    *("list_workspace_memory_files", "read_workspace_memory_file", "search_workspace_memory"),
    *("memory_get", "memory_search", "search", "fetch", "recall_structured", "fact_search"),
    *("fact_probe", "fact_list_contradictions", "run_memory_tests"),
    *("entry_list", "entry_read", "entry_rename", "entry_alias"),
}
_STORES = {
    *("send_messages", "send_chat", "stream_chat", "complete_chat"),
    *("mem0_add", "import_snapshot", "preview_import"),
    *("write_file", "write_workspace_memory_file", "edit_workspace_memory_file", "write_memory"),
    *("remember", "remember_structured", "entry_write", "memory"),
}
# Of operations that take messages: what is called where they are refused.
hears: dict[str, Callable[..., None]] = {}
_FULL_SECONDS = 3600  # how much is stored is measured once an hour


def refusal(caller: Caller, name: str) -> Problem | None:
    """Of a call of this operation, which counts unless it is refused."""
    team, quotas = caller.team, caller.team.quotas
    # A file that a person writes is theirs to correct.
    stores = name in _STORES and not (name == "write_file" and caller.user)
    limits = quotas["requests_minute"], quotas["requests_day"]
    code, said = "quota_requests", "This team's calls are used up for now."
    wait = counting.call(team.pk, *(limits if stores or name in _ASKS else (None, None)))
    if not wait:
        if not (stores and team.is_full):
            return None
        code, said, wait = "quota_stored", "This team stores as much as it may.", _FULL_SECONDS
    page = page_of(caller)
    headers = {"Retry-After": str(max(1, round(wait)))}
    return Problem(429, code, f"{said} See {page['page']}.", headers=headers, members=page)


def codes(name: str) -> tuple[int, ...]:
    """Of the answers by which an operation may be refused."""
    return (429,) if name in _ASKS | _STORES else ()


def page_of(caller: Caller) -> dict[str, str]:
    """That tells what is used and allowed."""
    return {"page": reverse("web:settings_model", args=[caller.team.slug])}
