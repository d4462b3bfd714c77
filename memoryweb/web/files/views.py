"""Looking at files: the list, one file line by line, and why a line is there."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from memoryweb.agents.readers import Reader
from memoryweb.memory.global_memory import global_text
from memoryweb.memory.lines.files import deleted
from memoryweb.memory.models import File
from memoryweb.memory.statements.listing import fact_at
from memoryweb.memory.visible.hidden import hidden
from memoryweb.memory.visible.placeholders import for_people
from memoryweb.memory.visible.request_contents import without_away
from memoryweb.memory.writing.proposing import current_revision
from memoryweb.web import markdown
from memoryweb.web.access import (
    TeamRequest,
    Workspace,
    find_agent,
    find_file,
    find_workspace,
    note_read,
    team_view,
)
from memoryweb.web.files import blame
from memoryweb.web.files.forgetting import is_theirs
from memoryweb.web.files.lines import shown, standings
from memoryweb.web.files.open_line import Editing, asked
from memoryweb.web.files.saving import changed_lines
from memoryweb.web.files.tree import tree
from memoryweb.web.highlighting import marked_blocks
from memoryweb.web.htmx import about, show, to
from memoryweb.web.paging import page
from memoryweb.web.parameters import number_of
from memoryweb.web.provenance.trace import Step, trace


@team_view("GET")
def global_file(
    request: TeamRequest, agent_id: UUID, path: str, number: int | None = None
) -> HttpResponse:
    agent = find_agent(request, agent_id)
    found = global_text(Reader(agent), path, number)
    if found is None:
        raise Http404
    rendered = markdown.render(found.content)
    context = {
        "agent": agent,
        "tab": "files",
        "file": found,
        "blocks": marked_blocks(rendered.blocks, request.GET.get("q", "")),
        "is_cut": rendered.is_cut,
    }
    return show(request, "files/global.html", context)


@team_view("GET")
def files(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    note_read(request, workspace.owner, "files", agent_id)
    return show_files(request, workspace)


def show_files(request: TeamRequest, workspace: Workspace) -> HttpResponse:
    """The page, or its tree alone after a change."""
    context = about(
        workspace,
        tree=tree(request, workspace),
        order=workspace.files.enabled_in_order().defer("content"),
        query=f"?{request.GET.urlencode()}" if request.GET else "",
        deleted=page(request, deleted(workspace.files), size=10),
    )
    return show(request, "files/files.html", context, partials=("tree",))


@team_view("GET")
def file(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    found = find_file(request, workspace, path)
    return show_file(request, workspace, found, saved=number_of(request, "saved", 0))


def show_file(
    request: TeamRequest,
    workspace: Workspace,
    found: File,
    *,
    editing: Editing | None = None,
    saved: int = 0,
    status: int | None = None,
) -> HttpResponse:
    """`saved`: the revision whose lines are marked, while it is the current one."""
    written = current_revision(found)
    without_away(found, [written])
    context = about(
        workspace,
        file=found,
        file_url=to(request, "agents_file", workspace.agent.pk, found.path),
        **(
            blame.authored(request, found, found.revision)
            if blame.is_asked(request)
            else _text(request, workspace, found, editing, saved)
        ),
        revision=written,
        may_forget=workspace.can_write and is_theirs(request, workspace),
    )
    return show(request, "files/file.html", context, partials=("text",), status=status)


def _text(
    request: TeamRequest, workspace: Workspace, file: File, editing: Editing | None, saved: int
) -> dict[str, Any]:
    away = hidden(files=[file])
    text = for_people(file, away=away)
    rendered = markdown.render(text)
    lines = shown(file, marked_blocks(rendered.blocks, request.GET.get("q", "")), away)
    if saved and saved == file.revision:
        changed, _at, _gone = changed_lines(file)
        lines = [replace(one, is_changed=bool(changed & {*one.block.lines})) for one in lines]
    editing = editing.among(lines) if editing else asked(request, workspace, file, text, lines)
    return {
        "lines": lines,
        "standings": standings(lines),
        "is_cut": rendered.is_cut,
        "editing": editing,
    }


@team_view("GET")
def why(request: TeamRequest, agent_id: UUID, path: str, line: int) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    found = find_file(request, workspace, path)
    lines = found.content.split("\n")
    if not 1 <= line <= len(lines):
        raise Http404
    steps = trace(request, found, line)
    fact, query = fact_at(found, line), workspace.query
    context = about(
        workspace,
        file=found,
        line=line,
        steps=steps,
        ends_here=_end(steps),
        fact_url=to(request, "agents_fact", agent_id, fact.pk, query=query) if fact else "",
    )
    return show(request, "files/why.html", context, partials=("why",))


def _end(steps: list[Step]) -> str:
    """A sentence for a line that leads nowhere else."""
    if len(steps) > 1:
        return ""
    if steps[0].author:
        return _("No source: the author wrote this line directly.")
    return _("No source is recorded: this line came with the file.")
