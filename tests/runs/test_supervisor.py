import pytest
from pytest_django import Settings

from memoryweb.runs.supervisor import Pulse, Watch

WAITS, WORKS = Pulse(True, False, (3, 5), False), Pulse(True, True, (3, 5), False)
IDLE = Pulse(False, False, (0, 0), False)
MOVES = Pulse(True, False, (2, 5), False)
LATE = Pulse(False, False, (0, 0), True)


@pytest.mark.parametrize(
    ("pulses", "is_stuck"),
    [
        ([WAITS], False),
        ([WAITS, WAITS, WAITS], True),
        ([WAITS, WAITS, MOVES], False),
        ([WAITS, WORKS, WAITS], False),
        ([WAITS, WORKS, WORKS, WORKS, WORKS], False),
        ([IDLE, IDLE, IDLE, IDLE], False),
        ([IDLE, IDLE, IDLE, WAITS], False),
        ([WAITS, None, None], True),
        ([None, IDLE, None], False),
        ([LATE], True),
    ],
)
def test_when_a_cluster_counts_as_stuck(
    settings: Settings, pulses: list[Pulse | None], is_stuck: bool
) -> None:
    """One look every 30 seconds, patience of 45."""
    settings.STUCK_SECONDS = 45
    watch = Watch(since=0)
    answers = [watch.is_stuck(pulse, 30 * number) for number, pulse in enumerate(pulses)]
    assert answers[-1] is is_stuck
    assert True not in answers[:-1]
