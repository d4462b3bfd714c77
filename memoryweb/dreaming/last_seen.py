"""What somebody was told of an agent's dreams: marked where they look, and kept per person."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.models import Report, Seen
from memoryweb.dreaming.night_results import AgentNight, Reach, night_of_each
from memoryweb.dreaming.queries import day_of


def who(user: User | None, owner: Owner | None = None) -> dict[str, Any]:
    """A person is one, whichever of their accounts or the pages they use."""
    if user is None and owner is not None and owner.person_id:
        return {"user_id": owner.person_id, "owner_id": None}
    return {
        "user_id": user.pk if user else None,
        "owner_id": None if user or not owner else owner.pk,
    }


def mark(agents: Iterable[Agent], whose: dict[str, Any], at: datetime) -> None:
    """All that these agents did until then."""
    known = list(agents)
    if not any(whose.values()):
        return
    rows = [Seen(team_id=one.team_id, agent=one, at=at, **whose) for one in known]
    Seen.objects.bulk_create(rows, ignore_conflicts=True)
    Seen.objects.filter(agent__in=known, at__lt=at, **whose).update(at=at)


def last_night(agent: Agent, reach: Reach, whose: dict[str, Any]) -> AgentNight | None:
    """What the agent's last dream that a reader may read did."""
    reports = Report.objects.filter(reach("owner"), agent=agent, run__reverted_at=None)
    last = reports.select_related("run").order_by("-dreamt_at").first()
    if last is None:
        return None
    day = day_of(last.run)
    return night_of_each({agent: day}, open_to=reach, counted=None, whose=whose)[agent.pk]
