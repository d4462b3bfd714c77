"""What a person saves in the browser: one way for the editor, a new file, a merge and a line; and
how it is told, with an Undo."""

from django.contrib import messages
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.markdown.diff import carry
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import File
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.statements.bullets import read_ahead
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.screening import Likely
from memoryweb.memory.writing.write import Place, Written
from memoryweb.web.access import TeamRequest, Workspace, own_workspace
from memoryweb.web.display_names import writer_of
from memoryweb.web.htmx import to


def save_text(
    request: TeamRequest,
    workspace: Workspace,
    path: str,
    *,
    content: str,
    reason: str,
    expected: str,
    no_secrets: bool = False,
) -> Written:
    """Raises what `files.write` raises. `no_secrets`: the person says so of what looks like one."""
    read_ahead(content, path)
    with write_transaction(request.visit.team, actor=request.visit.actor) as work:
        return door.write(
            work,
            Place(workspace.agent, own_workspace(request, workspace).owner, path),
            content,
            writer=writer_of(request),
            expected=expected,
            reason=reason,
            likely=Likely.RELEASE if no_secrets else Likely.ASK,
        )


def tell_saved(request: TeamRequest, workspace: Workspace, written: Written) -> str:
    """With an Undo. Returns the file's page, at the first line that changed."""
    file = written.file
    address = to(request, "agents_file", workspace.agent.pk, file.path, query=workspace.query)
    if not written.changed:
        messages.success(request, _("There was nothing to save: the text is the same."))
        return f"{address}{'&' if workspace.query else '?'}saved=0"
    said = _("{path} was saved as revision {number}.")
    lines, at, gone = changed_lines(file)
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


def changed_lines(file: File) -> tuple[set[int], int, int]:
    """The lines that the last revision brought or worded otherwise, the first place that it
    touched, and how many lines it took away."""
    before = content_of(file, file.revision - 1) if file.revision > 1 else ""
    old, new = before.split("\n"), file.content.split("\n")
    carried = carry(old, new)
    stayed = carried.same.keys()
    lines = {n for n, line in enumerate(new, 1) if n not in stayed and line.strip()}
    gone = sum(1 for line in old if line.strip()) - sum(1 for line in new if line.strip())
    pairs = zip(old, new, strict=False)
    touched = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(old), len(new)))
    text = [n for n, line in enumerate(new, 1) if line.strip()] or [1]
    near = next((n for n in text if n >= touched), text[-1])
    return lines, min(lines, default=near), max(0, gone)


def _counted(lines: int, gone: int) -> str:
    if lines or not gone:
        return ngettext("{n} line changed.", "{n} lines changed.", lines).format(n=lines)
    return ngettext("{n} line was removed.", "{n} lines were removed.", gone).format(n=gone)
