"""One line, item or paragraph of a file, edited where it stands."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse

from memoryweb.markdown.line_edits import Clash, brought_together, with_words
from memoryweb.memory.lines.files import content_with
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import FileMissing, MemoryRefused, Stale
from memoryweb.memory.visible.placeholders import for_people_all
from memoryweb.memory.writing.write import Written
from memoryweb.web.access import TeamRequest, Workspace, find_file, find_workspace, team_view
from memoryweb.web.files.forms import LineForm
from memoryweb.web.files.open_line import Editing
from memoryweb.web.files.saving import save_text, tell_saved
from memoryweb.web.files.views import show_file
from memoryweb.web.htmx import done


class Clashed(Exception):
    """Both changed the same lines; nothing is saved yet."""

    def __init__(self, file: File, clash: Clash) -> None:
        self.file, self.clash = file, clash
        super().__init__(file.path)


@team_view("POST")
def edit_line(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    form = LineForm(request.POST)
    if not form.is_valid():
        return _again(request, workspace, file, form)
    try:
        written = _save(request, workspace, file, form)
    except Clashed as clashed:
        return _again(request, workspace, clashed.file, form, clashed.clash)
    except MemoryRefused as refused:
        form.refuse(refused)
        return _again(request, workspace, file, form)
    url = tell_saved(request, workspace, written)
    shown = written.file
    return done(
        request,
        lambda one: show_file(one, workspace, shown, saved=shown.revision),
        url,
        partials=("text",),
    )


def _save(request: TeamRequest, workspace: Workspace, file: File, form: LineForm) -> Written:
    """What others changed elsewhere meanwhile stays. Raises Clashed and what files.write raises."""
    said = form.cleaned_data
    opened = content_with(file, said["sha256"])
    if opened is None:
        raise FileMissing(file.path)
    while True:  # each turn more takes somebody else who saved just now
        try:
            return save_text(
                request,
                workspace,
                file.path,
                content=_merged(file, opened, said),
                reason="",
                expected=file.sha256,
                no_secrets=said["no_secrets"],
            )
        except Stale as moved_on:
            if moved_on.file.deleted_at is not None:
                raise FileMissing(file.path) from moved_on
            file = moved_on.file


def _merged(file: File, opened: str, said: dict[str, Any]) -> str:
    base, theirs = for_people_all([(file, opened), (file, file.content)])
    lines = said["first"], said["last"], said["text"]
    if base == theirs:
        return with_words(base, *lines)
    merged = brought_together(base, theirs, *lines)
    if isinstance(merged, Clash):
        raise Clashed(file, merged)
    return merged


def _again(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: LineForm,
    clash: Clash | None = None,
) -> HttpResponse:
    """The form stands open, with what was written; after a clash upon the text as it is now."""
    editing = Editing(form)
    if clash is not None:
        said = {"first": clash.first, "last": clash.last, "sha256": file.sha256}
        again = LineForm(initial=said | {"text": clash.mine})
        editing = Editing(again, theirs=clash.theirs, is_gone=clash.last < clash.first)
    return show_file(request, workspace, file, editing=editing, status=409 if clash else 422)
