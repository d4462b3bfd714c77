"""Changing files: new, edit with an optimistic lock, preview, delete."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.markdown.paths import fold
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.lines.files import file_that_was
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import Exists, MemoryRefused, Stale
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.writing import write as door
from memoryweb.web import markdown
from memoryweb.web.access import (
    TeamRequest,
    Workspace,
    find_file,
    find_workspace,
    require_write,
    team_view,
)
from memoryweb.web.display_names import writer_of
from memoryweb.web.files.editor_page import show_editor
from memoryweb.web.files.editors import editor_of_new
from memoryweb.web.files.forms import DeleteForm, EditForm, NewFileForm, SaveForm
from memoryweb.web.files.merging import save_or_show, show_gone
from memoryweb.web.files.saving import save_text
from memoryweb.web.htmx import about, show, to


@team_view("GET", "POST")
def new(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    require_write(request, workspace)
    form = NewFileForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        path = form.cleaned_data["path"]
        try:
            ticked = form.cleaned_data["no_secrets"]
            save_text(request, workspace, path, expected="", **form.said, no_secrets=ticked)
        except Exists as refused:
            form.add_error("path", str(refused))
        except MemoryRefused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("{path} was created.").format(path=path))
            query = f"{workspace.query}#created"  # tells the page which draft has served
            return redirect(to(request, "agents_file", agent_id, path, query=query))
    if not form.is_bound:
        form.begin_at("path")
    editor = editor_of_new(
        agent_id, workspace.value, form["content"].value() or "", request.user.pk
    )
    context = about(workspace, form=form, editor=editor)
    return show(request, "files/new.html", context)


@team_view("GET", "POST")
def edit(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    form = EditForm(request.POST or None)
    file = _find_edited(request, workspace, path, form)
    require_write(request, workspace)
    if request.method == "POST" and form.is_valid():
        if file.deleted_at is not None or file.folded_path != fold(path):
            return show_gone(request, workspace, file, path, form)
        again = partial(show_editor, request, workspace, file, form)
        return save_or_show(request, workspace, file, form, again)
    return show_editor(request, workspace, file, form)


@team_view("POST")
def preview(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """How a text would look. Nothing is kept."""
    workspace = find_workspace(request, agent_id)
    form = SaveForm(request.POST)
    form.is_valid()
    content = form.cleaned_data.get("content", "")[: door.MAX_BYTES]
    rendered, pinned = markdown.render(content), pinned_lines(content)
    context = about(
        workspace,
        blocks=[(block, block.start in pinned) for block in rendered.blocks],
        is_cut=rendered.is_cut,
    )
    return show(request, "files/preview.html", context, partials=("preview",))


@team_view("GET")
def delete_confirm(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    context = about(workspace, file=file)
    return show(request, "files/delete.html", context)


@team_view("POST")
def delete(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    form = DeleteForm(request.POST)
    expected = form.cleaned_data["sha256"] if form.is_valid() else "-"
    try:
        with write_transaction(request.visit.team, actor=request.visit.actor) as work:
            gone = door.delete(work, file, writer=writer_of(request), expected=expected)
    except Stale:
        messages.error(
            request, _("The file has changed since you opened it. Check it, then try again.")
        )
        return redirect(to(request, "agents_file", agent_id, file.path, query=workspace.query))
    said = _("{path} was deleted. You can restore it from the list of deleted files.")
    place = (agent_id, file.path, gone.number)
    back = to(request, "agents_undo_save", *place, query=workspace.query)
    messages.success(request, said.format(path=file.path), extra_tags=back)
    return redirect(to(request, "agents_files", agent_id, query=workspace.query))


def _find_edited(request: TeamRequest, workspace: Workspace, path: str, form: EditForm) -> File:
    """The file. What a form was opened with is found under the name that it has now, and even
    when it was deleted: the text in the form must not be lost."""
    if request.method == "POST" and form.is_valid():
        was = file_that_was(workspace.files, path, form.cleaned_data["sha256"])
        if was is not None:
            return find_file(request, workspace, was.path, deleted=True)
    return find_file(request, workspace, path)
