"""How many statements stood, came and left, day by day."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Case, Count, DateField, Q, When
from django.db.models.functions import TruncDate

from memoryweb.accounts.models import Team
from memoryweb.memory.models import Fact

_CHANGED = Q(state=Fact.State.SUPERSEDED)
_GONE = Q(state__in=(Fact.State.EXPIRED, Fact.State.RETIRED))


@dataclass(frozen=True)
class Growth:
    """Statements by the day on which they came, were changed, or left; `before`: how many stood
    already."""

    before: int
    came: Counter[date]
    changed: Counter[date]
    left: Counter[date]

    def added(self, day: date) -> int:
        """Without those that took the place of another."""
        return max(0, self.came[day] - self.changed[day])


def growth(team: Team, which: Q, since: datetime, zone: ZoneInfo) -> Growth:
    """Of the memories that `which` lets through, in two statements."""
    over = _CHANGED | _GONE
    facts = Fact.objects.filter(which, team=team).exclude(state=Fact.State.PENDING)
    facts = facts.exclude(over, changed_at__lt=since)
    came: Counter[date] = Counter()
    changed: Counter[date] = Counter()
    left: Counter[date] = Counter()
    fresh = When(created_at__gte=since, then=TruncDate("created_at", tzinfo=zone))
    born = facts.annotate(day=Case(fresh, default=None, output_field=DateField()))
    before = 0
    for day, count in born.values_list("day").annotate(Count("pk")).order_by():
        if day:
            came[day] = count
        else:
            before = count
    ended = facts.filter(over, changed_at__gte=since)
    days = ended.annotate(day=TruncDate("changed_at", tzinfo=zone)).values_list("day").order_by()
    for day, replaced, gone in days.annotate(
        replaced=Count("pk", filter=_CHANGED), gone=Count("pk", filter=_GONE)
    ):
        changed[day], left[day] = replaced, gone
    return Growth(before, came, changed, left)
