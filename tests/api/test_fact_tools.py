"""The tools that ask for statements, and those of `structured/`."""

from collections.abc import Callable
from typing import Any

import pytest

from memoryweb.memory.models import AuthorKind, Contradiction, Fact, InjectedSpan
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.api.callers import Callers
from tests.facts.asking import NEWER, OLDER, ask
from tests.world import World

CUSTOMER = {"endUserId": "customer-1"}
MEMORY = """# Memory

- Lives in Lisbon.
- Allergic to walnuts.
- Her brother Otto keeps bees in Sintra.
- Otto is allergic to cats.
"""
Tool = Callable[..., dict[str, Any]]


@pytest.fixture
def tool(world: World, callers: Callers) -> Tool:
    def call(name: str, expected: int = 200, **body: Any) -> dict[str, Any]:
        address = f"/agents/{world.agent.pk}/tools/{name}"
        response = callers.helpdesk.post(address, {**CUSTOMER, **body})
        assert response.status_code == expected, response.content
        answer: dict[str, Any] = response.json()
        return answer

    return call


@pytest.fixture(autouse=True)
def _memory(world: World) -> None:
    save(world, MEMORY)


def save(world: World, text: str, path: str = "MEMORY.md", *, ours: bool = True) -> None:
    place = Place(world.agent, world.customer if ours else world.sender, path)
    with write_transaction(world.team) as tx:
        write(tx, place, text, writer=Writer(AuthorKind.PERSON))


def test_the_best_answer_comes_first_and_what_has_nothing_to_do_with_it_does_not(
    tool: Tool,
) -> None:
    answer = tool("fact_search", query="What is she allergic to, walnuts?")
    assert [one["text"] for one in answer["facts"]] == [
        "Allergic to walnuts.",
        "Otto is allergic to cats.",
    ]
    first, second = answer["facts"]
    assert (answer["count"], first["filename"]) == (2, "MEMORY.md")
    assert 1 >= first["relevance"] > second["relevance"] > 0
    assert tool("fact_search", query="banana bread")["facts"] == []


def test_of_two_that_answer_alike_the_trusted_one_comes_first(world: World, tool: Tool) -> None:
    save(world, f"{MEMORY}- Plays the cello at home.\n- Plays the cello at church.\n")
    Fact.objects.filter(raw_text__startswith="Plays the cello").update(source="agent")
    Fact.objects.filter(raw_text="Plays the cello at church.").update(
        confirmed_at="2026-11-20T09:00:00Z"
    )
    texts = [one["text"] for one in tool("fact_search", query="Who plays the cello?")["facts"]]
    assert texts == ["Plays the cello at church.", "Plays the cello at home."]


def test_what_has_no_room_in_a_file_is_found(world: World, tool: Tool) -> None:
    Fact.objects.filter(raw_text__startswith="Her brother").update(file=None)
    (one,) = tool("fact_search", query="Who keeps bees?")["facts"]
    assert (one["text"], one["filename"]) == ("Her brother Otto keeps bees in Sintra.", None)


@pytest.mark.parametrize(
    "change",
    [
        {"state": "superseded"},
        {"state": "pending"},
        {"hidden_at": "2026-11-20T09:00:00Z"},
        {"corrected_at": "2026-11-20T09:00:00Z"},
        {"valid_to": "2020-01-01"},
    ],
)
def test_what_does_not_hold_is_told_to_nobody(
    world: World, tool: Tool, change: dict[str, str]
) -> None:
    Fact.objects.filter(raw_text="Lives in Lisbon.").update(**change)
    assert tool("fact_search", query="Does she live in Lisbon?")["facts"] == []
    assert tool("fact_probe", entity="Lisbon")["facts"] == []


def test_what_is_to_be_forgotten_is_told_to_nobody(tool: Tool) -> None:
    (one,) = tool("fact_search", query="walnuts")["facts"]
    tool("forget", ids=[one["id"]])
    assert tool("fact_search", query="walnuts")["facts"] == []


def test_probing_lists_what_is_known_of_a_name(tool: Tool) -> None:
    texts = {one["text"] for one in tool("fact_probe", entity="Otto")["facts"]}
    assert texts == {"Her brother Otto keeps bees in Sintra.", "Otto is allergic to cats."}


def test_another_owners_statements_are_out_of_reach(world: World, tool: Tool) -> None:
    save(world, "- Keeps a tame raven.\n", ours=False)
    save(world, "- **raven**: tame\n", "structured/pets.md", ours=False)
    assert tool("fact_search", query="tame raven")["facts"] == []
    assert tool("fact_probe", entity="raven")["facts"] == []
    assert tool("recall_structured")["entries"] == []


def test_what_is_given_counts_as_given(world: World, tool: Tool) -> None:
    tool("fact_search", query="walnuts")
    span = InjectedSpan.objects.get()
    assert (span.file and span.file.path, span.first_line) == ("MEMORY.md", 4)


def test_contradictions_come_with_their_sides(world: World, tool: Tool) -> None:
    assert tool("fact_list_contradictions")["contradictions"] == []
    found = Contradiction.objects.create(
        team=world.team, agent=world.agent, owner=world.customer, key="k"
    )
    Fact.objects.filter(raw_text__contains="llergic").update(contradiction=found, state="disputed")
    (one,) = tool("fact_list_contradictions")["contradictions"]
    assert one["question"] == ""
    assert {side["text"] for side in one["facts"]} == {
        "Allergic to walnuts.",
        "Otto is allergic to cats.",
    }


def test_a_question_comes_as_its_person_is_asked(world: World, tool: Tool) -> None:
    found = ask(world, world.customer)
    (one,) = tool("fact_list_contradictions")["contradictions"]
    asked = f"You said “{NEWER[:-1]}” (2 Oct). Is “{OLDER[:-1]}” (28 Sep) still true?"
    assert (one["id"], one["question"]) == (str(found.pk), asked)
    assert [side["text"] for side in one["facts"]] == [OLDER, NEWER]


def test_values_are_remembered_recalled_and_forgotten_by_type_and_key(tool: Tool) -> None:
    tool("remember_structured", type="stay", key="Check-in", value="from 15:00")
    tool("remember_structured", type="stay", key="Floor", value="high", heading="Room")
    tool("remember_structured", type="stay", key="Check-in", value="from 16:00")
    entries = tool("recall_structured", type="stay")["entries"]
    assert {(one["key"], one["value"], one["heading"]) for one in entries} == {
        ("Check-in", "from 16:00", ""),
        ("Floor", "high", "Room"),
    }
    (one,) = tool("recall_structured", key="Floor")["entries"]
    assert (one["type"], one["filename"]) == ("stay", "structured/stay.md")
    answer = tool("forget_structured", type="stay", key="Floor")
    assert [place["id"] for place in answer["hidden"]] == [one["fact"]]
    assert tool("recall_structured", key="Floor")["entries"] == []
    tool("forget_structured", expected=404, type="stay", key="Floor")


@pytest.mark.parametrize("kind", ["../x", "a/b", "", "x" * 61])
def test_a_type_is_a_plain_name(tool: Tool, kind: str) -> None:
    tool("remember_structured", expected=400, type=kind, key="a", value="b")
