"""Finding something in what the agents remember: files and messages that one may read."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import Found, Hit
from memoryweb.memory.index.query_syntax import Query
from memoryweb.memory.models import SourceClass
from memoryweb.memory.models.refusals import SearchRefused
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.search import search as find
from memoryweb.memory.search import search_each
from memoryweb.web.access import TeamRequest, note_read, readable_owner, team_view
from memoryweb.web.form_fields import ChoiceField, DayInput, FilterForm
from memoryweb.web.markdown import marked_html, plain, words_of
from memoryweb.web.pages import show, to, to_line
from memoryweb.web.wording import in_zone, owner_name, owner_query, owner_title

_SIZE, _OF_EACH, _AGENTS = 10, 4, 12
_KINDS = ("file", "message")
Group = dict[str, Any]
_FILTERS = ("agent", "whose", "kind", "path", "after", "before", "at")
# Whether it is a file of the agent's own, and whether it is shown as it was.
_PAGES = {
    (True, False): "agents_file",
    (True, True): "agents_revision",
    (False, False): "agents_global",
    (False, True): "agents_global_revision",
}
_FOREIGN: dict[str, Promise] = {
    SourceClass.IMPORT: gettext_lazy("from an import"),
    SourceClass.THIRD_PARTY: gettext_lazy("from someone else"),
}


class SearchForm(FilterForm):
    """What is looked for and where. All of it stands in the address."""

    q = forms.CharField(
        label=gettext_lazy("What are you looking for?"),
        max_length=1000,
        required=False,
        widget=forms.TextInput(
            attrs={"type": "search", "autocomplete": "off", "autofocus": True, "data-search": ""}
        ),
    )
    agent = ChoiceField(label=gettext_lazy("Agent"), required=False)
    whose = ChoiceField(label=gettext_lazy("Whose memory"), required=False)
    kind = ChoiceField(
        label=gettext_lazy("In"),
        required=False,
        choices=(
            ("", gettext_lazy("Files and messages")),
            ("file", gettext_lazy("Files")),
            ("message", gettext_lazy("Messages")),
        ),
    )
    path = forms.CharField(label=gettext_lazy("File name contains"), max_length=256, required=False)
    after = forms.DateField(label=gettext_lazy("From"), required=False, widget=DayInput)
    before = forms.DateField(label=gettext_lazy("Before the day"), required=False, widget=DayInput)
    at = forms.DateField(label=gettext_lazy("As of the end of"), required=False, widget=DayInput)
    cursor = forms.CharField(max_length=300, required=False, widget=forms.HiddenInput)

    @property
    def narrows(self) -> bool:
        """Whether one of the filters that are folded away is in use."""
        return not {"path", "after", "before", "at"}.isdisjoint(self.asked)


@team_view("GET")
def search(request: TeamRequest) -> HttpResponse:
    agents = list(request.visit.team.agents.live())
    form = _form(request, agents)
    groups: list[Group] = []
    error = _unreadable(form)
    asked = not error and bool(form.cleaned_data["q"].strip())
    if asked:
        try:
            groups = list(_groups(request, agents, form.cleaned_data))
        except SearchRefused as refused:
            error = str(refused)
    context = {
        "form": form,
        "asked": asked,
        "error": error,
        "groups": sorted((group for group in groups if group["hits"]), key=_best, reverse=True),
        "notices": {group["notice"]: None for group in groups if group["notice"]},
        "total": sum(group["total"] for group in groups),
        "is_one": len(groups) == 1,
        "left_out": len(agents) > _AGENTS and not form.data.get("agent"),
        "is_narrowed": any(request.GET.get(name) for name in _FILTERS),
        "clear_url": _address(request, {"q": request.GET.get("q", "")}),
    }
    status = 422 if error else 200
    return show(request, "search/search.html", context, partials=("results",), status=status)


def _best(group: Group) -> float:
    score: float = group["hits"][0]["hit"].score
    return score


def _unreadable(form: SearchForm) -> str:
    """What is wrong with a filter, beside the results: the form is not drawn again."""
    said = []
    for name, errors in form.errors.as_data().items():
        messages = [message for error in errors for message in error.messages]
        said.append(f"{form.fields[name].label}: {' '.join(messages)}")
    return " ".join(said)


def _form(request: TeamRequest, agents: list[Agent]) -> SearchForm:
    named = ((str(agent.pk), agent.name) for agent in agents)
    whose = [("", _("Shared and mine")), ("shared", _("Shared")), ("me", _("Mine"))]
    return SearchForm(
        request.GET, agent=[("", _("All agents")), *named], whose=[*whose, *_opened(request)]
    )


def _opened(request: TeamRequest) -> Iterator[tuple[str, str]]:
    """Chat accounts of one's own, and memories that a grant has opened."""
    visit = request.visit
    ids = {*visit.mine, *visit.opened} - {visit.me.pk}
    for owner in visit.team.owners.filter(pk__in=ids).select_related("integration", "person"):
        yield str(owner.pk), owner_title(owner)


def _groups(request: TeamRequest, agents: list[Agent], asked: Mapping[str, Any]) -> Iterator[Group]:
    """One agent page by page, or the best of each. Raises SearchRefused."""
    query = _query(asked)
    owner = _owner(request, asked["whose"])
    chosen = [agent for agent in agents if str(agent.pk) == asked["agent"]] or agents[:_AGENTS]
    is_one = len(chosen) == 1
    if owner is not None:
        note_read(request, owner, "search", chosen[0].pk if is_one else request.visit.team.pk)
    kinds = (asked["kind"],) if asked["kind"] else _KINDS
    scope = "own" if asked["whose"] not in {"", "shared"} else ""
    if is_one:
        reader, cursor = Reader(chosen[0], owner), asked["cursor"]
        finds = [find(reader, query, limit=_SIZE, kinds=kinds, scope=scope, cursor=cursor)]
    else:
        finds = search_each(chosen, owner, query, limit=_OF_EACH, kinds=kinds, scope=scope)
    for agent, found in zip(chosen, finds, strict=True):
        yield _group(request, Memory(agent, owner), found, asked["q"], is_one=is_one)


def _query(asked: Mapping[str, Any]) -> Query:
    """The words as typed; a filter of the form goes before one that stands in them."""
    typed = query_syntax.parse(asked["q"])
    at = datetime.combine(asked["at"], time.max, UTC) if asked["at"] else typed.at
    return replace(
        typed,
        path=asked["path"] or typed.path,
        after=asked["after"] or typed.after,
        before=asked["before"] or typed.before,
        at=at,
    )


def _owner(request: TeamRequest, whose: str) -> Owner | None:
    """None for the shared memory, and for oneself while nothing is kept about one yet."""
    owner = readable_owner(request, whose or "me")
    return None if owner is None or owner._state.adding else owner


def _group(request: TeamRequest, memory: Memory, found: Found, q: str, *, is_one: bool) -> Group:
    """What one agent has. `more_url` leads to all of it, or to the next page."""
    more_url = ""
    if is_one and found.cursor:
        more_url = _address(request, {"cursor": found.cursor})
    elif not is_one and found.total > len(found.hits):
        more_url = _address(request, {"agent": str(memory.agent.pk), "cursor": ""})
    hits = [_shown(request, memory, hit, q) for hit in found.hits]
    told = {"total": found.total, "notice": found.notice}
    return {"agent": memory.agent, "hits": hits, "more_url": more_url, **told}


def _address(request: TeamRequest, changed: Mapping[str, str]) -> str:
    """This search, changed; `q` alone clears every filter."""
    query = {} if set(changed) == {"q"} else dict(request.GET.items())
    kept = {name: value for name, value in {**query, **changed}.items() if value}
    return to(request, "search", query=f"?{urlencode(kept)}")


def _shown(request: TeamRequest, memory: Memory, hit: Hit, q: str) -> dict[str, Any]:
    title, url = _place(request, memory, hit, q)
    others = [_place(request, memory, other, q) for other in hit.others]
    whose = owner_name(request.visit, memory.owner if hit.owner_id else None)
    if hit.file and hit.file.agent_id != memory.agent.pk:
        whose = _("Global")
    day = hit.file.note_date if hit.file else None
    return {
        "hit": hit,
        "title": title,
        "others": others,
        "snippet": marked_html(plain(in_zone(hit.snippet, day)), words_of(q)),
        "url": url,
        "whose": whose,
        "source": _FOREIGN.get(hit.source, "") if hit.file else "",  # a message names its speaker
        "trail": hit.trail if hit.file else "",
    }


def _place(request: TeamRequest, memory: Memory, hit: Hit, q: str) -> tuple[str, str]:
    """How a hit's place is called, and where it is shown."""
    if hit.message:
        talk = hit.message.conversation
        at = hit.message.position
        url = to(request, "agents_conversation", talk.agent_id, talk.pk)
        url += f"?{urlencode({'message': at, 'q': q})}#m{at}"
        return f"{hit.message.name or hit.message.get_role_display()} · {talk.external_id}", url
    assert hit.file
    return f"{hit.file.path}:{hit.line}", _file_url(request, memory, hit, q)


def _file_url(request: TeamRequest, memory: Memory, hit: Hit, q: str) -> str:
    """The file's page, or the one of the revision that was current at the moment searched."""
    assert hit.file
    page = _PAGES[hit.file.agent_id == memory.agent.pk, hit.is_past]
    path = hit.past.file.path if hit.past else hit.file.path
    number = [hit.revision] if hit.is_past else []
    whose = owner_query(request.visit, memory.owner_id if hit.owner_id else None)
    query = to_line(f"{whose}{'&' if whose else '?'}{urlencode({'q': q})}", hit.line)
    return to(request, page, memory.agent.pk, path, *number, query=query)
