"""What commands say to people is whole sentences; what they say to programs, codes."""

from memoryweb.dreaming.schedule import request
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs.models import Run
from tests.commands.calling import run
from tests.world import World


def test_a_dream_without_notes_says_so_in_a_sentence(world: World) -> None:
    asked = ("dream", "--team", "harbour", "--agent", "Atlas", "--owner", "shared")
    said = run(*asked)
    assert "There were no notes to dream about." in said.output
    assert "no_notes" not in said.output
    assert run(*asked, "--json").json["runs"][0]["reason"] == "no_notes"


def test_worked_runs_are_told_with_their_reasons(world: World) -> None:
    with write_transaction(world.team) as tx:
        request(tx, Memory(world.agent, None), trigger=Run.Trigger.PERSON)
    said = run("run_pending").output
    assert "There were no notes to dream about." in said
    assert "no_notes" not in said
