"""Who may look at an owner's memory and who did: people for an hour, programs until withdrawn."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import Team
from memoryweb.agents.break_glass import openings_of
from memoryweb.audit.queries import Look, looks_at
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
    """`programs` that may read now, the last 50 `grants` and the last 20 `reads`, in two
    statements. What `but` did, the person themselves, is no look."""
    own = Q(actor_role="visitor")
    if but is not None:
        own |= Q(actor_kind=but.kind, actor_id=but.id)
    last, times = looks_at(team.pk, owner_ids, but=own, most=20)
    openings = openings_of(team, owner_ids)
    reasons = {str(one.id): (one.name, one.reason) for one in openings}
    told: list[dict[str, Any]] = [
        {"name": one.name, "reason": one.reason, "at": one.at, "reads": times.get(str(one.id), 0)}
        for one in openings
        if one.at or (one.reason and one.over is None)
    ]
    return {
        "programs": [one for one in told if one["at"] is None],
        "grants": [one for one in told if one["at"] is not None],
        "reads": [_read(one, reasons) for one in last],
    }


def _read(look: Look, names: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """One time that somebody else read, with the reason that opened it to them."""
    name, reason = names.get(look.grant, ("", ""))
    what = (
        _("Exported this memory.")
        if look.action == "personal.exported"
        else _READ.get(look.target_kind, _("Read this memory."))
    )
    return {"name": name or look.actor_id[:8], "at": look.at, "what": what, "reason": reason}
