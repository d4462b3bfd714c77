"""Events as a page and an export show them: names for ids, and no word about others' memory."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Role
from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.models import Event
from memoryweb.web.access import TeamRequest, Visit
from memoryweb.web.audit.outcomes import chip_of, reason_of
from memoryweb.web.htmx import to

Names = Mapping[str, str]


def names_of(team: Team) -> dict[str, str]:
    """Ids → names of people and programs. Who has left is shown by id."""
    people = team.memberships.select_related("user")
    names = {str(membership.user_id): str(membership.user) for membership in people}
    return names | {str(one.pk): one.name for one in team.integrations.all()}


def line_of(request: TeamRequest, event: Event, names: Names) -> dict[str, Any]:
    roles = dict(Role.choices)
    return {
        "event": event,
        "at": event.at,
        "actor": actor_of(event, names),
        "sentence": ACTIONS.get(event.action, event.action),
        "role": roles.get(event.actor_role, event.actor_role),
        "chip": chip_of(event),
        "reason": reason_of(event),
        "labels": about(request.visit, event),
        "run_url": to(request, "agents_run", event.run_id) if event.run_id else "",
    }


def actor_of(event: Event, names: Names) -> str:
    if event.actor_kind == "system":
        return _("memoryweb")
    if event.actor_kind == "anonymous":
        return _("Someone unknown")
    if event.actor_role == "visitor":
        return _("Someone with a link to My memory")
    return names.get(
        event.actor_id, _("{kind} {id}").format(kind=event.actor_kind, id=event.actor_id[:8])
    )


def about(visit: Visit, event: Event) -> list[str]:
    said = event.said
    shown = [said[name] for name in said if is_open(visit, event, name)]
    hidden = event.target_kind == "file" and not is_open(visit, event, "path")
    return [_("a personal file"), *shown] if hidden else shown


def is_open(visit: Visit, event: Event, label: str) -> bool:
    """What an event's words are about another person stays hidden: their memory is not open."""
    owner = event.on_behalf_of
    return owner is None or owner in visit.mine or label == "reason"
