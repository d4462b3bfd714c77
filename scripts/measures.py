"""What the benchmark measures. Each line is a name, a figure, and what it is compared with."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import api_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.extraction.requests import request
from memoryweb.memory.agents import create_agent
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.statements import statements

NIGHT = date(2031, 3, 9)
COMMAND = Run.Trigger.COMMAND


@dataclass(frozen=True)
class Measured:
    seconds: float
    statements: int


def run() -> None:
    team = create_team(name="Bench", by=SYSTEM)
    print(f"Database: {connection.vendor}")
    with scope(team=team):
        _saving(team)
        _changing(team)
        _hostile(team)
        _appending(team)
        _messages(team)
        few = _report("Dream over 7 notes of 4", _dream(team, "few", 4))
        _report("Dream over 7 notes of 40", _dream(team, "many", 40), few)
        for number in range(60):
            agent_and_owner(team, f"other {number}")
        _report("Dream over 7 notes of 4 beside 60 more agents", _dream(team, "beside", 4), few)


def _saving(team: Team) -> None:
    agent, _owner = agent_and_owner(team, "saving")
    line = "- A statement of some length about nobody in particular.\n"
    before = None
    for size in (10_000, 100_000):
        text = line * (size // len(line))
        for _turn in range(2):  # the first makes the file
            text = f"- first\n{text}"
            took = _measured(partial(_save, team, agent, f"s{size}.md", text))
        before = _report(f"Saving a file of {size // 1000} kB", took, before)


def _changing(team: Team) -> None:
    """Of a full file of many lines: each change beside the first save of it all."""
    agent, _owner = agent_and_owner(team, "changing")
    chosen = random.Random(1)
    words = ["".join(chosen.choices("etaoinshrdlucmf", k=6)) for _ in range(4000)]

    def line() -> str:
        return f"- {' '.join(chosen.choices(words, k=9))}."

    lines = [line() for _ in range(15_000)]
    save = partial(_save, team, agent, "changing.md")
    first = _report("A first save of 15,000 lines", _measured(lambda: save("\n".join(lines))))
    for name, at, to, count in (
        ("one line changed", 7_000, 7_001, 1),
        ("one line put in", 7_000, 7_000, 1),
        ("one line added", 15_001, 15_001, 1),
        ("all lines changed", 0, 15_002, 15_000),
    ):
        lines[at:to] = [line() for _ in range(count)]
        text = "\n".join(lines)
        _report(f"… {name}", _measured(partial(save, text)), first)


def _hostile(team: Team) -> None:
    """Texts made to take long, of one length and of twice that: 2 times is in proportion."""
    agent, _owner = agent_and_owner(team, "hostile")
    for name, part in (
        ("newlines", "\n"),
        ("empty headings", "# \n"),
        ("tiny blocks", "- a\n"),
        ("unclosed fences", "```\nx\n"),
        ("unclosed pins", "<!-- pinned -->\nx\n"),
        ("one line", "a"),
    ):
        before = None
        for size in (100_000, 200_000):
            save = partial(_save, team, agent, f"{name}-{size}.md", part * (size // len(part)))
            before = _report(f"{size // 1000} kB of {name}", _measured(save), before)


def _save(team: Team, agent: Agent, path: str, text: str) -> None:
    with write_transaction(team) as tx:
        write.write(tx, Place(agent, None, path), text, writer=Writer(AuthorKind.PERSON))


def _appending(team: Team) -> None:
    agent, owner = agent_and_owner(team, "appending")
    place = Place(agent, owner, f"memory/{NIGHT.isoformat()}.md")

    with write_transaction(team) as tx:
        for number in range(1000):
            said = [NewLine(f"- 09:00 Mara put lamp {number} on shelf {number % 7}.")]
            write.append(tx, place, said, writer=Writer(AuthorKind.EXTRACTION))
    file = File.objects.get(agent=agent, owner=owner, path=place.path)
    kept = sum(len(text) for text in file.revisions.values_list("raw_text", flat=True))
    times = (kept + len(file.raw_content)) / len(file.raw_content)
    print(f"{'A note of 1,000 appends, of the room of its text':<48}{times:9.2f} times")


def _messages(team: Team) -> None:
    agent, owner = agent_and_owner(team, "talk")
    said = [
        NewMessage(
            role="user" if number % 2 else "assistant",
            content=f"I moved box {number} to shelf {number // 7} because my brother asked for it.",
            id=f"m{number}",
            name="Mara",
            timestamp=datetime(2031, 3, 1, 9, tzinfo=UTC) + timedelta(minutes=number),
        )
        for number in range(1000)
    ]

    def send() -> None:
        with write_transaction(team) as tx:
            add_messages(tx, agent=agent, owner=owner, conversation_id="c", messages=said)

    def extract() -> None:
        with write_transaction(team) as tx:
            run = request(
                tx, agent=agent, owner=owner, trigger=COMMAND, finished=True, immediate=True
            )
        if run is not None:
            engine.work(run.pk)

    _report("A batch of 1,000 messages", _measured(send))
    _report("A batch of 1,000 known messages", _measured(send))
    _report("Extraction of 1,000 messages by the rules", _measured(extract))


def _dream(team: Team, name: str, lines: int) -> Measured:
    agent, owner = agent_and_owner(team, name)
    for ago in range(1, 8):
        day = NIGHT - timedelta(days=ago)
        said = [
            NewLine(f"- 09:00 Mara keeps {n} lamps in box {ago}-{n}.", Origin(durable=True))
            for n in range(lines)
        ]
        with write_transaction(team) as tx:
            place = Place(agent, owner, f"memory/{day.isoformat()}.md")
            write.append(tx, place, said, writer=Writer(AuthorKind.EXTRACTION))
    with write_transaction(team) as tx:
        run = schedule.request_night(tx, Memory(agent, owner), NIGHT, trigger=COMMAND).run
    return _measured(lambda: engine.work(run.pk))


def agent_and_owner(team: Team, name: str) -> tuple[Agent, Owner]:
    with write_transaction(team) as tx:
        agent = create_agent(tx, name=name)
        integration = create_integration(team=team, name=name, by=SYSTEM)
        return agent, api_owner(team, integration, "customer-1")


def _measured(act: Callable[[], object]) -> Measured:
    with CaptureQueriesContext(connection) as queries:
        started = time.perf_counter()
        act()
        seconds = time.perf_counter() - started
    return Measured(seconds, len(statements(queries)))


def _report(name: str, measured: Measured, before: Measured | None = None) -> Measured:
    ratio = f"  {measured.seconds / before.seconds:5.2f} times" if before else ""
    print(f"{name:<48}{measured.seconds * 1000:9.1f} ms{measured.statements:6} statements{ratio}")
    return measured
