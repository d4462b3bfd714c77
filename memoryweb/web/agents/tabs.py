"""Above every page of an agent: whose memory is looked at, the tabs, and the History menu.

The address says whose (`owner=`), and every link here keeps it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.memory import facts
from memoryweb.web.access import Visit
from memoryweb.web.wording import Choice, owner_name, owner_title

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
        _told(links),
        links.all_of(TABS, top),
        views,
        reverse("web:search", args=[visit.team.slug]) + f"?agent={agent.pk}&whose={value}",
        links.all_of(HISTORY, root),
    )


def counts_of(visit: Visit, agent: Agent) -> dict[UUID | None, int]:
    """How much stands in each memory of this agent that the person may read."""
    return facts.amounts(agent, [*visit.mine, *visit.opened], visit.now)


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


def _told(links: _Links) -> str:
    name = links.agent.name
    if not links.value:
        return _("Everyone who uses {name} sees it.").format(name=name)
    if (owner := links.opened) is None:
        return _("What {name} keeps about you. Only you can read it.").format(name=name)
    until = localtime(links.visit.opened[owner.pk].expires_at)
    said = _("Open to you until {time}. Each look is recorded, and {person} sees it.")
    return said.format(time=date_format(until, "H:i"), person=owner_title(owner))
