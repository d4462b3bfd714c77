"""Connecting a program to an agent: filled-in calls, and a list that ticks itself off."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.conversations.models import Conversation
from memoryweb.runs.models import Run
from memoryweb.search.recalls import injections_of
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, find_agent, team_view
from memoryweb.web.connect.snippets import snippets
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import Choice, owner_name

_END_USER = {"endUserId": "customer-42"}


@dataclass(frozen=True)
class Step:
    """`at` is when it last happened; None: not yet."""

    label: str | Promise
    at: datetime | None
    said: str | Promise
    url: str = ""


@team_view("GET")
def connect(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    manages = request.visit.can(Permission.MANAGE_TOKENS)
    as_person = request.GET.get("as", "program" if manages else "me") == "me"
    since = _since(request)
    steps = list(_steps(request, agent, since))
    base = request.build_absolute_uri(f"/api/v1/agents/{agent.pk}")
    context = {
        "agent": agent,
        "tab": "prompt",
        "as_person": as_person,
        "choices": _choices(request, agent, as_person=as_person),
        "snippets": snippets(base, {} if as_person else _END_USER, f"talk-{token_hex(3)}"),
        "steps": steps,
        "is_done": all(step.at for step in steps),
        "since": since,
        "watch": f"?since={timezone.now():%Y-%m-%dT%H:%M:%SZ}" + ("&as=me" if as_person else ""),
        "manages_tokens": manages,
        "docs": request.build_absolute_uri("/api/v1/docs"),
    }
    return show(request, "connect/connect.html", context, partials=("checklist",))


def _choices(request: TeamRequest, agent: Agent, *, as_person: bool) -> list[Choice]:
    url = to(request, "agents_connect", agent.pk)
    return [
        Choice(_("A program that talks for people"), f"{url}?as=program", not as_person),
        Choice(_("An agent of your own"), f"{url}?as=me", as_person),
    ]


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
    talk = talks.select_related("owner__integration", "owner__person").order_by(
        "-last_message_at"
    ).first()  # fmt: skip
    yield from _received(request, talk)
    yield _extracted(request, agent, talk, since)
    given = injections_of(agent).filter(visit.outcomes(), via="context")
    served = (given.filter(at__gte=since) if since else given).first()
    yield Step(
        _("Context served"),
        served.at if served else None,
        _("{n} tokens were given to the agent.").format(n=served.tokens)
        if served
        else _("Call …/context before each answer and send your model what it returns."),
        to(request, "agents_prompt", agent.pk),
    )


def _received(request: TeamRequest, talk: Conversation | None) -> Iterator[Step]:
    label, recognised = _("Message received"), _("Person recognised")
    if talk is None:
        yield Step(label, None, _("Send a message to …/conversations/{id}/messages."))
        yield Step(recognised, None, _("Each call names a person."))
        return
    received = talk.messages.order_by("-position").values_list("created_at", flat=True).first()
    reads = request.visit.reads(talk.owner_id)
    url = to(request, "agents_conversation", talk.agent_id, talk.pk) if reads else ""
    count = ngettext(
        "Its conversation holds {n} message.",
        "Its conversation holds {n} messages.",
        talk.message_count,
    ).format(n=talk.message_count)
    yield Step(label, received, count, url)
    sees = request.visit.can(Permission.SEE_OWNERS)
    owner_url = to(request, "owners_detail", talk.owner_id) if sees else ""
    is_own = talk.owner_id in request.visit.mine
    name = _("You") if is_own else owner_name(request.visit, talk.owner)
    yield Step(recognised, received, name, owner_url)


def _extracted(
    request: TeamRequest, agent: Agent, talk: Conversation | None, since: datetime | None
) -> Step:
    label = _("Extracted")
    if talk is not None and talk.skipped:
        return Step(label, None, wording.reason(talk.skipped))
    runs = request.visit.team.runs.filter(
        request.visit.outcomes(), agent=agent, kind=Run.Kind.EXTRACTION
    )
    run = (runs.filter(created_at__gte=since) if since else runs).order_by("-created_at").first()
    if run is None:
        said = _("Starts two minutes after the last message, or at once with “finished”: true.")
        return Step(label, None, said)
    is_done = run.status in {Run.Status.SUCCEEDED, Run.Status.NO_CHANGE}
    outcome = capfirst(str(wording.of_run(run).label))
    said = f"{outcome}. {wording.reason(run.reason)}" if run.reason else f"{outcome}."
    url = to(request, "agents_run", run.pk)
    return Step(label, run.finished_at if is_done else None, said, url)
