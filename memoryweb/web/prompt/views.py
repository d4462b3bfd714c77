"""What an agent is given, for whom, and for which message. A look at it is no injection."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from memoryweb.agents.models import Agent
from memoryweb.agents.readers import Reader
from memoryweb.memory import context as prompts
from memoryweb.memory.context import Context, Included, Quoted
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, note_read, team_view
from memoryweb.web.files.views import workspace_choices
from memoryweb.web.htmx import show, to
from memoryweb.web.pictures import token_gauge
from memoryweb.web.prompt.forms import TryForm
from memoryweb.web.provenance.trace import file_url


@dataclass(frozen=True)
class Row:
    one: Included
    url: str
    is_own: bool
    is_first: bool
    is_last: bool


@dataclass(frozen=True)
class Group:
    """Files of one workspace. `can_move`: it is the one that is looked at, and may be written."""

    label: str
    help: str
    rows: list[Row]
    can_move: bool


@dataclass(frozen=True)
class Sent:
    """One of the messages that the model gets, the system prompt first."""

    role: str | Promise
    text: str


@dataclass(frozen=True)
class Found:
    quoted: Quoted
    place: str
    url: str


@require_GET
@team_view()
def prompt(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    note_read(request, workspace.owner, "prompt", agent_id)
    form = TryForm(request.GET)
    message = form.cleaned_data["message"] if form.is_valid() else ""
    built = prompts.build(Reader(workspace.agent, workspace.owner), message)
    context = {
        "agent": workspace.agent,
        "tab": "prompt",
        "workspace": workspace,
        "choices": workspace_choices(request, workspace, "agents_prompt"),
        "query": f"?{request.GET.urlencode()}" if request.GET else "",
        "gauge": token_gauge(built.gauge),
        "built": built,
        "groups": _groups(request, workspace, built),
        "others": workspace.files.filter(deleted_at=None, enabled=False, note_date=None)
        .defer("content")
        .order_by("folded_path")[:12],
        "form": form,
        "message": message,
        "found": [_found(request, workspace.agent, quoted) for quoted in built.hits],
        "sent": list(_sent(built)),
        "is_paused": bool(workspace.owner and workspace.owner.paused),
    }
    return show(request, "prompt/prompt.html", context, status=200 if form.is_valid() else 422)


def _groups(request: TeamRequest, workspace: Workspace, built: Context) -> list[Group]:
    shared = Group(
        _("System prompt"),
        _("The agent's shared files, the same for everyone."),
        _rows(request, workspace, built.shared),
        can_move=workspace.owner is None and workspace.can_write,
    )
    if workspace.owner is None:
        return [shared]
    personal = Group(
        _("Personal memory"),
        _("Sent as data in the first message, between two markers made for that one call."),
        _rows(request, workspace, built.personal),
        can_move=workspace.can_write,
    )
    return [shared, personal]


def _rows(request: TeamRequest, workspace: Workspace, files: Sequence[Included]) -> list[Row]:
    """Global files keep their place before the agent's own."""
    own = [one.file.pk for one in files if one.file.agent_id == workspace.agent.pk]
    return [
        Row(
            one,
            file_url(request, one.file, agent=workspace.agent),
            is_own=one.file.pk in own,
            is_first=one.file.pk == own[0] if own else False,
            is_last=one.file.pk == own[-1] if own else False,
        )
        for one in files
    ]


def _found(request: TeamRequest, agent: Agent, quoted: Quoted) -> Found:
    hit = quoted.hit
    if hit.file:
        url = file_url(request, hit.file, hit.line, agent=agent)
        return Found(quoted, prompts.place_of(hit), url)
    assert hit.message
    talk = hit.message.conversation
    at = hit.message.position
    url = to(request, "agents_conversation", talk.agent_id, talk.pk, query=f"?message={at}#m{at}")
    return Found(quoted, prompts.place_of(hit), url)


def _sent(built: Context) -> Iterator[Sent]:
    roles = {"user": _("User"), "assistant": _("Assistant")}
    if built.system:
        yield Sent(_("System"), built.system)
    for turn in built.messages:
        yield Sent(roles[turn.role], turn.content)
