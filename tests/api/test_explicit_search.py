"""Whoever searches is given the best that is there, however little of a question it answers; where
no word of it occurs, nothing. Silence by relevance is for prompts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from django_scopes import scope

from memoryweb.agents.models import Reader
from memoryweb.memory.models import AuthorKind, Fact
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt.context import build
from memoryweb.memory.writing.write import write
from tests.api.callers import Callers
from tests.api.client import Api
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.world import World

SAID = (
    "My sister Clara teaches maths at a school in Utrecht.",
    "We moved to Porto with our two cats in March.",
    "I'm allergic to walnuts and can't eat shellfish.",
    "The landlord raised the rent to 1,610 euros.",
    "I play the viola in an amateur orchestra every Wednesday.",
    "Our daughter Mia starts school after the summer.",
    "My shoe size is 43, wide fit.",
    "Please answer in short sentences without emojis.",
    "I take 50 mg of sertraline in the morning.",
    "My boss Henrik wants the quarterly report by Friday noon.",
    "The car is a blue Volvo, and the insurance runs out in May.",
    "I was born in Accra and grew up in Leeds.",
    "Dr. Nowak is my dentist, the practice is next to the tram stop.",
    "I quit smoking two years ago.",
    "My brother-in-law Sam owes me 200 euros.",
    "I go to physiotherapy for my left knee.",
    "We book our holidays on the island of Texel.",
    "The wifi router stands behind the bookshelf.",
    "I'd like to learn Portuguese before Christmas.",
    "My mother's birthday is on the 9th of June.",
)
# As people ask: with words that memory doesn't have around the one that it has.
ASKED = (
    ("What does my sister do for a living again?", 0),
    ("Can you remind me in which city we ended up after we moved?", 1),
    ("I'm cooking for guests tonight, which ingredients am I allergic to?", 2),
    ("How much money goes to my landlord each month these days?", 3),
    ("Which instrument do I play when I'm not at the office?", 4),
    ("What's the name of my little daughter?", 5),
    ("I want to order boots online, what's my shoe size?", 6),
    ("How should you answer me, in long or in short texts?", 7),
    ("Do I take any medication that the doctor should know about?", 8),
    ("When is that paperwork due that my boss keeps asking for?", 9),
    ("What colour was the car we bought second-hand?", 10),
    ("Where was I born, before my parents emigrated?", 11),
    ("Who's that dentist whose number I keep losing?", 12),
    ("Have I ever been smoking cigarettes regularly?", 13),
    ("Does anybody in the family still have euros of mine to pay back?", 14),
    ("What kind of treatment did they prescribe for my knee pain?", 15),
    ("Where do we usually spend our holidays with the children?", 16),
    ("I can't find the wifi box anywhere, any idea?", 17),
    ("Which language did I plan to learn this winter, remind me?", 18),
    ("On which date should I call for my mother's special day?", 19),
    (
        "Last week a colleague recommended some quiet wooden bungalows behind the dunes, with a"
        " sauna and breakfast included, and I wondered whether that is anywhere near the place"
        " where we always rent something for the holidays, do you happen to know?",
        16,
    ),
)
NEVER = ("Which telescope did grandfather's neighbour assemble?", "wo parkt das Fahrrad?")
Door = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Search:
    """Of one end user's memory, by each of the ways that programs have."""

    api: Api
    agent: str

    def page(self, question: str) -> Iterator[str]:
        asked = urlencode({"q": question, "owner": "api:customer-1"})
        found = self.api.get(f"/agents/{self.agent}/workspace/search?{asked}").json()
        return (hit["snippet"] for hit in found["hits"])

    def tool(self, name: str, question: str) -> dict[str, Any]:
        body = {"query": question, "endUserId": "customer-1"}
        answer: dict[str, Any] = self.api.post(f"/agents/{self.agent}/tools/{name}", body).json()
        return answer

    def lines(self, name: str, hits: str, question: str) -> Iterator[str]:
        for hit in self.tool(name, question)[hits]:
            assert 0 < hit["relevance"] <= 1
            yield hit.get("snippet") or hit["text"]

    def mem0(self, question: str) -> Iterator[str]:
        asked = {"query": question, "filters": {"user_id": "customer-1"}}
        found = Mem0(self.api.token, self.agent)("POST", "/v3/memories/search/", asked)
        return (hit["memory"] for hit in found["results"])

    def mcp(self, question: str) -> Iterator[str]:
        host = Mcp(self.api.token).as_host(agent=self.agent, owner="api:customer-1")
        found = host.call("memory_search", query=question)["structuredContent"]
        return (hit["snippet"] for hit in found["results"])


@pytest.fixture
def doors(world: World, callers: Callers) -> dict[str, Door]:
    text = "".join(f"- {one}\n" for one in SAID)
    with write_transaction(world.team) as tx:
        for path in ("MEMORY.md", "memory/2026-11-19.md"):
            place = Place(world.agent, world.customer, path)
            write(tx, place, f"# Memory\n\n{text}", writer=Writer(AuthorKind.AGENT))
    search = Search(callers.helpdesk, str(world.agent.pk))
    return {
        "API": search.page,
        "search_workspace_memory": partial(search.lines, "search_workspace_memory", "hits"),
        "memory_search": partial(search.lines, "memory_search", "entries"),
        "fact_search": partial(search.lines, "fact_search", "facts"),
        "mem0": search.mem0,
        "MCP memory_search": search.mcp,
    }


def test_every_door_answers_what_people_ask(doors: dict[str, Door]) -> None:
    missed = {
        name: [question for question, number in ASKED if not _is_told(SAID[number], ask(question))]
        for name, ask in doors.items()
    }
    assert missed == {name: [] for name in doors}


def test_none_answers_where_no_word_of_it_occurs(doors: dict[str, Door]) -> None:
    given = {name: [*ask(question)] for name, ask in doors.items() for question in NEVER}
    assert not any(given.values()), given


def test_a_prompt_stays_silent_where_little_of_a_question_is_answered(
    world: World, doors: dict[str, Door]
) -> None:
    """Of statements that stand in no file of the prompt."""
    question = ASKED[-1][0]
    Fact.objects.update(file=None)
    with scope(team=world.team):
        assert build(Reader(world.agent, world.customer), question).is_silent
    assert _is_told(SAID[16], doors["fact_search"](question))


def _is_told(said: str, given: Iterable[str]) -> bool:
    return any(said[:40] in text for text in given)
