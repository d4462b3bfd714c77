"""Everything that came from one conversation, token, import or run, and taking all of it back."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.memory import reverting
from memoryweb.memory.lines.sources import lines_of, tokens_that_wrote
from memoryweb.memory.models import File
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.reverting import Reverted
from memoryweb.web.access import TeamRequest, find_agent, team_view
from memoryweb.web.display_names import owner_name, writer_of
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page
from memoryweb.web.provenance.rows import (
    can_revert,
    changes_shown,
    figures,
    find_source,
    line_rows,
    lines_shown,
    reach_of,
    require_revert,
)
from memoryweb.web.refusals import told_to
from memoryweb.web.undo_addresses import MOST_SAVES, saves_in, saves_text


@team_view("GET")
def provenance(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    found = find_source(request, agent, request.GET.dict())
    if found is None:
        return show(request, "provenance/sources.html", _sources(request, agent))
    brought = lines_of(found.source)
    lines, others = lines_shown(request, brought)
    shown = page(request, lines, size=50)
    plan = reverting.plan(found.source, reach_of(request), reach_of(request), known=brought)
    context = {
        "agent": agent,
        "tab": "files",
        "found": found,
        "page": shown,
        "lines": line_rows(request, shown.items),
        "others": others,
        "figures": figures(request, found.source),
        "plan": plan,
        "changes": changes_shown(request, plan),
        "can_revert": can_revert(request, found) and not plan.is_empty,
    }
    return show(request, "provenance/source.html", context)


@team_view("POST")
def revert(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    found = find_source(request, agent, request.POST.dict())
    if found is None:
        raise Http404
    require_revert(request, found)
    back = to(
        request, "agents_provenance", agent.pk, query=f"?{found.source.kind}={found.source.id}"
    )
    with told_to(request):
        with write_transaction(request.visit.team, actor=request.visit.actor) as work:
            done = reverting.revert(
                work,
                found.source,
                reach_of(request),
                reach_of(request),
                writer=writer_of(request),
                expected=request.POST.get("plan") or None,
            )
        place = f"?{found.source.kind}={found.source.id}&saves={saves_text(done.saves)}"
        undo = to(request, "agents_provenance_undo", agent.pk, query=place)
        can_undo = 0 < len(done.saves) <= MOST_SAVES
        messages.success(request, _told(done), extra_tags=undo if can_undo else "")
    return redirect(back)


@team_view("POST")
def undo(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """The files that a revert of one's own changed are again what they were before it, all of them
    or none."""
    agent = find_agent(request, agent_id)
    found = find_source(request, agent, request.GET.dict())
    if found is None:
        raise Http404
    require_revert(request, found)
    saves = _saves(request, agent)
    with told_to(request):
        with write_transaction(request.visit.team, actor=request.visit.actor) as work:
            reverting.undo_revert(work, found.source, saves, writer=writer_of(request))
        messages.success(request, _("Undone: the files are as they were before."))
    where = f"?{found.source.kind}={found.source.id}"
    return redirect(to(request, "agents_provenance", agent.pk, query=where))


def _saves(request: TeamRequest, agent: Agent) -> dict[File, int]:
    """Those in the address, of files that this person may write: all, or there are none."""
    saves = dict(saves_in(request.GET.get("saves", "")))
    mine = agent.files.filter(reach_of(request), pk__in=saves).order_by("pk")
    files = list(mine.select_related("agent", "owner"))
    if not files or len(files) < len(saves):
        raise Http404
    return {file: saves[file.pk] for file in files}


def _told(done: Reverted) -> str:
    if not (done.files or done.conversations or done.proposals or done.messages):
        return _("There was nothing left to revert.")
    said = ngettext("Reverted in {n} file.", "Reverted in {n} files.", done.files)
    said = said.format(n=done.files)
    if len(done.saves) > MOST_SAVES:
        said += " " + _("To undo this, restore the revisions before.")
    elif done.saves and (done.messages or done.conversations or done.proposals):
        said += " " + _("Undo brings back the files alone.")
    stopped = _("Messages waiting for extraction will not be read.")
    unused = ngettext(
        "{n} message is kept but no longer used.",
        "{n} messages are kept but no longer used.",
        done.messages,
    ).format(n=done.messages)
    also = [stopped] if done.conversations else []
    return " ".join([said, *also, *([unused] if done.messages else [])])


def _sources(request: TeamRequest, agent: Agent) -> dict[str, Any]:
    """Imports, and the tokens that have written here; conversations have a list of their own."""
    visit = request.visit
    whose = ("user", "owner__integration", "owner__person")
    batches = agent.imports.filter(visit.outcomes()).select_related(*whose)
    seen = Q() if visit.can(Permission.SEE_TOKENS) else Q(user=request.user)
    shown = page(request, batches.order_by("-created_at"), size=25)
    return {
        "agent": agent,
        "tab": "files",
        "page": shown,
        "imports": [(one, owner_name(visit, one.owner)) for one in shown],
        "tokens": tokens_that_wrote(agent, visit.team.tokens.filter(seen))[:50],
    }
