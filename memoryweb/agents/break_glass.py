"""Break-glass: a person's reasoned, hour-long permission to read one owner's memory (SPEC §1)."""

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memoryweb.accounts.models import User
from memoryweb.agents.models import BreakGlass, Owner
from memoryweb.audit.record import Actor, Entry, record, target

LASTS = timedelta(minutes=60)


@transaction.atomic
def open_glass(*, owner: Owner, user: User, reason: str, by: Actor) -> BreakGlass:
    """One grant for one owner. The caller has checked the right; the reason stands on the page."""
    now = timezone.now()
    grant = BreakGlass(
        team=owner.team,
        owner=owner,
        user=user,
        reason=reason,
        created_at=now,
        expires_at=now + LASTS,
    )
    record(
        owner.team_id,
        Entry(
            action="breakglass.opened",
            actor=by,
            **target(owner),
            on_behalf_of=owner.pk,
            labels={"reason": reason},
            details={"grant": str(grant.pk), "minutes": int(LASTS.total_seconds() // 60)},
        ),
    )
    grant.save(force_insert=True)
    return grant


def grants_about(owner_ids: Iterable[UUID]) -> "QuerySet[BreakGlass]":
    """Who opened these owners' memory, the latest first."""
    return BreakGlass.objects.filter(owner__in=list(owner_ids)).order_by("-created_at")
