"""A conversation: its messages, and what was extracted from them."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.owners import memory_of
from memoryweb.extraction.models import Extraction
from memoryweb.memory.lines.files import files_by_id
from memoryweb.memory.lines.origins import lines_from_messages
from memoryweb.memory.models import File, Injection, Message
from memoryweb.memory.prompt import carried, last_prompt
from memoryweb.memory.visible.readable import To, readable_facts, readable_files, readable_messages
from memoryweb.memory.visible.request_contents import away_from
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.web import access, wording
from memoryweb.web.markdown import marked_html, plain, words_of
from memoryweb.web.pages import page, show, to
from memoryweb.web.wording import Chip, fact_url, file_url, in_zone, owner_query

# Extractions as pages print them: what was read, what was written, and where it stands.

_TONES = {
    Extraction.Status.ANSWERED: "run",
    Extraction.Status.APPLIED: "ok",
    Extraction.Status.NOTHING: "idle",
    Extraction.Status.FAILED: "bad",
    Extraction.Status.ASIDE: "warn",
}


def extracted(request: access.TeamRequest, rows: Iterable[Extraction]) -> list[dict[str, Any]]:
    """The caller has found them by a conversation or a run whose text may be read."""
    rows, away = list(rows), cache(away_from)
    files = files_by_id({written["file"] for row in rows for written in row.written})
    readable = {key: f for key, f in files.items() if request.visit.reads(f.owner_id)}
    return [_one(request, row, readable) | {"reason": _reason(row, away)} for row in rows]


def _one(request: access.TeamRequest, row: Extraction, files: dict[str, File]) -> dict[str, Any]:
    status = Extraction.Status(row.status)
    return {
        "extraction": row,
        "messages": _("Messages {first}–{last}").format(first=row.first, last=row.last),
        "chip": Chip(_TONES[status], status.label),
        "wrote": [
            _written_lines(request, files[written["file"]], written["first"], written["last"])
            for written in row.written
            if written["file"] in files
        ],
    }


def _reason(row: Extraction, away: Callable[[UUID, UUID | None], Sought]) -> str:
    talk = row.conversation
    return away(talk.agent_id, memory_of(talk.owner)).without(row.reason) if row.reason else ""


def _written_lines(
    request: access.TeamRequest, file: File, first: int, last: int
) -> dict[str, str]:
    lines = f"{first}" if first == last else f"{first}–{last}"
    return {"label": f"{file.path}:{lines}", "url": file_url(request, file, first)}


_SIZE = 50


@access.team_view("GET")
def conversation(
    request: access.TeamRequest, agent_id: UUID, conversation_id: UUID
) -> HttpResponse:
    agent = access.find_agent(request, agent_id)
    found = access.find_conversation(request, agent, conversation_id)
    shown = page(_at_message(request), found.messages.order_by("position"), size=_SIZE)
    prompt = last_prompt(found)
    extractions = found.extractions.select_related("conversation__owner", "run").order_by("first")[
        :100
    ]
    context = {
        "agent": agent,
        "tab": "conversations",
        "conversation": found,
        "about_owner": found.owner,
        "is_other": not request.visit.is_common(found.owner_id),
        "chip": wording.of_talk(found),
        "skipped": wording.reason(found.skipped),
        "page": shown,
        "messages_shown": _shown(request, shown),
        "extractions": extracted(request, extractions),
        "carried": _carried(request, prompt),
        "was_asked": prompt is not None,
        "waiting": found.message_count - found.extracted_upto,
    }
    return show(request, "conversations/conversation.html", context)


def _carried(request: access.TeamRequest, prompt: Injection | None) -> list[dict[str, Any]]:
    """The statements of the last prompt, each with where it is marked as not true."""
    rows, found = [], list(carried(prompt).select_related("agent", "file", "owner"))
    for fact, readable in zip(found, readable_facts(found, To.PAGE), strict=True):
        query = owner_query(request.visit, fact.owner_id)
        not_true = to(request, "agents_fact_not_true", fact.agent_id, fact.pk, query=query)
        may = request.visit.decides(fact.owner_id, Permission.WRITE)
        url, text = fact_url(request, fact), readable.text
        told = {"text": text, "ended": readable.ended}
        rows.append({**told, "url": url, "not_true": may and not_true})
    return rows


def _at_message(request: access.TeamRequest) -> access.TeamRequest:
    """`?message=` opens the page that the message is on, so that a link can lead to it."""
    text = request.GET.get("message", "")
    if "page" not in request.GET and text.isascii() and text.isdigit() and len(text) < 9:
        query = request.GET.copy()
        query["page"] = str((int(text) - 1) // _SIZE + 1)
        del query["message"]
        request.GET = query  # type: ignore[assignment]
    return request


def _shown(
    request: access.TeamRequest, messages: Iterable[Message]
) -> list[tuple[Message, Any, Any]]:
    """Each message with its words marked, and with the lines that were made of it."""
    words = words_of(request.GET.get("q", ""))
    shown = list(messages)
    wrote = _wrote(request, [message.pk for message in shown])
    said = readable_messages(shown, To.PAGE)
    return [
        (message, marked_html(plain(readable.shown), words), wrote.get(message.pk, []))
        for message, readable in zip(shown, said, strict=True)
    ]


def _wrote(
    request: access.TeamRequest, message_ids: Iterable[int]
) -> Mapping[int, list[dict[str, str]]]:
    found: dict[int, list[dict[str, str]]] = {}
    origins = [
        one for one in lines_from_messages(message_ids) if request.visit.reads(one.file.owner_id)
    ]
    texts = {one.id: one for one in readable_files([one.file for one in origins], To.PAGE)}
    for one in origins:
        if one.message_id is not None:
            text = in_zone(texts[one.file.pk].line(one.line), one.file.note_date)
            url = file_url(request, one.file, one.line)
            row = {"label": f"{one.file.path}:{one.line}", "text": text, "url": url}
            found.setdefault(one.message_id, []).append(row)
    return found
