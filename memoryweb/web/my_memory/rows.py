"""Whoever looks at their own memory, and its sentences as rows of a page."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import Team, User
from memoryweb.agents.break_glass import openings_of
from memoryweb.agents.models import Agent, OneTimeCode, Owner
from memoryweb.agents.one_time_codes import links_of, visitor
from memoryweb.audit.models import Look as LookRow
from memoryweb.audit.models import looks_at
from memoryweb.audit.record import Actor
from memoryweb.markdown.marks import Ended
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest, LineOrigin, Message
from memoryweb.memory.models.facts import BY_HAND
from memoryweb.memory.models.writer import Transaction, Writer, write_transaction
from memoryweb.memory.my_memory import Sentence, SentenceFilter, own_fact, own_file, plain
from memoryweb.memory.statements.listing import evidence_of
from memoryweb.memory.statements.validity import state_on
from memoryweb.memory.visible.readable import TO_BE_FORGOTTEN, Look, To
from memoryweb.memory.visible.request_contents import tell_all, waiting_of
from memoryweb.web.access import TeamRequest, UserRequest
from memoryweb.web.facts.acts import possible
from memoryweb.web.form_fields import ChoiceField, FilterForm
from memoryweb.web.pages import to_line
from memoryweb.web.statements import forgets_in_words
from memoryweb.web.wording import Text

# Whoever looks at their own memory: a member, or somebody without an account on a visit. All
# that My memory shows and does starts from here, and reaches these owners alone.

Found = TypeVar("Found", Fact, File)
_NAMES = (
    *("page", "undo", "pause", "resume", "export"),
    *("bring_back", "keep", "erase", "forget", "forget_all"),
)


@dataclass(frozen=True)
class Oneself:
    """`user` is None on a visit. `urls` are where each thing is done."""

    team: Team
    owners: Mapping[UUID, Owner]
    me: Owner
    actor: Actor
    writer: Writer
    urls: Mapping[str, str]
    user: User | None = None
    until: datetime | None = None  # a visit ends

    @property
    def is_member(self) -> bool:
        return self.user is not None

    @property
    def name(self) -> str:
        """As agents know them."""
        return self.me.name

    def to(self, name: str, *place: Any, query: str = "") -> str:
        """A page of the team; empty on a visit, which opens none of them."""
        if not self.is_member:
            return ""
        return reverse(f"web:{name}", args=[self.team.slug, *place]) + query

    def write(self) -> AbstractContextManager[Transaction]:
        return write_transaction(self.team, actor=self.actor)

    def at(self, fact: Fact) -> str:
        """What the addresses of a statement's acts begin with."""
        return f"{self.urls['page']}statements/{fact.pk}/"

    def fact(self, fact_id: UUID) -> Fact:
        """One's own, or the same 404 as for one that nobody has."""
        return _found(own_fact(self.team, self.owners.keys(), fact_id))

    def file(self, file_id: UUID) -> File:
        return _found(own_file(self.team, self.owners.keys(), file_id))


def _found(row: Found | None) -> Found:
    if row is None:
        raise Http404
    return row


def member(request: TeamRequest) -> Oneself:
    visit = request.visit
    names = {name: "mine" if name == "page" else f"mine_{name}" for name in _NAMES}
    return Oneself(
        team=visit.team,
        owners=visit.mine,
        me=visit.me,
        actor=visit.actor,
        writer=Writer(AuthorKind.PERSON, user=visit.user, no_secrets="no_secrets" in request.POST),
        urls={key: reverse(f"web:{name}", args=[visit.team.slug]) for key, name in names.items()},
        user=visit.user,
    )


def guest(request: UserRequest, code: OneTimeCode) -> Oneself:
    """The owner of the link and nobody else, in no role of the team."""
    no_secrets = "no_secrets" in request.POST
    return Oneself(
        team=code.team,
        owners={code.owner_id: code.owner},
        me=code.owner,
        actor=visitor(code.owner),
        writer=Writer(AuthorKind.PERSON, integration=code.integration, no_secrets=no_secrets),
        urls={name: reverse(f"visit_{name}") for name in (*_NAMES, "answer", "new_link", "leave")},
        until=code.expires_at,
    )


# Sentences as rows.

_ON_LINES = frozenset({"confirm", "edit", "not_true", "forget"})


@dataclass(frozen=True)
class Row:
    """`at`: what the addresses of its acts begin with; `can` names these. `told`: what was just
    done, which `undo` takes back; `form`: what was refused."""

    id: str
    at: str
    text: str
    agent: Agent
    who: str
    when: datetime | date
    can: frozenset[str] = _ON_LINES
    url: str = ""
    whose: str = ""
    ended: tuple[Ended, ...] = ()
    until: date | None = None
    mark: Text = ""
    is_gone: bool = False
    told: str = ""
    undo: str = ""
    form: forms.Form | None = None

    @property
    def plain(self) -> str:
        return plain(self.text)

    @property
    def forgets(self) -> str:
        return forgets_in_words(self.agent)


def statements(who: Oneself, facts: Sequence[Any]) -> list[Row]:
    """Each with who said it last, in two statements."""
    said = {one.fact_id: one.message for one in evidence_of(facts)} if facts else {}
    look, day = Look(To.PAGE, facts=facts), timezone.localdate()
    return [_statement(who, fact, said.get(fact.pk), look, day) for fact in facts]


def _statement(who: Oneself, fact: Fact, said: Message | None, look: Look, day: date) -> Row:
    readable, state = look.fact(fact), state_on(fact, day)
    query = _owner(who, fact.owner_id)
    is_own_word = fact.source in BY_HAND
    return Row(
        id=f"s-{fact.pk}",
        at=who.at(fact),
        text="" if readable.is_hidden else readable.text,
        agent=fact.agent,
        who=_("You") if is_own_word else _speaker(who, said, fact.agent),
        when=fact.said_at or fact.created_at,
        can=frozenset() if readable.is_hidden else possible(fact, state, is_own_word=is_own_word),
        url=who.to("agents_fact", fact.agent_id, fact.pk, query=query) or who.at(fact),
        whose=_whose(who, fact.owner),
        ended=tuple(replace(one, words=plain(one.words)) for one in readable.ended),
        until=fact.valid_to if state not in Fact.OVER else None,
        mark=TO_BE_FORGOTTEN if readable.is_hidden else _mark(who, fact, state),
        is_gone=readable.is_hidden or state in Fact.OVER,
    )


def _speaker(who: Oneself, said: Message | None, agent: Agent) -> str:
    """The person or agent that said it."""
    if said is None:
        return agent.name
    if said.conversation.owner_id not in who.owners:
        return _("Somebody else")
    return _("You") if said.role == Message.Role.USER else said.name or agent.name


def _mark(who: Oneself, fact: Fact, state: Fact.State) -> Text:
    if fact.why == Fact.Why.NOT_TRUE:
        return _("Marked as not true.")
    if state in Fact.OVER:
        return fact.get_why_display() if fact.why else fact.get_state_display()
    if not fact.confirmed_at:
        return ""
    if fact.confirmed_by is None or fact.confirmed_by == who.user:
        return _("confirmed by you")
    return _("confirmed by {name}").format(name=fact.confirmed_by)


def lines(who: Oneself, sentences: Iterable[Sentence]) -> list[Row]:
    return [line(who, one) for one in sentences]


def line(who: Oneself, one: Sentence) -> Row:
    file, block = one.file, one.block
    place = f"{file.pk}/{block.line}/{block.end}/{file.sha256}"
    query = to_line(_owner(who, file.owner_id), block.line)
    said = one.written.message if one.written else None
    return Row(
        id=f"l-{file.pk}-{block.line}",
        at=f"{who.urls['page']}lines/{place}/",
        text=one.text,
        agent=file.agent,
        who=_writer(one.written, file.agent),
        when=said.timestamp if said else file.note_date or file.updated_at,
        url=who.to("agents_file", file.agent_id, file.path, query=query),
        whose=_whose(who, file.owner),
        mark="" if file.note_date else file.path,
    )


def gone(file: File) -> Row:
    """In the place of a line that is no longer there."""
    said = _("This sentence is no longer there.")
    at = file.updated_at
    return Row(f"l-{file.pk}", "", "", file.agent, "", at, frozenset(), mark=said, is_gone=True)


def _writer(written: LineOrigin | None, agent: Agent) -> str:
    said = written.message if written else None
    is_own = written is not None and written.author_kind == AuthorKind.PERSON
    if is_own or (said and said.role == Message.Role.USER):
        return _("You")
    return agent.name


def _whose(who: Oneself, owner: Owner | None) -> str:
    """Which of one's accounts, where that is not plain."""
    if len(who.owners) < 2 or owner is None or owner.source == "user":
        return ""
    return owner.name


def _owner(who: Oneself, owner_id: UUID | None) -> str:
    return "?owner=me" if owner_id == who.me.pk else f"?owner={owner_id}"


LOOKED_BACK = timedelta(days=90)


# What a person can ask of their own memory.

KINDS = {
    "notes": gettext_lazy("Notes"),
    "other": gettext_lazy("Other texts"),
    "diary": gettext_lazy("Diary and history"),
}


class FindForm(FilterForm):
    q = forms.CharField(label=gettext_lazy("Words"), required=False, max_length=200)
    kind = forms.ChoiceField(required=False, choices=[*KINDS.items()], widget=forms.HiddenInput)
    agent = ChoiceField(label=gettext_lazy("Agent"), required=False)

    def __init__(self, data: Any, *, agents: Iterable[Agent]) -> None:
        named = ((str(agent.pk), agent.name) for agent in agents)
        super().__init__(data, agent=[("", gettext_lazy("All agents")), *named])
        if len(self.fields["agent"].choices) < 3:  # type: ignore[attr-defined]
            self.fields["agent"].widget = forms.HiddenInput()
        for field in self.fields.values():
            field.is_plain = True  # type: ignore[attr-defined]

    @property
    def of(self) -> str:
        """Which kind of lines; empty: statements."""
        return str(self.asked.get("kind", ""))

    @property
    def wanted(self) -> SentenceFilter:
        kinds = ("memory", "profile", "other") if self.of == "other" else (self.of,)
        words = self.asked.get("q", "").replace("\0", "")
        return SentenceFilter(words, kinds if self.of else (), self.asked.get("agent"))


# Who may look at an owner's memory and who did: people for an hour, programs until withdrawn.

_READ: dict[str, str | Promise] = {
    "file": gettext_lazy("Read a file."),
    "files": gettext_lazy("Read the list of files."),
    "fact": gettext_lazy("Read a statement."),
    "facts": gettext_lazy("Read the list of statements."),
    "changes": gettext_lazy("Read what changed in the files."),
    "prompt": gettext_lazy("Read the agent's prompt."),
    "search": gettext_lazy("Searched this memory."),
    "conversation": gettext_lazy("Read a conversation."),
    "run": gettext_lazy("Read what a run did."),
    "proposal": gettext_lazy("Read a proposed change."),
    "owner": gettext_lazy("Read through the API."),
    "team": gettext_lazy("Read everyone's memory through the API."),
}


def looks(team: Team, owners: Collection[Owner], *, but: Actor | None = None) -> dict[str, Any]:
    """`programs` that may read now, the last 50 `grants`, the last 20 `reads` and `links`, in three
    statements. What `but` did, the person themselves, is no look."""
    own, owner_ids = Q(actor_role="visitor"), [owner.pk for owner in owners]
    if but is not None:
        own |= Q(actor_kind=but.kind, actor_id=but.id)
    last, times = looks_at(team.pk, owner_ids, but=own, most=20)
    openings = openings_of(team, owner_ids)
    reasons = {str(one.id): (one.name, one.reason) for one in openings}
    told: list[dict[str, Any]] = [
        {"name": one.name, "reason": one.reason, "at": one.at, "reads": times.get(str(one.id), 0)}
        for one in openings
        if one.at or (one.reason and one.over is None)
    ]
    return {
        "programs": [one for one in told if one["at"] is None],
        "grants": [one for one in told if one["at"] is not None],
        "reads": [_read(one, reasons) for one in last],
        "links": [_link(one) for one in links_of(one.pk for one in owners if one.source != "user")],
    }


def _link(code: OneTimeCode) -> dict[str, Any]:
    """Who asked for it when, and when it was opened."""
    what = gettext_lazy("made a link to this memory.")
    if code.issued_by and code.integration:
        what = gettext_lazy("had a link mailed to the confirmed address.")
    return {
        "name": str(code.issued_by or code.integration or _("An admin")),
        "what": what,
        "at": code.created_at,
        "opened_at": code.used_at,
        "works_until": code.expires_at if code.is_live else None,
    }


def _read(look: LookRow, names: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """One time that somebody else read, with the reason that opened it to them."""
    name, reason = names.get(look.grant, ("", ""))
    what = (
        gettext_lazy("Exported this memory.")
        if look.action == "personal.exported"
        else _READ.get(look.target_kind, gettext_lazy("Read this memory."))
    )
    return {"name": name or look.actor_id[:8], "at": look.at, "what": what, "reason": reason}


# What somebody asked to forget, on their page: hidden or offered.


def forget_requests(who: Oneself) -> dict[str, Any]:
    """Each request that hides or offers something, and the one button that undoes all of agents."""
    found = waiting_of(who.owners.keys())
    told = tell_all(found)
    by_tools = [one for one in found if one.via == ForgetRequest.Via.TOOL and one.erase_at]
    return {
        "asked": [{"request": one, "account": told[one.pk], "how": _how(one)} for one in found],
        "asked_by_tools": by_tools if len(by_tools) > 1 else [],
    }


def _how(request: ForgetRequest) -> str:
    talk, agent = request.conversation, request.agent.name
    if request.via == ForgetRequest.Via.MESSAGE and talk is None:
        return _("You asked {agent} while nothing was kept").format(agent=agent)
    if request.via == ForgetRequest.Via.MESSAGE and talk is not None:
        said = _("You asked {agent} in the conversation {name}")
        return said.format(agent=agent, name=talk.external_id)
    if request.via == ForgetRequest.Via.TOOL:
        return _("{agent} asked for you").format(agent=agent)
    return _("You asked for it")
