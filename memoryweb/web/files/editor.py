"""The editor of a file: the page, the editor alone, or what a save changes around the text."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_htmx.http import reswap, retarget

from memoryweb.llm.tokens import estimate
from memoryweb.markdown.diff import side_by_side
from memoryweb.markdown.merge import brought_together
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.lines.files import content_with, file_that_was, number_with
from memoryweb.memory.lines.origins import lines_of_people
from memoryweb.memory.lines.revisions import author_name, last_changed
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import AssignmentsFound, FileMissing, MemoryRefused, Stale
from memoryweb.memory.statements.bullets import read_ahead
from memoryweb.memory.visible.readable import Look, To, readable_file
from memoryweb.memory.visible.request_contents import without_away
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.write import WriteResult
from memoryweb.web.access import TeamRequest, Workspace
from memoryweb.web.files.forms import EditForm, NewFileForm
from memoryweb.web.pages import about, done, is_fragment, show, to
from memoryweb.web.wording import writer_of

# What the editor is told about a text: how much of it enters the prompt, and which lines stay.

_TOLD = 12  # ranges that a sentence names


@dataclass(frozen=True)
class Editor:
    """`draft` names the text in the browser's store. Ranges read `3-6 9`."""

    draft: str
    characters: int
    tokens: int
    limit: int | None = None
    pinned: str = ""
    persons: str = ""
    changed: str = ""

    @property
    def over(self) -> int:
        return max(0, self.characters - self.limit) if self.limit else 0

    @property
    def counted(self) -> str:
        said = _("{characters} characters, about {tokens} tokens")
        return said.format(characters=intcomma(self.characters), tokens=intcomma(self.tokens))

    @property
    def pinned_told(self) -> str:
        return _ranges_in_words(self.pinned)

    @property
    def persons_told(self) -> str:
        return _ranges_in_words(self.persons)


def editor_of(file: File, text: str, user_id: object, *, changed: Iterable[int] = ()) -> Editor:
    """Lines are marked while the text in the editor is the file's own."""
    is_own = text == readable_file(file, To.PAGE).text
    return Editor(
        draft=draft_name(user_id, file),
        characters=len(text),
        tokens=estimate(text),
        limit=kind_of(file.path).limit,
        pinned=_ranges(pinned_lines(text)),
        persons=_ranges(lines_of_people([file])[file.pk]) if is_own else "",
        changed=_ranges(changed),
    )


def draft_name(user_id: object, file: File) -> str:
    return f"{user_id}:{file.pk}"


def editor_of_new(agent_id: UUID, workspace: str, text: str, user_id: object) -> Editor:
    return Editor(f"{user_id}:new:{agent_id}:{workspace}", len(text), estimate(text))


def _ranges(lines: Iterable[int]) -> str:
    at = count()
    runs = [list(run) for _key, run in groupby(sorted(lines), key=lambda line: line - next(at))]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _ranges_in_words(ranges: str) -> str:
    """`3–6, 9`, cut where there are many."""
    parts = ranges.replace("-", "–").split()
    return ", ".join(parts[:_TOLD]) + (" …" if len(parts) > _TOLD else "")


# What a person saves in the browser: one way for the editor, a new file and a line; and
# how it is told, with an Undo.


def save_text(
    request: TeamRequest,
    workspace: Workspace,
    path: str,
    *,
    content: str,
    reason: str,
    expected: str,
) -> WriteResult:
    """Raises what `files.write` raises."""
    read_ahead(content, path)
    with request.visit.write() as tx:
        return door.write(
            tx,
            workspace.owned(request).memory.at(path),
            content,
            writer=writer_of(request),
            expected=expected,
            reason=reason,
        )


def tell_saved(
    request: TeamRequest, workspace: Workspace, written: WriteResult, *, is_merged: bool = False
) -> str:
    """With an Undo. Returns the file's page, at the first line that changed."""
    file = written.file
    address = to(request, "agents_file", workspace.agent.pk, file.path, query=workspace.query)
    if not written.changed:
        messages.success(request, _("There was nothing to save: the text is the same."))
        return f"{address}{'&' if workspace.query else '?'}saved=0"
    said = _("{path} was saved as revision {number}.")
    lines, at, gone = last_changed(file)
    told = said.format(path=file.path, number=file.revision)
    undo = undo_url(request, workspace, file) if file.revision > 1 else ""
    if file.revision > 1:
        told = f"{told} {_counted(len(lines), gone)}"
    if is_merged:
        told = f"{told} {_('What others saved meanwhile is kept.')}"
    messages.success(request, told, extra_tags=undo)
    return f"{address}{'&' if workspace.query else '?'}saved={file.revision}#L{at}"


def undo_url(request: TeamRequest, workspace: Workspace, file: File) -> str:
    """Takes the file's last revision back."""
    place = (workspace.agent.pk, file.path, file.revision)
    return to(request, "agents_undo_save", *place, query=workspace.query)


def _counted(lines: int, gone: int) -> str:
    if lines or not gone:
        return ngettext("{n} line changed.", "{n} lines changed.", lines).format(n=lines)
    return ngettext("{n} line was removed.", "{n} lines were removed.", gone).format(n=gone)


PARTS = ("saved", "editing")


def show_editor(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: EditForm | None = None,
    *,
    written: WriteResult | None = None,
    is_merged: bool = False,
    rival: dict[str, Any] | None = None,
) -> HttpResponse:
    """After a save with what was `written`: the text in the browser stays as it is, but for one
    that was merged."""
    if form is None or not form.is_bound:
        form = EditForm(
            initial={"content": readable_file(file, To.PAGE).text, "sha256": file.sha256}
        )
        if written is None:
            form.begin_at("content")
    changed = last_changed(file)[0] if written and written.changed else ()
    text = form["content"].value() or ""
    editor = editor_of(file, text, request.user.pk, changed=changed)
    is_saved = written is not None
    context = about(workspace, file=file, form=form, editor=editor, is_saved=is_saved, rival=rival)
    if rival or is_merged:
        return show_instead(request, "files/edit.html", context, status=409 if rival else 200)
    return show(request, "files/edit.html", context, partials=PARTS)


def show_instead(
    request: TeamRequest, template: str, context: dict[str, Any], *, status: int
) -> HttpResponse:
    """A page of its own, which takes the editor's place where htmx asked for a part of that."""
    if not is_fragment(request, PARTS):
        return show(request, template, context, status=status)
    shown = render(request, f"{template}#editing", context, status=status)
    return reswap(retarget(shown, "#editing"), "outerHTML")


# When somebody was faster: what fits comes together, the rest is theirs beside mine.

_NAMED_SAVES = 6  # who was faster


def save_or_show(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: EditForm,
    again: Callable[[], HttpResponse],
) -> HttpResponse:
    """Save the form's text, with what others saved meanwhile, and go to the file (with htmx: on in
    the editor); else show what stands in the way: `again` the form itself."""
    said, opened = form.said, form.cleaned_data["sha256"]
    text, expected = said, opened
    while True:  # each turn more takes somebody else who saved just now
        try:
            written = save_text(request, workspace, file.path, expected=expected, **text)
        except (Stale, FileMissing) as moved_on:
            now = moved_on.file if isinstance(moved_on, Stale) else None
            if now is None or now.deleted_at is not None:
                was = file_that_was(workspace.files, file.path, opened)
                return show_gone(request, workspace, was or file, file.path, form)
            theirs, mine = _brought_together(now, opened, said["content"])
            text, expected = said | {"content": mine}, now.sha256
            if theirs != mine:
                waiting = EditForm(text | {"sha256": expected})
                rival = _rival(now, opened, theirs, mine)
                return show_editor(request, workspace, now, waiting, rival=rival)
        except (AssignmentsFound, MemoryRefused) as refused:
            form.refuse(refused)
            return again()
        else:
            break
    return done(
        request,
        lambda one: show_editor(
            one, workspace, written.file, written=written, is_merged=text != said
        ),
        tell_saved(request, workspace, written, is_merged=text != said),
        partials=PARTS,
    )


def _brought_together(file: File, opened: str, mine: str) -> tuple[str, str]:
    """The ancestor is found by its hash; without it, nothing counts as taken away."""
    base, look = content_with(file, opened), Look(To.PAGE, files=[file])
    before = None if base is None else look.then(file, base)
    return brought_together(before, look.file(file).text, mine)


def _rival(file: File, opened: str, theirs: str, mine: str) -> dict[str, Any]:
    """Their text, and everybody who saved after the one that both began with, the last one first;
    without it, that one. `more` are not shown."""
    number = number_with(file, opened)
    since = file.revisions.filter(number__gt=file.revision - 1 if number is None else number)
    told = since.select_related("user", "run", "integration", "token").order_by("-number")
    named = list(told[:_NAMED_SAVES])
    without_away(file, named)
    return {
        "text": theirs,
        "rows": side_by_side(theirs, mine),
        "saves": [(revision, author_name(revision, file.agent)) for revision in named],
        "opened": number,
        "more": max(0, since.count() - _NAMED_SAVES),
    }


def show_gone(
    request: TeamRequest, workspace: Workspace, file: File, path: str, form: EditForm
) -> HttpResponse:
    """The file was deleted or renamed: the text waits in a form that saves it after all."""
    said = form.said
    is_deleted = file.deleted_at is not None
    text, person = said["content"], request.user.pk
    again = (
        NewFileForm(initial=said | {"path": path})
        if is_deleted
        else EditForm(initial=said | {"sha256": form.cleaned_data["sha256"]})
    )
    context = about(
        workspace,
        file=file,
        path=path,
        is_deleted=is_deleted,
        editor=editor_of_new(workspace.agent.pk, workspace.value, text, person)
        if is_deleted
        else editor_of(file, text, person),
        form=again,
    )
    return show_instead(request, "files/gone.html", context, status=409)
