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

from memoryweb.accounts.backends import memberships_of
from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import SYSTEM_SLUG
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent, Owner
from memoryweb.audit import keys
from memoryweb.audit.checkpoints import unledgered_at
from memoryweb.memory import facts
from memoryweb.memory.statements.validity import today
from memoryweb.web.access import TeamRequest, Visit, team_view
from memoryweb.web.help import help_url
from memoryweb.web.pages import to
from memoryweb.web.wording import Choice, owner_name, owner_title


def rail(request: HttpRequest) -> dict[str, Any]:
    return {"rail": Rail(request)}


class Rail:
    """The left rail. Asks the database only when a whole page is rendered."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self.visit: Visit | None = getattr(request, "visit", None)

    @cached_property
    def teams(self) -> list[dict[str, Any]]:
        """Every team of the person, as plain links."""
        user = self._request.user
        if not user.is_authenticated:
            return []
        current = self.visit.team if self.visit else None
        teams = self.visit.teams if self.visit else _teams_of(user)
        rows = [
            {
                "name": team.name,
                "url": reverse("web:last_night", args=[team.slug]),
                "is_current": team == current,
            }
            for team in teams
        ]
        return [*rows, _everyones(current)] if user.is_superuser else rows

    @property
    def waiting(self) -> int:
        """What the tab's title and icon say."""
        return len(self.visit.waiting) if self.visit else 0

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
        match = self._request.resolver_match
        return help_url((match.url_name if match else "") or "")

    def _section(self) -> str:
        match = self._request.resolver_match
        name = match.url_name if match and match.url_name else ""
        return "last_night" if name in {"last_night", "over_time"} else name.split("_")[0]


def _teams_of(user: User) -> list[Team]:
    return [one.team for one in memberships_of(user)]


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
        ("over_time", _("Over time"), Permission.READ),
        ("settings_tokens", _("Tokens"), Permission.READ),
        ("settings_members", _("Members"), Permission.SEE_MEMBERS),
        ("settings_integrations", _("Integrations"), Permission.SEE_TOKENS),
        ("settings_erasing", _("Erasing"), Permission.SEE_AUDIT),
        ("settings_use", _("Cost and use"), Permission.SEE_AUDIT),
        ("settings_health", _("Health"), Permission.SEE_AUDIT),
    ):
        if visit.can(permission):
            yield label, _("Settings") if name.startswith("settings") else "", to(request, name)
    for agent in visit.team.agents.live().order_by("name")[:_MOST]:
        for view, tab in (TABS | HISTORY).items():
            yield str(tab), agent.name, to(request, view, agent.pk)
        yield _("Preview tonight"), agent.name, to(request, "agents_tonight", agent.pk)


# Above every page of an agent: whose memory is looked at, the tabs, and the History menu. The
# address says whose (`owner=`), and every link here keeps it.

TABS: dict[str, str | Promise] = {
    "agents_detail": gettext_lazy("Home"),
    "agents_facts": gettext_lazy("Memory"),
    "agents_notes": gettext_lazy("Notes"),
    "agents_dreams": gettext_lazy("Dreams"),
    "agents_conversations": gettext_lazy("Conversations"),
    "agents_chat": gettext_lazy("Chat"),
    "agents_prompt": gettext_lazy("Prompt"),
    "agents_settings": gettext_lazy("Settings"),
}
_VIEWS = {
    "agents_facts": gettext_lazy("Statements"),
    "agents_files": gettext_lazy("Files"),
    "agents_entries": gettext_lazy("Entries"),
    "agents_timeline": gettext_lazy("Timeline"),
}
HISTORY = {
    "agents_moments_compare": gettext_lazy("What changed"),
    "agents_moments": gettext_lazy("Time travel"),
    "agents_snapshot": gettext_lazy("Export and import"),
    "agents_provenance": gettext_lazy("Sources"),
}
# Where the switch leads from a page that stands below another.
_ROOTS = {
    name.removeprefix("agents_"): name
    for name in ("agents_facts", "agents_files", "agents_entries", "agents_timeline")
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


@dataclass(frozen=True)
class Tabs:
    sides: list[Side]
    told: str
    tabs: list[Choice]
    views: list[Choice]
    search: str
    history: list[Choice]


def value_of(visit: Visit, owner: Owner | None) -> str:
    """What `owner=` says for it; empty for the shared memory."""
    if owner is None or owner.is_system:
        return ""
    return "me" if owner.pk == visit.me.pk else str(owner.pk)


def readable_value(visit: Visit, asked: str) -> str:
    """What the address asks for, where this person may read it."""
    known = {str(key) for key in (*visit.mine, *visit.opened)}
    return asked if asked == "me" or asked in known else ""


def tabs_of(
    visit: Visit,
    agent: Agent,
    value: str,
    *,
    tab: str,
    stay: str = "",
    amounts: Mapping[UUID | None, int] | None = None,
) -> Tabs:
    """`tab` is the page's; `stay` the page that the switch leads to, where it is another's."""
    links = _Links(visit, agent, value)
    if amounts is None:
        amounts = counts_of(visit, agent)
    root = stay or _ROOTS.get(tab, f"agents_{tab}")
    top = "agents_facts" if tab in _ROOTS else f"agents_{tab}"
    views = links.all_of(_VIEWS, root) if tab in _ROOTS and root in _VIEWS else []
    return Tabs(
        list(_sides(links, root, amounts)),
        _who_sees_it(links),
        links.all_of(TABS, top),
        views,
        reverse("web:search", args=[visit.team.slug]) + f"?agent={agent.pk}&whose={value}",
        links.all_of(HISTORY, root),
    )


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
    yield Side(_("Me"), mine, value == "me", "person", own, initial)
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
        return _("What {name} keeps about you. Only you can read it.").format(name=name)
    until = localtime(links.visit.opened[owner.pk].expires_at)
    said = _("Open to you until {time}. Each look is recorded, and {person} sees it.")
    return said.format(time=date_format(until, "H:i"), person=owner_title(owner))
