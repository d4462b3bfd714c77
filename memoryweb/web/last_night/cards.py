"""A card for each agent: what its last night did to statements, and how much of it is others'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memoryweb.agents.models import Owner
from memoryweb.dreaming.night_results import AgentNight
from memoryweb.dreaming.queries import AgentNights, ended_at
from memoryweb.memory.review import Item
from memoryweb.web.access import TeamRequest
from memoryweb.web.display_names import owner_name, owner_title
from memoryweb.web.htmx import to
from memoryweb.web.statements import Told, told_of

_TOLD = 8  # statements that a card shows at once; the dream's page has all
_CARDS = 25


@dataclass(frozen=True)
class Part:
    """One memory of an agent on its card: the shared one, or this person's."""

    is_shared: bool
    whose: str
    told: list[Told]
    more: int


def cards_of(
    request: TeamRequest,
    standing: Sequence[AgentNights],
    nights: Mapping[UUID, AgentNight],
    waits: Sequence[Item],
) -> list[dict[str, Any]]:
    told = told_of(request, [one for night in nights.values() for one in night.learned])
    asked = {item.agent.pk for item in waits if item.kind == "proposal"}
    cards: list[dict[str, Any]] = []
    if len(standing) > _CARDS:  # those with most to tell; the headline speaks of all
        standing = sorted(standing, key=lambda one: -nights[one.agent.pk].changes)
    for one in standing:
        if len(cards) == _CARDS:
            break
        night = nights[one.agent.pk]
        parts, has_proposals = _parts(request, night, told), one.agent.pk in asked
        if not parts and not night.others and not has_proposals:
            continue
        reports = night.reports
        last = one.last if one.last_night and one.last_night.day == night.day else None
        run = reports[-1].run_id if reports else last and last.pk
        cards.append(
            {
                "agent": one.agent,
                "night": night,
                "parts": parts,
                "others": _others(night),
                "at": reports[-1].dreamt_at if reports else last and ended_at(last),
                "dream_url": to(request, "agents_run", run) if run else "",
                "has_proposals": has_proposals,
            }
        )
    return cards


def _parts(request: TeamRequest, night: AgentNight, told: Mapping[UUID, list[Told]]) -> list[Part]:
    """Shared memory first."""
    by_owner: dict[UUID | None, list[Told]] = {}
    owners: dict[UUID | None, Owner | None] = {}
    for report in night.reports:
        owner_id = None if report.owner_id in request.visit.shared_owners else report.owner_id
        owners[owner_id] = report.owner if owner_id else None
        by_owner.setdefault(owner_id, []).extend(told.get(report.pk, []))
    ordered = sorted(by_owner.items(), key=lambda item: item[0] is not None)
    return [
        Part(
            owner_id is None,
            owner_name(request.visit, owners[owner_id]),
            rows[:_TOLD],
            max(0, len(rows) - _TOLD),
        )
        for owner_id, rows in ordered
        if rows
    ]


def _others(night: AgentNight) -> str:
    """A count: what it is stays theirs."""
    count = sum(night.others.values())
    if not count:
        return ""
    if len(night.people) == 1:
        [owner] = night.people.values()
        said = _("{n} more about {name}, private")
        return said.format(n=count, name=owner_title(owner))
    said = _("{n} more about {people} people, private")
    return said.format(n=count, people=len(night.others))
