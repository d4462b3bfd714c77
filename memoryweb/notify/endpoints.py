"""Endpoints as admins make, change and remove them; each change is an event."""

import json
from collections.abc import Sequence
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db.models import Max
from django.utils.translation import gettext as _
from django_q.tasks import async_task

from memoryweb.accounts.models import User
from memoryweb.audit import keys
from memoryweb.audit.models import ChainHead
from memoryweb.audit.record import target
from memoryweb.memory.models import ReviewItem
from memoryweb.memory.models.writer import Transaction
from memoryweb.notify.models import DAILY, Delivery, Endpoint


class UrlRefused(ValueError):
    """An address that no webhook is sent to; the message says why."""


TEST = "webhook.test"


def check_url(url: str) -> None:
    """What can be told before a call; what the name resolves to is asked at each. Raises
    UrlRefused."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise UrlRefused(_("This is not a URL.")) from None
    if not host or parts.scheme not in {"http", "https"}:
        raise UrlRefused(_("A URL begins with https:// and a host."))
    if parts.scheme == "http" and host not in settings.PRIVATE_HOSTS:
        raise UrlRefused(_("The URL must begin with https://."))
    if parts.username or parts.password or parts.fragment:
        raise UrlRefused(_("The URL must not contain a password or a fragment."))


def check_slack(url: str) -> None:
    """The same of a channel's. Raises UrlRefused."""
    check_url(url)
    if urlsplit(url).hostname not in {"hooks.slack.com", *settings.PRIVATE_HOSTS}:
        raise UrlRefused(_("Slack's URL must begin with https://hooks.slack.com/."))


def address_of(endpoint: Endpoint) -> str:
    """To call it now. Raises UrlRefused, also where a sealed one doesn't open any more."""
    if not endpoint.is_slack:
        check_url(endpoint.url)
        return endpoint.url
    address = keys.unseal(bytes(endpoint.sealed_key), endpoint.bound_to) or ""
    check_slack(address)
    return address


def latest_item(team_id: UUID) -> int:
    """Endpoints begin after it."""
    items = ReviewItem.objects.filter(team_id=team_id)
    return items.aggregate(latest=Max("pk"))["latest"] or 0


def make(tx: Transaction, *, url: str, events: Sequence[str]) -> Endpoint:
    """It is told what happens from now on. Raises UrlRefused."""
    check_url(url)
    head = ChainHead.objects.get(team_id=tx.team.pk)
    endpoint = Endpoint.objects.create(
        team=tx.team,
        url=url,
        events=sorted(events),
        seen=head.seq,
        seen_item=latest_item(tx.team.pk),
        created_at=tx.now,
        key_number=keys.newest(),
    )
    tx.record("webhook.made", **target(endpoint))
    return endpoint


def make_slack(tx: Transaction, *, address: str, user: User | None, site: str) -> Endpoint:
    """A channel of Slack that is told the numbers of shared memory every morning. Whoever has its
    address can write there, so it is never shown. Raises UrlRefused."""
    check_slack(address)
    endpoint = Endpoint(
        team=tx.team,
        url=f"https://{urlsplit(address).hostname}/…",
        events=[DAILY],
        created_at=tx.now,
        key_number=keys.newest(),
        user=user,
        site=site,
        told_until=tx.now,
    )
    endpoint.sealed_key = keys.seal(address, endpoint.bound_to)
    endpoint.save(force_insert=True)
    tx.record("webhook.made", **target(endpoint), details={"kind": "slack"})
    return endpoint


def change(tx: Transaction, endpoint: Endpoint, *, url: str, events: Sequence[str]) -> None:
    """Raises UrlRefused."""
    check_url(url)
    endpoint.url, endpoint.events = url, sorted(events)
    endpoint.save(update_fields=["url", "events"])
    tx.record("webhook.changed", **target(endpoint))


def turn(tx: Transaction, endpoint: Endpoint, *, is_on: bool) -> None:
    """What happened while it was off it is not told."""
    if is_on and not endpoint.is_on:
        endpoint.seen = ChainHead.objects.get(team_id=tx.team.pk).seq
        endpoint.seen_item = latest_item(tx.team.pk)
        endpoint.told_until = tx.now if endpoint.is_slack else None
    endpoint.is_on, endpoint.reason = is_on, ""
    endpoint.save(update_fields=["is_on", "reason", "seen", "seen_item", "told_until"])
    tx.record("webhook.changed", **target(endpoint), details={"on": is_on})


def renew(tx: Transaction, endpoint: Endpoint) -> None:
    """The next message is signed with another secret."""
    endpoint.generation += 1
    endpoint.key_number = keys.newest()
    endpoint.save(update_fields=["generation", "key_number"])
    tx.record("webhook.renewed", **target(endpoint))


def remove(tx: Transaction, endpoint: Endpoint) -> None:
    """With its log."""
    tx.record("webhook.removed", **target(endpoint))
    endpoint.delete()


def test(tx: Transaction, endpoint: Endpoint) -> Delivery:
    said = {"type": TEST, "timestamp": tx.now.isoformat(), "data": {}}
    if endpoint.is_slack:
        said = {"text": _("This is a test from memoryweb. The numbers of the day come here.")}
    made = Delivery.objects.create(
        team=tx.team,
        endpoint=endpoint,
        type=TEST,
        body=json.dumps(said),
        due_at=tx.now,
        created_at=tx.now,
    )
    tx.record("webhook.tested", **target(endpoint))
    call_worker()
    return made


def resend(tx: Transaction, delivery: Delivery) -> None:
    """The same message with the same id, as often as it takes."""
    delivery.state, delivery.attempts, delivery.due_at = Delivery.State.WAITING, 0, tx.now
    delivery.finished_at, delivery.error = None, ""
    delivery.save(update_fields=["state", "attempts", "due_at", "finished_at", "error"])
    tx.record("webhook.resent", **target(delivery))
    call_worker()


# Calls a worker to send what is due. A lost or a second call does no harm.

SEND = "memoryweb.notify.webhooks.send_due"


def call_worker() -> None:
    """With the transaction: the database is the broker and rolls back with it."""
    async_task(SEND, save=False, group="webhooks")
