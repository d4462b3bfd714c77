"""What people accept about how an agent behaves is proposed for SOUL.md, every twenty changes."""

from django_scopes import scope

from memoryweb.agents.models import Agent, Owner
from memoryweb.memory import facts, soul
from memoryweb.memory.models import AuthorKind, File, Proposal
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.memory.writing.write import write
from tests.walls.api_stage import furnish
from tests.world import World

ORDER = "Always answer in German."
OTHER = "Never promise a refund."


def _remember(
    world: World, owner: Owner | None, *texts: str, by: AuthorKind = AuthorKind.PERSON
) -> None:
    content = "# Memory\n\n" + "".join(f"- {text}\n" for text in texts)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        write(tx, place, content, writer=Writer(by, user=world.alice))


def _confirm(world: World, owner: Owner | None = None) -> None:
    """Everything that stands there."""
    person = Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        for fact in world.agent.facts.filter(owner=owner, file__path="MEMORY.md"):
            facts.confirm(tx, fact, writer=person)


def _numbered(*texts: str, first: int = 1) -> tuple[str, ...]:
    """Twenty statements, of which these are instructions."""
    rooms = (f"Room {n} has a view." for n in range(first, first + soul.EVERY - len(texts)))
    return (*texts, *rooms)


def _waiting(world: World) -> list[Proposal]:
    with scope(team=world.team):
        return [*Proposal.objects.filter(file__path=soul.SOUL, state="pending")]


def test_after_twenty_accepted_changes_their_instructions_are_proposed(world: World) -> None:
    _remember(world, None, *_numbered(ORDER))
    _confirm(world)
    with scope(team=world.team):
        before = File.objects.get(agent=world.agent, owner=None, path=soul.SOUL)
    [proposal] = _waiting(world)
    new = set(proposal.raw_content.split("\n")) - set(before.raw_content.split("\n"))
    assert {f"- {ORDER}"} == {line for line in new if line.startswith("- ")}
    [source] = [one for packed in proposal.origins.values() for one in packed["sources"]]
    memory = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    assert source[:3] == [str(memory.pk), memory.revision, 3]
    assert "20 more changes" in proposal.broken[0]["detail"]
    assert ORDER not in before.raw_content


def test_fewer_changes_propose_nothing_and_confirming_twice_counts_once(world: World) -> None:
    _remember(world, None, *_numbered(ORDER)[:-1])
    for _turn in range(2):
        _confirm(world)
    assert _waiting(world) == []
    assert Agent.objects.get(pk=world.agent.pk).accepted_changes == soul.EVERY - 1


def test_what_nobody_vouched_for_and_what_is_anothers_is_not_proposed(world: World) -> None:
    _remember(world, world.customer, *_numbered(OTHER))
    _confirm(world, world.customer)
    assert Agent.objects.get(pk=world.agent.pk).accepted_changes == 0
    _remember(world, None, *_numbered(ORDER), "It rains.", by=AuthorKind.AGENT)
    person = Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        for fact in world.agent.facts.filter(owner=None, path="MEMORY.md").exclude(raw_text=ORDER):
            facts.confirm(tx, fact, writer=person)
    assert Agent.objects.get(pk=world.agent.pk).accepted_changes == 0
    assert _waiting(world) == []


def test_accepted_it_stands_in_the_file_and_rejected_it_is_not_proposed_again(
    world: World,
) -> None:
    _remember(world, None, *_numbered(ORDER, OTHER))
    _confirm(world)
    [proposal] = _waiting(world)
    with write_transaction(world.team) as tx:
        proposals.reject(tx, proposal, by=world.alice)
    _remember(world, None, *_numbered(first=100), ORDER, "Always sign with your name.")
    _confirm(world)
    [again] = _waiting(world)
    assert ORDER not in again.raw_content
    with write_transaction(world.team) as tx:
        written = proposals.accept(tx, again, by=world.alice)
    assert "## How to behave\n\n- Always sign with your name." in written.file.raw_content


def test_lines_of_an_accepted_proposal_count(world: World) -> None:
    stage = furnish(world.home)
    with write_transaction(world.team) as tx:
        proposal = Proposal.objects.select_related("file").get(pk=stage.proposal)
        proposals.accept(tx, proposal, by=world.alice)
    assert Agent.objects.get(pk=world.agent.pk).accepted_changes == 1
