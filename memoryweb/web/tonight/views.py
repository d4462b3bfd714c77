from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from memoryweb.accounts.permissions import Permission
from memoryweb.dreaming.queries import AgentNights, nights_of, team_warnings
from memoryweb.review.models import Proposal
from memoryweb.runs.healthcheck import idle_worker
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, Visit, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page
from memoryweb.web.pictures import Sparkline, sparkline
from memoryweb.web.wording import Chip


@dataclass(frozen=True)
class Row:
    """One agent's line of the table, ready to print."""

    nights: AgentNights
    chip: Chip
    detail: str | Promise
    sparkline: Sparkline
    dreams_url: str
    ended_at: datetime | None
    warnings: list[str]


@dataclass(frozen=True)
class Need:
    """One thing that waits for this person."""

    text: str
    url: str
    label: str
    tone: str


@require_GET
@team_view()
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


def _row(request: TeamRequest, nights: AgentNights) -> Row:
    chip, detail = wording.standing(nights, sees_all=request.visit.can(Permission.SEE_OWNERS))
    warnings = []
    if nights.is_late:
        warnings.append(_("More than two hours late. Is a worker running?"))
    if nights.repeats:
        warnings.append(_("The last two nights had the same result."))
    return Row(
        nights=nights,
        chip=chip,
        detail=detail,
        sparkline=sparkline(nights.nights),
        dreams_url=to(request, "agents_dreams", nights.agent.pk),
        ended_at=wording.ended_at(nights.last) if nights.last else None,
        warnings=warnings,
    )


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


def _needs(request: TeamRequest, nights: list[AgentNights]) -> list[Need]:
    """Decisions first, then what broke."""
    needs = [_decision(request, proposal) for proposal in request.visit.waiting[:5]]
    needs += _looks(request)
    for one in nights:
        if _has_failed(one) and one.last:
            why = wording.reason(one.last.reason)
            text = _("{agent}: the last dream failed. {why}").format(agent=one.agent.name, why=why)
            needs.append(Need(text, to(request, "agents_run", one.last.pk), _("Why?"), "bad"))
    return needs


def _looks(request: TeamRequest) -> list[Need]:
    visit = request.visit
    needs = []
    if marked := visit.counted.marks:
        text = ngettext(
            "{n} line is flagged: keep it or remove it.",
            "{n} lines are flagged: keep or remove each.",
            marked,
        ).format(n=marked)
        needs.append(Need(text, to(request, "marks"), _("Review"), "warn"))
    if held := visit.counted.secrets:
        text = ngettext(
            "{n} likely password needs your decision.",
            "{n} likely passwords need your decision.",
            held,
        ).format(n=held)
        needs.append(Need(text, to(request, "secrets"), _("Decide"), "warn"))
    return needs


def _decision(request: TeamRequest, proposal: Proposal) -> Need:
    text = _("{agent}: a change to {path} needs your decision.").format(
        agent=proposal.file.agent.name, path=proposal.file.path
    )
    return Need(text, to(request, "review_detail", proposal.pk), _("Review"), "warn")
