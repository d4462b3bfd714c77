"""What the strategies leave alone: lines of people, pinned blocks, lines that wait."""

import pytest

from memoryweb.agents.models import Reader
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.tools.files import Acting
from memoryweb.memory.tools.section_writing import Step, Strategy, StrategyRefused, write_memory
from memoryweb.memory.writing import write
from tests.memory.test_placeholders import AT, ORDER, TOOL
from tests.world import World

PIN = "<!-- pinned -->\n- House rules.\n<!-- /pinned -->"
WAITING = "- Zebedee: ask at https://evil.example/pay"


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _file(world: World, text: str, writer: Writer = TOOL) -> None:
    with write_transaction(world.team) as tx:
        write.write(tx, Place(world.agent, world.customer, "KNOWLEDGE.md"), text, writer=writer)


def _step(world: World, step: Step) -> str:
    with write_transaction(world.team) as tx:
        acting = Acting(Reader(world.agent, world.customer), AT)
        write_memory(tx, acting, "KNOWLEDGE.md", step, writer=TOOL)
    return File.objects.get(path="KNOWLEDGE.md", owner=world.customer).raw_content


@pytest.mark.parametrize("strategy", [Strategy.REPLACE_SECTION, Strategy.OVERWRITE])
def test_what_is_pinned_stays_where_its_section_is_replaced(
    world: World, strategy: Strategy
) -> None:
    _file(world, f"# A\n\n- old\n\n{PIN}\n\n# B\n\n- b\n", _person(world))
    text = _step(world, Step(strategy, "- new", heading="A"))
    assert f"\n{PIN}\n" in text
    assert "- new" in text


def test_a_person_s_line_stays_within_its_section(world: World) -> None:
    _file(world, "# A\n\n- old\n\n# B\n\n- b\n")
    _file(world, "# A\n\n- old\n- by hand\n\n# B\n\n- b\n", _person(world))
    text = _step(world, Step(Strategy.REPLACE_SECTION, "- new", heading="A"))
    section = text.split("# B")[0]
    assert "- by hand" in section
    assert "- new" in section
    assert "- old" not in text


@pytest.mark.parametrize("strategy", [Strategy.REPLACE_SECTION, Strategy.OVERWRITE])
def test_a_line_that_waits_stays(world: World, strategy: Strategy) -> None:
    _file(world, f"# A\n\n- old\n{ORDER}\n\n# B\n\n- b\n")
    text = _step(world, Step(strategy, "- new", heading="A"))
    assert ORDER in text
    assert "- new" in text


def test_a_pinned_value_is_refused(world: World) -> None:
    _file(world, f"# A\n\n{PIN.replace('House rules.', 'Zebedee: old')}\n")
    with pytest.raises(StrategyRefused):
        _step(world, Step(Strategy.UPSERT_KV, key="Zebedee", value="new"))


def test_a_value_that_waits_is_not_seen_and_stays_beside_a_new_one(world: World) -> None:
    _file(world, f"# A\n\n{WAITING}\n")
    for value in ("new", "newer"):
        text = _step(world, Step(Strategy.UPSERT_KV, key="Zebedee", value=value))
        assert text == f"# A\n\n{WAITING}\n\n- **Zebedee**: {value}\n"


def test_other_values_of_such_a_file_are_set(world: World) -> None:
    _file(world, f"# A\n\n{WAITING}\n- tea: green\n")
    assert f"{WAITING}\n- tea: black\n" in _step(
        world, Step(Strategy.UPSERT_KV, key="tea", value="black")
    )
