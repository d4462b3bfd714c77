"""What an agent is given, for whom, and for which message. A look at it is no injection."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.agents.models import Agent, Reader
from memoryweb.memory import prompt as prompts
from memoryweb.memory.index.recalls import WEEK, Prompts, prompts_of
from memoryweb.memory.lines.files import untouched
from memoryweb.memory.models import File
from memoryweb.memory.prompt import (
    Added,
    Context,
    PromptFile,
    PromptHit,
    behind_lines,
    place_of,
)
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, team_view
from memoryweb.web.charts import token_gauge
from memoryweb.web.pages import about, show
from memoryweb.web.wording import fact_url, file_url, talk_url


class TryForm(forms.Form):
    message = forms.CharField(
        label=gettext_lazy("A message"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy(
            "Write it as someone would say it to the agent. Nothing is recorded."
        ),
    )
    owner = forms.CharField(required=False, widget=forms.HiddenInput)


@team_view("GET")
def prompt(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, read="prompt")
    form = TryForm(request.GET)
    message = form.cleaned_data["message"] if form.is_valid() else ""
    built = prompts.build(Reader(workspace.agent, workspace.owner), message)
    context = about(
        workspace,
        tab="prompt",
        query=f"?{request.GET.urlencode()}" if request.GET else "",
        gauge=token_gauge(built.gauge),
        built=built,
        groups=_groups(request, workspace, built),
        others=_others(workspace),
        form=form,
        message=message,
        found=[_found(request, workspace.agent, quoted) for quoted in built.hits],
        sent=list(_sent(built)),
        told=_week_in_words(
            prompts_of(workspace.agent, Q(owner=workspace.owner), timezone.now() - WEEK)
        ),
        is_unused=bool(workspace.owner and not workspace.owner.using),
    )
    return show(request, "prompt/prompt.html", context, status=200 if form.is_valid() else 422)


def _others(workspace: Workspace) -> "QuerySet[File]":
    """Files of it that no prompt is given."""
    away = workspace.files.filter(Q(enabled=False) | untouched())
    there = away.filter(deleted_at=None, note_date=None).untexted()
    return there.order_by("folded_path")[:12]


def _week_in_words(prompts: Prompts) -> str:
    if not prompts.served:
        return _("No prompt was asked for in the last seven days.")
    said = ngettext(
        "In the last seven days {n} prompt carried memory; {used} looked something up.",
        "In the last seven days {n} prompts carried memory; {used} looked something up.",
        prompts.served,
    )
    return said.format(n=prompts.served, used=prompts.used)


def _groups(request: TeamRequest, workspace: Workspace, built: Context) -> list[dict[str, Any]]:
    shared = {
        "label": _("System prompt"),
        "help": _("The agent's shared files, the same for everyone."),
        "rows": _rows(request, workspace, built.shared),
        "can_move": workspace.owner is None and workspace.can_write,
    }
    if workspace.owner is None:
        return [shared]
    personal = {
        "label": _("Personal memory"),
        "help": _("Sent as data in the first message, between two markers made for that one call."),
        "rows": _rows(request, workspace, built.personal),
        "can_move": workspace.can_write,
    }
    return [shared, personal]


def _rows(
    request: TeamRequest, workspace: Workspace, files: Sequence[PromptFile]
) -> list[dict[str, Any]]:
    """Global files keep their place before the agent's own, unread notes behind them."""
    own = [one.file.pk for one in files if _is_own(one.file, workspace) and one.file.enabled]
    return [
        {
            "one": one,
            "url": file_url(request, one.file, agent=workspace.agent),
            "is_own": _is_own(one.file, workspace),
            "is_first": one.file.pk in own[:1],
            "is_last": one.file.pk in own[-1:],
        }
        for one in files
    ]


def _is_own(file: File, workspace: Workspace) -> bool:
    return file.agent_id == workspace.agent.pk


def _found(request: TeamRequest, agent: Agent, quoted: PromptHit) -> dict[str, Any]:
    hit = quoted.hit
    if hit.file:
        url = file_url(request, hit.file, hit.line, agent=agent)
    elif hit.fact:
        url = fact_url(request, hit.fact)
    else:
        assert hit.message
        url = talk_url(request, hit.message.conversation, hit.message.position)
    return {"quoted": quoted, "place": place_of(hit), "url": url}


def _sent(built: Context) -> Iterator[tuple[str, str, Sequence[tuple[str, str]]]]:
    """Who says what: the messages that the model gets, the system prompt first. Each in pieces of
    its own text and of what was put behind it."""
    roles = {"user": _("User"), "assistant": _("Assistant")}
    if built.system:
        yield _("System"), built.system, list(_pieces(built.system, behind_lines(built.shared)))
    for number, turn in enumerate(built.messages):
        added = built.added if number == 0 and built.memory else ()
        yield roles[turn.role], turn.content, list(_pieces(turn.content, added))


def _pieces(content: str, added: Iterable[Added]) -> Iterator[tuple[str, str]]:
    told = {one.row: one.text for one in added}
    own = ""
    for row, line in enumerate(content.split("\n")):
        own += "\n" if row else ""
        own += line.removesuffix(told.get(row, ""))
        if row in told:
            yield own, told[row]
            own = ""
    yield own, ""
