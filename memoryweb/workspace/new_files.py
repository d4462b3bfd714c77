"""What a file is before its first text."""

import hashlib
from collections.abc import Iterator
from itertools import count

from django.db.models import Max

from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown import paths
from memoryweb.markdown.file_kinds import SEEDED
from memoryweb.workspace.models import File, Scope


def last_places(agent: Agent, owner: Owner | None) -> Iterator[int]:
    """Where new files stand in the prompt: behind all others, one behind the other."""
    found = File.objects.of(agent.pk, owner.pk if owner else None)
    last = found.aggregate(last=Max("sort_order"))["last"]
    yield from count(max(len(SEEDED), (last or 0) + 1))


def new_file(
    agent: Agent,
    owner: Owner | None,
    path: paths.WorkspacePath,
    places: Iterator[int],
    *,
    by_person: bool,
) -> File:
    """Unsaved. Core files start in the prompt, shared ones of people; others take a last place."""
    kind = paths.kind_of(path.text)
    return File(
        team_id=agent.team_id,
        agent=agent,
        owner=owner,
        scope=_scope(agent, owner),
        path=path.text,
        folded_path=path.folded,
        enabled=kind.starts_own if owner else kind.is_seeded and by_person,
        sort_order=SEEDED.index(kind.name) if kind.is_seeded else next(places),
        note_date=path.note_date,
        sha256=hashlib.sha256(b"").hexdigest(),
        size=0,
    )


def _scope(agent: Agent, owner: Owner | None) -> Scope:
    if owner:
        return Scope.PERSONAL
    return Scope.GLOBAL if agent.is_global else Scope.TEAM
