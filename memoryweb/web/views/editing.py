"""Changing files: new, edit with an optimistic lock, delete."""

from uuid import UUID

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryweb.memory import files as door
from memoryweb.memory.exceptions import MemoryRefused, PathRefused, Stale
from memoryweb.memory.files import Place, Writer
from memoryweb.memory.unit import unit
from memoryweb.web.access import (
    Shelf,
    TeamRequest,
    find_file,
    find_shelf,
    own_shelf,
    require_write,
    team_view,
)
from memoryweb.web.forms.files import DeleteForm, EditForm, NewFileForm
from memoryweb.web.htmx import show, to
from memoryweb.workspace.diff import side_by_side
from memoryweb.workspace.models import AuthorKind, File
from memoryweb.workspace.revisions import content_of


@require_http_methods(["GET", "POST"])
@team_view()
def new(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    require_write(request, shelf)
    form = NewFileForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        path = form.cleaned_data["path"].strip()
        try:
            _write(request, shelf, path, form, expected="")
        except (MemoryRefused, PathRefused) as refused:
            form.add_error("path" if isinstance(refused, PathRefused) else None, str(refused))
        else:
            messages.success(request, _("{path} was created.").format(path=path))
            return redirect(to(request, "agents_file", agent_id, path, query=shelf.query))
    context = {"agent": shelf.agent, "tab": "files", "shelf": shelf, "form": form}
    return show(request, "files/new.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
@team_view()
def edit(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path)
    require_write(request, shelf)
    opened = {"content": file.content, "sha256": file.sha256}
    form = EditForm(request.POST or None, initial=opened)
    if request.method == "POST" and form.is_valid():
        try:
            written = _write(request, shelf, file.path, form, expected=form.cleaned_data["sha256"])
        except Stale as stale:
            return _conflict(request, shelf, stale.file, form)
        except MemoryRefused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _saved(written))
            return redirect(to(request, "agents_file", agent_id, file.path, query=shelf.query))
    context = {"agent": shelf.agent, "tab": "files", "shelf": shelf, "file": file, "form": form}
    return show(request, "files/edit.html", context, status=422 if form.is_bound else 200)


@require_GET
@team_view()
def delete_confirm(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path)
    require_write(request, shelf)
    context = {"agent": shelf.agent, "tab": "files", "shelf": shelf, "file": file}
    return show(request, "files/delete.html", context)


@require_POST
@team_view()
def delete(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path)
    require_write(request, shelf)
    form = DeleteForm(request.POST)
    expected = form.cleaned_data["sha256"] if form.is_valid() else "-"
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            door.delete(work, file, writer=writer_of(request), expected=expected)
    except Stale:
        messages.error(request, _("The file changed meanwhile. Look at it again, then decide."))
        return redirect(to(request, "agents_file", agent_id, file.path, query=shelf.query))
    said = _("{path} was deleted. Its history stays; restore it from the list of deleted files.")
    messages.success(request, said.format(path=file.path))
    return redirect(to(request, "agents_files", agent_id, query=shelf.query))


def writer_of(request: TeamRequest) -> Writer:
    return Writer(AuthorKind.PERSON, user=request.user)


def _write(
    request: TeamRequest, shelf: Shelf, path: str, form: Form, *, expected: str
) -> door.Written:
    with unit(request.visit.team, actor=request.visit.actor) as work:
        return door.write(
            work,
            Place(shelf.agent, own_shelf(request, shelf).owner, path),
            form.cleaned_data["content"],
            writer=writer_of(request),
            expected=expected,
            reason=form.cleaned_data["reason"],
        )


def _saved(written: door.Written) -> str:
    if not written.changed:
        return _("Nothing was changed: the text is the same.")
    said = _("{path} was saved as revision {number}.")
    return said.format(path=written.file.path, number=written.file.revision)


def _conflict(request: TeamRequest, shelf: Shelf, current: File, form: EditForm) -> HttpResponse:
    """Somebody was faster: what they changed, what you changed, and your text to save again."""
    mine = form.cleaned_data["content"]
    opened = current.revisions.filter(sha256=form.cleaned_data["sha256"]).order_by("-number")
    before = opened.first()
    base = content_of(current, before.number) if before else ""
    again = EditForm(
        initial={
            "content": mine,
            "sha256": current.sha256,
            "reason": form.cleaned_data["reason"],
        }
    )
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": current,
        "form": again,
        "theirs": side_by_side(base, current.content),
        "mine": side_by_side(base, mine),
        "latest": current.revisions.select_related("user", "run")
        .filter(number=current.revision)
        .first(),
        "is_deleted": current.deleted_at is not None,
    }
    return show(request, "files/conflict.html", context, status=409)
