"""`memory_test`: exits with an error on a red test, and writes what build servers read."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.commands.calling import run
from tests.dreaming.nights import memory
from tests.memory.test_memory_tests import GUESTS, add
from tests.world import World

pytestmark = pytest.mark.django_db


def test_green_and_red(world: World, tmp_path: Path) -> None:
    junit = tmp_path / "tests.xml"
    asked = ("--team", world.team.slug, "--agent", world.agent.name, "--junit", str(junit))
    add(world, "Where do guests <park> & sleep?", GUESTS)
    failed = run("memory_test", *asked)
    assert failed.failure.startswith("0 of 1 memory tests pass.")
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert suite[0].get("name") == "Where do guests <park> & sleep?"
    memory(world, None, f"# Memory\n\n- {GUESTS}\n")
    assert run("memory_test", *asked).output.startswith("1 of 1 memory tests pass.")
    assert ElementTree.parse(junit).getroot().get("failures") == "0"
    told = run("memory_test", *asked, "--json")
    assert told.json["passed"] == 1


def test_a_file_that_cannot_be_written(world: World) -> None:
    asked = ("--team", world.team.slug, "--agent", world.agent.name, "--junit", "/nowhere/x.xml")
    assert "cannot be used" in run("memory_test", *asked).failure


def test_of_one_person(world: World) -> None:
    add(world, "Where do I live?", "Porto", owner=world.customer)
    team = ("--team", world.team.slug, "--agent", world.agent.name)
    assert run("memory_test", *team).output.startswith("0 of 0")
    assert run("memory_test", *team, "--owner", str(world.customer.pk)).failure
