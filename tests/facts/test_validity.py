from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from memoryweb.memory.models import Fact
from memoryweb.memory.statements import validity

State = Fact.State
LAST = date(2026, 3, 14)


@pytest.mark.parametrize(
    ("zone", "now", "state"),
    [
        ("UTC", datetime(2026, 3, 14, 23, 59, tzinfo=UTC), State.ACTIVE),
        ("UTC", datetime(2026, 3, 15, tzinfo=UTC), State.EXPIRED),
        ("Europe/Berlin", datetime(2026, 3, 14, 22, 59, tzinfo=UTC), State.ACTIVE),
        ("Europe/Berlin", datetime(2026, 3, 14, 23, tzinfo=UTC), State.EXPIRED),
        ("America/Los_Angeles", datetime(2026, 3, 15, 6, 59, tzinfo=UTC), State.ACTIVE),
    ],
)
def test_a_last_day_ends_at_midnight_where_the_agent_is(
    zone: str, now: datetime, state: str
) -> None:
    fact = Fact(state=State.ACTIVE, valid_to=LAST)
    assert validity.state_on(fact, validity.today(now, ZoneInfo(zone))) == state


def test_what_has_no_last_day_and_what_is_history_keep_their_state() -> None:
    later = date(2030, 1, 1)
    assert validity.state_on(Fact(state=State.ACTIVE), later) == State.ACTIVE
    gone = Fact(state=State.RETIRED, valid_to=LAST)
    assert validity.state_on(gone, later) == State.RETIRED
