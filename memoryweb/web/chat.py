"""Talking with an agent: each answer with the statements that it could draw on."""

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
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
from memoryweb.extraction import requests
from memoryweb.extraction.extractors import ExpectedLine
from memoryweb.language.extraction_rules import spoken_of
from memoryweb.language.sentences import MAX_MESSAGE, speech, split
from memoryweb.llm.endpoint import configured
from memoryweb.llm.exceptions import ModelError
from memoryweb.memory import tools
from memoryweb.memory.conversations import SPEAKING, first_said
from memoryweb.memory.lines.files import find
from memoryweb.memory.models import AuthorKind, Conversation, Marker, Message
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Writer
from memoryweb.memory.prompt import summary_of
from memoryweb.memory.tools import Acting
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.visible.readable import To, readable_messages
from memoryweb.web.access import TeamRequest, Workspace, find_agent, team_view
from memoryweb.web.chat_memory import (
    NotedLine,
    expected_rows,
    noted_lines,
    used_memory,
    with_read,
)
from memoryweb.web.markdown import render_text
from memoryweb.web.pages import about, show, to
from memoryweb.web.statements import Piece
from memoryweb.web.team.installation_model import may_set_up
from memoryweb.web.wording import file_url

_SHOWN, _NOTED = 30, 10  # messages, and lines beside them
_MOST = 4_000


class SayForm(forms.Form):
    message = forms.CharField(
        label=gettext_lazy("Your message"),
        max_length=_MOST,
        widget=forms.Textarea(attrs={"rows": 2, "autofocus": True}),
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
    """`text` is an answer's, `pieces` what a person said; of it so many lines are `noted` or
    `expected` to be."""

    message: Message
    text: str = ""
    pieces: Sequence[Piece] = ()
    expected: int = 0
    noted: int = 0
    may_remember: bool = False
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
            elif isinstance(part, turn.Refused):
                yield _failed(part)
            else:
                yield turn.event("done", {})


def _failed(error: Exception) -> bytes:
    return turn.event("error", {"detail": str(error)})


@team_view("POST")
def remember(request: TeamRequest, agent_id: UUID, message_id: int) -> HttpResponse:
    """What one said in a chat, into today's notes, asked for in person."""
    message = _said_by_me(request, agent_id, message_id)
    agent = message.conversation.agent
    acting = Acting(Reader(agent, request.visit.me), request.visit.now)
    writer = Writer(AuthorKind.PERSON, user=request.user)
    [said] = readable_messages([message], To.PAGE)
    if said.is_cut:
        raise Http404
    with request.visit.write() as tx:
        tools.remember(tx, acting, said.text, writer=writer)
    told.success(request, _("It stands in today's notes, and is learned tonight."))
    return _back(request, agent, message.conversation.external_id)


class SpanForm(forms.Form):
    first = forms.IntegerField(min_value=0, max_value=MAX_MESSAGE)
    last = forms.IntegerField(min_value=0, max_value=MAX_MESSAGE)


@team_view("POST")
def leave_out(request: TeamRequest, agent_id: UUID, message_id: int) -> HttpResponse:
    """These characters of what one said are not to be noted."""
    message, form = _said_by_me(request, agent_id, message_id), SpanForm(request.POST)
    talk = message.conversation
    if form.is_valid():
        with request.visit.write() as tx:
            requests.leave_out(tx, message, **form.cleaned_data)
        told.success(request, _("It will not be noted."))
    return _back(request, talk.agent, talk.external_id)


def _said_by_me(request: TeamRequest, agent_id: UUID, message_id: int) -> Message:
    agent = find_agent(request, agent_id)
    said = Message.Role.USER
    talks = agent.conversations.filter(owner=request.visit.me.pk, messages=message_id)
    talk = get_object_or_404(talks.select_related("agent"))
    shown = talk.messages.filter(role=said, reverted_at=None)
    return get_object_or_404(shown.select_related("conversation__agent"), pk=message_id)


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
    if found:
        found.agent, found.owner = agent, me
        me.person = request.user
    expected = expected_rows(request, found) if found else []
    shown = _shown(found) if found else []
    noted = noted_lines(request, [message.pk for message in shown])
    said = list(_said(request, found, shown, [row.line for row in expected], noted))
    has_model = configured(agent.team_id, local_only=agent.local_models_only)
    context = about(
        workspace,
        tab="chat",
        form=form or SayForm(initial={"talk": talk}),
        fresh=_fresh(),
        talk=found,
        said=said,
        used=used_memory(request, found) if found else None,
        expected=expected,
        noted=noted[-_NOTED:],
        others=_opened([one for one in latest if one.external_id != talk]),
        has_model=has_model,
        by_model=has_model and agent.extractor != Agent.Consolidator.RULES,
        can_manage=request.visit.can(Permission.MANAGE_MEMBERS),
        may_set_up=may_set_up(request),
        me=me,
    )
    return show(request, "chat/chat.html", context)


def _tells(text: str) -> bool:
    """It says something, and doesn't only ask."""
    return not all(spoken_of(one).is_question for one in split(speech(text)))


def _fresh() -> str:
    return f"chat-{uuid.uuid4().hex[:16]}"


def _opened(talks: Sequence[Conversation]) -> list[tuple[Conversation, str]]:
    """Each with the words that it began with, as far as they may be shown."""
    begun = list(first_said(talks))
    both = zip(begun, readable_messages(begun, To.PAGE), strict=True)
    words = {one.conversation_id: said.shown for one, said in both}
    return [(one, words.get(one.pk, "")) for one in talks]


def _shown(talk: Conversation) -> list[Message]:
    rows = talk.messages.filter(role__in=SPEAKING, reverted_at=None).order_by("-position")
    latest: Any = rows.annotate(is_meant=is_meant(message="pk"))[:_SHOWN]
    return [*latest][::-1]


def _said(
    request: TeamRequest,
    talk: Conversation | None,
    shown: Sequence[Message],
    expected: Sequence[ExpectedLine],
    noted: Sequence[NotedLine],
) -> Iterator[ChatRow]:
    markers = talk.markers.filter(count__gt=0) if talk else ()
    archives = {one.upto: _archive(request, one.conversation, one) for one in markers}
    made = Counter(one.message_id for one in noted)
    home = to(request, "agents_files", talk.agent_id) if talk else ""
    for message, said in zip(shown, readable_messages(shown, To.PAGE), strict=True):
        archived = archives.get(message.position)
        if message.role == Message.Role.ASSISTANT:  # models write Markdown
            yield ChatRow(message, render_text(said.shown, home, "?owner=me"), archived=archived)
            continue
        lines = [] if said.is_cut else [one for one in expected if one.message.pk == message.pk]
        count = made[message.pk]
        may = not (said.is_cut or lines or count) and _tells(said.text)
        pieces = with_read(said.shown, lines)
        yield ChatRow(message, "", pieces, len(lines), count, may, archived)


def _archive(request: TeamRequest, talk: Conversation, marker: Marker) -> dict[str, Any]:
    reader = Reader(talk.agent, request.visit.me)
    entry = find(Memory(talk.agent, request.visit.me), marker.archive_name)
    return {
        "count": marker.count,
        "name": marker.archive_name,
        "summary": summary_of(reader, marker.archive_name),
        "url": file_url(request, entry.file) if entry else "",
    }
