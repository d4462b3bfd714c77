"""Talking with an agent: each answer with the statements that it could draw on."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages as told
from django.http import Http404, HttpResponse, HttpResponseBase
from django.http.response import HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Reader
from memoryweb.agents.owners import person_owner
from memoryweb.chat import commands, turn
from memoryweb.chat.commands import Rights
from memoryweb.chat.turn import ChatQuestion
from memoryweb.language.tokens import tokens
from memoryweb.llm.endpoint import configured
from memoryweb.llm.exceptions import ModelError
from memoryweb.memory import tools
from memoryweb.memory.conversations import SPEAKING, first_said
from memoryweb.memory.index.terms import terms_of
from memoryweb.memory.lines.files import find
from memoryweb.memory.models import AuthorKind, Conversation, Fact, Injection, Marker, Message
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Writer
from memoryweb.memory.prompt import carried_by, prompts_of_talk, summary_of
from memoryweb.memory.tools import Acting
from memoryweb.memory.visible.readable import To, readable_facts, readable_messages
from memoryweb.web.access import TeamRequest, Workspace, find_agent, team_view
from memoryweb.web.markdown import plain, render_text
from memoryweb.web.pages import about, show, to
from memoryweb.web.team.installation_model import may_set_up
from memoryweb.web.wording import fact_url, file_url

_SHOWN = 30  # messages
_MOST = 4_000


class SayForm(forms.Form):
    message = forms.CharField(
        label=gettext_lazy("Your message"),
        max_length=_MOST,
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
        help_text=gettext_lazy(
            "“/new” begins another conversation, “/memory” tells what is known, “/memory clear” "
            "forgets it."
        ),
    )
    talk = forms.CharField(max_length=255, widget=forms.HiddenInput)

    def clean_message(self) -> str:
        """Browsers end each line with two characters."""
        return str(self.cleaned_data["message"]).replace("\r\n", "\n")


@dataclass(frozen=True)
class ChatRow:
    message: Message
    text: Any
    is_hidden: bool
    used: list[dict[str, str]] = field(default_factory=list)
    archived: dict[str, Any] | None = None  # of it and what was said before


@team_view("GET")
def chat(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    return _page(request, _mine(request, agent_id), request.GET.get("talk", ""))


@team_view("POST")
def say(request: TeamRequest, agent_id: UUID) -> HttpResponseBase:
    workspace = _mine(request, agent_id)
    form = SayForm(request.POST)
    if not form.is_valid():
        return _page(request, workspace, form["talk"].value() or "", form)
    asked = _asked(request, workspace.agent, **form.cleaned_data)
    rights = Rights(may_dream=request.visit.can(Permission.DREAM), may_clear=True)
    if (command := commands.said_to(asked, rights)) is not None:
        if command.is_view:  # what is remembered has a page
            address = to(request, "agents_facts", workspace.agent.pk, query="?owner=me")
            return HttpResponseRedirect(address)
        told.info(request, command.answer)
        return _back(request, asked.agent, command.conversation_id)
    asked = replace(asked, owner=person_owner(request.visit.team, request.user))
    is_stream = turn.EVENT_STREAM in request.headers.get("Accept", "")
    try:
        return _answered(request, asked, is_stream=is_stream)
    except (ModelError, MemoryRefused) as error:
        if is_stream:
            return turn.event_stream(iter([_failed(error)]))
        form.add_error("message", str(error))
        return _page(request, workspace, asked.conversation_id, form)


def _answered(request: TeamRequest, asked: ChatQuestion, *, is_stream: bool) -> HttpResponseBase:
    """Raises a ModelError or MemoryRefused, before anything is sent."""
    prompt = turn.prompt_for(asked)
    if is_stream:
        return turn.event_stream(_events(turn.parts(prompt, *turn.begun(prompt))))
    turn.keep(prompt, turn.whole(prompt).text)
    return _back(request, asked.agent, asked.conversation_id)


def _events(parts: turn.Parts) -> Iterator[bytes]:
    with closing(parts):
        for part in parts:
            if isinstance(part, str):
                yield turn.event("delta", {"text": part})
            elif isinstance(part, ModelError):
                yield _failed(part)
            else:
                yield turn.event("done", {})


def _failed(error: Exception) -> bytes:
    return turn.event("error", {"detail": str(error)})


@team_view("POST")
def remember(request: TeamRequest, agent_id: UUID, message_id: int) -> HttpResponse:
    """What one said in a chat, into today's notes, asked for in person."""
    agent = find_agent(request, agent_id)
    owner = request.visit.me
    talks = agent.conversations.filter(owner=owner.pk, messages=message_id)
    talk = get_object_or_404(talks)
    message = get_object_or_404(talk.messages.filter(reverted_at=None), pk=message_id)
    [said] = readable_messages([message], To.PAGE)
    if said.is_cut:
        raise Http404
    acting = Acting(Reader(agent, owner), request.visit.now)
    writer = Writer(AuthorKind.PERSON, user=request.user)
    with request.visit.write() as tx:
        tools.remember(tx, acting, said.text, writer=writer)
    told.success(request, _("It stands in today's notes, and tonight's dream takes it up."))
    return _back(request, agent, talk.external_id)


def _mine(request: TeamRequest, agent_id: UUID) -> Workspace:
    """A chat is one's own, whoever's memory was looked at before."""
    agent = find_agent(request, agent_id)
    return Workspace(agent, request.visit.me, "me", is_mine=True, can_write=True)


def _asked(request: TeamRequest, agent: Agent, message: str, talk: str) -> ChatQuestion:
    agent.team = request.visit.team
    return ChatQuestion(
        agent=agent,
        owner=request.visit.me,
        conversation_id=talk,
        message=message,
        actor=request.visit.actor,
        user=request.user,
    )


def _back(request: TeamRequest, agent: Agent, talk: str) -> HttpResponse:
    return HttpResponseRedirect(f"{to(request, 'agents_chat', agent.pk)}?talk={talk}")


def _page(
    request: TeamRequest, workspace: Workspace, talk: str, form: SayForm | None = None
) -> HttpResponse:
    agent, me = workspace.agent, request.visit.me
    mine = agent.conversations.filter(owner=me.pk, source=Conversation.Source.CHAT)
    latest = list(mine.exclude(message_count=0).order_by("-last_message_at")[:10])
    if not talk:
        talk = latest[0].external_id if latest else _fresh()
    found = next((one for one in latest if one.external_id == talk), None)
    found = found or mine.filter(external_id=talk).first()
    context = about(
        workspace,
        tab="chat",
        form=form or SayForm(initial={"talk": talk}),
        fresh=_fresh(),
        said=list(_said(request, found)) if found else [],
        others=_opened([one for one in latest if one.external_id != talk]),
        has_model=configured(agent.team_id, local_only=agent.local_models_only),
        may_set_up=may_set_up(request),
        me=me,
    )
    return show(request, "chat/chat.html", context)


def _fresh() -> str:
    return f"chat-{uuid.uuid4().hex[:16]}"


def _opened(talks: Sequence[Conversation]) -> list[tuple[Conversation, str]]:
    """Each with the words that it began with, as far as they may be shown."""
    begun = list(first_said(talks))
    both = zip(begun, readable_messages(begun, To.PAGE), strict=True)
    words = {one.conversation_id: said.shown for one, said in both}
    return [(one, words.get(one.pk, "")) for one in talks]


def _said(request: TeamRequest, found: Conversation) -> Iterator[ChatRow]:
    rows = found.messages.filter(role__in=SPEAKING, reverted_at=None).order_by("-position")
    shown = list(rows[:_SHOWN])[::-1]
    prompts = prompts_of_talk(found, shown[0].timestamp) if shown else []
    held = carried_by(prompts)
    archives = {
        one.upto: _archive(request, found, one) for one in found.markers.filter(count__gt=0)
    }
    question = ""
    for message, said in zip(shown, readable_messages(shown, To.PAGE), strict=True):
        used, shown_as = [], plain
        if message.role == Message.Role.ASSISTANT:
            shown_as = render_text  # models write Markdown, people mean what they type
            facts = _before(prompts, held, message.timestamp)
            used = _used(request, facts, f"{question}\n{said.text}")
        question = said.text
        archived = archives.get(message.position)
        yield ChatRow(message, shown_as(said.shown), said.is_cut, used, archived)


def _archive(request: TeamRequest, talk: Conversation, marker: Marker) -> dict[str, Any]:
    reader = Reader(talk.agent, request.visit.me)
    entry = find(Memory(talk.agent, request.visit.me), marker.archive_name)
    return {
        "count": marker.count,
        "name": marker.archive_name,
        "summary": summary_of(reader, marker.archive_name),
        "url": file_url(request, entry.file) if entry else "",
    }


def _before(
    prompts: Sequence[Injection], held: Sequence[list[Fact]], at: datetime
) -> Sequence[Fact]:
    """What the last prompt before that moment held."""
    earlier = [facts for prompt, facts in zip(prompts, held, strict=True) if prompt.at <= at]
    return earlier[-1] if earlier else []


def _used(request: TeamRequest, facts: Sequence[Fact], text: str) -> list[dict[str, Any]]:
    """Those that share a word with the question or the answer: what else stood in the prompt
    has nothing to do with it."""
    words = set(chain.from_iterable(terms_of(text)))
    return [
        {"text": readable.text, "ended": readable.ended, "url": fact_url(request, fact)}
        for fact, readable in zip(facts, readable_facts(facts, To.PAGE), strict=True)
        if not words.isdisjoint(tokens(readable.text))
    ]
