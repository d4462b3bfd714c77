from datetime import UTC, date, datetime, time

import pytest

from memoryweb.agents.models import Agent, dream_time, next_dream_at, night_of


def _agent(zone: str = "Europe/Berlin", at: time = time(2, 0)) -> Agent:
    return Agent(time_zone=zone, dream_at=at)


def test_it_dreams_at_two_in_its_own_zone() -> None:
    assert dream_time(_agent("Asia/Tokyo"), date(2026, 11, 20)) == datetime(
        2026, 11, 19, 17, 0, tzinfo=UTC
    )


def test_the_night_that_skips_two_o_clock_has_one_dream() -> None:
    agent = _agent()
    moment = dream_time(agent, date(2026, 3, 29))
    assert moment == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)
    assert night_of(agent, moment) == date(2026, 3, 29)


def test_the_night_that_has_two_o_clock_twice_has_one_dream() -> None:
    agent = _agent()
    first = dream_time(agent, date(2026, 10, 25))
    following = next_dream_at(agent, first)
    assert first == datetime(2026, 10, 25, 0, 0, tzinfo=UTC)
    assert following == dream_time(agent, date(2026, 10, 26))


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Pacific/Apia"]
)
def test_every_night_of_two_years_has_its_moment_and_they_stand_in_order(zone: str) -> None:
    agent = _agent(zone)
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    seen = []
    for _ in range(730):
        following = next_dream_at(agent, moment)
        assert following is not None
        assert following > moment
        seen.append(night_of(agent, following))
        moment = following
    assert len(set(seen)) == 730


def test_an_agent_that_does_not_dream_has_no_next_dream() -> None:
    agent = _agent()
    agent.dreaming = False
    assert next_dream_at(agent, datetime(2026, 1, 1, tzinfo=UTC)) is None
