"""Sixty texts by every way of writing, by tokens that nobody let write what is shared: none of them
ever stands in a prompt that others are given, until a person accepts it."""

import json
from itertools import cycle

import pytest

from memoryweb.agents.models import Agent, Reader
from memoryweb.memory.prompt import context
from memoryweb.memory.search.engine import search
from tests.mcp.client import Mcp
from tests.snapshot import restored
from tests.stories.poison import MARK, POISON
from tests.walls.token_ways import BY_FILE, BY_ITSELF, GUARDED, Attacker, furnish
from tests.world import World, integration_token, personal_token

WAYS = (*BY_FILE, *BY_ITSELF)
TEXTS = tuple(text for text in POISON if text.isprintable())


@pytest.fixture
def attackers(world: World) -> list[Attacker]:
    """Of a member, of an admin, and of a program; owners are not kept apart."""
    return restored("attackers", lambda: _attackers(world))


def _attackers(world: World) -> list[Attacker]:
    Agent.objects.filter(team=world.team).update(owner_isolation=False)
    furnish(world)
    people = (world.bob, world.alice)
    secrets = [personal_token(world.team, one, act_as_person=False) for one in people]
    return [Attacker(world, one) for one in (*secrets, integration_token(world.integration))]


def poisoned(world: World) -> list[str]:
    """Where everybody is given it: system prompts, and what MCP's clients load by themselves."""
    places = {}
    for reader in (world.bobs_memory, world.customer, world.sender):
        served = context.build(Reader(world.agent, reader), "Good morning")
        turns = [one.content for one in served.messages if one.role == "system"]
        places[f"prompt of {reader}"] = "\n".join([served.system, *turns])
        places[f"memory of {reader}"] = "\n".join(one.rendered for one in served.files)
    vera = personal_token(world.team, world.vera, act_as_person=False)
    mcp = Mcp(vera).as_host(agent=str(world.agent.pk))
    listed = mcp.modern("resources/list").json()["result"]["resources"]
    places["resources/list"] = json.dumps(listed, ensure_ascii=False)
    for one in listed:
        read = mcp.modern("resources/read", {"uri": one["uri"]}).json()["result"]["contents"]
        places[one["uri"]] = json.dumps(read, ensure_ascii=False)
    return [place for place, text in places.items() if MARK in text]


def _tries(by: Attacker, way: str, text: str, path: str) -> None:
    if way in BY_FILE:
        BY_FILE[way](by, text, path)
    else:
        BY_ITSELF[way](by, text)


@pytest.mark.parametrize("turn", range(3))
def test_no_token_puts_a_text_into_a_shared_prompt(
    world: World, attackers: list[Attacker], turn: int
) -> None:
    """Each way by one of them, and then a look at all that everybody is given."""
    for number in range(turn, len(WAYS), 3):
        _tries(attackers[turn], WAYS[number], TEXTS[number], GUARDED[number % len(GUARDED)])
    assert poisoned(world) == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_nor_any_of_sixty_into_any_of_its_files(
    world: World, attackers: list[Attacker], way: str
) -> None:
    found = {}
    for number, text in enumerate(TEXTS):
        by, path = attackers[number % 3], GUARDED[(number + number // 3) % len(GUARDED)]
        _tries(by, way, text, path)
        if places := poisoned(world):
            found[text, path, number % 3] = places
            furnish(world)
    assert found == {}


def test_what_stays_open_is_found_as_data(world: World, attackers: list[Attacker]) -> None:
    for by, text in zip(attackers, cycle(TEXTS[12:16])):
        assert by.put("letters.md", f"- {text}\n").status_code < 300
        assert by.tool("remember", content=text).status_code == 200
        assert by.tool("entry_write", name="House", content=text).status_code == 200
    hits = search(Reader(world.agent, world.customer), MARK, kinds=("file",)).hits
    assert len(hits) >= len(attackers)
