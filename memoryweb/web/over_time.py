"""What memory did in the last week and over months: what agents learned, how much it holds, what
it is for; and a picture of the counts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import accumulate
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import TruncDate
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.dreaming.queries import done_in
from memoryweb.dreaming.story import Tally, counts
from memoryweb.markdown.marks import part
from memoryweb.memory.conversations import messages_by_day
from memoryweb.memory.index.recalls import most_used, prompts_by_day
from memoryweb.memory.statements.listing import corrected, growth
from memoryweb.memory.visible.readable import To, readable_files
from memoryweb.memory.writing.changes import unmarked
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.charts import Chart, Series, chart
from memoryweb.web.pages import show, to
from memoryweb.web.wording import Choice, choice, file_url

RANGES = (7, 30, 90)
_LINES = 10
_TOLD = 8  # agents named one by one
_CLOCK = re.compile(r"\d\d:\d\d ")  # a note's line begins with it


@dataclass(frozen=True)
class Asked:
    """Which agents, and which days: the last one is today."""

    agent: Agent | None
    every: Sequence[Agent]
    days: Sequence[date]

    @property
    def which(self) -> Q:
        return self.of("agent")

    def of(self, field: str) -> Q:
        return Q(**{field: self.agent} if self.agent else {f"{field}__in": self.every})

    @property
    def since(self) -> datetime:
        return timezone.make_aware(datetime.combine(self.days[0], time.min))

    @property
    def query(self) -> str:
        """Asks for the same again."""
        return f"?days={len(self.days)}" + (f"&agent={self.agent.pk}" if self.agent else "")


@team_view("GET")
def over_time(request: TeamRequest) -> HttpResponse:
    asked = _asked(request)
    charts, lines = _charts(request, asked), _lines(request, asked)
    told, _learned = _did(request, asked)
    ranked = sorted(told.items(), key=lambda one: (-one[1].total, one[0].name))
    context = {
        "agent": asked.agent,
        "n": len(asked.days),
        **_switches(request, asked),
        "told": ranked[:_TOLD],
        "rest": Tally.sum(did for _agent, did in ranked[_TOLD:]),
        "picture_url": to(request, "over_time_picture", query=asked.query),
        "figures": _figures(told.values()),
        "charts": charts,
        "is_empty": not (told or any(one.rows for one in charts)),
        "lines": lines[:_LINES],
        "best": next((one for one in lines if one["is_shared"]), None),
    }
    return show(request, "over_time/over_time.html", context)


@team_view("GET")
def picture(request: TeamRequest) -> HttpResponse:
    """To show to others: no name, no sentence, nothing but counts."""
    asked = _asked(request)
    told, learned = _did(request, asked)
    values = [learned[day] for day in asked.days]
    drawn = chart("", "", sum(values), "", asked.days, [Series(_("learned"), "b1", "", values)])
    context = {"n": len(asked.days), "chart": drawn, "figures": _figures(told.values())}
    made = render(request, "over_time/picture.svg", context, content_type="image/svg+xml")
    made.headers["Content-Disposition"] = 'attachment; filename="memory.svg"'
    return made


def _asked(request: TeamRequest) -> Asked:
    visit = request.visit
    agents, today = list(visit.team.agents.live()), timezone.localdate(visit.now)
    days = [today - timedelta(days=ago) for ago in reversed(range(_range(request)))]
    return Asked(_chosen(request, agents), agents, days)


def _did(request: TeamRequest, asked: Asked) -> tuple[dict[Agent, Tally], Counter[date]]:
    """Of each agent that did something, and what was learned by day: of shared memory and the
    reader's own."""
    visit, zone = request.visit, timezone.get_current_timezone()
    reach = asked.of("report__agent") & visit.common("report__owner")
    rows = done_in(visit.team, reach, report__dreamt_at__gte=asked.since)
    rows = rows.annotate(day=TruncDate("report__dreamt_at", tzinfo=zone))
    found: dict[UUID, list[Tally]] = defaultdict(list)
    learned: Counter[date] = Counter()
    by_day = rows.values_list("report__agent", "day").annotate(**counts()).order_by()
    for agent, day, *did in by_day:
        found[agent].append(Tally(*did))
        learned[day] += found[agent][-1].learned
    for agent, n in corrected(visit.team, asked.which & visit.common(), asked.since).items():
        found[agent].append(Tally(corrected=n))
    told = {agent: Tally.sum(found[agent.pk]) for agent in asked.every if agent.pk in found}
    return told, learned


def _figures(told: Iterable[Tally]) -> list[tuple[int, str]]:
    did = Tally.sum(told)
    return [
        (did.learned, _("learned")),
        (did.changed, _("changed")),
        (did.ended, _("ended")),
        (did.corrected, _("corrected by people")),
    ]


def _chosen(request: TeamRequest, agents: Sequence[Agent]) -> Agent | None:
    wanted = request.GET.get("agent", "")
    if not wanted:
        return None
    found = next((agent for agent in agents if str(agent.pk) == wanted), None)
    if found is None:
        raise Http404
    return found


def _range(request: TeamRequest) -> int:
    wanted = request.GET.get("days", "")
    return int(wanted) if wanted in map(str, RANGES) else RANGES[0]


def _switches(request: TeamRequest, asked: Asked) -> dict[str, list[Choice]]:
    agents = [("", _("All agents")), *((str(one.pk), one.name) for one in asked.every)]
    ranges = [(str(n), _("{n} days").format(n=n)) for n in RANGES]
    agent = str(asked.agent.pk) if asked.agent else ""
    return {
        "agents": _choices(request, "agent", agents, agent),
        "ranges": _choices(request, "days", ranges, str(len(asked.days))),
    }


def _choices(
    request: TeamRequest, name: str, values: Sequence[tuple[str, str]], current: str
) -> list[Choice]:
    return [choice(request, label, value == current, **{name: value}) for value, label in values]


def _charts(request: TeamRequest, asked: Asked) -> list[Chart]:
    """Counts alone, of what this reader may know the counts of."""
    visit, zone, since = request.visit, timezone.get_current_timezone(), asked.since
    days, which = asked.days, asked.which & visit.outcomes()
    facts = growth(visit.team, which, since, zone)
    prompts = prompts_by_day(visit.team, which, since, zone)
    said = messages_by_day(visit.team, which, since, zone)
    served: Counter[date] = Counter()
    used: Counter[date] = Counter()
    for (_agent, day), one in prompts.items():
        served[day] += one.served
        used[day] += one.used
    nets = (facts.came[day] - facts.changed[day] - facts.left[day] for day in days)
    stood = list(accumulate(nets, initial=facts.before))[1:]
    added = [facts.added(day) for day in days]
    return [
        chart(
            "size", _("What memory holds"), stood[-1], _("statements now"), days,
            [Series(_("statements"), "b1", "", stood)],
        ),
        chart(
            "moves", _("Learned, changed and ended"), sum(added), _("learned"), days,
            [
                Series(_("learned"), "b1", "", added),
                Series(_("changed"), "b2", "k2", [facts.changed[day] for day in days]),
                Series(_("ended"), "b0", "k0", [facts.left[day] for day in days]),
            ],
        ),
        chart(
            "messages", _("Messages"), said.total(), _("messages"), days,
            [Series(_("messages"), "b1", "", [said[day] for day in days])],
        ),
        chart(
            "prompts", _("Prompts served"), served.total(), _("prompts"), days,
            [
                Series(_("looked something up"), "b1", "", [used[day] for day in days]),
                Series(_("carried memory"), "b0", "k0", [served[d] - used[d] for d in days]),
            ],
        ),
    ]  # fmt: skip


def _lines(request: TeamRequest, asked: Asked) -> list[dict[str, Any]]:
    """Of shared memory and the reader's own, as they stand now, most often used first."""
    visit = request.visit
    used = most_used(visit.team, asked.which & visit.common(), asked.since)
    shown: dict[tuple[UUID, str], dict[str, Any]] = {}
    for one, readable in zip(
        used, readable_files([one.file for one in used], To.PAGE), strict=True
    ):
        text, ended = part(readable.line(one.line))
        if text.startswith(("- ", "* ")):
            text = _CLOCK.sub("", unmarked(text))
            row = shown.setdefault(
                (one.file.agent_id, text),
                {
                    "text": text,
                    "ended": ended,
                    "agent": one.file.agent,
                    "url": file_url(request, one.file, one.line),
                    "is_shared": one.file.owner_id is None,
                    "count": 0,
                },
            )
            row["count"] += one.count
    ranked = sorted(shown.values(), key=lambda row: -row["count"])
    most = ranked[0]["count"] if ranked else 1
    return [row | {"width": round(100 * row["count"] / most)} for row in ranked]
