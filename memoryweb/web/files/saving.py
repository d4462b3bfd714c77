"""What a person saves in the browser: one way for the editor, a new file and a merge."""

from django.utils.translation import gettext as _

from memoryweb.memory import write as door
from memoryweb.memory.screening import Likely
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Place, Written
from memoryweb.web.access import TeamRequest, Workspace, own_workspace
from memoryweb.web.display_names import writer_of


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


def saved(written: Written) -> str:
    if not written.changed:
        return _("There was nothing to save: the text is the same.")
    said = _("{path} was saved as revision {number}.")
    return said.format(path=written.file.path, number=written.file.revision)
