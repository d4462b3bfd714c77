"""The first page: what the agents learned last night, what waits, and what comes next."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from memoryweb.accounts.backends import memberships_of
from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.dreaming import night_results, queries
from memoryweb.dreaming.night_results import AgentNight, night_of_each
from memoryweb.memory.index.recalls import Prompts, prompts_by_day
from memoryweb.memory.review import Item
from memoryweb.memory.visible.readable import cited
from memoryweb.runs.healthcheck import TICK_LATE, idle_worker
from memoryweb.web import charts, wording
from memoryweb.web.access import TeamRequest, UserRequest, team_view
from memoryweb.web.dreams.rows import others_of, parts_of
from memoryweb.web.pages import Page, page, show, to
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

_TOLD = 8  # statements that a card shows at once; the dream's page has all
_CARDS = 25


def cards_of(
    request: TeamRequest,
    standing: Sequence[queries.AgentNights],
    nights: Mapping[UUID, AgentNight],
    waits: Sequence[Item],
) -> list[dict[str, Any]]:
    told = statement_rows(request, [one for night in nights.values() for one in night.learned])
    asked = {item.agent.pk for item in waits if item.kind == "proposal"}
    cards: list[dict[str, Any]] = []
    if len(standing) > _CARDS:  # those with most to tell; the headline speaks of all
        standing = sorted(standing, key=lambda one: -len(nights[one.agent.pk].learned))
    for one in standing:
        if len(cards) == _CARDS:
            break
        night = nights[one.agent.pk]
        parts = parts_of(request, night.reports, told, _TOLD)
        has_proposals = one.agent.pk in asked
        if not parts and not night.others and not has_proposals:
            continue
        reports = night.reports
        last = one.last if one.last_night and one.last_night.day == night.day else None
        run = reports[-1].run_id if reports else last and last.pk
        cards.append(
            {
                "agent": one.agent,
                "night": night,
                "parts": parts,
                "others": others_of(night),
                "at": reports[-1].dreamt_at if reports else last and queries.ended_at(last),
                "dream_url": to(request, "agents_run", run) if run else "",
                "has_proposals": has_proposals,
            }
        )
    return cards


# The table of agents and the numbers beside it.

_WEEK = 7
NEXT = 6  # dreams to come


def numbers(
    request: TeamRequest, standing: Sequence[queries.AgentNights], listed: int
) -> dict[str, Any]:
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
    due = [one for one in standing if one.agent.dreaming and one.agent.next_dream_at]
    by_day = {day: Prompts(count, used[day]) for day, count in days.items()}
    return {
        "rows": [_row(request, one, of_agent[one.agent.pk]) for one in standing[:listed]],
        "strips": [(one.agent, charts.strip(one.nights)) for one in standing[:6]],
        "first_day": min((one.nights[0].day for one in standing), default=visit.now.date()),
        "next": sorted(due, key=lambda one: one.agent.next_dream_at or visit.now)[:NEXT],
        "prompts": Prompts(days.total(), used.total()),
        "week": charts.week(by_day, timezone.localdate(visit.now)),
    }


def _row(request: TeamRequest, one: queries.AgentNights, prompts: int) -> dict[str, Any]:
    """The chip counts what the strip shows of that night, and nothing more."""
    chip, detail = wording.standing(one, sees_all=request.visit.can(Permission.SEE_OWNERS))
    last = one.last_night
    if not one.running and last and last.promoted:
        chip = wording.outcome(last.status)
        if last.added and chip.tone == "ok":
            chip = wording.Chip("ok", _("{count} learned").format(count=last.added))
    return {
        "nights": one,
        "chip": chip,
        "detail": detail,
        "late": _("More than two hours late. Is a worker running?") if one.is_late else "",
        "prompts": prompts,
    }


_NEEDS = 4
_SIZE = 25
_LISTED = 50  # looked through for agents that ask
_ELSEWHERE = 200  # agents beside those of the table
_FAILED = 5  # named one by one
_FIRST = date(2000, 1, 1)


@require_GET
def home(request: UserRequest) -> HttpResponse:
    """The team visited last, else the demo, else the first one."""
    teams = [one.team for one in memberships_of(request.user)]
    slugs = [team.slug for team in sorted(teams, key=lambda team: not team.is_demo)]
    if not slugs:
        return render(request, "home/no_team.html")
    last = request.session.get("team", "")
    return redirect("web:last_night", last if last in slugs else slugs[0])


@team_view("GET")
def last_night(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    asked, waits = _asked(request), visit.waiting.head(_NEEDS, _LISTED)
    agents = _page(request)
    standing = _standing(request, [*agents.items, *_elsewhere(request, agents, asked)])
    days = {one.agent: asked or _latest(one, visit.now) for one in standing}
    nights, needs = _nights(request, days, waits[:_NEEDS])
    ordered = [nights[one.agent.pk] for one in standing]
    context = {
        "day": asked or max(days.values(), default=timezone.localdate(visit.now)),
        "headline": headline(ordered, is_last=asked is None) if standing else "",
        "others": others(ordered),
        "cards": cards_of(request, standing, nights, waits),
        "page": agents,
        **_narrowing(request),
        "can_dream": visit.can(Permission.DREAM),
        "can_create": visit.can(Permission.MANAGE_AGENTS),
        "here": request.get_full_path(),
        **_pager(request, asked, standing),
        **_asking(request, standing),
        "needs": needs,
        **numbers(request, standing, listed=len(agents)),
    }
    _mark_seen(request, ordered if asked is None else ())
    return show(request, "last_night/last_night.html", context, partials=("agents",))


def _find(request: TeamRequest) -> str:
    return request.GET.get("find", "").replace("\0", "").strip()[:80]


def _page(request: TeamRequest) -> Page[Agent]:
    """The first one says in the same statement how many there are."""
    if "page" in request.GET or any(_narrowing(request).values()):
        return page(request, _agents(request), size=_SIZE)
    first = queries.first_agents(_SIZE)(*_keys(request))
    return page(request, first, size=_SIZE, total=first[0].found if first else 0)


def _keys(request: TeamRequest) -> tuple[UUID, tuple[UUID, ...], tuple[date, date], datetime]:
    visit, today = request.visit, timezone.localdate(request.visit.now)
    soon = today, today + timedelta(days=1)
    return visit.team.pk, (visit.me.pk, *visit.mine), soon, visit.now + TICK_LATE


def _agents(request: TeamRequest) -> "QuerySet[Any]":
    """Those of the table and of the whole page, by the address."""
    asked, found = _narrowing(request), queries.live_agents(*_keys(request))
    if asked["find"]:
        found = found.filter(name__icontains=asked["find"])
    if asked["only"] == "asks":
        found = found.filter(pk__in={item.agent.pk for item in request.visit.waiting[:_LISTED]})
    elif asked["only"] == "failed":
        found = found.filter(
            pk__in=queries.failed_last(request.visit.team, request.visit.outcomes())
        )
    return found


def _elsewhere(request: TeamRequest, agents: Page[Agent], asked: date | None) -> Iterable[Agent]:
    """Those of the table's other pages that the rest of the page speaks of, too: what they dreamt
    that night, that they failed, or that they dream next."""
    if not agents.is_split:
        return ()
    visit = request.visit
    around = datetime.combine(asked or visit.now.date(), time(12), UTC)
    days = (around - timedelta(days=2), around + timedelta(days=2))
    due = visit.team.agents.live().filter(dreaming=True).order_by("next_dream_at")
    told = queries.to_tell_of(visit.team, visit.outcomes(), days)
    found = _agents(request).exclude(pk__in=[agent.pk for agent in agents])
    return found.filter(told | Q(pk__in=due.values("pk")[:NEXT]))[:_ELSEWHERE]


def _narrowing(request: TeamRequest) -> dict[str, str]:
    only = request.GET.get("only", "")
    return {"find": _find(request), "only": only if only in {"asks", "failed"} else ""}


def _standing(request: TeamRequest, agents: Sequence[Agent]) -> list[queries.AgentNights]:
    for agent in agents:
        agent.team = request.visit.team
    visit = request.visit
    return queries.nights_of(agents, visit.outcomes(), visit.now, visit.common())


def _nights(
    request: TeamRequest, days: Mapping[Agent, date], waits: Sequence[Item]
) -> tuple[dict[UUID, AgentNight], list[dict[str, Any]]]:
    """And what `waits`: what both stand on is asked for once. What was opened by break-glass is
    named, and told on its own page alone."""
    visit = request.visit
    counted = visit.outcomes if visit.can(Permission.SEE_OWNERS) else None
    whose = night_results.who(visit.user)
    here = [one for one in waits if visit.is_common(one.owner.pk if one.owner else None)]
    rivals = (one.row for one in here if one.kind == "contradiction")
    sides = [fact.pk for rival in rivals for fact in rival.facts.all()]
    grounds: list[Any] = []

    def cite(facts: tuple[UUID, ...]) -> list[Any]:
        grounds[:] = cited((*facts, *sides))
        return grounds

    nights = night_of_each(days, open_to=visit.common, counted=counted, whose=whose, cite=cite)
    told = needs_of(request, here, grounds)
    return nights, [told.get((one.kind, one.id)) or need_of(request, one) for one in waits]


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
