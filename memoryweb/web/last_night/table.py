"""The table of agents and the numbers beside it."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.dreaming.queries import AgentNights
from memoryweb.memory.index.recalls import Prompts, prompts_by_day
from memoryweb.web import charts, wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.htmx import to

_WEEK = 7
NEXT = 6  # dreams to come


def numbers(request: TeamRequest, standing: Sequence[AgentNights], listed: int) -> dict[str, Any]:
    """`listed`: how many of them the table lists, the first ones."""
    visit, zone = request.visit, timezone.get_current_timezone()
    since = visit.now - timedelta(days=_WEEK)
    served = prompts_by_day(visit.team, visit.outcomes(), since, zone)
    days: Counter[date] = Counter()
    used: Counter[date] = Counter()
    of_agent: Counter[UUID] = Counter()
    for (agent_id, day), prompts in served.items():
        days[day] += prompts.served
        used[day] += prompts.used
        of_agent[agent_id] += prompts.served
    by_day = {day: Prompts(count, used[day]) for day, count in days.items()}
    return {
        "rows": [_row(request, one, of_agent[one.agent.pk]) for one in standing[:listed]],
        "strips": [{"agent": one.agent, "chart": charts.strip(one.nights)} for one in standing[:6]],
        "first_day": min((one.nights[0].day for one in standing), default=visit.now.date()),
        "next": _next(standing),
        "prompts": Prompts(days.total(), used.total()),
        "week": charts.week(by_day, timezone.localdate(visit.now)),
    }


def _row(request: TeamRequest, one: AgentNights, prompts: int) -> dict[str, Any]:
    """The chip counts what the strip shows of that night, and nothing more."""
    chip, detail = wording.standing(one, sees_all=request.visit.can(Permission.SEE_OWNERS))
    last = one.last_night
    if not one.running and last and last.promoted:
        chip = wording.outcome(last.status)
        if last.added and chip.tone == "ok":
            chip = wording.Chip("ok", _("{count} added").format(count=last.added))
    return {
        "nights": one,
        "chip": chip,
        "detail": detail,
        "dreams_url": to(request, "agents_dreams", one.agent.pk),
        "ended_at": one.told_at,
        "late": _("More than two hours late. Is a worker running?") if one.is_late else "",
        "prompts": prompts,
    }


def _next(standing: Sequence[AgentNights]) -> list[dict[str, Any]]:
    due = [one for one in standing if one.agent.dreaming and one.agent.next_dream_at]
    due.sort(key=lambda one: one.agent.next_dream_at or timezone.now())
    return [
        {"agent": one.agent, "at": one.agent.next_dream_at, "is_running": bool(one.running)}
        for one in due[:NEXT]
    ]
