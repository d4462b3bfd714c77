"""Connecting a program to an agent: filled-in calls, and a list that ticks itself off."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.models import Integration
from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.accounts.tokens import issue
from memoryweb.agents.models import Agent, Owner
from memoryweb.memory.index.recalls import injections_of
from memoryweb.memory.models import Conversation
from memoryweb.runs.models import Run
from memoryweb.web import first_answer, wording
from memoryweb.web.access import TeamRequest, find_agent, require, team_view
from memoryweb.web.form_fields import WordsField
from memoryweb.web.pages import is_fragment, show, to, told_to

# What a program has to say to use an agent's memory, with this installation's own addresses.

# What the calls tell answers it, in English as they are.
QUESTION = "Do I prefer tea or coffee?"
_OF_PROGRAMS = {"mem0"}  # its calls always name an end user


@dataclass(frozen=True)
class Snippet:
    key: str
    label: str | Promise
    where: str | Promise
    text: str


def snippets(base: str, owner: Mapping[str, str], talk: str, token: str = "") -> list[Snippet]:
    """`base` is the agent's address in the API; `owner` the fields that say whom a call is
    about: none with a personal token. `talk` is a conversation that nobody has yet. Without a
    `token` the calls take it from the environment."""
    fields = json.dumps(owner)
    more = f", {fields[1:-1]}" if owner else ""
    site, agent = base.split("/api/v1/agents/")
    asked = {"base": base, "owner": fields, "more": more, "talk": talk, "token": token} | {
        "site": site,
        "agent": agent,
        "end_user": owner.get("endUserId"),
        "question": QUESTION,
    }
    return [
        Snippet(key, label, where, render_to_string(f"connect/{key}.txt", asked).strip() + "\n")
        for key, label, where in _kinds()
        if owner or key not in _OF_PROGRAMS
    ]


def _kinds() -> Iterator[tuple[str, str, str]]:
    """What is connected, and what its reader does with the text."""
    plugin = _("Run it in a terminal: a plugin that reminds the agent and remembers for it.")
    yield from (
        ("curl", "curl",
         _("Run it in a terminal. It sends a short conversation, then asks for the next prompt.")),
        ("python", "Python", _("Standard library only. Save it as memory.py.")),
        ("javascript", "JavaScript", _("Save it as memory.mjs. It needs Node 18 or later.")),
        ("mcp", _("Any MCP client"),
         _("Add it to your client's list of servers, such as .mcp.json of Claude Code.")),
        ("claude_code", "Claude Code",
         _("Run it in a terminal: a plugin that reminds Claude and remembers for it.")),
        ("codex", "Codex", plugin),
        ("openai", "OpenAI",
         _("For programs that use OpenAI's client: only its base URL changes.")),
        ("mem0", "mem0", _("For programs that use mem0's client: only its host changes.")),
        ("openclaw_plugin", "OpenClaw", plugin),
        ("openclaw", _("OpenClaw, a skill"),
         _("Without the plugin: save it as ~/.openclaw/workspace/skills/memoryweb/SKILL.md.")),
        ("openclaw_config", _("OpenClaw, the skill's token"),
         _("Put this into ~/.openclaw/openclaw.json.")),
    )  # fmt: skip


_END_USER, _PARTIALS = "customer-42", ("checklist",)


class SayForm(forms.Form):
    said = WordsField(
        label=gettext_lazy("Say something"),
        max_length=2000,
        initial=gettext_lazy("I moved to Porto in May, and I prefer tea to coffee."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )


@dataclass(frozen=True)
class Step:
    """`at` is when it last happened; None: not yet, and `hint` says what to do."""

    label: str
    at: datetime | None
    hint: str | Promise
    url: str = ""
    talk: Conversation | None = None


@team_view("GET")
def connect(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    as_person = request.GET.get("as", "me") != "program"
    return _show(request, find_agent(request, agent_id), _since(request), as_person=as_person)


@team_view("POST")
@never_cache
def token(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """Answers with the secret itself, this once, filled into the calls: it is stored nowhere."""
    agent, secret = find_agent(request, agent_id), ""
    as_person = request.POST.get("as") != "program"
    if not as_person:
        require(request, Permission.MANAGE_TOKENS)
    with told_to(request):
        secret = _issued(request, agent, as_person=as_person)
    since = request.visit.now.replace(microsecond=0)
    return _show(request, agent, since, as_person=as_person, secret=secret)


@team_view("POST")
def say(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """A first message without a program: one's own, or a test customer's."""
    agent, visit = find_agent(request, agent_id), request.visit
    as_person = request.POST.get("as") != "program"
    if not as_person:
        require(request, Permission.MANAGE_TOKENS)
    form = SayForm(request.POST)
    if not form.is_valid():
        return _show(request, agent, None, as_person=as_person, form=form)
    owner = None
    with told_to(request):
        program = None if as_person else _integration(request, agent)
        with visit.write() as tx:
            owner = first_answer.speaker(tx, request, program)
            first_answer.keep(tx, agent, owner, request.user, form.cleaned_data["said"])
    since = visit.now.replace(microsecond=0)
    url = _address(request, agent, since, owner, as_person)
    if is_fragment(request, _PARTIALS):
        shown = _show(request, agent, since, as_person=as_person, owner=owner)
        return push_url(shown, url)
    return redirect(url)


def _address(
    request: TeamRequest, agent: Agent, since: datetime | None, owner: Owner | None, as_person: bool
) -> str:
    """Where what happens since then is watched."""
    asked = {"since": f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"} if since else {}
    if not as_person:
        asked |= {"as": "program", "owner": str(owner.pk) if owner else ""}
    return to(request, "agents_connect", agent.pk, query=f"?{urlencode(asked)}" if asked else "")


def _integration(request: TeamRequest, agent: Agent) -> Integration:
    """One that talks to this agent alone, by its name."""
    visit = request.visit
    named = visit.team.integrations.filter(name=agent.name, revoked_at=None)
    return named.first() or create_integration(
        team=visit.team, name=agent.name, by=visit.actor, agents=[str(agent.pk)]
    )


def _issued(request: TeamRequest, agent: Agent, *, as_person: bool) -> str:
    integration = None if as_person else _integration(request, agent)
    _token, secret = issue(
        team=request.visit.team,
        by=request.visit.actor,
        name=agent.name,
        scopes=[Scope.MEMORY_READ, Scope.MEMORY_WRITE, Scope.CHAT],
        user=None if integration else request.user,
        integration=integration,
    )
    return secret


def _show(
    request: TeamRequest,
    agent: Agent,
    since: datetime | None,
    *,
    as_person: bool,
    secret: str = "",
    form: SayForm | None = None,
    owner: Owner | None = None,
) -> HttpResponse:
    visit, steps = request.visit, list(_steps(request, agent, since))
    owner = owner or _whose(request, as_person)
    end_user = {"endUserId": owner.external_id if owner else _END_USER}
    context = {
        "agent": agent,
        "as_person": as_person,
        "snippets": snippets(
            request.build_absolute_uri(f"/api/v1/agents/{agent.pk}"),
            {} if as_person else end_user,
            f"talk-{token_hex(3)}",
            secret,
        ),
        "secret": secret,
        "steps": steps,
        "next_step": next((step for step in steps if not step.at), None),
        "is_done": all(step.at for step in steps),
        "since": since,
        "connect": to(request, "agents_connect", agent.pk),
        "watch": _address(request, agent, since or visit.now, owner, as_person),
        "poll": _address(request, agent, since, owner, as_person),
        "answer": first_answer.found(request, agent, owner, since),
        "form": form or SayForm(),
        "may_say": as_person or visit.can(Permission.MANAGE_TOKENS),
        "can_dream": owner is not None and visit.can(Permission.DREAM),
        "whose": str(owner.pk) if owner else "",
        "memory": _memory(request, agent, steps, as_person=as_person),
        "docs": request.build_absolute_uri("/api/v1/docs"),
    }
    return show(request, "connect/connect.html", context, partials=_PARTIALS)


def _whose(request: TeamRequest, as_person: bool) -> Owner | None:
    """Oneself, or the test customer that the address names."""
    visit = request.visit
    if as_person:
        return None if visit.me._state.adding else visit.me
    asked = request.GET.get("owner", "")
    return next((one for one in visit.mine.values() if str(one.pk) == asked), None)


def _memory(request: TeamRequest, agent: Agent, steps: Sequence[Step], *, as_person: bool) -> str:
    """One's own with this agent; of users the person that the last call named."""
    if as_person or not request.visit.can(Permission.SEE_OWNERS):
        return to(request, "agents_detail", agent.pk, query="?owner=me" if as_person else "")
    talk = steps[0].talk
    return to(request, "owners_detail", talk.owner_id) if talk else to(request, "owners")


def _since(request: TeamRequest) -> datetime | None:
    """From when on it counts; None: ever."""
    try:
        moment = parse_datetime(request.GET.get("since", ""))
    except ValueError:
        return None
    return moment if moment is None or moment.tzinfo else None


def _steps(request: TeamRequest, agent: Agent, since: datetime | None) -> Iterator[Step]:
    """Only what the person may know of: outcomes and times, never a word."""
    visit = request.visit
    talks = agent.conversations.filter(visit.outcomes(), message_count__gt=0)
    if since:
        talks = talks.filter(messages__created_at__gte=since).distinct()
    talk = talks.order_by("-last_message_at").first()
    reads = talk is not None and visit.reads(talk.owner_id)
    url = to(request, "agents_conversation", agent.pk, talk.pk) if talk and reads else ""
    hint = _("Send a message to …/conversations/{id}/messages.")
    yield Step(_("Message received"), talk.last_message_at if talk else None, hint, url, talk)
    yield _extracted(request, agent, talk, since)
    given = injections_of(agent).filter(visit.outcomes(), via="context")
    served = (given.filter(at__gte=since) if since else given).first()
    hint = _("Call …/context before each answer and send your model what it returns.")
    url = to(request, "agents_prompt", agent.pk)
    yield Step(_("Context served"), served.at if served else None, hint, url)


def _extracted(
    request: TeamRequest, agent: Agent, talk: Conversation | None, since: datetime | None
) -> Step:
    label = _("Read")
    if talk is not None and talk.skipped:
        return Step(label, None, wording.reason(talk.skipped))
    runs = request.visit.team.runs.filter(
        request.visit.outcomes(), agent=agent, kind=Run.Kind.EXTRACTION
    )
    runs = runs.filter(created_at__gte=since) if since else runs
    run = runs.select_related("report").order_by("-created_at").first()
    if run is None:
        said = _("Starts two minutes after the last message, or at once with “finished”: true.")
        return Step(label, None, said)
    is_done = run.status in {Run.Status.SUCCEEDED, Run.Status.NO_CHANGE}
    said = f"{wording.of_run(run).label}. {wording.reason(run.reason)}"
    return Step(
        label, run.finished_at if is_done else None, said, to(request, "agents_run", run.pk)
    )


# The folders that plugins of other programs are, each as a ZIP to unpack.

_KINDS = {"claude-code", "codex", "cursor", "hermes", "openclaw"}
_SUFFIXES = {".js", ".json", ".md", ".py", ".toml", ".yaml"}
_CORE = "claude-code/scripts/memory.py"  # what hooks of all of them call
_WITH_CORE = {"codex", "cursor", "hermes"}


@require_safe
@login_not_required
def plugin(request: HttpRequest, kind: str) -> HttpResponse:
    """Holds nothing of anybody: where memory is, and the token, are set where it is unpacked."""
    if kind not in _KINDS:
        raise Http404
    plugins = settings.BASE_DIR / "plugins"
    folder = plugins / kind
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in _SUFFIXES:
                info = zipfile.ZipInfo(str(path.relative_to(folder)))
                archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
        if kind in _WITH_CORE:
            archive.writestr(zipfile.ZipInfo("memory.py"), (plugins / _CORE).read_bytes())
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="memoryweb-{kind}.zip"'
    return response
