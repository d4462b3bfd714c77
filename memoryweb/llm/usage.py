"""A team's tokens of the day: reserved before a call, settled after it, never overdrawn.

One UPDATE with its own condition decides, so two workers cannot both take the last tokens. What a
killed worker has reserved stays taken until midnight UTC: rather too few calls than too many.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.llm.exceptions import BudgetSpent
from memoryweb.llm.models import Usage

_NEARLY = 0.8


@dataclass
class Spent:
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True)
class Today:
    """What a team has used today, and how much it may."""

    used: int
    reserved: int
    limit: int

    @property
    def is_spent(self) -> bool:
        return self.used + self.reserved >= self.limit

    @property
    def is_nearly_spent(self) -> bool:
        return self.used >= _NEARLY * self.limit


def today(team_id: UUID, limit: int | None = None) -> Today:
    row = Usage.objects.filter(team_id=team_id, day=_day()).first()
    used, reserved = (row.used_in + row.used_out, row.reserved) if row else (0, 0)
    return Today(used, reserved, settings.DAILY_TOKENS if limit is None else limit)


@contextmanager
def reserved(team_id: UUID, tokens: int, limit: int | None = None) -> Iterator[Spent]:
    """Fill in the Spent that it yields; raises BudgetSpent before anything was sent."""
    day = _day()
    _reserve(team_id, day, tokens, settings.DAILY_TOKENS if limit is None else limit)
    spent = Spent()
    try:
        yield spent
    finally:
        _settle(team_id, day, tokens, spent)


def _reserve(team_id: UUID, day: date, tokens: int, limit: int) -> None:
    # Durable: a reservation inside the caller's transaction would hold its locks over the call.
    with transaction.atomic(durable=True):
        Usage.objects.get_or_create(team_id=team_id, day=day)
        room = limit - tokens - F("used_in") - F("used_out")
        taken = Usage.objects.filter(team_id=team_id, day=day, reserved__lte=room).update(
            reserved=F("reserved") + tokens
        )
    if not taken:
        raise BudgetSpent(
            _("The team's tokens for today are used up. Work continues after midnight UTC."),
            retry_after=_until_midnight(),
        )


def _settle(team_id: UUID, day: date, tokens: int, spent: Spent) -> None:
    Usage.objects.filter(team_id=team_id, day=day).update(
        reserved=F("reserved") - tokens,
        used_in=F("used_in") + spent.tokens_in,
        used_out=F("used_out") + spent.tokens_out,
    )


def _day() -> date:
    return timezone.now().astimezone(UTC).date()


def _until_midnight() -> float:
    now = timezone.now()
    midnight = datetime.combine(_day() + timedelta(days=1), datetime.min.time(), UTC)
    return (midnight - now).total_seconds()
