"""Which files enter the prompt: a switch, a step, a place in the order; and a file's name."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.memory import prompt
from memoryweb.memory.models import File
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.writing import write as door
from memoryweb.web.access import (
    TeamRequest,
    Workspace,
    find_file,
    find_workspace,
    team_view,
)
from memoryweb.web.display_names import writer_of
from memoryweb.web.files.forms import ArrangeForm, RenameForm
from memoryweb.web.files.views import show_files
from memoryweb.web.htmx import about, done, show, to
from memoryweb.web.refusals import told_in, told_to


@team_view("POST")
def arrange(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    form = ArrangeForm(request.POST)
    if form.is_valid():
        with told_to(request):
            with write_transaction(request.visit.team, actor=request.visit.actor) as work:
                _apply(work, file, form)
            messages.success(request, _said(workspace, file))
    else:
        messages.error(request, _("Choose what to do with the file."))
    name = "agents_prompt" if request.POST.get("page") == "prompt" else "agents_files"
    url = to(request, name, agent_id, query=f"?{request.GET.urlencode()}" if request.GET else "")
    return done(request, lambda again: show_files(again, workspace), url, partials=("tree",))


@team_view("GET", "POST")
def rename(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    form = RenameForm(request.POST or None, initial={"path": file.path, "sha256": file.sha256})
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


def _apply(work: Transaction, file: File, form: ArrangeForm) -> None:
    asked = form.cleaned_data
    if asked["enabled"]:
        prompt.switch(work, file, enabled=asked["enabled"] == "on")
    elif asked["move"]:
        prompt.step(work, file, -1 if asked["move"] == "up" else 1)
    else:
        prompt.put_before(work, file, asked["before"])


def _said(workspace: Workspace, file: File) -> str:
    paths = list(workspace.files.enabled_in_order().values_list("path", flat=True))
    if file.path not in paths:
        return _("{path} is not in the prompt.").format(path=file.path)
    said = _("{path} is in the prompt, in place {place} of {count}.")
    place = paths.index(file.path) + 1
    return said.format(path=file.path, place=place, count=len(paths))


def _rename(request: TeamRequest, file: File, form: RenameForm) -> File:
    with write_transaction(request.visit.team, actor=request.visit.actor) as work:
        return door.rename(
            work,
            file,
            form.cleaned_data["path"],
            writer=writer_of(request),
            expected=form.cleaned_data["sha256"],
        ).file
