"""Forgetting a line of a file: what would go with it, then yes or no; and taking that back."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.memory import forgetting
from memoryweb.memory.models import File
from memoryweb.memory.review import may_decide
from memoryweb.memory.visible.readable import ReadableFile, To, readable_file
from memoryweb.web import markdown
from memoryweb.web.access import (
    Refused,
    TeamRequest,
    Workspace,
    find_file,
    find_workspace,
    team_view,
)
from memoryweb.web.files.forms import DeleteForm
from memoryweb.web.htmx import about, show, to, told_to
from memoryweb.web.wording import writer_of

SHOWN = 50  # places that a page names


@team_view("GET", "POST")
def forget_line(request: TeamRequest, agent_id: UUID, path: str, line: int) -> HttpResponse:
    """What is shared, an admin forgets; everybody else asks in Review."""
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    readable, is_own = readable_file(file, To.PAGE), is_theirs(request, workspace)
    numbers = _lines(readable, line)
    if not is_own and readable.hidden & {*numbers}:
        raise Http404
    if request.method == "POST":
        done = _("Hidden. It will be erased in a while; until then you can undo it.")
        asked = _("An admin decides in Review whether it is erased.")
        act = partial(forgetting.forget_lines, is_theirs=is_own)
        return _act(request, workspace, file, numbers, act, done if is_own else asked)
    found = forgetting.of_lines(file, numbers)
    shown = [one for one in found.meant if one.text][:SHOWN]
    context = about(
        workspace,
        file=file,
        line=line,
        goes=shown,
        more=len(found.meant) - len(shown),
        near=found.candidates,
        is_theirs=is_own,
    )
    return show(request, "files/forget.html", context)


@team_view("POST")
def unforget_line(request: TeamRequest, agent_id: UUID, path: str, line: int) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    if not is_theirs(request, workspace):
        raise Refused("may_not_forget")
    said = _("It is remembered again.")
    numbers = _lines(readable_file(file, To.PAGE), line)
    return _act(request, workspace, file, numbers, forgetting.undo_of_lines, said)


def _act(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    numbers: range,
    act: Callable[..., object],
    said: str,
) -> HttpResponse:
    form = DeleteForm(request.POST)
    expected = form.cleaned_data["sha256"] if form.is_valid() else "-"
    with told_to(request):
        with request.visit.write() as tx:
            act(tx, file, numbers, expected=expected, writer=writer_of(request))
        messages.success(request, said)
    query = f"{workspace.query}#L{numbers[0]}"
    return redirect(to(request, "agents_file", workspace.agent.pk, file.path, query=query))


def _lines(file: ReadableFile, line: int) -> range:
    """Of the block as the file's page shows it."""
    blocks = markdown.render(file.text).blocks
    found = next((block.lines for block in blocks if line in block.lines), None)
    if found is None:
        raise Http404
    return found


def is_theirs(request: TeamRequest, workspace: Workspace) -> bool:
    """To forget at once. Who may write in a personal memory is its owner."""
    return may_decide(
        request.visit.role,
        Permission.FORGET,
        is_shared=workspace.owner is None,
        is_theirs=workspace.owner is not None,
    )
