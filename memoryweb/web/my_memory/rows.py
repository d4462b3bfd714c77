"""Sentences as rows of a page: what is kept, where it came from, when it was last used."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import Team, User
from memoryweb.agents.break_glass import openings_of
from memoryweb.agents.models import Agent, OneTimeCode, Owner
from memoryweb.agents.one_time_codes import visitor
from memoryweb.audit.models import Look, looks_at
from memoryweb.audit.record import Actor
from memoryweb.language.normal_form import clean
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import forgetting
from memoryweb.memory.forgetting import NothingToUndo
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest, LineOrigin, Message
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Transaction, Writer, write_transaction
from memoryweb.memory.my_memory import KINDS, Sentence, SentenceFilter, Spot, last_use, own_file
from memoryweb.memory.statements.listing import standing_in
from memoryweb.memory.visible.request_contents import tell_all, waiting_of
from memoryweb.web.access import TeamRequest, UserRequest
from memoryweb.web.files.forms import RefusableForm
from memoryweb.web.form_fields import ChoiceField, FilterForm, UntilForm
from memoryweb.web.pages import to_line
from memoryweb.web.wording import Text, author_name

# Whoever looks at their own memory: a member, or somebody without an account on a visit. All
# that My memory shows and does starts from here, and reaches these owners alone.

_NAMES = (
    *("page", "sentence", "reword", "until", "still_true", "remove", "undo", "pause", "resume"),
    *("export", "bring_back", "keep", "erase", "forget"),
    "answer",  # on a visit: a member answers in Review
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

    @property
    def is_member(self) -> bool:
        return self.user is not None

    def to(self, name: str, *place: Any, query: str = "") -> str:
        """A page of the team; empty on a visit, which opens none of them."""
        if not self.is_member:
            return ""
        return reverse(f"web:{name}", args=[self.team.slug, *place]) + query

    def file(self, file_id: UUID) -> File:
        """One's own, or the same 404 as for one that nobody has."""
        found = own_file(self.team, self.owners.keys(), file_id)
        if found is None:
            raise Http404
        return found


def member(request: TeamRequest) -> Oneself:
    visit = request.visit
    slug = visit.team.slug
    names = {name: "mine" if name == "page" else f"mine_{name}" for name in _NAMES[:-1]}
    urls = {name: reverse(f"web:{view}", args=[slug]) for name, view in names.items()}
    return Oneself(
        team=visit.team,
        owners=visit.mine,
        me=visit.me,
        actor=visit.actor,
        writer=Writer(AuthorKind.PERSON, user=visit.user),
        urls=urls,
        user=visit.user,
    )


def guest(code: OneTimeCode) -> Oneself:
    """The owner of the link and nobody else, in no role of the team."""
    return Oneself(
        team=code.team,
        owners={code.owner_id: code.owner},
        me=code.owner,
        actor=visitor(code.owner),
        writer=Writer(AuthorKind.PERSON, integration=code.integration),
        urls={name: reverse(f"visit_{name}") for name in (*_NAMES, "leave")},
    )


# What a person can ask of their own memory.

KIND_LABELS = {
    "memory": gettext_lazy("What matters"),
    "profile": gettext_lazy("Who you are"),
    "other": gettext_lazy("Other files"),
    "notes": gettext_lazy("Daily notes"),
    "diary": gettext_lazy("Diary and history"),
}
_LARGEST = 2**31 - 1


class MineForm(FilterForm):
    q = forms.CharField(label=gettext_lazy("Words"), required=False, max_length=200)
    kind = ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=[("", gettext_lazy("All kinds")), *((kind, KIND_LABELS[kind]) for kind in KINDS)],
    )
    agent = ChoiceField(label=gettext_lazy("Agent"), required=False)

    def __init__(self, data: Any, *, agents: Iterable[Agent]) -> None:
        named = ((str(agent.pk), agent.name) for agent in agents)
        super().__init__(data, agent=[("", gettext_lazy("All agents")), *named])
        for field in self.fields.values():
            field.is_plain = True  # type: ignore[attr-defined]

    @property
    def wanted(self) -> SentenceFilter:
        asked = self.asked
        kinds = (asked["kind"],) if "kind" in asked else ()
        return SentenceFilter(asked.get("q", "").replace("\0", ""), kinds, asked.get("agent"))


class SpotForm(forms.Form):
    """Which sentence, as it stood on the page."""

    file = forms.UUIDField(widget=forms.HiddenInput)
    first = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=_LARGEST)
    last = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=_LARGEST)
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    back = forms.CharField(widget=forms.HiddenInput, required=False, max_length=2000)

    @property
    def spot(self) -> Spot:
        asked = self.cleaned_data
        return Spot(asked["first"], asked["last"], asked["sha256"])


class LookForm(SpotForm):
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", required=False)


class RewordForm(SpotForm, RefusableForm):
    text = forms.CharField(
        label=gettext_lazy("New text"),
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    field_order = ("text", "no_secrets")


class RemoveForm(SpotForm):
    sources = forms.BooleanField(required=False)


class OwnUntilForm(SpotForm, UntilForm):
    """Of a sentence."""


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        help_text=gettext_lazy(
            "Eight letters and digits, such as ABCD-EFGH. It works once, within ten minutes."
        ),
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "characters", "size": 12}
        ),
    )


_QUOTED = 240
Row = dict[str, Any]


def groups(who: Oneself, found: Iterable[Row]) -> list[Row]:
    """Rows in their order, by file and heading."""
    return [
        _group(who, list(rows))
        for _file, rows in groupby(found, key=lambda row: row["sentence"].file)
    ]


def rows_of(who: Oneself, sentences: Collection[Sentence], back: str) -> list[Row]:
    """`back`: the filters of the page that they stand on."""
    facts = standing_in({one.file for one in sentences})
    return [_row(who, one, back) | {"fact": _fact(one, facts)} for one in sentences]


def row_in_full(who: Oneself, one: Sentence, back: str) -> Row:
    """With where it came from, when it was last used, and what can be done about it."""
    file, written = one.file, one.origins.written
    place, query = (file.agent_id, file.path, one.block.line), _owner(who, file)
    fact = _fact(one, standing_in({file}))
    seen = {**_spot(one, back), "day": fact and fact.valid_to}
    return _row(who, one, back) | {
        "fact": fact,
        "fact_url": who.to("agents_fact", file.agent_id, fact.pk, query=query) if fact else "",
        "run_url": who.to("agents_run", written.run_id) if written and written.run_id else "",
        "said": tuple(_said(who, message, text) for message, text in one.origins.said),
        "notes": _notes(who, one.origins.notes),
        "last_used": last_use(one, timezone.now()),
        "file_url": _file_url(who, file, one.block.line),
        "why_url": who.to("agents_why", *place, query=query) if written else "",
        "until": OwnUntilForm(initial=seen, auto_id=f"{anchor_of(file.pk, one.block.line)}-%s"),
    }


def _fact(one: Sentence, facts: Mapping[tuple[UUID, str], Fact]) -> Fact | None:
    return facts.get((one.file.pk, fingerprint(clean(one.block.text))))


def _group(who: Oneself, found: list[Row]) -> Row:
    file = found[0]["sentence"].file
    named = date_format(file.note_date, _("j F Y")) if file.note_date else ""
    return {
        "title": named or KIND_LABELS[kind_of(file.path).section],
        "file": file,
        "whose": _whose(who, file),
        "url": _file_url(who, file),
        "subjects": [
            {"title": title, "rows": list(rows)} for title, rows in groupby(found, key=_subject)
        ],
    }


def _subject(row: Row) -> str:
    """The headings above, without the one that only repeats the file's name."""
    trail = row["sentence"].block.trail
    name = row["sentence"].file.path.rpartition("/")[2].removesuffix(".md")
    is_title = bool(trail) and trail[0].casefold() == name.casefold()
    return " › ".join(trail[1:] if is_title else trail)


def anchor_of(file_id: UUID, line: int) -> str:
    return f"s{file_id.hex[:12]}-{line}"


def _row(who: Oneself, one: Sentence, back: str) -> Row:
    written = one.origins.written
    return {
        "sentence": one,
        "url": f"{who.urls['sentence']}?{urlencode(_spot(one, back))}",
        "anchor": anchor_of(one.file.pk, one.block.line),
        "author": author_name(written) if written else "",
        "is_own": bool(who.user and written and written.user_id == who.user.pk),
        "run": written.run if written else None,
    }


def _spot(one: Sentence, back: str) -> dict[str, Any]:
    lines = {"first": one.block.line, "last": one.block.end}
    return {"file": one.file.pk, **lines, "sha256": one.file.sha256, "back": back}


def _whose(who: Oneself, file: File) -> str:
    """Which of one's accounts, where that is not plain."""
    if len(who.owners) < 2 or file.owner is None or file.owner.source == "user":
        return ""
    return file.owner.shown_as


def _said(who: Oneself, message: Message, text: str) -> Row:
    """A message that a sentence stands on. Without an address on a visit."""
    cut = text[:_QUOTED] + ("…" if len(text) > _QUOTED else "")
    talk = message.conversation
    at = f"?message={message.position}#m{message.position}"
    url = who.to("agents_conversation", talk.agent_id, talk.pk, query=at)
    name = message.name or str(message.get_role_display())
    return {"text": cut, "name": name, "at": message.timestamp, "url": url}


def _notes(who: Oneself, found: Iterable[LineOrigin]) -> list[Row]:
    shown = {}
    for row in found:
        if row.source_file and row.source_line:
            label = _("{path}, line {n}").format(path=row.source_file.path, n=row.source_line)
            url = _file_url(who, row.source_file, row.source_line)
            shown[label] = {"label": label, "url": url}
    return list(shown.values())


def _file_url(who: Oneself, file: File, line: int | None = None) -> str:
    """On a visit there is no page of a file: what it holds stands here, sentence by sentence."""
    query = to_line(_owner(who, file), line) if line else _owner(who, file)
    return who.to("agents_file", file.agent_id, file.path, query=query)


def _owner(who: Oneself, file: File) -> str:
    return "?owner=me" if file.owner_id == who.me.pk else f"?owner={file.owner_id}"


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


def looks(team: Team, owner_ids: Collection[UUID], *, but: Actor | None = None) -> dict[str, Any]:
    """`programs` that may read now, the last 50 `grants` and the last 20 `reads`, in two
    statements. What `but` did, the person themselves, is no look."""
    own = Q(actor_role="visitor")
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
    }


def _read(look: Look, names: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """One time that somebody else read, with the reason that opened it to them."""
    name, reason = names.get(look.grant, ("", ""))
    what = (
        gettext_lazy("Exported this memory.")
        if look.action == "personal.exported"
        else _READ.get(look.target_kind, gettext_lazy("Read this memory."))
    )
    return {"name": name or look.actor_id[:8], "at": look.at, "what": what, "reason": reason}


# What somebody asked to forget, on their page: hidden, offered, and what they decide.

Act = Callable[[UserRequest, Oneself], HttpResponseBase]
Decide = Callable[[Transaction, ForgetRequest, User | None, UserRequest], object]


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


def _decided(decide: Decide, said: Text) -> Act:
    def act(request: UserRequest, who: Oneself) -> HttpResponse:
        known = {one.pk: one for one in waiting_of(who.owners.keys())}
        wanted = [_key(text) for text in request.POST.getlist("request")]
        if not wanted:
            raise Http404
        try:
            for one in [_one(known, key, who) for key in wanted]:
                # Each by itself: whoever else writes needn't wait for all of them.
                with write_transaction(who.team, actor=who.actor) as tx:
                    decide(tx, one, who.user, request)
        except MemoryRefused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, str(said))
        return redirect(who.urls["page"] + "#asked")

    return act


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404 from error


def _one(known: Mapping[UUID, ForgetRequest], key: UUID, who: Oneself) -> ForgetRequest:
    """One's own, or the same 404 as for one that nobody has; one that was decided says so."""
    if key in known:
        return known[key]
    if not any(one.pk == key for one in waiting_of(who.owners.keys(), is_decided=True)):
        raise Http404
    raise NothingToUndo


def _undo(tx: Transaction, one: ForgetRequest, by: User | None, _request: UserRequest) -> object:
    return forgetting.undo(tx, one, by)


def _keep(tx: Transaction, one: ForgetRequest, by: User | None, _request: UserRequest) -> object:
    return forgetting.keep(tx, one, by)


def _erase(tx: Transaction, one: ForgetRequest, by: User | None, _request: UserRequest) -> object:
    return forgetting.erase(tx, one, by)


def _forget(tx: Transaction, one: ForgetRequest, by: User | None, request: UserRequest) -> object:
    wait, picked = settings.FORGET_UNDO_SECONDS, request.POST.getlist("pick")
    return forgetting.erase(tx, one, by, picked=picked, seconds=wait)


FORGET_ACTS: Mapping[str, Act] = {
    "bring_back": _decided(_undo, gettext_lazy("It is back. Agents may use it again.")),
    "keep": _decided(_keep, gettext_lazy("Kept. Nothing was forgotten.")),
    "erase": _decided(_erase, gettext_lazy("It is being erased. This can't be undone.")),
    "forget": _decided(_forget, gettext_lazy("Hidden from agents. You can still undo it.")),
}
