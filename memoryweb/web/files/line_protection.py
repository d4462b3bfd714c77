"""Lines that a person wrote: let machines change them, or have them kept again."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.writing import line_protection
from memoryweb.web.access import TeamRequest, find_file, find_workspace, team_view
from memoryweb.web.files.forms import LinesForm
from memoryweb.web.htmx import to
from memoryweb.web.refusals import told_to


@team_view("POST")
def release(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    said = _("Machines may change these lines now ({count}). To undo this, choose “Keep again”.")
    return _change(request, agent_id, path, line_protection.release, said)


@team_view("POST")
def keep(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    said = _("Machines can no longer change these lines ({count}).")
    return _change(request, agent_id, path, line_protection.keep, said)


def _change(
    request: TeamRequest, agent_id: UUID, path: str, act: Callable[..., int], said: str
) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, to_write=True)
    form = LinesForm(request.POST)
    anchor = ""
    if form.is_valid():
        lines = form.cleaned_data
        anchor = f"#L{lines['first']}"
        with told_to(request):
            with write_transaction(request.visit.team, actor=request.visit.actor) as work:
                count = act(work, file, lines["first"], lines["last"], expected=lines["sha256"])
            messages.success(request, said.format(count=count))
    else:
        messages.error(request, _("Choose which lines to change."))
    return redirect(to(request, "agents_file", agent_id, file.path, query=workspace.query + anchor))
