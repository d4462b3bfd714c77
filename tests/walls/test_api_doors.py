"""The API finds rows through the caller's team, and its lists ask as much for many as for few."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryweb import api
from memoryweb.agents.owners import channel_owner, person_owner
from memoryweb.memory.agents import create_agent
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.proposing import propose
from memoryweb.memory.writing.write import write
from tests.api.callers import callers_of
from tests.api.client import Api
from tests.walls.api_stage import dreamt, furnish
from tests.world import World

MODULES = sorted(Path(api.__file__).parent.rglob("*.py"))
LISTS = [
    "/agents",
    "/agents/{agent}/workspace/files",
    "/agents/{agent}/workspace/files/MEMORY.md/revisions",
    "/agents/{agent}/workspace/prompt-files",
    "/agents/{agent}/conversations",
    "/agents/{agent}/conversations/mine",
    "/agents/{agent}/proposals",
    "/memory/{agent}/dream/reports",
    "/owners",
    "/audit/events",
]
SAID = NewMessage(role="user", content="Good morning.")


@pytest.mark.parametrize("module", MODULES, ids=[module.name for module in MODULES])
def test_rows_are_found_through_an_authorised_parent(module: Path) -> None:
    if module.name != "models.py":
        assert not re.search(r"\b[A-Z]\w+\.(_default_manager|objects)\b", module.read_text())


def test_a_list_asks_as_much_for_many_rows_as_for_few(world: World) -> None:
    caller = callers_of(world).admin
    furnish(world.home)
    fill(world, 1)
    lists = [path.format(agent=world.agent.pk) for path in LISTS]
    few = {path: queries(caller, path) for path in lists}
    fill(world, 6)
    # The use of a token is noted once a minute, which can begin between two calls.
    more = {path: n for path in lists if (n := queries(caller, path)) > few[path]}
    assert [path for path in more if queries(caller, path) > few[path]] == []


def queries(caller: Api, path: str) -> int:
    caller.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert caller.get(path).status_code == 200
    return len(captured)


def fill(world: World, count: int) -> None:
    """That many more of everything that is listed."""
    writer = Writer(AuthorKind.PERSON, user=world.alice)
    me = person_owner(world.team, world.alice)
    with write_transaction(world.team) as tx:
        for number in range(count):
            name = f"{count}-{number}"
            create_agent(tx, name=f"Agent {name}")
            channel_owner(world.team, "slack", name)
            write(tx, Place(world.agent, None, f"{name}.md"), "Text.\n", writer=writer)
            memory = write(tx, Place(world.agent, None, "MEMORY.md"), f"- {name}\n", writer=writer)
            propose(
                tx,
                run=dreamt(world.home, None, "Text."),
                file=memory.file,
                content="Text.\n",
                origins={},
                broken=[],
            )
            dreamt(world.home, world.customer, "Text.")
            add_messages(
                tx,
                agent=world.agent,
                owner=me,
                conversation_id=f"mine-{name}",
                messages=[SAID],
            )
        add_messages(
            tx,
            agent=world.agent,
            owner=me,
            conversation_id="mine",
            messages=[SAID] * count,
        )
