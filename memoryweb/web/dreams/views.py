"""Dreams: one, its progress, and starting one."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_htmx.http import HttpResponseClientRefresh

from memoryweb.accounts.permissions import Permission
from memoryweb.dreaming import backfill, night_results, schedule
from memoryweb.dreaming import preview as dreaming
from memoryweb.dreaming.preview import Preview
from memoryweb.dreaming.schedule import CoolingDown
from memoryweb.llm.endpoint import configured, may_have
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.memory.visible.request_contents import away_from, away_of
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.healthcheck import idle_worker
from memoryweb.runs.models import Run
from memoryweb.web import access, wording
from memoryweb.web.conversations import extracted
from memoryweb.web.dreams import rows
from memoryweb.web.pages import about, show, to

_PARTIALS = ("progress",)
_PROGRESS = {
    Run.Status.QUEUED: gettext_lazy("Waiting for a worker"),
    Run.Status.RUNNING: gettext_lazy("Running"),
    Run.Status.FAILED: gettext_lazy("Failed, will try again"),
}


@access.team_view("GET")
def run(request: access.TeamRequest, run_id: UUID) -> HttpResponse:
    found = access.find_run(request, run_id)
    context = _about(request, found)
    is_import = found.kind == Run.Kind.IMPORT and context["reads"]
    if is_import and (brought := found.imports.first()):  # its own page tells more
        return redirect(to(request, "agents_import", found.agent_id, brought.pk))
    if found.kind == Run.Kind.EXTRACTION and context["reads"]:
        windows = found.extractions.select_related("conversation__owner").order_by(
            "conversation", "first"
        )
        context["extractions"] = extracted(request, windows[:100])
    if wording.has_report(found):
        context |= {"report": found.report} | _story(request, found)
    else:
        context["runs"] = [rows.ran(request, found, None)]
    return show(request, "dreams/run.html", context, partials=_PARTIALS)


@access.team_view("GET")
def progress(request: access.TeamRequest, run_id: UUID) -> HttpResponse:
    """The running part alone; once it is over, the whole page again."""
    found = access.find_run(request, run_id)
    if not found.is_active:
        if request.htmx:
            return HttpResponseClientRefresh()
        return redirect(to(request, "agents_run", found.pk))
    return show(request, "dreams/run.html", _about(request, found), partials=_PARTIALS)


@access.team_view("POST", takes=Permission.DREAM)
def dream(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    """Dream now: one's own notes (`owner=me`), else the shared and everyone's with new ones. With
    `backfill=on` older notes that no dream has read; with a topic what the notes say of it."""
    workspace = access.find_workspace(request, agent_id)
    if not workspace.can_write:
        access.require(request, Permission.MANAGE_AGENTS)
    try:
        started = _start(request, workspace)
    except CoolingDown as pause:
        said = _("This agent has just dreamt. It can dream again in {n} seconds.")
        messages.warning(request, said.format(n=pause.seconds))
        return redirect(to(request, "agents_activity", agent_id, query=workspace.query))
    if len(started) == 1 and request.visit.is_common(started[0].owner_id):
        return redirect(to(request, "agents_run", started[0].pk))
    said = ngettext("{n} dream was started.", "{n} dreams were started.", len(started))
    messages.success(request, said.format(n=len(started)))
    return redirect(to(request, "agents_activity", agent_id, query=workspace.query))


def _start(request: access.TeamRequest, workspace: access.Workspace) -> list[Run]:
    visit = request.visit
    trigger, user = Run.Trigger.PERSON, request.user
    topic, is_backfill = schedule.topic_of(request.POST.get("topic", "")), "backfill" in request.GET
    if workspace.owner is None and not topic and not is_backfill:
        agent = workspace.agent
        return schedule.request_all(agent, actor=visit.actor, trigger=trigger, user=user)
    with visit.write() as tx:
        if is_backfill:
            return _backfills(tx, request, workspace)
        memory = workspace.owned(request).memory
        return schedule.request_each(tx, [memory], trigger=trigger, user=user, topic=topic)


def _backfills(
    tx: Transaction, request: access.TeamRequest, workspace: access.Workspace
) -> list[Run]:
    agent, mine = workspace.agent, workspace.owner is not None
    owners = [workspace.owned(request).owner] if mine else backfill.owners(agent)
    asked = (backfill.request(tx, Memory(agent, owner), request.user) for owner in owners)
    return [made.run for made in asked if made]


@access.team_view("POST", takes=Permission.DREAM)
def stop(request: access.TeamRequest, run_id: UUID) -> HttpResponse:
    """A backfill goes on no further than the week that it is at."""
    found = access.find_run(request, run_id)
    if not request.visit.is_common(found.owner_id):
        access.require(request, Permission.MANAGE_AGENTS)
    with request.visit.write() as tx:
        is_stopped = backfill.stop(tx, found)
    if is_stopped:
        messages.success(request, _("It stops after this week."))
    else:
        messages.info(request, _("This run had already ended."))
    return redirect(to(request, "agents_run", found.pk))


def _about(request: access.TeamRequest, run: Run) -> dict[str, Any]:
    reads = request.visit.reads(run.owner_id)
    away = away_from(run.agent_id, run.owner_id) if run.error or run.topic else Sought(())
    return {
        "agent": run.agent,
        "title": rows.title_of(run),
        "can_revert": not run.is_active and not run.reverted_at,
        "progress": _PROGRESS.get(Run.Status(run.status), ""),
        "has_failed": run.status == Run.Status.FAILED and not run.is_active,
        "error": away.without(run.error) if reads else "",
        "topic": away.without(run.topic) if reads else "",
        "tab": "dreams" if run.kind == Run.Kind.DREAM else "conversations",
        "run": run,
        "is_other": not request.visit.is_common(run.owner_id),
        "steps": rows.steps_of(run) if run.is_active else (),
        "reads": reads,
        "sees_audit": request.visit.can(Permission.SEE_AUDIT),
        "proposals": run.proposals.filter(state="pending") if reads else [],
        "can_stop": run.is_active
        and run.trigger == Run.Trigger.BACKFILL
        and "stopped" not in run.result
        and request.visit.can(Permission.DREAM),
        "idle_worker": idle_worker(request.visit.now) if run.is_active else "",
    }


def _story(request: access.TeamRequest, run: Run) -> dict[str, Any]:
    """Shared memory and the reader's own; of another's what they have opened, or a count."""
    visit = request.visit
    is_alone = not visit.is_common(run.owner_id)
    its = Q(run=run) if visit.reads(run.owner_id) else Q(pk=None)
    open_to = its if is_alone else visit.common()
    counted = visit.outcomes() if visit.can(Permission.SEE_OWNERS) else Q(pk=None)
    night = night_results.of_dream(run, open_to=open_to, counted=counted, is_alone=is_alone)
    whose = Q(request__owner__in={one.owner_id for one in night.reports if one.owner_id})
    away = away_of(run.agent_id, whose | Q(request__owner=None))
    return rows.story_of(request, run, night, away)


# Preview tonight: what the next dream would do, by the rules and by a model.

_MILLION = 1_000_000


@access.team_view("GET")
def preview(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id, read="agent")
    agent, owner = workspace.agent, workspace.owner
    agent.team = request.visit.team
    known = None if owner and owner._state.adding else owner
    found = Preview(Memory(agent, known), request.visit.now)
    context = about(
        workspace,
        tab="dreams",
        has_notes=found.has_notes,
        next_at=agent.next_dream_at if agent.dreaming else None,
        reads=True,
        **_sides(request, workspace, found),
    )
    return show(request, "dreams/preview.html", context)


def _sides(
    request: access.TeamRequest, workspace: access.Workspace, found: Preview
) -> dict[str, Any]:
    away = away_from(workspace.agent.pk, workspace.owner_id)
    agent = workspace.agent
    has_model = may_have(agent) and configured(agent.team_id, local_only=agent.local_models_only)
    asks = has_model and found.has_notes
    by_model, run = found.by_model if asks else None, found.asked if has_model else None
    expected = found.expected if asks and by_model is None else None
    return {
        "by_rules": rows.foreseen(found.by_rules, away) if found.has_notes else None,
        "by_model": rows.foreseen(by_model, away) if by_model is not None else None,
        "has_model": has_model,
        "is_asking": bool(run and run.is_active),
        "run": run,
        "failed": wording.reason(run.reason) if run and run.status == "failed" else "",
        "cost": run.cost_micros / _MILLION if run else 0,
        "expected": expected,
        "expected_cost": expected.cost_micros / _MILLION if expected else 0,
        "can_ask": asks and request.visit.can(Permission.DREAM) and workspace.can_write,
        "idle_worker": idle_worker(request.visit.now) if run and run.is_active else "",
    }


@access.team_view("POST", takes=Permission.DREAM)
def ask(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id, to_write=True)
    with request.visit.write() as tx:
        dreaming.request(tx, workspace.owned(request).memory, request.user)
    return redirect(to(request, "agents_tonight", agent_id, query=workspace.query))
