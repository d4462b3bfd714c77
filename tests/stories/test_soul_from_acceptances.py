"""How an agent shall behave, as people accept, confirm and reword it, comes to SOUL.md."""

from collections.abc import Mapping, Sequence

import pytest

from memoryweb.agents.models import Agent, Reader
from memoryweb.memory import soul
from memoryweb.memory.models import AuthorKind, Fact, File, Proposal
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt import context
from memoryweb.memory.writing.write import write
from tests.api.client import Api
from tests.dreaming.nights import NIGHT, dream, note
from tests.fences import parse
from tests.stories.telling import says
from tests.web.pages import url
from tests.world import World, integration_token, personal_token, signed_in

ORDER, OTHER = "Never promise a refund without a ticket number.", "Always sign with your name."
RULE = "Always escalate billing disputes to a human."


@pytest.fixture
def program(world: World) -> Api:
    return Api(personal_token(world.team, world.bob, act_as_person=False))


def _adds(world: World, program: Api, *texts: str) -> None:
    """Lines that a program puts into what all share, where each change waits for a person."""
    path = f"/agents/{world.agent.pk}/workspace/files/MEMORY.md?owner=shared"
    stands = program.get(path).json()["content"]
    content = stands + "".join(f"- {text}\n" for text in texts)
    assert program.put(path, {"content": content}).status_code == 202


def _decides(world: World, decision: str = "accept", state: str = "pending") -> None:
    for proposal in Proposal.objects.filter(file__path="MEMORY.md", state=state):
        address = url(world.team, "review_decide", "proposal", proposal.pk)
        signed_in(world.alice).post(address, {"decision": decision})


def _does(world: World, name: str, fact: Fact, data: Mapping[str, str] | None = None) -> None:
    address = url(world.team, f"agents_fact_{name}", world.agent.pk, fact.pk)
    assert signed_in(world.alice).post(address, data or {}).status_code == 302


def _facts(world: World) -> Sequence[Fact]:
    standing = Fact.objects.of(world.agent.pk, None).standing().living()
    return list(standing.filter(path="MEMORY.md").order_by("raw_text"))


def _proposed(world: World) -> set[str]:
    """The lines that wait for SOUL.md."""
    found = Proposal.objects.filter(file__path=soul.SOUL, file__agent=world.agent, state="pending")
    stands = File.objects.get(agent=world.agent, owner=None, path=soul.SOUL).raw_content
    lines = {line for one in found for line in one.raw_content.split("\n")}
    return {line[2:] for line in lines - set(stands.split("\n")) if line.startswith("- ")}


def _counted(world: World) -> int:
    return Agent.objects.get(pk=world.agent.pk).accepted_changes


def _rooms(count: int) -> list[str]:
    return [f"Room {n} has a view." for n in range(count)]


@pytest.mark.parametrize("is_personal", [True, False])
def test_what_a_program_proposed_and_a_person_accepted(
    world: World, program: Api, is_personal: bool
) -> None:
    _adds(world, program if is_personal else Api(integration_token(world.integration)), ORDER)
    _decides(world)
    assert _proposed(world) == set()
    _adds(world, program, *_rooms(19))
    _decides(world)
    assert _proposed(world) == {ORDER}


def test_one_at_a_time_the_last_one_too(world: World, program: Api) -> None:
    for line in (*_rooms(19), RULE):
        assert _proposed(world) == set()
        _adds(world, program, line)
        _decides(world)
    assert _proposed(world) == {RULE}


def test_what_a_dream_proposed_and_a_person_accepted(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy=Agent.Policy.REVIEW)
    world.agent.refresh_from_db()
    note(world, None, NIGHT, ORDER, *_rooms(20))
    dream(world, None)
    _decides(world)
    assert _proposed(world) == {ORDER}


def test_what_a_person_confirmed_last_or_put_in_other_words(world: World, program: Api) -> None:
    _adds(world, program, "Refunds need a ticket number.", OTHER, *_rooms(8))
    _decides(world)
    refunds = next(one for one in _facts(world) if one.raw_text.startswith("Refunds"))
    _does(world, "edit", refunds, {"text": ORDER})
    for fact in sorted(_facts(world), key=lambda one: one.raw_text == OTHER)[1:]:
        assert _proposed(world) == set()
        _does(world, "confirm", fact)
    assert _proposed(world) == {ORDER, OTHER}


def test_what_is_taken_back_counts_no_longer(world: World, program: Api) -> None:
    _adds(world, program, ORDER, *_rooms(9))
    for _turn in range(3):
        _decides(world)
        assert _counted(world) == 10
        _decides(world, "undo", "accepted")
        assert _counted(world) == 0
    assert _proposed(world) == set()


def test_what_a_program_wrote_by_itself_is_not_proposed(world: World, program: Api) -> None:
    """By a token of the same person who then accepts other lines."""
    _adds(world, program, *_rooms(20))
    _decides(world)
    file = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    with write_transaction(world.team) as tx:
        place = Place.of(file)
        write(
            tx,
            place,
            f"{file.raw_content}- {ORDER}\n",
            writer=Writer(AuthorKind.AGENT, user=world.alice),
        )
    assert ORDER in {fact.raw_text for fact in _facts(world)}
    _adds(world, program, *(f"Hall {n} has a stage." for n in range(20)))
    _decides(world)
    assert _counted(world) == 0
    assert _proposed(world) == set()


def test_said_by_a_member_it_is_given_as_data(world: World) -> None:
    """Only how somebody wants to be answered stands outside the block."""
    says(world, "c", ORDER, owner=world.bobs_memory)
    dream(world, world.bobs_memory)
    [fact] = Fact.objects.filter(owner=world.bobs_memory, raw_text=ORDER)
    assert fact.kind == "instruction"
    built = context.build(Reader(world.agent, world.bobs_memory), "May I promise a refund?")
    [turn] = [turn for turn in built.messages if ORDER in turn.content]
    assert turn.role == "user"
    assert any(ORDER in body for _name, body in parse(turn.content))
    assert ORDER not in built.system
