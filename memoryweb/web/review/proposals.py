"""Changes of machines that wait for a person: seen, accepted or rejected as a whole."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryweb.accounts.permissions import Permission
from memoryweb.markdown.diff import counts, side_by_side
from memoryweb.memory.exceptions import MemoryRefused, Stale
from memoryweb.memory.review import proposals as door
from memoryweb.memory.transaction import unit
from memoryweb.review.models import Proposal
from memoryweb.review.waiting import proposals_of
from memoryweb.web import wording
from memoryweb.web.access import Refused, TeamRequest, find_proposal, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import owner_name
from memoryweb.web.paging import page
from memoryweb.web.provenance.trace import file_url
from memoryweb.workspace.revisions import content_of


@require_GET
@team_view()
def review(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    decided = request.GET.get("state") == "decided"
    found = proposals_of(visit.team).filter(visit.outcomes("file__owner"))
    if decided:
        found = found.exclude(state=Proposal.State.PENDING).order_by("-decided_at")
    else:
        found = found.filter(state=Proposal.State.PENDING).order_by("-created_at")
    shown = page(request, found, size=25)
    context = {
        "page": shown,
        "rows": [_listed(request, proposal) for proposal in shown],
        "decided": decided,
        "held": visit.counted.secrets,
        "marked": visit.counted.marks,
    }
    return show(request, "review/review.html", context)


@require_GET
@team_view()
def detail(request: TeamRequest, proposal_id: UUID) -> HttpResponse:
    proposal = find_proposal(request, proposal_id)
    file = proposal.file
    outcome = door.outcome(proposal) if proposal.state == Proposal.State.PENDING else None
    base = content_of(file, proposal.base_revision) if proposal.base_revision else ""
    rows = side_by_side(file.content if outcome else base, outcome or proposal.content)
    context = _listed(request, proposal) | {
        "rows": rows,
        "counts": counts(rows),
        "broken": [(wording.guard(one["guard"]), one["detail"]) for one in proposal.broken],
        "file_url": file_url(request, file),
        "run_url": to(request, "agents_run", proposal.run_id) if proposal.run_id else "",
        "is_stale": outcome is None,
        "is_pending": proposal.state == Proposal.State.PENDING,
    }
    return show(request, "review/detail.html", context)


@require_POST
@team_view()
def accept(request: TeamRequest, proposal_id: UUID) -> HttpResponse:
    proposal = find_proposal(request, proposal_id)
    _require_decision(request, proposal)
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            door.accept(work, proposal, by=request.user)
    except Stale:
        said = _(
            "The file has changed since this was proposed, so it cannot be accepted. Reject it."
        )
        messages.error(request, said)
        return redirect(to(request, "review_detail", proposal.pk))
    except MemoryRefused as refused:
        messages.error(request, str(refused))
        return redirect(to(request, "review_detail", proposal.pk))
    messages.success(request, _("The change was accepted and written."))
    return redirect(file_url(request, proposal.file))


@require_POST
@team_view()
def reject(request: TeamRequest, proposal_id: UUID) -> HttpResponse:
    proposal = find_proposal(request, proposal_id)
    _require_decision(request, proposal)
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            door.reject(work, proposal, by=request.user)
    except MemoryRefused as refused:
        messages.error(request, str(refused))
        return redirect(to(request, "review_detail", proposal.pk))
    messages.success(request, _("The change was rejected. It will not be proposed again."))
    return redirect(to(request, "review"))


def _can_decide(request: TeamRequest, proposal: Proposal) -> bool:
    """Shared memory: who has the right. Personal memory: its owner, or an open grant."""
    if proposal.file.owner_id is None:
        return request.visit.can(Permission.DECIDE)
    return request.visit.reads(proposal.file.owner_id)


def _require_decision(request: TeamRequest, proposal: Proposal) -> None:
    if not _can_decide(request, proposal):
        raise Refused("decide", proposal.file.owner)


def _listed(request: TeamRequest, proposal: Proposal) -> dict[str, Any]:
    reads = request.visit.reads(proposal.file.owner_id)
    return {
        "proposal": proposal,
        "reads": reads,
        "path": proposal.file.path if reads else "",
        "whose": owner_name(request.visit, proposal.file.owner),
        "can_decide": _can_decide(request, proposal),
    }
