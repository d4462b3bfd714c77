"""What this process counts and adds to the tables once a minute, so that no request costs a
statement: requests with their seconds, prompts, and the calls of each team's programs, by which
quotas are kept. What a killed process had not written yet is lost.
"""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from threading import Lock
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from memoryweb.llm import usage
from memoryweb.runs.models import Metric

log = logging.getLogger(__name__)

_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
Key = tuple[str, str]


@dataclass
class _Calls:
    """Of a team's programs. `today` as the table had it, None before it was asked; `others`: what
    other processes had added to it in the minute before."""

    minute: int = 0
    in_minute: int = 0
    today: int | None = None
    others: int = 0


_lock = Lock()
_counts: dict[Key, tuple[int, float]] = {}
_fresh: Counter[tuple[UUID, date]] = Counter()
_calls: dict[UUID, _Calls] = {}
_is_of = date.min  # whose day `today` is


def count(name: str, label: str = "", amount: float = 0) -> None:
    with _lock:
        _add((name, label), 1, amount)


def served(method: str, route: str, status: int, seconds: float) -> None:
    """A request, by the pattern of its address."""
    method = method if method in _METHODS else "OTHER"
    count("requests", f"{method} /{route} {status // 100}xx", seconds)


def call(team_id: UUID, a_minute: int | None, a_day: int | None) -> float:
    """Counts a call; or the seconds until there may be one, where there were as many already."""
    now = timezone.now().astimezone(UTC)
    minute = int(now.timestamp()) // 60
    with _lock:
        known, fresh = _known(team_id, now), (team_id, now.date())
        if known.minute != minute:
            known.minute, known.in_minute = minute, 0
        if a_day is not None and (known.today or 0) + _fresh[fresh] >= a_day:
            return 86_400 - (now.hour * 60 + now.minute) * 60 - now.second
        if a_minute is not None and known.in_minute + known.others >= a_minute:
            return 60 - now.second
        known.in_minute += 1
        _fresh[fresh] += 1
    return 0


def write() -> None:
    """Once a minute. What could not be written is kept for the next time."""
    now = timezone.now().astimezone(UTC)
    with _lock:
        counts, fresh, teams = _counts.copy(), _fresh.copy(), list(_calls)
    try:
        with transaction.atomic():
            _save(counts)
            usage.add_requests(fresh)
        today = usage.on_day(now.date(), teams)
    except DatabaseError:
        log.warning("What was counted could not be written.")
        return
    with _lock:
        for key, (times, amount) in counts.items():
            _add(key, -times, -amount)
        _fresh.subtract(fresh)
        for team_id, (total, _tokens) in today.items():
            known = _known(team_id, now)
            own = fresh[team_id, now.date()]
            before = total - own if known.today is None else known.today
            known.others, known.today = max(0, total - before - own), total


def _known(team_id: UUID, now: datetime) -> _Calls:
    global _is_of
    if now.date() != _is_of:
        _is_of = now.date()
        _calls.clear()
        for before in [one for one, times in _fresh.items() if not times]:
            del _fresh[before]
    return _calls.setdefault(team_id, _Calls())


def _add(key: Key, times: int, amount: float) -> None:
    before, total = _counts.get(key, (0, 0.0))
    _counts[key] = before + times, total + amount


def _save(counts: Mapping[Key, tuple[int, float]]) -> None:
    """In one order, so that two processes never wait for each other."""
    fresh = sorted(key for key, (times, _amount) in counts.items() if times)
    rows = [Metric(name=name, label=label) for name, label in fresh]
    Metric.objects.bulk_create(rows, ignore_conflicts=True)
    for row in rows:
        times, amount = counts[row.name, row.label]
        same = Metric.objects.filter(name=row.name, label=row.label)
        same.update(count=F("count") + times, sum=F("sum") + amount)
