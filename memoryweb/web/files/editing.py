"""Changing files: new, edit with an optimistic lock, preview, delete."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.markdown.line_edits import Clash, brought_together, with_words
from memoryweb.markdown.paths import fold
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory import prompt
from memoryweb.memory.lines.files import content_with, file_that_was
from memoryweb.memory.models import File, refusals
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing import machine_guards
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.write import WriteResult
from memoryweb.web import access, markdown
from memoryweb.web.files import editor, forms
from memoryweb.web.files.lines import Editing
from memoryweb.web.files.views import show_file, show_files
from memoryweb.web.pages import about, done, next_url, show, to, to_line, told_in, told_to
from memoryweb.web.wording import writer_of


@access.team_view("GET", "POST")
def new(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id, to_write=True)
    form = forms.NewFileForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        path = form.cleaned_data["path"]
        try:
            editor.save_text(request, workspace, path, expected="", **form.said)
        except refusals.Exists as refused:
            form.add_error("path", str(refused))
        except (refusals.AssignmentsFound, refusals.MemoryRefused) as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("{path} was created.").format(path=path))
            query = f"{workspace.query}#created"  # tells the page which draft has served
            return redirect(to(request, "agents_file", agent_id, path, query=query))
    if not form.is_bound:
        form.begin_at("path")
    made = editor.editor_of_new(
        agent_id, workspace.value, form["content"].value() or "", request.user.pk
    )
    context = about(workspace, form=form, editor=made)
    return show(request, "files/new.html", context)


@access.team_view("GET", "POST")
def edit(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id)
    form = forms.EditForm(request.POST or None)
    file = _find_edited(request, workspace, path, form)
    workspace.require_write()
    if request.method == "POST" and form.is_valid():
        if file.deleted_at is not None or file.folded_path != fold(path):
            return editor.show_gone(request, workspace, file, path, form)
        again = partial(editor.show_editor, request, workspace, file, form)
        return editor.save_or_show(request, workspace, file, form, again)
    return editor.show_editor(request, workspace, file, form)


@access.team_view("POST")
def preview(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    """How a text would look. Nothing is kept."""
    workspace = access.find_workspace(request, agent_id)
    form = forms.SaveForm(request.POST)
    form.is_valid()
    content = form.cleaned_data.get("content", "")[: door.MAX_BYTES]
    rendered, pinned = markdown.render(content), pinned_lines(content)
    context = about(
        workspace,
        blocks=[(block, block.start in pinned) for block in rendered.blocks],
        is_cut=rendered.is_cut,
    )
    return show(request, "files/preview.html", context, partials=("preview",))


@access.team_view("GET")
def delete_confirm(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    context = about(workspace, file=file)
    return show(request, "files/delete.html", context)


@access.team_view("POST")
def delete(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    form = forms.DeleteForm(request.POST)
    expected = form.cleaned_data["sha256"] if form.is_valid() else "-"
    try:
        with request.visit.write() as tx:
            gone = door.delete(tx, file, writer=writer_of(request), expected=expected)
    except refusals.Stale:
        messages.error(
            request, _("The file has changed since you opened it. Check it, then try again.")
        )
        return redirect(to(request, "agents_file", agent_id, file.path, query=workspace.query))
    said = _("{path} was deleted. You can restore it from the list of deleted files.")
    place = (agent_id, file.path, gone.number)
    back = to(request, "agents_undo_save", *place, query=workspace.query)
    messages.success(request, said.format(path=file.path), extra_tags=back)
    return redirect(to(request, "agents_files", agent_id, query=workspace.query))


def _find_edited(
    request: access.TeamRequest, workspace: access.Workspace, path: str, form: forms.EditForm
) -> File:
    """The file. What a form was opened with is found under the name that it has now, and even
    when it was deleted: the text in the form must not be lost."""
    if request.method == "POST" and form.is_valid():
        was = file_that_was(workspace.files, path, form.cleaned_data["sha256"])
        if was is not None:
            return access.find_file(request, workspace, was.path, deleted=True)
    return access.find_file(request, workspace, path)


# One line, item or paragraph of a file, edited where it stands.


class LineClash(Exception):
    """Both changed the same lines; nothing is saved yet."""

    def __init__(self, file: File, clash: Clash) -> None:
        self.file, self.clash = file, clash
        super().__init__(file.path)


@access.team_view("POST")
def edit_line(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    form = forms.LineForm(request.POST)
    if not form.is_valid():
        return _again(request, workspace, file, form)
    try:
        written = _save(request, workspace, file, form)
    except LineClash as clashed:
        return _again(request, workspace, clashed.file, form, clashed.clash)
    except (refusals.AssignmentsFound, refusals.MemoryRefused) as refused:
        form.refuse(refused)
        return _again(request, workspace, file, form)
    url = editor.tell_saved(request, workspace, written)
    url, shown = next_url(request) or url, written.file
    return done(
        request,
        lambda one: show_file(one, workspace, shown, saved=shown.revision),
        url,
        partials=("text",),
    )


def _save(
    request: access.TeamRequest, workspace: access.Workspace, file: File, form: forms.LineForm
) -> WriteResult:
    """What others changed elsewhere meanwhile stays. Raises Clashed and what files.write raises."""
    said = form.cleaned_data
    opened = content_with(file, said["sha256"])
    if opened is None:
        raise refusals.FileMissing(file.path)
    while True:  # each turn more takes somebody else who saved just now
        try:
            return editor.save_text(
                request,
                workspace,
                file.path,
                content=_merged(file, opened, said),
                reason="",
                expected=file.sha256,
            )
        except refusals.Stale as moved_on:
            if moved_on.file.deleted_at is not None:
                raise refusals.FileMissing(file.path) from moved_on
            file = moved_on.file


def _merged(file: File, opened: str, said: dict[str, Any]) -> str:
    look = Look(To.PAGE, files=[file])
    base, theirs = look.then(file, opened), look.file(file).text
    lines = said["first"], said["last"], said["text"]
    if base == theirs:
        return with_words(base, *lines)
    merged = brought_together(base, theirs, *lines)
    if isinstance(merged, Clash):
        raise LineClash(file, merged)
    return merged


def _again(
    request: access.TeamRequest,
    workspace: access.Workspace,
    file: File,
    form: forms.LineForm,
    clash: Clash | None = None,
) -> HttpResponse:
    """The form stands open, with what was written; after a clash upon the text as it is now."""
    editing = Editing(form)
    if clash is not None:
        said = {"first": clash.first, "last": clash.last, "sha256": file.sha256}
        again = forms.LineForm(initial=said | {"text": clash.mine})
        editing = Editing(again, theirs=clash.theirs, is_gone=clash.last < clash.first)
    return show_file(request, workspace, file, editing=editing, status=409 if clash else 422)


# Lines that a person wrote: let machines change them, or have them kept again.


@access.team_view("POST")
def release(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    said = _("Machines may change these lines now ({count}). To undo this, choose “Keep again”.")
    return _change(request, agent_id, path, machine_guards.release, said)


@access.team_view("POST")
def keep(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    said = _("Machines can no longer change these lines ({count}).")
    return _change(request, agent_id, path, machine_guards.keep, said)


def _change(
    request: access.TeamRequest, agent_id: UUID, path: str, act: Callable[..., int], said: str
) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    form = forms.LinesForm(request.POST)
    query = workspace.query
    if form.is_valid():
        lines = form.cleaned_data
        query = to_line(query, lines["first"])
        with told_to(request):
            with request.visit.write() as tx:
                count = act(tx, file, lines["first"], lines["last"], expected=lines["sha256"])
            messages.success(request, said.format(count=count))
    else:
        messages.error(request, _("Choose which lines to change."))
    return redirect(to(request, "agents_file", agent_id, file.path, query=query))


# Which files enter the prompt: a switch, a step, a place in the order; and a file's name.


@access.team_view("POST")
def arrange(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    form = forms.ArrangeForm(request.POST)
    if form.is_valid():
        with told_to(request):
            with request.visit.write() as tx:
                _apply(tx, file, form)
            messages.success(request, _said(workspace, file))
    else:
        messages.error(request, _("Choose what to do with the file."))
    name = "agents_prompt" if request.POST.get("page") == "prompt" else "agents_files"
    url = to(request, name, agent_id, query=f"?{request.GET.urlencode()}" if request.GET else "")
    return done(request, lambda again: show_files(again, workspace), url, partials=("tree",))


@access.team_view("GET", "POST")
def rename(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    form = forms.RenameForm(
        request.POST or None, initial={"path": file.path, "sha256": file.sha256}
    )
    if request.method == "POST" and form.is_valid():
        with told_in(form, "path"):
            renamed = _rename(request, file, form)
            said = _("{was} was renamed to {path}, with its history.")
            messages.success(request, said.format(was=file.path, path=renamed.path))
            return redirect(
                to(request, "agents_file", agent_id, renamed.path, query=workspace.query)
            )
    context = about(workspace, file=file, form=form)
    return show(request, "files/rename.html", context)


def _apply(tx: Transaction, file: File, form: forms.ArrangeForm) -> None:
    asked = form.cleaned_data
    if asked["enabled"]:
        prompt.switch(tx, file, enabled=asked["enabled"] == "on")
    elif asked["move"]:
        prompt.step(tx, file, -1 if asked["move"] == "up" else 1)
    else:
        prompt.put_before(tx, file, asked["before"])


def _said(workspace: access.Workspace, file: File) -> str:
    paths = list(workspace.files.enabled_in_order().values_list("path", flat=True))
    if file.path not in paths:
        return _("{path} is not in the prompt.").format(path=file.path)
    said = _("{path} is in the prompt, in place {place} of {count}.")
    place = paths.index(file.path) + 1
    return said.format(path=file.path, place=place, count=len(paths))


def _rename(request: access.TeamRequest, file: File, form: forms.RenameForm) -> File:
    with request.visit.write() as tx:
        return door.rename(
            tx,
            file,
            form.cleaned_data["path"],
            writer=writer_of(request),
            expected=form.cleaned_data["sha256"],
        ).file
