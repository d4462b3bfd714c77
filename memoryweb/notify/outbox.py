"""What of a team's history is told: events of the audit chain become messages, once each.

An event is in the transaction of its change, and the chain has no gaps. So what an endpoint has
seen is one number, and nothing is told of what was rolled back.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_scopes import scopes_disabled

from memoryweb.audit.models import ChainHead, Event
from memoryweb.notify.endpoints import call
from memoryweb.notify.models import Delivery, Endpoint

MOST = 500  # events of an endpoint at once
KEPT = timedelta(days=30)
# A type of message: what people call it, and the audit actions that it tells of.
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
    "item.waiting": (
        _("Something waits in Review"),
        frozenset({"proposal.made", "contradiction.opened", "memory.forget_requested"}),
    ),
}
LABELS = {kind: label for kind, (label, _actions) in TYPES.items()}
_TYPE_OF = {action: kind for kind, (_label, actions) in TYPES.items() for action in actions}


def tell(now: datetime) -> None:
    """Once a minute."""
    with scopes_disabled():
        for endpoint in Endpoint.objects.filter(is_on=True).order_by("pk"):
            _tell(endpoint, now)
        if Delivery.objects.filter(due_at__lte=now).exists():
            call()


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


def _tell(endpoint: Endpoint, now: datetime) -> None:
    with transaction.atomic():
        head = ChainHead.objects.filter(team_id=endpoint.team_id).values_list("seq", flat=True)
        upto = head.first() or 0
        made = list(_messages(endpoint, upto, now))
        seen = made[-1][0] if len(made) == MOST else upto
        # Two ticks at once: the later one finds that the first has told it.
        mine = Endpoint.objects.filter(pk=endpoint.pk, seen=endpoint.seen, is_on=True)
        if mine.update(seen=seen):
            Delivery.objects.bulk_create(delivery for _seq, delivery in made)


def _messages(endpoint: Endpoint, upto: int, now: datetime) -> Iterator[tuple[int, Delivery]]:
    actions = [action for action, kind in _TYPE_OF.items() if kind in endpoint.events]
    events = Event.objects.filter(
        team_id=endpoint.team_id, seq__gt=endpoint.seen, seq__lte=upto, action__in=actions
    )
    for event in events.order_by("seq")[:MOST]:
        kind = _TYPE_OF[event.action]
        body = json.dumps(message(kind, event), separators=(",", ":"))
        yield (
            event.seq,
            Delivery(
                team_id=endpoint.team_id,
                endpoint=endpoint,
                type=kind,
                body=body,
                due_at=now,
                created_at=now,
            ),
        )
