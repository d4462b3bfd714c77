"""Extractions as pages print them: what was read, what was written, and where it stands."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.agents.owners import memory_of
from memoryweb.extraction.models import Extraction
from memoryweb.memory.lines.files import files_by_id
from memoryweb.memory.models import File
from memoryweb.memory.visible.request_contents import away_from
from memoryweb.web.access import TeamRequest
from memoryweb.web.display_names import talk_url
from memoryweb.web.htmx import to
from memoryweb.web.provenance.trace import file_url
from memoryweb.web.wording import Chip

_TONES = {
    Extraction.Status.ANSWERED: "run",
    Extraction.Status.APPLIED: "ok",
    Extraction.Status.NOTHING: "idle",
    Extraction.Status.FAILED: "bad",
    Extraction.Status.ASIDE: "warn",
}


def extracted(request: TeamRequest, rows: Iterable[Extraction]) -> list[dict[str, Any]]:
    """The caller has found them by a conversation or a run whose text may be read."""
    rows = list(rows)
    for row in (one for one in rows if one.reason):
        talk = row.conversation
        row.reason = away_from(talk.agent_id, memory_of(talk.owner)).without(row.reason)
    files = files_by_id({written["file"] for row in rows for written in row.written})
    readable = {key: f for key, f in files.items() if request.visit.reads(f.owner_id)}
    return [_one(request, row, readable) for row in rows]


def _one(request: TeamRequest, row: Extraction, files: dict[str, File]) -> dict[str, Any]:
    status = Extraction.Status(row.status)
    return {
        "extraction": row,
        "label": row.conversation.external_id,
        "messages": _("Messages {first}–{last}").format(first=row.first, last=row.last),
        "url": talk_url(request, row.conversation, row.first),
        "run_url": to(request, "agents_run", row.run_id),
        "chip": Chip(_TONES[status], status.label),
        "wrote": [
            _wrote(request, files[written["file"]], written["first"], written["last"])
            for written in row.written
            if written["file"] in files
        ],
        "reason": row.reason,
    }


def _wrote(request: TeamRequest, file: File, first: int, last: int) -> dict[str, str]:
    lines = f"{first}" if first == last else f"{first}–{last}"
    return {"label": f"{file.path}:{lines}", "url": file_url(request, file, first)}
