from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.dreaming.queries import AgentNights, nights_of, team_warnings
from memoryweb.review.inbox import Item, Kind
from memoryweb.runs.healthcheck import idle_worker
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, Visit, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page
from memoryweb.web.pictures import sparkline

MOST_NEEDS = 5
_NEEDS = {
    Kind.PROPOSAL: gettext_lazy("{agent}: a change to {path} needs your decision."),
    Kind.FLAG: gettext_lazy("{agent}: a line of {path} is flagged. Keep it or remove it."),
    Kind.SECRET: gettext_lazy("{agent}: a likely secret was held back from {path}."),
    Kind.CROWDED: gettext_lazy("{agent}: {path} has little room for anything new."),
    Kind.CONTRADICTION: gettext_lazy("{agent}: two statements contradict each other."),
    Kind.FORGET: gettext_lazy("{agent}: something was asked to be forgotten. Pick what is meant."),
}


@team_view("GET")
def tonight(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    agents = page(request, visit.team.agents.live(), size=25)
    for agent in agents:
        agent.team = visit.team
    nights = nights_of(agents.items, visit.outcomes(), visit.now)
    rows = [_row(request, one) for one in nights]
    context = {
        "rows": rows,
        "page": agents,
        "greeting": _greeting(visit),
        "summary": _summary(nights) or _none_yet(visit),
        "needs": _needs(request, nights),
        "warnings": [*filter(None, [idle_worker(visit.now)]), *team_warnings(visit.team)],
        "can_dream": visit.can(Permission.DREAM),
        "can_create": visit.can(Permission.MANAGE_AGENTS),
        "is_running": any(one.running for one in nights),
    }
    return show(request, "tonight/tonight.html", context, partials=("agents",))


def _row(request: TeamRequest, nights: AgentNights) -> dict[str, Any]:
    chip, detail = wording.standing(nights, sees_all=request.visit.can(Permission.SEE_OWNERS))
    warnings = []
    if nights.is_late:
        warnings.append(_("More than two hours late. Is a worker running?"))
    if nights.repeats:
        warnings.append(_("The last two nights had the same result."))
    return {
        "nights": nights,
        "chip": chip,
        "detail": detail,
        "sparkline": sparkline(nights.nights),
        "dreams_url": to(request, "agents_dreams", nights.agent.pk),
        "ended_at": wording.ended_at(nights.last) if nights.last else None,
        "warnings": warnings,
    }


def _greeting(visit: Visit) -> str:
    hour = timezone.localtime(visit.now).hour
    name = visit.user.name.split(" ")[0] or visit.user.email
    if 4 <= hour < 12:
        return _("Good morning, {name}").format(name=name)
    if 12 <= hour < 18:
        return _("Good afternoon, {name}").format(name=name)
    return _("Good evening, {name}").format(name=name)


def _summary(nights: list[AgentNights]) -> str:
    """`Ada dreamt. Otto is dreaming. Kenji needs you.` Longer lists are counted."""
    dreaming = [n.agent.name for n in nights if n.running]
    waiting = [n.agent.name for n in nights if n.proposals and not n.running]
    failed = [n.agent.name for n in nights if _has_failed(n)]
    dreamt = [
        n.agent.name
        for n in nights
        if n.last and not n.running and n.agent.name not in {*waiting, *failed}
    ]
    said = [
        (dreamt, ngettext("{name} dreamt.", "{count} agents dreamt.", len(dreamt))),
        (dreaming, ngettext("{name} is dreaming.", "{count} agents are dreaming.", len(dreaming))),
        (waiting, ngettext("{name} needs you.", "{count} agents need you.", len(waiting))),
        (failed, ngettext("{name} failed.", "{count} agents failed.", len(failed))),
    ]
    return " ".join(
        sentence.format(name=names[0], count=len(names)) for names, sentence in said if names
    )


def _none_yet(visit: Visit) -> str:
    """Others' dreams are nothing that a member hears of, also not that there were none."""
    if visit.can(Permission.SEE_OWNERS):
        return _("No agent has dreamt yet.")
    return _("No dream of shared notes yet.")


def _has_failed(nights: AgentNights) -> bool:
    return bool(nights.last and nights.last.status == Run.Status.FAILED and not nights.running)


def _needs(request: TeamRequest, nights: list[AgentNights]) -> list[dict[str, str]]:
    """Decisions first, then what broke."""
    waiting = request.visit.waiting
    needs = [_decision(request, item) for item in waiting[:MOST_NEEDS]]
    if more := len(waiting) - len(needs):
        text = ngettext("{n} more needs your decision.", "{n} more need your decision.", more)
        needs.append(_need(text.format(n=more), to(request, "review"), _("Review"), "warn"))
    for one in nights:
        if _has_failed(one) and one.last:
            why = wording.reason(one.last.reason)
            text = _("{agent}: the last dream failed. {why}").format(agent=one.agent.name, why=why)
            needs.append(_need(text, to(request, "agents_run", one.last.pk), _("Why?"), "bad"))
    return needs


def _need(text: str, url: str, label: str, tone: str) -> dict[str, str]:
    """One thing that waits for this person."""
    return {"text": text, "url": url, "label": label, "tone": tone}


def _decision(request: TeamRequest, item: Item) -> dict[str, str]:
    text = _NEEDS[item.kind].format(agent=item.agent.name, path=item.path or _("a message"))
    return _need(text, to(request, "review_item", item.kind, item.id), _("Review"), "warn")
