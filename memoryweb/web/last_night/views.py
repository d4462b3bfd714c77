"""The first page: what the agents learned last night, what waits, and what comes next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.learned import AgentNight, counts_by_day, names_of, night_of_each
from memoryweb.dreaming.queries import NIGHTS, AgentNights, nights_of, team_warnings
from memoryweb.review.inbox import Item
from memoryweb.runs.healthcheck import idle_worker
from memoryweb.search.recalls import Prompts, prompts_by_day
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.last_night import charts
from memoryweb.web.last_night.headline import headline, others, waiting
from memoryweb.web.naming import owner_name, owner_title
from memoryweb.web.paging import page
from memoryweb.web.review.kinds import LOOKS, tell_all
from memoryweb.web.statements import Told, told_of

_NEEDS = 4
_LISTED = 50  # looked through for agents that ask
_TOLD = 8  # statements that a card shows at once; the dream's page has all
_WEEK = 7
_FIRST = date(2000, 1, 1)
Counts = dict[date, tuple[int, int]]  # day → statements that came in, and those changed or gone


@dataclass(frozen=True)
class Part:
    """One memory of an agent on its card: the shared one, or this person's."""

    is_shared: bool
    whose: str
    told: list[Told]
    more: int


@team_view("GET")
def last_night(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    agents = page(request, visit.team.agents.live(), size=25)
    standing = _standing(request, agents.items)
    asked = _asked(request)
    days = {one.agent: asked or _latest(one, visit.now) for one in standing}
    nights, waits = _nights(request, days), visit.waiting[:_LISTED]
    ordered = [nights[one.agent.pk] for one in standing]
    context = {
        "day": asked or max(days.values(), default=timezone.localdate(visit.now)),
        "headline": headline(ordered, is_last=asked is None) if standing else "",
        "others": others(ordered),
        "cards": _cards(request, standing, nights, waits),
        "page": agents,
        "can_dream": visit.can(Permission.DREAM),
        "can_create": visit.can(Permission.MANAGE_AGENTS),
        "is_running": any(one.running for one in standing),
        "here": request.get_full_path(),
        **_pager(request, asked, standing),
        **_asking(request, standing, waits),
        **_numbers(request, standing),
    }
    return show(request, "last_night/last_night.html", context, partials=("agents",))


def _standing(request: TeamRequest, agents: Sequence[Agent]) -> list[AgentNights]:
    for agent in agents:
        agent.team = request.visit.team
    return nights_of(agents, request.visit.outcomes(), request.visit.now)


def _nights(request: TeamRequest, days: Mapping[Agent, date]) -> dict[UUID, AgentNight]:
    visit = request.visit
    counted = visit.outcomes() if visit.can(Permission.SEE_OWNERS) else None
    return night_of_each(days, open_to=_open_to(request), counted=counted)


def _asking(
    request: TeamRequest, standing: Sequence[AgentNights], waits: Sequence[Item]
) -> dict[str, Any]:
    """What waits for this person, and what broke."""
    visit = request.visit
    return {
        "waiting": waiting(len(visit.waiting)),
        "needs": _needs(request, waits[:_NEEDS]),
        "more_needs": max(0, len(visit.waiting) - _NEEDS),
        "failed": [_failure(request, one) for one in standing if one.has_failed],
        "warnings": [*filter(None, [idle_worker(visit.now)]), *team_warnings(visit.team)],
    }


def _asked(request: TeamRequest) -> date | None:
    """The night in the address, if it is one that can have had dreams."""
    try:
        asked = parse_date(request.GET.get("night", ""))
    except ValueError:
        return None
    latest = request.visit.now.date() + timedelta(days=1)
    return asked if asked and _FIRST <= asked <= latest else None


def _latest(one: AgentNights, now: datetime) -> date:
    """The agent's last night with a dream; today where that is long ago or never was."""
    today = now.astimezone(one.agent.zone).date()
    if one.last_night and one.last_night.day >= today - timedelta(days=1):
        return one.last_night.day
    return today


def _open_to(request: TeamRequest) -> Q:
    """Shared memory, and what is about this person. What was opened by break-glass is read on its
    own pages, each time as an event."""
    visit = request.visit
    return Q(owner=None) | Q(owner__in=[*visit.mine, *visit.shared_owners])


def _cards(
    request: TeamRequest,
    standing: Sequence[AgentNights],
    nights: Mapping[UUID, AgentNight],
    waits: Sequence[Item],
) -> list[dict[str, Any]]:
    told = told_of(request, [one for night in nights.values() for one in night.learned])
    names = names_of(list(nights.values()))
    asked = {item.agent.pk for item in waits if item.kind == "proposal"}
    cards = []
    for one in standing:
        night = nights[one.agent.pk]
        parts, has_proposals = _parts(request, night, told), one.agent.pk in asked
        if not parts and not night.others and not has_proposals:
            continue
        reports = night.reports
        cards.append(
            {
                "agent": one.agent,
                "night": night,
                "parts": parts,
                "others": _others(night, names),
                "at": reports[-1].dreamt_at if reports else None,
                "dream_url": to(request, "agents_run", reports[-1].run_id) if reports else "",
                "has_proposals": has_proposals,
            }
        )
    return cards


def _parts(request: TeamRequest, night: AgentNight, told: Mapping[UUID, list[Told]]) -> list[Part]:
    """Shared memory first."""
    by_owner: dict[UUID | None, list[Told]] = {}
    owners: dict[UUID | None, Owner | None] = {}
    for report in night.reports:
        owner_id = None if report.owner_id in request.visit.shared_owners else report.owner_id
        owners[owner_id] = report.owner if owner_id else None
        by_owner.setdefault(owner_id, []).extend(told.get(report.pk, []))
    ordered = sorted(by_owner.items(), key=lambda item: item[0] is not None)
    return [
        Part(
            owner_id is None,
            owner_name(request.visit, owners[owner_id]),
            rows[:_TOLD],
            max(0, len(rows) - _TOLD),
        )
        for owner_id, rows in ordered
        if rows
    ]


def _others(night: AgentNight, names: Mapping[UUID, Owner]) -> str:
    """A count: what it is stays theirs."""
    count = sum(night.others.values())
    if not count:
        return ""
    if len(night.others) == 1:
        owner = names.get(next(iter(night.others)))
        if owner is not None:
            said = _("{n} more about {name}, private")
            return said.format(n=count, name=owner_title(owner))
    said = _("{n} more about {people} people, private")
    return said.format(n=count, people=len(night.others))


def _needs(request: TeamRequest, items: Sequence[Item]) -> list[dict[str, Any]]:
    """What was opened by break-glass is named, and told on its own page alone."""
    common = request.visit.is_common
    said = tell_all(request, [one for one in items if common(one.owner.pk if one.owner else None)])
    return [_need(request, item, said.get((item.kind, item.id), "")) for item in items]


def _need(request: TeamRequest, item: Item, said: str) -> dict[str, Any]:
    look = LOOKS[item.kind]
    return {
        "item": item,
        "name": look.name,
        "tone": look.tone,
        "whose": owner_name(request.visit, item.owner),
        "said": said,
        "reason": next(iter(look.reasons(item)), ""),
        "url": to(request, "review_item", item.kind, item.id),
        "icon": look.icon,
        "decisions": [one for one in look.decisions if said and one.code in _AT_ONCE],
        "decide_url": to(request, "review_decide", item.kind, item.id),
    }


# Decisions that need nothing but the sentence that is shown.
_AT_ONCE = {"keep", "remove", "seen", "KEEP_A", "KEEP_B"}


def _failure(request: TeamRequest, one: AgentNights) -> dict[str, str]:
    assert one.last
    said = _("{agent}: the last dream failed. {why}")
    said = said.format(agent=one.agent.name, why=wording.reason(one.last.reason))
    return {"text": said, "url": to(request, "agents_run", one.last.pk)}


def _row(request: TeamRequest, one: AgentNights, counts: Counts) -> dict[str, Any]:
    """The chip counts what the strip shows of that night, and nothing more."""
    chip, detail = wording.standing(one, sees_all=request.visit.can(Permission.SEE_OWNERS))
    last = one.last_night
    if not one.running and last and last.promoted:
        chip = wording.outcome(last.status, counts.get(last.day, (0, 0))[0])
    warnings = []
    if one.is_late:
        warnings.append(_("More than two hours late. Is a worker running?"))
    if one.repeats:
        warnings.append(_("The last two nights had the same result."))
    return {
        "nights": one,
        "chip": chip,
        "detail": detail,
        "dreams_url": to(request, "agents_dreams", one.agent.pk),
        "ended_at": wording.ended_at(one.last) if one.last else None,
        "warnings": warnings,
    }


def _counts(request: TeamRequest, standing: Sequence[AgentNights]) -> dict[UUID, Counts]:
    """By agent: the one source of every number of nights on the page but the cards' own."""
    found: dict[UUID, Counts] = {one.agent.pk: {} for one in standing}
    agents, first = [one.agent for one in standing], _first_day(request, standing)
    for (agent_id, day), count in counts_by_day(agents, _open_to(request), first).items():
        found[agent_id][day] = count
    return found


def _first_day(request: TeamRequest, standing: Sequence[AgentNights]) -> date:
    return min((one.nights[0].day for one in standing), default=request.visit.now.date())


def _numbers(request: TeamRequest, standing: Sequence[AgentNights]) -> dict[str, Any]:
    visit, zone = request.visit, timezone.get_current_timezone()
    counts = _counts(request, standing)
    since = visit.now - timedelta(days=_WEEK)
    days = prompts_by_day(visit.team, visit.outcomes(), since, zone)
    served = sum(one.served for one in days.values())
    return {
        "rows": [_row(request, one, counts[one.agent.pk]) for one in standing],
        "strips": [
            {"agent": one.agent, "chart": charts.strip(one.nights, counts[one.agent.pk])}
            for one in standing[:6]
        ],
        "first_day": _first_day(request, standing),
        "next": _next(standing),
        "prompts": Prompts(served, sum(one.used for one in days.values())),
        "week": charts.week(days, timezone.localdate(visit.now)),
    }


def _next(standing: Sequence[AgentNights]) -> list[dict[str, Any]]:
    due = [one for one in standing if one.agent.dreaming and one.agent.next_dream_at]
    due.sort(key=lambda one: one.agent.next_dream_at or timezone.now())
    return [
        {"agent": one.agent, "at": one.agent.next_dream_at, "is_running": bool(one.running)}
        for one in due[:6]
    ]


def _pager(
    request: TeamRequest, asked: date | None, standing: Sequence[AgentNights]
) -> dict[str, str]:
    """The night before and the one after, as far as the strip reaches."""
    today = max((_latest(one, request.visit.now) for one in standing), default=None)
    if today is None:
        return {"before_url": "", "after_url": ""}
    day, first = asked or today, today - timedelta(days=NIGHTS)
    before, after = day - timedelta(days=1), day + timedelta(days=1)
    return {
        "before_url": f"?night={before}" if before > first else "",
        "after_url": "" if after > today else "?" if after == today else f"?night={after}",
    }
