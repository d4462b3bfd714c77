"""What a file is before its first text."""

import hashlib

from django.db.models import Max

from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown import paths
from memoryweb.markdown.file_kinds import SEEDED
from memoryweb.workspace.models import File, Scope


def new_file(
    agent: Agent, owner: Owner | None, path: paths.WorkspacePath, *, by_person: bool
) -> File:
    """Unsaved. Core files start in the prompt, shared ones of people; others stand last."""
    kind = paths.kind_of(path.text)
    if kind.is_seeded:
        order = SEEDED.index(kind.name)
    else:
        found = File.objects.of(agent.pk, owner.pk if owner else None)
        last = found.aggregate(last=Max("sort_order"))["last"]
        order = max(len(SEEDED), (last or 0) + 1)
    return File(
        team_id=agent.team_id,
        agent=agent,
        owner=owner,
        scope=_scope(agent, owner),
        path=path.text,
        folded_path=path.folded,
        enabled=kind.starts_own if owner else kind.is_seeded and by_person,
        sort_order=order,
        note_date=path.note_date,
        sha256=hashlib.sha256(b"").hexdigest(),
        size=0,
    )


def _scope(agent: Agent, owner: Owner | None) -> Scope:
    if owner:
        return Scope.PERSONAL
    return Scope.GLOBAL if agent.is_global else Scope.TEAM
