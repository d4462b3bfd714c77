"""The rail on the left, and the command palette: where a person can go."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryweb.accounts.backends import memberships_of
from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import SYSTEM_SLUG
from memoryweb.agents.models import GLOBAL_AGENT_ID
from memoryweb.audit import keys
from memoryweb.web.access import TeamRequest, Visit, team_view
from memoryweb.web.agents.tabs import HISTORY, TABS
from memoryweb.web.help import help_url
from memoryweb.web.htmx import to


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

    @cached_property
    def places(self) -> list[dict[str, Any]]:
        if self.visit is None:
            return [
                {"url": team["url"], "icon": "moon", "label": team["name"]} for team in self.teams
            ]
        may = self.visit.can
        places = [
            ("last_night", "moon", _("Last night"), True, 0),
            ("review", "tray", _("Review"), True, len(self.visit.waiting)),
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
    def help_url(self) -> str:
        """The section of the documentation that is about this page."""
        match = self._request.resolver_match
        return help_url((match.url_name if match else "") or "")

    @property
    def sees_members(self) -> bool:
        return bool(self.visit and self.visit.can(Permission.SEE_MEMBERS))

    @property
    def sees_tokens(self) -> bool:
        return bool(self.visit and self.visit.can(Permission.SEE_TOKENS))

    @property
    def manages_tokens(self) -> bool:
        return bool(self.visit and self.visit.can(Permission.MANAGE_TOKENS))

    @property
    def sees_erasing(self) -> bool:
        return bool(self.visit and self.visit.can(Permission.SEE_AUDIT))

    @property
    def manages_model(self) -> bool:
        return bool(self.visit and self.visit.can(Permission.MANAGE_MEMBERS))

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
