"""A team's tokens and money of the day: reserved before a call, settled after it, never overdrawn.

One UPDATE with its own condition decides, so two workers cannot both take the last tokens. What a
killed worker has reserved stays taken until midnight UTC: rather too few calls than too many.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, OuterRef, Subquery, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.llm.exceptions import BreakerOpen, BudgetSpent
from memoryweb.llm.models import Breaker, ChatUsage, TeamModel, Usage

_NEARLY = 0.8


@dataclass
class TokenSpend:
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


Price = Callable[[int, int], int]  # of tokens in and out, in micros


@dataclass(frozen=True)
class Today:
    """What a team has used today, and how much it may; `most_micros` None: whatever it costs, or
    nothing was asked yet."""

    used: int
    reserved: int
    limit: int
    micros: int = 0
    reserved_micros: int = 0
    most_micros: int | None = None
    requests: int = 0

    @property
    def is_spent(self) -> bool:
        is_paid_out = (
            self.most_micros is not None and self.micros + self.reserved_micros >= self.most_micros
        )
        return self.used + self.reserved >= self.limit or is_paid_out

    @property
    def is_nearly_spent(self) -> bool:
        is_paid_out = self.most_micros is not None and self.micros >= _NEARLY * self.most_micros
        return self.used >= _NEARLY * self.limit or is_paid_out

    @property
    def cost(self) -> float:
        return self.micros / 1_000_000

    @property
    def most_cost(self) -> float | None:
        return None if self.most_micros is None else self.most_micros / 1_000_000


def today(team_id: UUID, limit: int | None = None) -> Today:
    most = settings.DAILY_TOKENS if limit is None else limit
    limits = TeamModel.objects.filter(team_id=OuterRef("team_id")).values("daily_micros")
    rows = Usage.objects.filter(team_id=team_id, day=_day()).annotate(most=Subquery(limits))
    if (row := rows.first()) is None:
        return Today(0, 0, most)
    micros = row.cost_micros, row.reserved_micros, row.most
    return Today(row.used_in + row.used_out, row.reserved, most, *micros, row.requests)


def add_requests(made: Mapping[tuple[UUID, date], int]) -> None:
    days = sorted(day for day, times in made.items() if times)
    rows = [Usage(team_id=team_id, day=day) for team_id, day in days]
    Usage.objects.bulk_create(rows, ignore_conflicts=True)
    for team_id, day in days:
        same = Usage.objects.filter(team_id=team_id, day=day)
        same.update(requests=F("requests") + made[team_id, day])


def on_day(day: date, teams: Collection[UUID]) -> dict[UUID, tuple[int, int]]:
    """Calls of programs, and tokens of models."""
    rows = Usage.objects.filter(day=day, team_id__in=teams)
    return {row.team_id: (row.requests, row.used_in + row.used_out) for row in rows}


def total() -> TokenSpend:
    """Of all teams since the first day, with what it cost."""
    columns = {"tokens_in": "used_in", "tokens_out": "used_out", "cost_micros": "cost_micros"}
    found = Usage.objects.aggregate(**{name: Sum(column) for name, column in columns.items()})
    return TokenSpend(**{name: value or 0 for name, value in found.items()})


def free(_tokens_in: int, _tokens_out: int) -> int:
    return 0


@contextmanager
def reserved(
    team_id: UUID,
    tokens: int,
    limit: int | None = None,
    *,
    micros: int = 0,
    price: Price = free,
    chat_with: UUID | None = None,
) -> Iterator[TokenSpend]:
    """Fill in the Spent that it yields; raises BudgetSpent before anything was sent. `micros` is
    what the call may cost, `price` says what it did; `chat_with`: the agent that it is a chat
    with."""
    day, most = _day(), settings.DAILY_TOKENS if limit is None else limit
    _reserve(team_id, day, tokens, most, micros)
    spent = TokenSpend()
    try:
        yield spent
    finally:
        _settle(team_id, day, spent, price, tokens=tokens, micros=micros)
        if chat_with and (spent.tokens_in or spent.tokens_out):
            _add_chat(team_id, chat_with, day, spent, price)


def _most_micros(team_id: UUID) -> int | None:
    limits = TeamModel.objects.filter(team_id=team_id).values_list("daily_micros", flat=True)
    return limits.first()


def _reserve(team_id: UUID, day: date, tokens: int, limit: int, micros: int) -> None:
    # Durable: a reservation inside the caller's transaction would hold its locks over the call.
    with transaction.atomic(durable=True):
        Usage.objects.get_or_create(team_id=team_id, day=day)
        room = limit - tokens - F("used_in") - F("used_out")
        rows = Usage.objects.filter(team_id=team_id, day=day, reserved__lte=room)
        if micros and (most := _most_micros(team_id)) is not None:
            rows = rows.filter(reserved_micros__lte=most - micros - F("cost_micros"))
        taken = rows.update(
            reserved=F("reserved") + tokens, reserved_micros=F("reserved_micros") + micros
        )
    if not taken:
        raise BudgetSpent(
            _("The team's budget for today is used up. Work continues after midnight UTC."),
            retry_after=_until_midnight(),
        )


def _settle(
    team_id: UUID, day: date, spent: TokenSpend, price: Price, *, tokens: int, micros: int
) -> None:
    Usage.objects.filter(team_id=team_id, day=day).update(
        reserved=F("reserved") - tokens,
        used_in=F("used_in") + spent.tokens_in,
        used_out=F("used_out") + spent.tokens_out,
        reserved_micros=F("reserved_micros") - micros,
        cost_micros=F("cost_micros") + price(spent.tokens_in, spent.tokens_out),
    )


def _add_chat(team_id: UUID, agent_id: UUID, day: date, spent: TokenSpend, price: Price) -> None:
    row, _is_new = ChatUsage.objects.get_or_create(team_id=team_id, agent_id=agent_id, day=day)
    ChatUsage.objects.filter(pk=row.pk).update(
        asked=F("asked") + 1,
        used_in=F("used_in") + spent.tokens_in,
        used_out=F("used_out") + spent.tokens_out,
        cost_micros=F("cost_micros") + price(spent.tokens_in, spent.tokens_out),
    )


def _day() -> date:
    return timezone.now().astimezone(UTC).date()


def _until_midnight() -> float:
    now = timezone.now()
    midnight = datetime.combine(_day() + timedelta(days=1), datetime.min.time(), UTC)
    return (midnight - now).total_seconds()


# Five failures in a row and an endpoint is left alone for a quarter of an hour, a team at a time.
# Afterwards one call goes ahead as a trial; the others wait for what becomes of it.

FAILURES = 5
OPEN = timedelta(minutes=15)


def enter_breaker(team_id: UUID, endpoint: str, seconds: float) -> None:
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


def endpoint_failed(team_id: UUID, endpoint: str) -> bool:
    """Whether that has opened it, or left it open."""
    now = timezone.now()
    Breaker.objects.get_or_create(team_id=team_id, endpoint=_name(endpoint))
    _rows(team_id, endpoint).update(failures=F("failures") + 1)
    counted = _rows(team_id, endpoint).filter(failures__gte=FAILURES)
    return bool(counted.update(open_until=now + OPEN))


def endpoint_answered(team_id: UUID, endpoint: str) -> None:
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
