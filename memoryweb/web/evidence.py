"""The evidence pack: what was held of a statement at a moment, to be checked without memoryweb."""

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

from django.contrib import messages
from django.db import transaction
from django.http import FileResponse, HttpResponseBase
from django.shortcuts import redirect

from memoryweb.accounts.permissions import Permission
from memoryweb.audit import checkpoints, keys, verify_export
from memoryweb.audit.models import events_of
from memoryweb.audit.record import Entry, record, target
from memoryweb.memory.lines.revisions import files_at
from memoryweb.memory.models import Evidence, Injection
from memoryweb.memory.statements.listing import Held
from memoryweb.memory.visible.readable import Look, To, cited
from memoryweb.web import audit
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, note_read, team_view
from memoryweb.web.pages import to
from memoryweb.web.time_travel import Belief, MomentForm, belief
from memoryweb.web.wording import author_name

_IN_MEMORY = 1024 * 1024  # bytes of a pack; what is larger waits in a file


@team_view("POST", takes=Permission.PACK_EVIDENCE)
def pack(request: TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponseBase:
    """Its event comes first: it binds what the pack says to the chain that the pack has."""
    workspace, form = find_workspace(request, agent_id), MomentForm(request.POST)
    if not form.is_valid():
        messages.error(request, str(next(iter(form.errors.values()))[0]))
        query = f"?fact={fact_id}{workspace.more}"
        return redirect(to(request, "agents_moments", agent_id, query=query))
    at, visit = form.cleaned_data["at"], request.visit
    there = files_at(agent_id, workspace.owner_id, at)
    found = belief(request, workspace, fact_id, at, there)
    evidence, since = _evidence(request, workspace, found, at)
    details = {"sha256": hashlib.sha256(evidence).hexdigest()}
    with transaction.atomic():
        whose = {"on_behalf_of": workspace.owner_id, **target(found.fact)}
        record(visit.team.pk, Entry("evidence.packed", visit.actor, **whose, details=details))
    file = SpooledTemporaryFile[bytes](_IN_MEMORY)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("evidence.json", evidence)
        archive.writestr("verify_export.py", Path(verify_export.__file__).read_bytes())
        with archive.open("audit.jsonl", "w") as log, TextIOWrapper(log, "utf-8") as lines:
            lines.writelines(_segment(request, since))
    file.seek(0)
    name = f"evidence-{visit.team.slug}-{visit.now:%Y-%m-%d}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def _segment(request: TeamRequest, since: datetime) -> Iterable[str]:
    """All events from a moment to a checkpoint that is signed for them."""
    team_id = request.visit.team.pk
    signed = checkpoints.sign(team_id, request.visit.now)
    assert signed, "a team begins with an event"
    events = events_of(team_id).filter(seq__lte=signed.seq)
    later = events.filter(at_us__gte=audit.micros(since)).order_by("seq")
    first = later.values_list("seq", flat=True).first() or 1
    return audit.jsonl(request, events.filter(seq__gte=first), {}, signed, first=first)


def _evidence(
    request: TeamRequest, workspace: Workspace, found: Belief, at: datetime
) -> tuple[bytes, datetime]:
    """And since when anything of it was there."""
    facts = {one.pk: one for one in (found.fact, *(held.fact for held, *_rest in found.lines))}
    said = [one for one in cited(tuple(facts)) if one.said_at is None or one.said_at <= at]
    look = Look(To.PAGE, messages=[one.message for one in said if one.message])
    grounds = [{"statement": str(one.fact_id), **_ground(request, one, look)} for one in said]
    told = {
        "format": "memoryweb-evidence-1",
        "team": str(request.visit.team.pk),
        "agent": str(workspace.agent.pk),
        "owner": workspace.owner_id and str(workspace.owner_id),
        "statement": {"id": str(found.fact.pk), "text": found.text},
        "at": at.isoformat(),
        "made": request.visit.now.isoformat(),
        "held": [_held(held, text) for held, text, _on in found.lines],
        "standsOn": grounds,
        "prompts": [_prompt(one) for one in found.prompts],
    }
    roots = [one.message or one.root for one in said]
    since = min(one.created_at for one in [*facts.values(), *roots])
    return json.dumps(told, ensure_ascii=False, indent=1).encode(), since


def _held(held: Held, text: str) -> dict[str, Any]:
    past, line = held.past, held.at.line
    where = {"file": past.path, "fileId": str(past.file.pk), "revision": past.number, "line": line}
    return {"statement": str(held.fact.pk), "text": text, **where}


def _prompt(one: Injection) -> dict[str, Any]:
    ids = {"owner": one.owner_id, "conversation": one.conversation_id}
    told = {name: key and str(key) for name, key in ids.items()}
    return {"id": one.pk, "at": one.at.isoformat(), "via": one.via, **told}


def _ground(request: TeamRequest, one: Evidence, look: Look) -> dict[str, Any]:
    """A message, or the revision that first wrote it down; no word of one that isn't theirs to
    read."""
    if message := one.message:
        talk = message.conversation
        told = {"kind": "message", "at": message.timestamp.isoformat()}
        if not request.visit.reads(talk.owner_id):
            whole = look.message(message).text
            return told | {"digest": keys.print_of("memoryweb.evidence", whole)}
        note_read(request, talk.owner, "conversation", talk.pk)
        place = {"conversation": str(talk.pk), "position": message.position}
        said = {"role": message.role, "name": message.name, "quote": look.quote(one)}
        return told | place | said
    root = one.root
    assert root
    told = {"kind": "revision", "at": root.created_at.isoformat()}
    if not request.visit.reads(root.file.owner_id):
        return told
    by = author_name(root, root.file.agent)
    return told | {"file": root.file.path, "revision": root.number, "by": by}
