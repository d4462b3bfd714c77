"""What of a team's history is told: events of the audit chain become messages, and so does what
begins to wait in Review, once each.

Both are in the transaction of their change, one of a team after the other. So what an endpoint has
seen is a number of each, and nothing is told of what was rolled back.
"""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_scopes import scopes_disabled

from memoryweb.audit.models import ChainHead, Event
from memoryweb.memory.models import ReviewItem
from memoryweb.memory.models.review import about
from memoryweb.notify import dispatch
from memoryweb.notify.models import Delivery, Endpoint

MOST = 500  # events of an endpoint at once
KEPT = timedelta(days=30)
# A type of message: what people call it, and the audit actions that it tells of, if any.
TYPES: dict[str, tuple[Promise, frozenset[str]]] = {
    "run.finished": (
        _("A run finished: a dream, an extraction, an import"),
        frozenset({"run.finished"}),
    ),
    "fact.changed": (
        _("Statements changed"),
        frozenset(
            {"fact.changed", "fact.edited", "fact.confirmed", "fact.unconfirmed", "fact.not_true"}
            | {"fact.restored", "fact.hidden"}
        ),
    ),
    "item.waiting": (_("Something waits in Review"), frozenset()),
}
LABELS = {kind: label for kind, (label, _actions) in TYPES.items()}
_OPENED = {
    ReviewItem.Kind.PROPOSAL: "proposal.made",
    ReviewItem.Kind.CONTRADICTION: "contradiction.opened",
    ReviewItem.Kind.FORGET: "memory.forget_requested",
}
_TYPE_OF = {action: kind for kind, (_label, actions) in TYPES.items() for action in actions}


def tell(now: datetime) -> None:
    """Once a minute."""
    with scopes_disabled():
        for endpoint in Endpoint.objects.filter(is_on=True).order_by("pk"):
            _tell(endpoint, now)
        if Delivery.objects.filter(due_at__lte=now).exists():
            dispatch.call()


def forget(now: datetime) -> None:
    """The log of a month is enough."""
    with scopes_disabled():
        Delivery.objects.filter(created_at__lt=now - KEPT, due_at=None).delete()


def message(kind: str, event: Event) -> dict[str, Any]:
    """Ids, codes and counts: no event of the chain has a person's words."""
    details = json.loads(event.details) if event.details else {}
    numbers = {name: n for name, n in details.items() if isinstance(n, int)}
    return {
        "type": kind,
        "timestamp": event.at.isoformat(),
        "data": {
            "action": event.action,
            "agentId": event.agent_id and str(event.agent_id),
            "ownerId": event.on_behalf_of and str(event.on_behalf_of),
            "runId": event.run_id and str(event.run_id),
            "target": {"kind": event.target_kind, "id": event.target_id},
            "kind": details.get("kind"),
            "outcome": event.outcome,
            "reason": event.reason_code,
            "counts": numbers,
        },
    }


def item_message(item: ReviewItem) -> dict[str, Any]:
    """The same of what waits."""
    target = {"kind": item.kind, "id": str(about(item))}
    return {
        "type": "item.waiting",
        "timestamp": item.since.isoformat(),
        "data": {
            "action": _OPENED.get(item.kind, "item.waiting"),
            "agentId": str(item.agent_id),
            "ownerId": item.owner_id and str(item.owner_id),
            "runId": None,
            "target": target,
            "kind": item.kind,
            "outcome": "",
            "reason": "",
            "counts": {},
        },
    }


def _tell(endpoint: Endpoint, now: datetime) -> None:
    with transaction.atomic():
        head = ChainHead.objects.filter(team_id=endpoint.team_id).values_list("seq", flat=True)
        upto = head.first() or 0
        events = list(_events(endpoint, upto))
        latest = latest_item(endpoint.team_id)
        items = list(_items(endpoint, latest))
        told = {
            "seen": events[-1].seq if len(events) == MOST else upto,
            "seen_item": items[-1].pk if len(items) == MOST else latest,
        }
        before = {name: getattr(endpoint, name) for name in told}
        # Two ticks at once: the later one finds that the first has told it.
        if Endpoint.objects.filter(pk=endpoint.pk, is_on=True, **before).update(**told):
            said = [message(_TYPE_OF[event.action], event) for event in events]
            said += [item_message(item) for item in items if item.state == ReviewItem.State.OPEN]
            Delivery.objects.bulk_create(_delivery(endpoint, one, now) for one in said)


def latest_item(team_id: UUID) -> int:
    """Endpoints begin after it."""
    items = ReviewItem.objects.filter(team_id=team_id)
    return items.aggregate(latest=Max("pk"))["latest"] or 0


def _events(endpoint: Endpoint, upto: int) -> "QuerySet[Event]":
    actions = [action for action, kind in _TYPE_OF.items() if kind in endpoint.events]
    events = Event.objects.filter(
        team_id=endpoint.team_id, seq__gt=endpoint.seen, seq__lte=upto, action__in=actions
    )
    return events.order_by("seq")[:MOST]


def _items(endpoint: Endpoint, upto: int) -> "QuerySet[ReviewItem]":
    if endpoint.seen_item is None or "item.waiting" not in endpoint.events:
        return ReviewItem.objects.none()
    items = ReviewItem.objects.filter(
        team_id=endpoint.team_id, pk__gt=endpoint.seen_item, pk__lte=upto
    )
    return items.order_by("pk")[:MOST]


def _delivery(endpoint: Endpoint, said: dict[str, Any], now: datetime) -> Delivery:
    return Delivery(
        team_id=endpoint.team_id,
        endpoint=endpoint,
        type=said["type"],
        body=json.dumps(said, separators=(",", ":")),
        due_at=now,
        created_at=now,
    )
