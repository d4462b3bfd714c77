"""What the recall benchmark measures."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.db import connection
from django_scopes import scope

from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.agents.owners import api_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import create_agent
from memoryweb.memory.conversations.messages import import_messages
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.search.engine import search

FIRST = 10
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True)
class Question:
    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Result:
    category: int
    any: bool
    all: bool


def run(folder: Path) -> None:
    """Each talk alone, with an agent of its own."""
    found: dict[str, list[Result]] = {}
    for file in sorted(folder.glob("*.messages.jsonl")):
        name = file.name.partition(".")[0]
        team = create_team(name=f"Recall of {name}", by=SYSTEM)
        with scope(team=team):
            agent, owner = reader_of(team)
            questions = list(taken(team, agent, owner, file))
            found[name] = [asked(Reader(agent, owner), question) for question in questions]
    results = [result for of in found.values() for result in of]
    print(f"Database: {connection.vendor}, {len(results)} questions, each talk alone")
    for name, of in {"all": results, **found}.items():
        report(name, of)
    for category, name in CATEGORIES.items():
        report(name, [result for result in results if result.category == category])


def reader_of(team: Team) -> tuple[Agent, Owner]:
    with write_transaction(team) as tx:
        agent = create_agent(tx, name="Listener")
        return agent, api_owner(team, create_integration(team=team, name="room", by=SYSTEM), "both")


def taken(team: Team, agent: Agent, owner: Owner, file: Path) -> Iterator[Question]:
    """Import a file's messages; its questions name them by conversation and id."""
    import_messages(
        lambda: write_transaction(team),
        agent=agent,
        find_owner=lambda: owner,
        open_file=lambda: _opened(file),
    )
    homes = {line["id"]: line["conversation"] for line in lines(file)}
    for line in lines(file.with_name(file.name.replace(".messages.", ".questions."))):
        evidence = frozenset(f"{homes[key]}/{key}" for key in line["evidence"] if key in homes)
        if evidence:
            yield Question(line["question"], line["category"], evidence)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    with file.open("rb") as stream:
        yield stream


def lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def asked(reader: Reader, question: Question) -> Result:
    hits = search(reader, question.text, limit=FIRST).hits
    found = names_of(hits).keys()
    return Result(question.category, bool(found & question.evidence), question.evidence <= found)


def names_of(hits: Iterable[Hit]) -> dict[str, None]:
    """The messages among them, in their order, as questions name them."""
    return {
        f"{hit.message.conversation.external_id}/{hit.message.external_id}": None
        for hit in hits
        if hit.message
    }


def report(name: str, results: list[Result]) -> None:
    count = len(results) or 1
    found, complete = sum(r.any for r in results), sum(r.all for r in results)
    print(
        f"{name:<14}{len(results):5} questions"
        f"   any@{FIRST} {found / count:.3f}   all@{FIRST} {complete / count:.3f}"
    )
