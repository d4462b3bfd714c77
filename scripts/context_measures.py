"""What the recall benchmark measures of `/context`: how much of the evidence a prompt carries, and
whether memory is silent where it has no answer."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from django_scopes import scope

from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Reader
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.prompt.context import Context, build
from memoryweb.memory.search.engine import search
from scripts.recall_measures import FIRST, Question, lines, names_of, reader_of, taken

T = TypeVar("T")
FITTED = ("conv-26",)  # silence was fitted on it, and is told apart for the others
ROOMS = (6_000, 1_500)  # tokens of memory: a quarter of the window
EVERYDAY = Path(__file__).with_name("everyday_messages.txt")


@dataclass(frozen=True)
class Memory:
    """One conversation in a memory of its own."""

    name: str
    reader: Reader
    speakers: Sequence[str]
    questions: Sequence[Question]

    def build(self, message: str, room: int = ROOMS[0]) -> Context:
        with scope(team=self.reader.agent.team):
            return build(self.reader, message, window=4 * room)

    def nameless(self, question: str) -> str:
        names = "|".join(map(re.escape, self.speakers))
        return " ".join(re.sub(rf"\b(?:{names})(?:['’]s)?\b", "", question).split())

    def search(self, question: Question, text: str) -> bool:
        with scope(team=self.reader.agent.team):
            found = search(self.reader, text, limit=FIRST).hits
        return not question.evidence.isdisjoint(names_of(found))


def run(folder: Path) -> None:
    memories = [_memory(file) for file in sorted(folder.glob("*.messages.jsonl"))]
    everyday = [
        line for line in EVERYDAY.read_text("utf-8").splitlines() if line and line[0] != "#"
    ]
    print("/context, each conversation alone: evidence in the prompt, and silence")
    for memory in memories:
        _evidence(memory)
    for memory in memories:
        others = [other for other in memories if other is not memory]
        _silence(memory, others, everyday)


def _memory(file: Path) -> Memory:
    name = file.name.partition(".")[0]
    team = create_team(name=name, by=SYSTEM)
    with scope(team=team):
        agent, owner = reader_of(team)
        questions = list(taken(team, agent, owner, file))
    speakers = sorted({line["name"] for line in lines(file)})
    return Memory(name, Reader(agent, owner), speakers, questions)


def _evidence(memory: Memory) -> None:
    for room in ROOMS:
        given = [_given(memory.build(question.text, room)) for question in memory.questions]
        pairs = list(zip(given, memory.questions, strict=True))
        found = _share(pairs, lambda pair: bool(set(pair[0]) & pair[1].evidence))
        complete = _share(pairs, lambda pair: pair[1].evidence <= set(pair[0]))
        print(f"{memory.name:<10}{room:6} tokens of memory   any {found:.3f}   all {complete:.3f}")


def _silence(memory: Memory, others: Iterable[Memory], everyday: Sequence[str]) -> None:
    def is_silent(message: str) -> bool:
        return memory.build(message).is_silent

    def is_first(question: Question, text: str) -> bool:
        return bool(set(_given(memory.build(text))[:FIRST]) & question.evidence)

    asked = memory.questions
    foreign = [(one.text, other.nameless(one.text)) for other in others for one in other.questions]
    searched = _share(asked, lambda one: memory.search(one, one.text))
    searched_nameless = _share(asked, lambda one: memory.search(one, memory.nameless(one.text)))
    named = _share(asked, lambda one: is_first(one, one.text))
    nameless = _share(asked, lambda one: is_first(one, memory.nameless(one.text)))
    print(
        f"{memory.name:<10}{'fitted' if memory.name in FITTED else '':<7}"
        f"silent: everyday {_share(everyday, is_silent):.3f}"
        f"   others' questions {_share(foreign, lambda one: is_silent(one[0])):.3f}"
        f", without names {_share(foreign, lambda one: is_silent(one[1])):.3f}"
        f"   any@{FIRST}: search {searched:.3f}, prompt {named:.3f};"
        f" without names {searched_nameless:.3f}, {nameless:.3f}"
    )


def _given(context: Context) -> list[str]:
    return list(names_of(quoted.hit for quoted in context.hits))


def _share(of: Collection[T], holds: Callable[[T], bool]) -> float:
    return sum(map(holds, of)) / (len(of) or 1)
