"""Who may look at an owner's memory and who did: people for an hour, programs until withdrawn."""

import json
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import Team
from memoryweb.agents.break_glass import grants_about
from memoryweb.audit.models import Event
from memoryweb.audit.queries import looks_at, reads_of_owners
from memoryweb.audit.record import Actor

_READ: dict[str, str | Promise] = {
    "file": _("Read a file."),
    "files": _("Read the list of files."),
    "fact": _("Read a statement."),
    "facts": _("Read the list of statements."),
    "changes": _("Read what changed in the files."),
    "prompt": _("Read the agent's prompt."),
    "search": _("Searched this memory."),
    "conversation": _("Read a conversation."),
    "run": _("Read what a run did."),
    "proposal": _("Read a proposed change."),
    "owner": _("Read through the API."),
    "team": _("Read everyone's memory through the API."),
}


def looks(team: Team, owner_ids: Collection[UUID], *, but: Actor | None = None) -> dict[str, Any]:
    """`programs` that may read now, the last 50 `grants` and the last 20 `reads`, in few
    statements. What `but` did, the person themselves, is no look."""
    counts = reads_of_owners(team.pk, owner_ids)
    grants = list(grants_about(owner_ids).select_related("user")[:50])
    programs = list(team.integrations.all())
    names = {str(one.pk): (str(one.user), one.reason) for one in grants} | {
        str(one.pk): (one.name, one.personal_read_reason) for one in programs
    }
    return {
        "programs": [
            {
                "name": one.name,
                "reason": one.personal_read_reason,
                "reads": counts.get(str(one.pk), 0),
            }
            for one in programs
            if one.personal_read_reason and one.revoked_at is None
        ],
        "grants": [
            {
                "name": str(one.user),
                "reason": one.reason,
                "at": one.created_at,
                "reads": counts.get(str(one.pk), 0),
            }
            for one in grants
        ],
        "reads": _reads(team, owner_ids, names, but),
    }


def _reads(
    team: Team,
    owner_ids: Collection[UUID],
    names: Mapping[str, tuple[str, str]],
    but: Actor | None,
) -> list[dict[str, Any]]:
    events = looks_at(team.pk, owner_ids).exclude(actor_role="visitor")
    if but is not None:
        events = events.exclude(actor_kind=but.kind, actor_id=but.id)
    return [_read(event, names) for event in events[:20]]


def _read(event: Event, names: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """One time that somebody else read, with the reason that opened it to them."""
    grant = json.loads(event.details or "{}").get("grant", "")
    name, reason = names.get(grant, ("", ""))
    what = (
        _("Exported this memory.")
        if event.action == "personal.exported"
        else _READ.get(event.target_kind, _("Read this memory."))
    )
    return {"name": name or event.actor_id[:8], "at": event.at, "what": what, "reason": reason}
