"""Webhooks: what they are told, and how that is sent. Each message is claimed by one worker, and
tried again later where it failed."""

import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import httpx
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.audit import checkpoints, keys
from memoryweb.audit import record as audit
from memoryweb.audit.models import ChainHead, Event
from memoryweb.core import outbound
from memoryweb.memory.models import ReviewItem
from memoryweb.memory.models.review import about
from memoryweb.notify import morning_mail
from memoryweb.notify.endpoints import UrlRefused, address_of, call_worker, latest_item
from memoryweb.notify.models import DAILY, TYPES, Delivery, Endpoint

# What of a team's history is told: events of the audit chain become messages, and so does what
# begins to wait in Review, once each. Both are in the transaction of their change, one of a team
# after the other. So what an endpoint has seen is a number of each, and nothing is told of what was
# rolled back.

MOST = 500  # events of an endpoint at once
KEPT = timedelta(days=30)
_OPENED = {
    ReviewItem.Kind.PROPOSAL: "proposal.made",
    ReviewItem.Kind.CONTRADICTION: "contradiction.opened",
    ReviewItem.Kind.FORGET: "memory.forget_requested",
}
_HEAD = "checkpoint.signed"
_TYPE_OF = {action: kind for kind, (_label, actions) in TYPES.items() for action in actions}


def tell(now: datetime) -> None:
    """Once a minute."""
    with scopes_disabled():
        for pk in Endpoint.objects.filter(is_on=True).order_by("pk").values_list("pk", flat=True):
            _tell(pk, now)
        if Delivery.objects.filter(due_at__lte=now).exists():
            call_worker()


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
            "action": _OPENED.get(ReviewItem.Kind(item.kind), "item.waiting"),
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


def head_message(head: checkpoints.Checkpoint) -> dict[str, Any]:
    """What shows later whether the chain is still the one that was signed."""
    return {"type": _HEAD, "timestamp": head.at, "data": {"checkpoint": head.told()}}


def _tell(pk: UUID, now: datetime) -> None:
    """As it is set up now: it may have been changed, turned off or told since it was listed."""
    with transaction.atomic():
        endpoint = Endpoint.objects.select_for_update().filter(pk=pk, is_on=True).first()
        if endpoint is None:
            return
        if endpoint.told_until:
            _tell_channel(endpoint, endpoint.told_until, now)
            return
        head = ChainHead.objects.filter(team_id=endpoint.team_id).values_list("seq", flat=True)
        upto = head.first() or 0
        events = list(_events(endpoint, upto))
        latest = latest_item(endpoint.team_id)
        items = list(_items(endpoint, latest))
        endpoint.seen = events[-1].seq if len(events) == MOST else upto
        endpoint.seen_item = items[-1].pk if len(items) == MOST else latest
        endpoint.save(update_fields=["seen", "seen_item"])
        said = [message(_TYPE_OF[event.action], event) for event in events]
        said += [item_message(item) for item in items if item.state == ReviewItem.State.OPEN]
        said += _heads(endpoint)
        Delivery.objects.bulk_create(_delivery(endpoint, one["type"], one, now) for one in said)


def _tell_channel(endpoint: Endpoint, since: datetime, now: datetime) -> None:
    """In the morning of whoever added it, if there is something to tell."""
    if morning_mail.next_morning(endpoint.user or User(), since) > now:
        return
    if text := morning_mail.channel_text(endpoint, since, now):
        _delivery(endpoint, DAILY, {"text": text}, now).save(force_insert=True)
    endpoint.told_until = now
    endpoint.save(update_fields=["told_until"])


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


def _heads(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The newest, once: it vouches for those before it."""
    newest = checkpoints.newest(endpoint.team_id) if _HEAD in endpoint.events else None
    if newest is None or not newest.is_ours:
        return []
    said = head_message(newest)
    told = Delivery.objects.filter(endpoint=endpoint, type=_HEAD).order_by("-created_at").first()
    return [] if told and json.loads(told.body) == said else [said]


def _delivery(endpoint: Endpoint, kind: str, said: dict[str, Any], now: datetime) -> Delivery:
    return Delivery(
        team_id=endpoint.team_id,
        endpoint=endpoint,
        type=kind,
        body=json.dumps(said, separators=(",", ":")),
        due_at=now,
        created_at=now,
    )


# Standard Webhooks: who sent it, when, and that it is whole.

_SALT = "memoryweb.webhooks"


def secret_of(endpoint: Endpoint) -> str:
    """As its receiver is given it, once."""
    return "whsec_" + base64.b64encode(_key(endpoint)).decode()


def headers_of(delivery: Delivery, now: datetime) -> dict[str, str]:
    at = str(int(now.timestamp()))
    signed = f"{delivery.message_id}.{at}.{delivery.body}".encode()
    digest = hmac.new(_key(delivery.endpoint), signed, hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "memoryweb",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _key(endpoint: Endpoint) -> bytes:
    said = f"{endpoint.pk}:{endpoint.generation}"
    secret = keys.ring().secrets[endpoint.key_number]
    return salted_hmac(_SALT, said, secret=secret, algorithm="sha256").digest()


SECONDS = 10.0  # of one call
TURN_SECONDS = 30.0  # of one task; the tick calls the next
CLAIMED = timedelta(minutes=2)  # longer than any call; a worker that is lost gives it up
WAITS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 30, 2 * 60, 5 * 60, 10 * 60, 14 * 60, 20 * 60)
)
GONE = 410
NO_CHANNEL = 404  # Slack's, of a channel or an app that was removed


def send_due() -> None:
    """A receiver that fails is asked once a turn: it must not keep the others waiting."""
    ends, failing = time.monotonic() + TURN_SECONDS, set[UUID]()
    with scopes_disabled():
        while time.monotonic() < ends:
            waiting = Delivery.objects.filter(due_at__lte=timezone.now(), endpoint__is_on=True)
            waiting = waiting.exclude(endpoint__in=failing)
            found = waiting.select_related("endpoint").order_by("due_at", "created_at").first()
            if found is None:
                return
            if _claimed(found) and not _send(found):
                failing.add(found.endpoint_id)


def _claimed(delivery: Delivery) -> bool:
    mine = Delivery.objects.filter(pk=delivery.pk, due_at=delivery.due_at)
    delivery.attempts += 1
    due_at = timezone.now() + CLAIMED
    return bool(mine.update(due_at=due_at, attempts=F("attempts") + 1))


def _send(delivery: Delivery) -> bool:
    now = timezone.now()
    delivery.status, delivery.error = _answer(delivery, now)
    if delivery.error == "gone":
        _turn_off(delivery.endpoint)
    is_over = not delivery.error or delivery.error == "gone" or delivery.attempts > len(WAITS)
    delivery.due_at = None if is_over else timezone.now() + WAITS[delivery.attempts - 1]
    delivery.finished_at = timezone.now() if is_over else None
    if is_over:
        states = Delivery.State
        delivery.state = states.FAILED if delivery.error else states.DELIVERED
    delivery.save(update_fields=["status", "error", "due_at", "finished_at", "state"])
    return not delivery.error


def _answer(delivery: Delivery, now: datetime) -> tuple[int | None, str]:
    """The status, and what is wrong with it."""
    try:
        url = address_of(delivery.endpoint)
        status = _post(url, headers_of(delivery, now), delivery.body.encode())
    except UrlRefused:
        return None, "url_refused"
    except httpx.TimeoutException:
        return None, "too_slow"
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
        is_refused = isinstance(error.__cause__, outbound.AddressRefused)
        return None, "address_refused" if is_refused else "unreachable"
    if 200 <= status < 300:
        return status, ""
    if status == GONE or (status == NO_CHANNEL and delivery.endpoint.is_slack):
        return status, "gone"
    return status, "redirected" if 300 <= status < 400 else "refused"


def _post(url: str, headers: Mapping[str, str], body: bytes) -> int:
    """The status of the answer, of which no more is read."""
    lookup = partial(outbound.public_addresses, allowed=settings.PRIVATE_HOSTS)
    with (
        outbound.client(time.monotonic() + SECONDS, lookup=lookup) as client,
        client.stream("POST", url, headers=headers, content=body) as answer,
    ):
        return answer.status_code


def _turn_off(endpoint: Endpoint) -> None:
    """The receiver says that it wants no more."""
    with transaction.atomic():
        audit.lock(endpoint.team_id)
        if not Endpoint.objects.filter(pk=endpoint.pk, is_on=True).update(
            is_on=False, reason="gone"
        ):
            return
        others = Delivery.objects.filter(endpoint=endpoint, due_at__isnull=False)
        ended = {"due_at": None, "finished_at": timezone.now(), "error": "gone"}
        others.update(state=Delivery.State.FAILED, **ended)
        entry = audit.Entry(
            "webhook.changed", audit.SYSTEM, **audit.target(endpoint), reason_code="gone"
        )
        audit.record(endpoint.team_id, entry)
