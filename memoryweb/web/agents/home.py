"""An agent's home: one memory as it stands, what made it so, and its health."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.agents.models import Agent, Reader
from memoryweb.dreaming.queries import Dreamt, dreamt
from memoryweb.dreaming.status import LATE
from memoryweb.memory import prompt
from memoryweb.memory.facts import standing
from memoryweb.memory.index.recalls import Day, days_of
from memoryweb.memory.prompt import MOST_PERSONAL, budget
from memoryweb.memory.statements.listing import held_from
from memoryweb.memory.statements.validity import today
from memoryweb.memory.visible.readable import Look, To
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, note_read, team_view
from memoryweb.web.agents import activity
from memoryweb.web.charts import day_bars
from memoryweb.web.pages import about, show
from memoryweb.web.rail import counts_of
from memoryweb.web.wording import Chip

_SHOWN, _OF_SUBJECT = 14, 4  # statements
_NIGHTS = 7
_NEW = timedelta(days=1)


@team_view("GET")
def home(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    visit, agent = request.visit, workspace.agent
    counts = counts_of(visit, agent)
    workspace = _where_something_is(request, workspace, counts)
    note_read(request, workspace.owner, "facts", agent_id)
    loaded = standing(agent, workspace.owner_id, today(visit.now, agent.zone))
    dreams = dreamt(workspace.memory, visit.now)
    days = days_of(agent, Q(owner=workspace.owner_id), _week(request), request.user.zone)
    context = about(
        workspace,
        tab="detail",
        amounts=counts,
        memory=_memory(request, loaded, counts.get(workspace.owner_id, 0), _fresh(request, dreams)),
        prompt=_prompt(workspace),
        happened=activity.latest(request, dreams),
        health=_health(agent, request, dreams, days),
        dreams_at=_dreams_at(agent),
        here=request.get_full_path(),
    )
    return show(request, "agents/home.html", context)


def _where_something_is(
    request: TeamRequest, workspace: Workspace, counts: Mapping[UUID | None, int]
) -> Workspace:
    """One's own memory, where the address names none and there is any."""
    me = request.visit.me
    if "owner" in request.GET or not counts.get(me.pk):
        return workspace
    return replace(workspace, owner=me, value="me", is_mine=True, can_write=True)


def _memory(
    request: TeamRequest, loaded: Sequence[Any], total: int, fresh: set[str]
) -> dict[str, Any]:
    """The latest of each subject, subjects in the order in which they came up."""
    subjects: dict[str, list[dict[str, Any]]] = defaultdict(list)
    look, shown = Look(To.PAGE, facts=loaded), 0
    for fact in loaded:
        its = subjects[fact.heading]
        if shown < _SHOWN and len(its) < _OF_SUBJECT:
            its.append(_statement(request, fact, look, fresh))
            shown += 1
    return {
        "subjects": [(name, rows) for name, rows in subjects.items() if rows],
        "shown": shown,
        "total": total,
        "changed_at": loaded[0].changed_at if loaded else None,
    }


def _fresh(request: TeamRequest, dreams: Sequence[Dreamt]) -> set[str]:
    """What the last night learned."""
    last = [one for one in dreams if request.visit.now - one.ended_at < _NEW]
    return {it.after for one in last for it in one.changes}


def _statement(request: TeamRequest, fact: Any, look: Look, fresh: set[str]) -> dict[str, Any]:
    text = look.fact(fact).text
    return {
        "fact": fact,
        "text": text,
        "since": held_from(fact),
        "is_new": text in fresh and not fact.was,
    }


def _prompt(workspace: Workspace) -> dict[str, Any] | None:
    """The tokens that each message gets of this memory, before anything is found for it."""
    owner = workspace.owner
    if owner is not None and not owner.using:
        return None
    room = MOST_PERSONAL if owner else budget() // 2
    files = prompt.enabled(Reader(workspace.agent, owner))
    taken = prompt.personal(files, room, "") if owner else prompt.shared(files, room)
    used = sum(one.tokens for one in taken)
    return {
        "used": used,
        "room": room,
        "left": room - used,
        "share": round(280 * min(1.0, used / room), 1),
        "files": sum(not one.is_left_out for one in taken),
    }


def _health(
    agent: Agent,
    request: TeamRequest,
    dreams: Sequence[Dreamt],
    days: Sequence[Day],
) -> dict[str, Any]:
    last = dreams[0] if dreams else None
    today = timezone.localtime(request.visit.now).date()
    tokens = {one.date: one.tokens for one in days}
    return {
        "chip": _standing(agent, request, last),
        "last_served": days[-1].last_at if days else None,
        "last_dream": last,
        "took": _took(last.seconds) if last and last.seconds else "",
        "served": sum(one.served for one in days),
        "used": sum(one.used for one in days),
        "tokens": sum(tokens.values()),
        "bars": day_bars([(day, tokens.get(day, 0)) for day in reversed(_days(today))]),
    }


def _standing(agent: Agent, request: TeamRequest, last: Dreamt | None) -> Chip:
    due = agent.next_dream_at
    if last is not None and last.status == Run.Status.FAILED:
        return Chip("bad", _("the last dream failed"))
    if agent.dreaming and due is not None and due < request.visit.now - LATE:
        return Chip("warn", _("a dream is late"))
    return Chip("ok", _("all well"))


def _took(seconds: int) -> str:
    return ngettext("{n} second", "{n} seconds", seconds).format(n=seconds)


def _dreams_at(agent: Agent) -> str:
    """In the reader's zone."""
    if not agent.dreaming or agent.next_dream_at is None:
        return _("doesn't dream at night")
    local = timezone.localtime(agent.next_dream_at)
    return _("dreams at {time}, your time").format(time=f"{local:%H:%M}")


def _week(request: TeamRequest) -> Any:
    """The beginning of the first of the seven days."""
    first = timezone.localtime(request.visit.now) - timedelta(days=_NIGHTS - 1)
    return first.replace(hour=0, minute=0, second=0, microsecond=0)


def _days(today: date) -> list[date]:
    """The last seven, today first."""
    return [today - timedelta(days=ago) for ago in range(_NIGHTS)]
