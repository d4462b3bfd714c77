"""The rail on the left, and the command palette: where a person can go."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import SYSTEM_SLUG
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent, Owner
from memoryweb.audit import keys
from memoryweb.audit.checkpoints import unledgered_at
from memoryweb.memory import facts
from memoryweb.memory.statements.validity import today
from memoryweb.web.access import TeamRequest, Visit, last_visit, team_view
from memoryweb.web.help import help_url
from memoryweb.web.pages import to
from memoryweb.web.wording import Choice, owner_name, owner_title


def rail(request: HttpRequest) -> dict[str, Any]:
    return {"rail": Rail(request)}


class Rail:
    """The left rail. Asks the database only when a whole page is rendered."""

    def __init__(self, request: HttpRequest, page: str | None = None) -> None:
        """`page`: the name of an address, where it shall not be the request's own."""
        match = request.resolver_match
        self._request, self._page = request, (match and match.url_name) if page is None else page
        self.tabs: Tabs | None = None  # of the agent whose page it is

    @cached_property
    def visit(self) -> Visit | None:
        """On a page of no team that of the team visited last, so that the way back is there."""
        return getattr(self._request, "visit", None) or last_visit(self._request)

    @cached_property
    def teams(self) -> list[dict[str, Any]]:
        """Every team of the person, as plain links."""
        user = getattr(self._request, "user", None)
        if user is None or not user.is_authenticated:
            return []
        current = self.visit.team if self.visit else None
        teams = self.visit.teams if self.visit else []
        rows = [
            {
                "name": team.name,
                "url": reverse("web:last_night", args=[team.slug]),
                "is_current": team == current,
            }
            for team in teams
        ]
        return [*rows, _everyones(current)] if user.is_superuser else rows

    @cached_property
    def waiting(self) -> int:
        """What the tab's title and icon say."""
        if self.visit is None:
            return 0
        with scope(team=self.visit.team):
            return len(self.visit.waiting)

    @cached_property
    def places(self) -> list[dict[str, Any]]:
        if self.visit is None:
            return [
                {"url": team["url"], "icon": "moon", "label": team["name"]} for team in self.teams
            ]
        may = self.visit.can
        places = [
            ("last_night", "moon", _("Last night"), True, 0),
            ("review", "tray", _("Review"), True, self.waiting),
            ("agents", "agent", _("Agents"), True, 0),
            ("search", "search", _("Search"), True, 0),
            ("mine", "person", _("My memory"), True, 0),
            ("owners", "people", _("People"), may(Permission.SEE_OWNERS), 0),
            ("audit", "list", _("Audit"), may(Permission.SEE_AUDIT), 0),
            ("settings", "gear", _("Settings"), True, 0),
        ]
        here = self._section()
        shown = [place for place in places if place[3]]
        return [
            {
                # On a phone four stand at the thumb, and the others under “More”.
                "is_far": at >= 4,
                "url": reverse(f"web:{name}", args=[self.visit.team.slug]),
                "icon": icon,
                "label": label,
                "count": count,
                "is_current": name == here,
            }
            for at, (name, icon, label, _shown, count) in enumerate(shown)
        ]

    @property
    def keys_lost_at(self) -> datetime | None:
        """Since when every page warns that erased text may return."""
        return keys.lost_at() if self._request.user.is_authenticated else None

    @property
    def unledgered_at(self) -> datetime | None:
        """Since when admins are warned that a backup was restored without the ledger."""
        is_told = self.visit and self.visit.can(Permission.MANAGE_MEMBERS)
        return unledgered_at(self.visit.team.pk) if self.visit and is_told else None

    @property
    def help_url(self) -> str:
        """The section of the documentation that is about this page."""
        return help_url(self._page or "")

    def _section(self) -> str:
        name = self._page or ""
        return "last_night" if name in {"last_night", "over_time"} else name.split("_")[0]


def _everyones(current: Team | None) -> dict[str, Any]:
    """Where a superuser edits the memory that every team reads."""
    return {
        "name": _("Global memory"),
        "url": reverse("web:agents_files", args=[SYSTEM_SLUG, GLOBAL_AGENT_ID]),
        "is_current": bool(current and current.is_system),
    }


# Where a person can go from anywhere, as links: the list behind Ctrl/⌘ K.

_MOST = 200  # agents; the others are found under Agents
Place = tuple[str, str, str]  # what it is called, what it belongs to, its address


@team_view("GET")
def palette(request: TeamRequest) -> HttpResponse:
    """A part of a page, and without a script one by itself."""
    return render(request, "palette.html", {"places": list(_places(request))})


def _places(request: TeamRequest) -> Iterator[Place]:
    visit = request.visit
    for place in Rail(request).places:
        yield str(place["label"]), "", place["url"]
    for name, label, permission in (
        ("agents_new", _("New agent"), Permission.MANAGE_AGENTS),
        ("over_time", _("Last week and over time"), Permission.READ),
        ("settings", _("Members"), Permission.READ),
        ("settings_tokens", _("Connections"), Permission.READ),
        ("settings_model", _("Model and cost"), Permission.SEE_AUDIT),
        ("settings_health", _("Health"), Permission.SEE_AUDIT),
        ("settings_erasing", _("Data"), Permission.SEE_AUDIT),
    ):
        if visit.can(permission):
            yield label, _("Settings") if name.startswith("settings") else "", to(request, name)
    for agent in visit.team.agents.live().order_by("name")[:_MOST]:
        for view, tab in _EVERY.items():
            yield str(tab), agent.name, to(request, view, agent.pk)


# Above every page of an agent: whose memory is looked at, five places, and the ways to see one. The
# address says whose (`owner=`), and every link here keeps it.

TABS: dict[str, str | Promise] = {
    "agents_detail": gettext_lazy("Home"),
    "agents_facts": gettext_lazy("Memory"),
    "agents_activity": gettext_lazy("Activity"),
    "agents_chat": gettext_lazy("Chat"),
    "agents_settings": gettext_lazy("Settings"),
}
WAYS: dict[str, dict[str, str | Promise]] = {
    "agents_facts": {
        "agents_facts": gettext_lazy("Statements"),
        "agents_files": gettext_lazy("Files"),
        "agents_entries": gettext_lazy("Entries"),
        "agents_tests": gettext_lazy("Tests"),
    },
    "agents_activity": {
        "agents_activity": gettext_lazy("All"),
        "agents_dreams": gettext_lazy("Dreams"),
        "agents_conversations": gettext_lazy("Conversations"),
        "agents_notes": gettext_lazy("Notes"),
    },
    "agents_settings": {
        "agents_settings": gettext_lazy("How it remembers"),
        "agents_prompt": gettext_lazy("Prompt"),
        "agents_connect": gettext_lazy("Connect"),
        "agents_snapshot": gettext_lazy("Export and import"),
        "agents_provenance": gettext_lazy("Sources"),
    },
}
_PLACES = {name: tab for tab, ways in WAYS.items() for name in ways}
_PLACES |= {"agents_moments": "agents_activity"}
_EVERY = {name: label for ways in WAYS.values() for name, label in ways.items()} | TABS
_EVERY |= {
    "agents_moments": gettext_lazy("Memory on another day"),
    "agents_tonight": gettext_lazy("Look ahead"),
}


@dataclass(frozen=True)
class Side:
    """One memory of the switch. `shape`: several people, a person (with `initial`), or a lock."""

    label: str
    url: str
    is_current: bool
    shape: str
    count: int | None = None
    initial: str = ""


def value_of(visit: Visit, owner: Owner | None) -> str:
    """What `owner=` says for it; empty for the shared memory."""
    if owner is None or owner.is_system:
        return ""
    return "me" if owner.pk == visit.me.pk else str(owner.pk)


def readable_value(visit: Visit, asked: str) -> str:
    """What the address asks for, where this person may read it."""
    known = {str(key) for key in (*visit.mine, *visit.opened)}
    return asked if asked == "me" or asked in known else ""


class Tabs:
    """`tab` is the page's; `stay` the page that the switch leads to, where it is another's."""

    def __init__(
        self,
        visit: Visit,
        agent: Agent,
        value: str,
        *,
        tab: str,
        stay: str = "",
        amounts: Mapping[UUID | None, int] | None = None,
    ) -> None:
        self._links, self._amounts = _Links(visit, agent, value), amounts
        self.root = stay or f"agents_{tab}"
        self._place = _PLACES.get(self.root, self.root)

    @cached_property
    def sides(self) -> list[Side]:
        links = self._links
        amounts = counts_of(links.visit, links.agent) if self._amounts is None else self._amounts
        return list(_sides(links, self.root, amounts))

    @property
    def told(self) -> str:
        return _who_sees_it(self._links)

    @property
    def tabs(self) -> list[Choice]:
        return self._links.all_of(TABS, self._place)

    @property
    def ways(self) -> list[Choice]:
        return self._links.all_of(WAYS.get(self._place, {}), self.root)

    @property
    def beside(self) -> Choice | None:
        """Another way to look at what the place tells of."""
        links = self._links
        if self._place == "agents_activity":
            url, is_here = links.to("agents_moments", links.value), self.root == "agents_moments"
            return Choice(_("Memory on another day"), url, is_here)
        if self._place == "agents_facts":
            url = reverse("web:search", args=[links.visit.team.slug])
            query = f"?agent={links.agent.pk}&whose={links.value}"
            return Choice(_("Search in it"), url + query, is_current=False)
        return None


def counts_of(visit: Visit, agent: Agent) -> dict[UUID | None, int]:
    """How much stands in each memory of this agent that the person may read."""
    day = today(visit.now, agent.zone)
    return dict(facts.amounts(agent, (*visit.mine, *visit.opened), day))


@dataclass(frozen=True)
class _Links:
    visit: Visit
    agent: Agent
    value: str

    def to(self, name: str, value: str) -> str:
        url = reverse(f"web:{name}", args=[self.visit.team.slug, self.agent.pk])
        # Home chooses by itself where nothing is asked for.
        value = value or ("shared" if name == "agents_detail" else "")
        return f"{url}?owner={value}" if value else url

    def all_of(self, names: Mapping[str, str | Promise], here: str) -> list[Choice]:
        return [
            Choice(label, self.to(name, self.value), name == here) for name, label in names.items()
        ]

    @property
    def opened(self) -> Owner | None:
        """Another person's memory that is looked at now."""
        found = (grant.owner for grant in self.visit.opened.values())
        return next((owner for owner in found if str(owner.pk) == self.value), None)


def _sides(links: _Links, root: str, counts: Mapping[UUID | None, int]) -> Iterator[Side]:
    visit, value = links.visit, links.value
    initial = str(visit.user)[:1].upper()
    yield Side(_("Shared"), links.to(root, ""), not value, "people", counts.get(None, 0))
    mine, own = links.to(root, "me"), counts.get(visit.me.pk, 0)
    yield Side(_("You"), mine, value == "me", "person", own, initial)
    for owner in visit.mine.values():
        its = str(owner.pk)
        if owner.pk != visit.me.pk and (counts.get(owner.pk) or its == value):
            name, count = owner_name(visit, owner), counts.get(owner.pk, 0)
            yield Side(name, links.to(root, its), its == value, "person", count, initial)
    for grant in visit.opened.values():
        if grant.owner_id not in visit.mine:
            its, name = str(grant.owner_id), owner_title(grant.owner)
            count = counts.get(grant.owner_id, 0)
            yield Side(name, links.to(root, its), its == value, "lock", count)
    if visit.can(Permission.BREAK_GLASS) and visit.can(Permission.SEE_OWNERS):
        people = reverse("web:owners", args=[visit.team.slug])
        yield Side(_("A person…"), people, False, "lock")


def _who_sees_it(links: _Links) -> str:
    name = links.agent.name
    if not links.value:
        return _("Everyone who uses {name} sees it.").format(name=name)
    if (owner := links.opened) is None:
        return _("Only you can read it.")
    until = localtime(links.visit.opened[owner.pk].expires_at)
    said = _("Open to you until {time}. Each look is recorded, and {person} sees it.")
    return said.format(time=date_format(until, "H:i"), person=owner_title(owner))
