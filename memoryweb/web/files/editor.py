"""The editor of a file: the page, the editor alone, or what a save changes around the text."""

from collections.abc import Iterable
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
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.lines.origins import lines_of_people
from memoryweb.memory.lines.revisions import last_changed
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Place
from memoryweb.memory.statements.bullets import read_ahead
from memoryweb.memory.visible.readable import To, readable_file
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.write import WriteResult
from memoryweb.web.access import TeamRequest, Workspace, own_workspace
from memoryweb.web.files.forms import EditForm
from memoryweb.web.htmx import about, is_fragment, show, to
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
        return _told(self.pinned)

    @property
    def persons_told(self) -> str:
        return _told(self.persons)


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


def _told(ranges: str) -> str:
    """`3–6, 9`, cut where there are many."""
    parts = ranges.replace("-", "–").split()
    return ", ".join(parts[:_TOLD]) + (" …" if len(parts) > _TOLD else "")


# What a person saves in the browser: one way for the editor, a new file, a merge and a line; and
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
            Place(workspace.agent, own_workspace(request, workspace).owner, path),
            content,
            writer=writer_of(request),
            expected=expected,
            reason=reason,
        )


def tell_saved(request: TeamRequest, workspace: Workspace, written: WriteResult) -> str:
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
) -> HttpResponse:
    """After a save with what was `written`: the text in the browser stays as it is."""
    if form is None or not form.is_bound:
        form = EditForm(
            initial={"content": readable_file(file, To.PAGE).text, "sha256": file.sha256}
        )
        if written is None:
            form.begin_at("content")
    changed = last_changed(file)[0] if written and written.changed else ()
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
