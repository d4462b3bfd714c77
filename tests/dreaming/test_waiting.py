from datetime import timedelta

from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.nights import dream_time
from memoryweb.dreaming.queries import waiting
from memoryweb.memory.agents import create_agent
from memoryweb.memory.transaction import write_transaction
from tests.dreaming.nights import NIGHT, dream, note
from tests.statements import statements
from tests.world import World

DURABLE, PASSING = "Marta's team ships on Thursdays.", "The lamp in the hall is red."


def waits(world: World, visible: Q | None = None) -> int:
    now = dream_time(world.agent, NIGHT + timedelta(days=1))
    return waiting([world.agent], visible or Q(), now).get(world.agent.pk, 0)


def test_blocks_that_no_dream_has_looked_at_wait(world: World) -> None:
    note(world, world.customer, NIGHT, DURABLE, PASSING)
    note(world, None, NIGHT, DURABLE)
    assert waits(world) == 3


def test_after_a_dream_only_what_it_kept_waits(world: World) -> None:
    note(world, world.customer, NIGHT, DURABLE)
    note(world, world.customer, NIGHT, PASSING, durable=False)
    dream(world, world.customer)
    assert waits(world) == 1


def test_what_is_added_to_a_note_after_its_dream_waits(world: World) -> None:
    note(world, world.customer, NIGHT, DURABLE)
    dream(world, world.customer)
    assert waits(world) == 0
    note(world, world.customer, NIGHT, PASSING, "The boat is in Porto.")
    assert waits(world) == 2


def test_a_note_that_has_left_the_window_waits_for_nothing(world: World) -> None:
    note(world, world.customer, NIGHT - timedelta(days=9), DURABLE)
    assert waits(world) == 0


def test_only_what_the_reader_may_know_of_is_counted(world: World) -> None:
    note(world, world.customer, NIGHT, DURABLE)
    note(world, None, NIGHT, DURABLE, PASSING)
    assert waits(world, Q(owner=None)) == 2


def test_it_takes_three_statements_for_any_number_of_agents(world: World) -> None:
    for number in range(5):
        with write_transaction(world.team) as work:
            create_agent(work, name=f"Agent {number}")
    note(world, world.customer, NIGHT, DURABLE)
    dream(world, world.customer)
    agents = list(world.team.agents.all())
    with CaptureQueriesContext(connection) as queries:
        waiting(agents, Q(), dream_time(world.agent, NIGHT))
    assert len(statements(queries)) == 3
