"""The editor of a file: the page, the editor alone, or what a save changes around the text."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django_htmx.http import reswap, retarget

from memoryweb.memory.models import File
from memoryweb.memory.visible.placeholders import for_people
from memoryweb.memory.writing.write import Written
from memoryweb.web.access import TeamRequest, Workspace
from memoryweb.web.files.editors import editor_of
from memoryweb.web.files.forms import EditForm
from memoryweb.web.files.saving import changed_lines
from memoryweb.web.htmx import about, is_fragment, show

PARTS = ("saved", "editing")


def show_editor(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: EditForm | None = None,
    *,
    written: Written | None = None,
) -> HttpResponse:
    """After a save with what was `written`: the text in the browser stays as it is."""
    if form is None or not form.is_bound:
        form = EditForm(initial={"content": for_people(file), "sha256": file.sha256})
        if written is None:
            form.begin_at("content")
    changed = changed_lines(file)[0] if written and written.changed else ()
    text = form["content"].value() or ""
    editor = editor_of(file, text, request.user.pk, changed=changed)
    context = about(workspace, file=file, form=form, editor=editor, is_saved=written is not None)
    return show(request, "files/edit.html", context, partials=PARTS)


def show_instead(
    request: TeamRequest, template: str, context: dict[str, Any], *, status: int
) -> HttpResponse:
    """A page of its own, which takes the editor's place where htmx asked for a part of that."""
    if not is_fragment(request, PARTS):
        return show(request, template, context, status=status)
    shown = render(request, f"{template}#editing", context, status=status)
    return reswap(retarget(shown, "#editing"), "outerHTML")
