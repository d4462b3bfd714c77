"""When an agent dreams: wall-clock time in its zone, one dream a local date (SPEC §5.1). Pure."""

from datetime import UTC, date, datetime, timedelta

from memoryweb.agents.models import Agent


def dream_time(agent: Agent, night: date) -> datetime:
    """The UTC moment of the dream of a local date.

    On the night that skips the hour the dream comes as much later as the clock jumped; on the
    night that has it twice the first one counts.
    """
    local = datetime.combine(night, agent.dream_at, tzinfo=agent.zone)
    return local.astimezone(UTC)


def night_of(agent: Agent, moment: datetime) -> date:
    """The local date of the latest dream time that is not after the moment."""
    today = moment.astimezone(agent.zone).date()
    return today if dream_time(agent, today) <= moment else today - timedelta(days=1)


def next_dream_at(agent: Agent, now: datetime) -> datetime | None:
    """The first dream time after now; None where the agent does not dream."""
    if not agent.dreaming or agent.archived_at is not None:
        return None
    today = now.astimezone(agent.zone).date()
    later = (dream_time(agent, today + timedelta(days=ahead)) for ahead in range(3))
    return next(moment for moment in later if moment > now)
