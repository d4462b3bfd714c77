"""Break-glass: a person's reasoned, hour-long permission to read one owner's memory (SPEC §1)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField, QuerySet, Value
from django.utils import timezone

from memoryweb.accounts.models import Team, User
from memoryweb.agents.models import BreakGlass, Owner
from memoryweb.audit.record import Actor, Entry, record, target

LASTS = timedelta(minutes=60)


@dataclass(frozen=True)
class Opening:
    """A person's grant, or a program, which has no time."""

    id: UUID
    own_name: str
    address: str
    reason: str
    at: datetime | None
    over: datetime | None

    @property
    def name(self) -> str:
        return self.own_name or self.address


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


def openings_of(team: Team, owner_ids: Collection[UUID]) -> list[Opening]:
    """Who opened the memory of these owners, the latest 50 first; then all programs by name, also
    those that may read no more."""
    never = Value(None, DateTimeField())
    latest = BreakGlass.objects.filter(pk__in=grants_about(owner_ids).values("pk")[:50])
    grants = latest.annotate(over=never).values_list(
        "pk", "user__name", "user__email", "reason", "created_at", "over"
    )
    programs = team.integrations.annotate(address=Value(""), at=never).values_list(
        "pk", "name", "address", "personal_read_reason", "at", "revoked_at"
    )
    found = [Opening(*row) for row in grants.union(programs, all=True)]
    opened = sorted((one for one in found if one.at), key=_at, reverse=True)
    return [*opened, *sorted((one for one in found if not one.at), key=lambda one: one.name)]


def _at(one: Opening) -> datetime:
    return one.at or datetime.max
