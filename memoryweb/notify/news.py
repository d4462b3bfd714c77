"""What a person may be told of a team: numbers alone. A mail lies in mailboxes where nothing can be
forgotten, so no word of a memory is ever in one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django_scopes import scope

from memoryweb.accounts.members import current_memberships
from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.permissions import Permission, can
from memoryweb.agents.models import Owner
from memoryweb.dreaming.models import Operation
from memoryweb.memory.review import Inbox, reach_of
from memoryweb.notify.models import MailNotice
from memoryweb.runs.models import Run

REMINDED = (25, 7)  # days; after 30 nobody decides any more


@dataclass(frozen=True)
class News:
    """Of one team, in what this person reads anyway: shared memory and their own."""

    team: Team
    learned: Mapping[str, int] = field(default_factory=dict)  # agent's name → statements
    waits: int = 0
    new: int = 0  # of those that wait
    reminders: Mapping[int, int] = field(default_factory=dict)  # days → how many wait that long now
    failed: int = 0

    @property
    def is_any(self) -> bool:
        return bool(self.learned or self.new or self.reminders or self.failed)


def of_all_teams(row: MailNotice, user: User, now: datetime) -> list[News]:
    """As the person's memberships and roles are now, since the last mail."""
    found = []
    for membership in current_memberships(user.pk, now):
        with scope(team=membership.team):
            news = _of(row, membership, now)
        if news.is_any:
            found.append(news)
    return found


def _of(row: MailNotice, membership: Membership, now: datetime) -> News:
    team, since = membership.team, row.told_until
    own = list(Owner.objects.filter(team=team, person=membership.user).values_list("pk", flat=True))
    return News(
        team,
        learned=_learned(team, own, since, now) if row.learned else {},
        failed=_failed(team, own, since, now) if row.failed else 0,
        **(_waiting(membership, own, since, now) if row.waits else {}),
    )


def _learned(team: Team, own: Sequence[UUID], since: datetime, now: datetime) -> dict[str, int]:
    done = Operation.objects.filter(
        _common("report__owner", own),
        team=team,
        code="",
        waits="",
        report__agent__archived_at=None,
        report__run__reverted_at=None,
        report__run__finished_at__gt=since,
        report__run__finished_at__lte=now,
    )
    counted = done.values_list("report__agent", "report__agent__name").annotate(n=Count("pk"))
    return {name: n for _agent, name, n in counted.order_by("report__agent__name")}


def _waiting(
    membership: Membership, own: Sequence[UUID], since: datetime, now: datetime
) -> dict[str, Any]:
    """Of what waits for so many days each mail tells once: it got so old since the last one."""
    rights = frozenset(one for one in Permission if can(membership.role, one))
    waiting = Inbox(membership.team, partial(reach_of, rights, own, ()))
    rows = waiting.rows()
    old = {
        days: rows.filter(
            since__gt=since - timedelta(days=days), since__lte=now - timedelta(days=days)
        ).count()
        for days in REMINDED
    }
    return {
        "waits": len(waiting),
        "new": rows.filter(since__gt=since, since__lte=now).count(),
        "reminders": {days: count for days, count in old.items() if count},
    }


def _failed(team: Team, own: Sequence[UUID], since: datetime, now: datetime) -> int:
    runs = Run.objects.filter(_common("owner", own), team=team, agent__archived_at=None)
    failed = runs.filter(status=Run.Status.FAILED, finished_at__gt=since, finished_at__lte=now)
    return failed.count()


def _common(owner: str, own: Sequence[UUID]) -> Q:
    """Shared memory, the system's and one's own."""
    return Q(**{owner: None}) | Q(**{f"{owner}__in": own}) | Q(**{f"{owner}__source": "system"})
