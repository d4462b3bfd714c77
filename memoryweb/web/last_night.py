"""The first page: what the agents learned last night, what waits, and what comes next."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.dreaming import night_results, queries
from memoryweb.dreaming.night_results import AgentNight, night_of_each
from memoryweb.memory.index.recalls import Prompts, prompts_by_day
from memoryweb.memory.review import Item
from memoryweb.memory.visible.readable import cited
from memoryweb.runs.healthcheck import TICK_LATE, idle_worker
from memoryweb.web import charts, wording
from memoryweb.web.access import TeamRequest, UserRequest, last_visit, team_view
from memoryweb.web.dreams.rows import others_of, parts_of
from memoryweb.web.pages import page, show, to
from memoryweb.web.review.kinds import need_of, needs_of
from memoryweb.web.statements import statement_rows

# Last night in sentences: what the agents learned, and what waits.


def headline(nights: Sequence[AgentNight], *, is_last: bool) -> str:
    """About the agent that learned most."""
    most = max(nights, key=lambda night: len(night.learned))
    instead = _("Nothing new last night.") if is_last else _("Nothing new that night.")
    return most.tally.sentence(most.agent.name) or instead


def others(nights: Sequence[AgentNight]) -> str:
    """The same of the other agents; many are counted."""
    told = sorted((one for one in nights if one.learned), key=lambda one: -len(one.learned))[1:]
    if len(told) <= 3:
        return " ".join(night.tally.sentence(night.agent.name) for night in told)
    count = sum(len(night.learned) for night in told)
    said = ngettext(
        "{n} other change in {agents} agents.", "{n} other changes in {agents} agents.", count
    )
    return said.format(n=count, agents=len(told))


def waiting(count: int) -> str:
    if not count:
        return ""
    return ngettext("{n} thing waits for you.", "{n} things wait for you.", count).format(n=count)


# A card for each agent: what its last night did to statements, and how much of it is others'.

_TOLD, _FEW = 8, 3  # statements that a card shows at once; the dream's page has all
_CARDS, _MANY = 10, 5  # cards a page; beyond so many each shows few statements


def cards_of(
    request: TeamRequest,
    nights: Sequence[AgentNight],
    standing: Mapping[UUID, queries.AgentNights],
    proposing: Collection[UUID],
    asked: Mapping[UUID, str],
) -> list[dict[str, Any]]:
    shown = [one for night in nights for one in (*night.learned, *night.asked)]
    told, most = statement_rows(request, shown, asked), _TOLD if len(nights) <= _MANY else _FEW
    cards = []
    for night in nights:
        one, reports = standing[night.agent.pk], night.reports
        last = one.last if one.last_night and one.last_night.day == night.day else None
        run = reports[-1].run_id if reports else last and last.pk
        cards.append(
            {
                "agent": night.agent,
                "night": night,
                "parts": parts_of(request, reports, told, most),
                "others": others_of(night),
                "at": reports[-1].dreamt_at if reports else last and queries.ended_at(last),
                "dream_url": to(request, "agents_run", run) if run else "",
                "has_proposals": night.agent.pk in proposing,
            }
        )
    return cards


# The agents that learned nothing, and the numbers beside them.

_WEEK = 7
_STRIPS, NEXT = 6, 6  # agents in the chart, dreams to come


def numbers(request: TeamRequest, standing: Sequence[queries.AgentNights]) -> dict[str, Any]:
    """The agents with most to tell first."""
    visit, zone = request.visit, timezone.get_current_timezone()
    since = visit.now - timedelta(days=_WEEK)
    days: Counter[date] = Counter()
    used: Counter[date] = Counter()
    served = prompts_by_day(visit.team, visit.outcomes(), since, zone)
    for (_agent, day), prompts in served.items():
        days[day] += prompts.served
        used[day] += prompts.used
    due = [one for one in standing if one.agent.dreaming and one.agent.next_dream_at]
    by_day = {day: Prompts(count, used[day]) for day, count in days.items()}
    strips = [(one.agent, charts.strip(one.nights)) for one in standing[:_STRIPS]]
    return {
        "strips": strips,
        "tones": {bar.tone for _agent, chart in strips for bar in chart.bars},
        "first_day": min((one.nights[0].day for one in standing), default=visit.now.date()),
        "next": sorted(due, key=lambda one: one.agent.next_dream_at or visit.now)[:NEXT],
        "prompts": Prompts(days.total(), used.total()),
        "week": charts.week(by_day, timezone.localdate(visit.now)),
    }


def _row(request: TeamRequest, one: queries.AgentNights) -> dict[str, Any]:
    """What of it was others' is not counted."""
    chip, detail = wording.standing(one, sees_all=request.visit.can(Permission.SEE_OWNERS))
    if not one.running and one.last_night and one.last_night.promoted:
        chip = wording.outcome(one.last_night.status)
    return {
        "nights": one,
        "chip": chip,
        "detail": detail,
        "late": _("More than two hours late. Is a worker running?") if one.is_late else "",
    }


_NEEDS = 4
_LISTED = 50  # looked through for agents that ask
_FAILED = 5  # named one by one
_FIRST = date(2000, 1, 1)


@require_GET
def home(request: UserRequest) -> HttpResponse:
    visit = last_visit(request)
    if visit is None:
        return render(request, "home/no_team.html")
    return redirect("web:last_night", visit.team.slug)


@team_view("GET")
def last_night(request: TeamRequest) -> HttpResponse:
    visit, asked = request.visit, _asked(request)
    standing = {one.agent.pk: one for one in _standing(request)}
    days = {one.agent: asked or _latest(one, visit.now) for one in standing.values()}
    ordered = sorted(_nights(request, days), key=lambda night: -len(night.learned))
    context = {
        "day": asked or max(days.values(), default=timezone.localdate(visit.now)),
        "headline": headline(ordered, is_last=asked is None) if standing else "",
        "others": others(ordered),
        **_cards(request, ordered, standing),
        "has_agents": bool(standing),
        "is_fresh": bool(standing) and not any(one.last for one in standing.values()),
        "first_agent": next(iter(days), None),
        "can_dream": visit.can(Permission.DREAM),
        "can_create": visit.can(Permission.MANAGE_AGENTS),
        "here": request.get_full_path(),
        **_pager(request, asked, [*standing.values()]),
        **_asking(request, [*standing.values()]),
        **numbers(request, [standing[night.agent.pk] for night in ordered]),
    }
    _mark_seen(request, context["page"] if asked is None else ())
    return show(request, "last_night/last_night.html", context, partials=("agents",))


def _cards(
    request: TeamRequest,
    ordered: Sequence[AgentNight],
    standing: Mapping[UUID, queries.AgentNights],
) -> dict[str, Any]:
    """A page of those with something to tell; the others are rows."""
    waits = request.visit.waiting.head(_NEEDS, _LISTED)
    proposing = {item.agent.pk for item in waits if item.kind == "proposal"}
    told: list[AgentNight] = []
    quiet: list[AgentNight] = []
    for one in ordered:
        is_told = one.is_any or one.agent.pk in proposing
        (told if is_told else quiet).append(one)
    shown = page(request, told, size=_CARDS)
    needs = _needs(request, shown.items, waits[:_NEEDS])
    asked = {one["item"].row.pk: one.get("said", "") for one in needs}
    return {
        "page": shown,
        "needs": needs,
        "cards": cards_of(request, shown.items, standing, proposing, asked),
        "rows": [_row(request, standing[one.agent.pk]) for one in quiet],
    }


def _standing(request: TeamRequest) -> list[queries.AgentNights]:
    visit, today = request.visit, timezone.localdate(request.visit.now)
    soon = today, today + timedelta(days=1)
    whose = (visit.me.pk, *visit.mine)
    agents = list(queries.live_agents(visit.team.pk, whose, soon, visit.now + TICK_LATE))
    for agent in agents:
        agent.team = visit.team
    return queries.nights_of(agents, visit.outcomes(), visit.now, visit.common())


def _nights(request: TeamRequest, days: Mapping[Agent, date]) -> list[AgentNight]:
    visit = request.visit
    counted = visit.outcomes if visit.can(Permission.SEE_OWNERS) else None
    whose = night_results.who(visit.user)
    found = night_of_each(days, open_to=visit.common, counted=counted, whose=whose)
    return [found[agent.pk] for agent in days]


def _needs(
    request: TeamRequest, nights: Sequence[AgentNight], waits: Sequence[Item]
) -> list[dict[str, Any]]:
    """What both these nights and what `waits` stand on is asked for once. What was opened by
    break-glass is named, and told on its own page alone."""
    visit = request.visit
    here = [one for one in waits if visit.is_common(one.owner.pk if one.owner else None)]
    rivals = (one.row for one in here if one.kind == "contradiction")
    sides = [fact.pk for rival in rivals for fact in rival.facts.all()]
    grounds: list[Any] = []

    def cite(facts: tuple[UUID, ...]) -> list[Any]:
        grounds[:] = cited((*facts, *sides))
        return grounds

    night_results.detail(nights, cite)
    told = needs_of(request, here, grounds)
    return [told.get((one.kind, one.id)) or need_of(request, one) for one in waits]


def _mark_seen(request: TeamRequest, nights: Iterable[AgentNight]) -> None:
    """The page stays as it is; what came since is told apart on the next visit."""
    fresh = [night.agent for night in nights if any(one.is_new for one in night.learned)]
    if fresh and not request.htmx:
        night_results.mark(fresh, night_results.who(request.user), request.visit.now)


def _asking(request: TeamRequest, standing: Sequence[queries.AgentNights]) -> dict[str, Any]:
    """What waits for this person, and what broke."""
    visit, late = request.visit, sum(one.late for one in standing)
    failed = [one for one in standing if one.has_failed]
    return {
        "is_running": any(one.running for one in standing),
        "waiting": waiting(len(visit.waiting)),
        "more_needs": max(0, len(visit.waiting) - _NEEDS),
        "failed": [_failure(request, one) for one in failed[:_FAILED]],
        "more_failed": _more_failed(len(failed) - _FAILED),
        "ending": wording.ending(_leaving(one.agent for one in standing)),
        "warnings": [
            *filter(None, [idle_worker(visit.now, [one.agent for one in standing])]),
            *queries.team_warnings(visit.team, late),
        ],
    }


def _leaving(agents: Iterable[Any]) -> int:
    """Each tells it (`queries.live_agents`)."""
    return next((agent.ending for agent in agents), 0)


def _asked(request: TeamRequest) -> date | None:
    """The night in the address, if it is one that can have had dreams."""
    try:
        asked = parse_date(request.GET.get("night", ""))
    except ValueError:
        return None
    latest = request.visit.now.date() + timedelta(days=1)
    return asked if asked and _FIRST <= asked <= latest else None


def _latest(one: queries.AgentNights, now: datetime) -> date:
    """The agent's last night with a dream; today where that is long ago or never was."""
    today = now.astimezone(one.agent.zone).date()
    if one.last_night and one.last_night.day >= today - timedelta(days=1):
        return one.last_night.day
    return today


def _failure(request: TeamRequest, one: queries.AgentNights) -> dict[str, str]:
    assert one.last
    said = _("{agent}: the last dream failed. {why}")
    said = said.format(agent=one.agent.name, why=wording.reason(one.last.reason))
    return {"text": said, "url": to(request, "agents_run", one.last.pk)}


def _more_failed(count: int) -> str:
    said = ngettext(
        "The last dream of {n} more agent failed.",
        "The last dreams of {n} more agents failed.",
        count,
    )
    return said.format(n=count) if count > 0 else ""


def _pager(
    request: TeamRequest, asked: date | None, standing: Sequence[queries.AgentNights]
) -> dict[str, str]:
    """The night before and the one after, as far as the strip reaches."""
    today = max((_latest(one, request.visit.now) for one in standing), default=None)
    if today is None:
        return {"before_url": "", "after_url": ""}
    day, first = asked or today, today - timedelta(days=queries.NIGHTS)
    before, after = day - timedelta(days=1), day + timedelta(days=1)
    return {
        "before_url": f"?night={before}" if before > first else "",
        "after_url": "" if after > today else "?" if after == today else f"?night={after}",
    }
