"""What memory did over weeks and months: how much it holds, what comes and goes, what it is for."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from itertools import accumulate
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.markdown.marks import part
from memoryweb.memory.conversations import messages_by_day
from memoryweb.memory.index.recalls import most_used, prompts_by_day
from memoryweb.memory.statements.listing import growth
from memoryweb.memory.visible.readable import To, readable_files
from memoryweb.memory.writing.changes import unmarked
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.charts import Chart, Series, chart
from memoryweb.web.pages import show
from memoryweb.web.wording import file_url

RANGES = (14, 30, 90)
_LINES = 10
_CLOCK = re.compile(r"\d\d:\d\d ")  # a note's line begins with it


@team_view("GET")
def over_time(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    agents = list(visit.team.agents.live())
    agent, count = _chosen(request, agents), _range(request)
    today = timezone.localdate(visit.now)
    days = [today - timedelta(days=ago) for ago in reversed(range(count))]
    which = Q(agent=agent) if agent else Q(agent__in=agents)
    charts = _charts(request, which, days)
    context = {
        "agent": agent,
        "agents": _choices(request, "agent", [("", _("All agents")), *_names(agents)]),
        "ranges": _choices(request, "days", [(str(n), _days(n)) for n in RANGES], str(count)),
        "charts": charts,
        "is_empty": not any(one.rows for one in charts),
        "lines": _lines(request, which, _start(days[0])),
    }
    return show(request, "over_time/over_time.html", context)


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
    return int(wanted) if wanted in map(str, RANGES) else RANGES[1]


def _days(count: int) -> str:
    return _("{n} days").format(n=count)


def _names(agents: Sequence[Agent]) -> list[tuple[str, str]]:
    return [(str(agent.pk), agent.name) for agent in agents]


def _choices(
    request: TeamRequest, name: str, values: Sequence[tuple[str, str]], current: str | None = None
) -> list[dict[str, Any]]:
    """Links that keep what else was chosen."""
    current = request.GET.get(name, "") if current is None else current
    found = []
    for value, label in values:
        query = request.GET.copy()
        query[name] = value
        found.append(
            {"url": f"?{query.urlencode()}", "label": label, "is_current": value == current}
        )
    return found


def _start(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _charts(request: TeamRequest, which: Q, days: Sequence[date]) -> list[Chart]:
    """Counts alone, of what this reader may know the counts of."""
    visit, zone, since = request.visit, timezone.get_current_timezone(), _start(days[0])
    facts = growth(visit.team, which & visit.outcomes(), since, zone)
    prompts = prompts_by_day(visit.team, which & visit.outcomes(), since, zone)
    said = messages_by_day(visit.team, which & visit.outcomes(), since, zone)
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


def _lines(request: TeamRequest, which: Q, since: datetime) -> list[dict[str, Any]]:
    """Of shared memory and the reader's own, as they stand now."""
    common = request.visit.common()
    used = most_used(request.visit.team, which & common, since)
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
                    "count": 0,
                },
            )
            row["count"] += one.count
    ranked = sorted(shown.values(), key=lambda row: -row["count"])[:_LINES]
    most = ranked[0]["count"] if ranked else 1
    return [row | {"width": round(100 * row["count"] / most)} for row in ranked]
