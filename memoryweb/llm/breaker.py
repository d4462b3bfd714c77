"""Five failures in a row and an endpoint is left alone for a quarter of an hour, a team at a time.

Afterwards one call goes ahead as a trial; the others wait for what becomes of it.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import models
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.llm.exceptions import BreakerOpen
from memoryweb.llm.models import Breaker

FAILURES = 5
OPEN = timedelta(minutes=15)


def enter(team_id: UUID, endpoint: str, seconds: float) -> None:
    """Raises BreakerOpen. `seconds` is how long this call may last, should it be the trial."""
    now = timezone.now()
    row = _rows(team_id, endpoint).filter(open_until__isnull=False).first()
    if row is None or row.open_until is None:
        return
    if now < row.open_until <= now + OPEN or not _take_trial(row, now, seconds):
        raise BreakerOpen(
            _("The model endpoint failed several times in a row. It is paused for a while."),
            retry_after=max(1.0, (row.open_until - now).total_seconds()),
        )


def failed(team_id: UUID, endpoint: str) -> bool:
    """Whether that has opened it, or left it open."""
    now = timezone.now()
    Breaker.objects.get_or_create(team_id=team_id, endpoint=_name(endpoint))
    _rows(team_id, endpoint).update(failures=F("failures") + 1)
    counted = _rows(team_id, endpoint).filter(failures__gte=FAILURES)
    return bool(counted.update(open_until=now + OPEN))


def succeeded(team_id: UUID, endpoint: str) -> None:
    _rows(team_id, endpoint).exclude(failures=0, open_until=None).update(
        failures=0, open_until=None
    )


def open_until(team_id: UUID) -> datetime | None:
    """Until when an endpoint of this team is left alone, None when all are well.

    What stands open for longer than that was opened by a clock that ran ahead.
    """
    now = timezone.now()
    row = (
        Breaker.objects.filter(team_id=team_id, open_until__gt=now, open_until__lte=now + OPEN)
        .order_by("-open_until")
        .first()
    )
    return row.open_until if row else None


def _take_trial(row: Breaker, now: datetime, seconds: float) -> bool:
    return bool(
        Breaker.objects.filter(pk=row.pk, open_until=row.open_until).update(
            open_until=now + timedelta(seconds=max(1.0, seconds))
        )
    )


def _rows(team_id: UUID, endpoint: str) -> models.QuerySet[Breaker]:
    return Breaker.objects.filter(team_id=team_id, endpoint=_name(endpoint))


def _name(endpoint: str) -> str:
    return endpoint[:255]
