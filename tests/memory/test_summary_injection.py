"""An agent whose prompt begins with the summary in place of MEMORY.md."""

from memoryweb.agents.models import Reader
from memoryweb.llm.tokens import estimate
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Place, write_transaction
from memoryweb.memory.prompt.context import GUIDANCE, HEADING, build
from memoryweb.memory.writing.write import delete, write
from tests.memory.test_context import PERSON, save
from tests.world import World

TEA, OFFICE = "Ann drinks tea.", "The office closes at six."


def summed_up(world: World, text: str = f"# Memory summary\n\n- {TEA}\n- {OFFICE}\n") -> File:
    world.agent.injection = "summary"
    world.agent.save()
    memory = save(world, "MEMORY.md", f"# Memory\n\n- {TEA}\n- {OFFICE}\n")
    origins = {n: Origin((Source(memory.pk, memory.revision, n),)) for n in (3, 4)}
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "memory_summary.md")
        return write(tx, place, text, writer=PERSON, origins=origins).file


def test_the_summary_stands_as_guidance_where_memory_stood(world: World) -> None:
    summed_up(world)
    built = build(Reader(world.agent), "Hello")
    assert GUIDANCE + "--- memory_summary.md ---" in built.system
    assert TEA in built.system
    assert HEADING not in built.system
    assert "--- MEMORY.md ---" not in built.system


def test_what_memory_states_no_longer_is_not_given(world: World) -> None:
    summed_up(world)
    save(world, "MEMORY.md", f"# Memory\n\n- {OFFICE}\n")
    built = build(Reader(world.agent), "Hello")
    assert OFFICE in built.system
    assert TEA not in built.system


def test_without_a_summary_that_holds_it_is_memory(world: World) -> None:
    file = summed_up(world)
    save(world, "MEMORY.md", "# Memory\n\n- Ann rows.\n")
    assert "Ann rows." in build(Reader(world.agent), "Hello").system
    with write_transaction(world.team) as tx:
        delete(tx, file, writer=PERSON)
    assert "Ann rows." in build(Reader(world.agent), "Hello").system


def test_it_is_given_to_5_000_tokens(world: World) -> None:
    lines = "".join(f"- Order {n} is for {'very ' * 30}good tea.\n" for n in range(400))
    summed_up(world, f"# Memory summary\n\n{lines}")
    [one] = [it for it in build(Reader(world.agent), "Hello").shared if "summary" in it.file.path]
    assert 4_000 < estimate(one.rendered) <= 5_000
    assert one.cut


def test_an_agent_of_files_is_given_memory(world: World) -> None:
    summed_up(world)
    world.agent.injection = "files"
    assert "--- MEMORY.md ---" in build(Reader(world.agent), "Hello").system
