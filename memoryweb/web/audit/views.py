from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission, Role
from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.models import Event
from memoryweb.audit.queries import events_of, labels_of
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.audit.forms import FilterForm
from memoryweb.web.audit.outcomes import OUTCOMES, chip_of, reason_of
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@team_view("GET", takes=Permission.SEE_AUDIT)
def audit(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    named = sorted(ACTIONS.items(), key=lambda item: str(item[1]))
    form = FilterForm(request.GET, action=[("", _("Anything")), *named])
    events = _filtered(events_of(team.pk), form)
    shown = page(request, events, size=25)
    context = {
        "form": form,
        "page": shown,
        "lines": _lines(request, team, shown.items),
        "is_filtered": bool(request.GET.keys() - {"page"}),
    }
    return show(request, "audit/audit.html", context, partials=("events",))


def _filtered(events: "QuerySet[Event]", form: FilterForm) -> "QuerySet[Event]":
    events = events.filter(**form.lookups(action="action", run="run_id", target="target_id"))
    if "outcome" in form.asked:
        events = events.filter(outcome__in=OUTCOMES[form.asked["outcome"]][1])
    since, until = form.period()
    if since:
        events = events.filter(at_us__gte=_micros(since))
    return events.filter(at_us__lt=_micros(until)) if until else events


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _lines(request: TeamRequest, team: Team, events: Sequence[Event]) -> list[dict[str, Any]]:
    """Events as sentences, each with what belongs to it."""
    labels = labels_of(events)
    names, roles = _names(team), dict(Role.choices)
    return [
        {
            "event": event,
            "at": event.at,
            "actor": _actor(event, names),
            "sentence": ACTIONS.get(event.action, event.action),
            "role": roles.get(event.actor_role, event.actor_role),
            "chip": chip_of(event),
            "reason": reason_of(event),
            "labels": _readable(request, event, labels.get(event.pk, {})),
            "run_url": to(request, "agents_run", event.run_id) if event.run_id else "",
        }
        for event in events
    ]


def _names(team: Team) -> dict[str, str]:
    """Ids → names of people and programs. Who has left is shown by id."""
    people = team.memberships.select_related("user")
    names = {str(membership.user_id): str(membership.user) for membership in people}
    return names | {str(one.pk): one.name for one in team.integrations.all()}


def _actor(event: Event, names: dict[str, str]) -> str:
    if event.actor_kind == "system":
        return _("memoryweb")
    if event.actor_kind == "anonymous":
        return _("Someone unknown")
    if event.actor_role == "visitor":
        return _("Someone with a link to My memory")
    return names.get(
        event.actor_id, _("{kind} {id}").format(kind=event.actor_kind, id=event.actor_id[:8])
    )


def _readable(request: TeamRequest, event: Event, labels: dict[str, str]) -> list[str]:
    """What an event's words are about another person stays hidden: their memory is not open."""
    owner: UUID | None = event.on_behalf_of
    if owner is not None and owner not in request.visit.mine:
        said = [_("a personal file")] if event.target_kind == "file" else []
        return said + [labels[name] for name in ("reason",) if name in labels]
    return list(labels.values())
