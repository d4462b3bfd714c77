"""How much room a memory takes in the database: a message, and a person's night."""

import json
from datetime import UTC, date, datetime, time, timedelta
from unittest.mock import patch

from django.db import connection
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.extraction.requests import request
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from scripts.bench_pairs import DATA
from scripts.measures import COMMAND, agent_and_owner

MESSAGES, LENGTH = 4000, 138
FIRST, NIGHTS, LINES = date(2031, 3, 1), 16, 20
TALKED, A_DAY = 30, 39
WORDS = (
    *("harbour", "lamp", "tide", "ferry", "anchor", "kettle", "window", "garden", "letter"),
    *("copper", "basket", "river", "stone", "ladder", "candle", "market", "bridge", "winter"),
    *("orange", "pocket", "silver", "thunder", "velvet", "meadow"),
)


def run() -> None:
    team = create_team(name="Room", by=SYSTEM)
    with scope(team=team):
        said = _room_of_messages(team)
        night = _room_of_nights(team)
        talk = _room_of_talk(team) if DATA.is_dir() else None
    print(f"{f'A message of {LENGTH} characters':<48}{said:9.0f} bytes")
    print(f"{f'A night of a person with {LINES} new lines':<48}{night / 1000:9.1f} kB")
    if talk is not None:
        print(f"{f'A person and night with {A_DAY} messages':<48}{talk / 1000:9.1f} kB")


def _room_of_messages(team: Team) -> float:
    agent, owner = agent_and_owner(team, "messages")
    before = _size()
    for first in range(0, MESSAGES, 20):
        batch = [
            NewMessage(
                role="user" if number % 2 else "assistant",
                content=_text(number, LENGTH),
                timestamp=datetime(2031, 3, 1, 9, tzinfo=UTC) + timedelta(minutes=number),
            )
            for number in range(first, first + 20)
        ]
        with write_transaction(team) as tx:
            add_messages(tx, agent=agent, owner=owner, conversation_id=f"c{first}", messages=batch)
    return (_size() - before) / MESSAGES


def _room_of_nights(team: Team) -> float:
    """Of the second week: in the first the window of seven dates fills."""
    agent, owner = agent_and_owner(team, "nights")
    before = 0
    for number in range(NIGHTS):
        if number == NIGHTS // 2:
            before = _size()
        _night(team, agent, owner, FIRST + timedelta(days=number))
    return (_size() - before) / (NIGHTS - NIGHTS // 2)


def _night(team: Team, agent: Agent, owner: Owner, day: date) -> None:
    said = [
        NewLine(f"- 09:00 Mara said: {_text(day.toordinal() * LINES + n, 80)}.", Origin())
        for n in range(LINES)
    ]
    with write_transaction(team) as tx:
        place = Place(agent, owner, f"memory/{day.isoformat()}.md")
        door.append(tx, place, said, writer=Writer(AuthorKind.EXTRACTION))
    with write_transaction(team) as tx:
        night = day + timedelta(days=1)
        asked = schedule.request_night(tx, Memory(agent, owner), night, trigger=COMMAND).run
    engine.work(asked.pk)


def _room_of_talk(team: Team) -> float:
    """What people really said, from the second week on: messages, notes, and what each night makes
    of them."""
    files = sorted(DATA.glob("*.messages.jsonl"))
    said = [json.loads(line)["content"] for file in files for line in file.open(encoding="utf-8")]
    agent, owner = agent_and_owner(team, "talk")
    before, days = 0, TALKED
    with patch.object(timezone, "now") as now:
        for number in range(days):
            if number == days // 2:
                before = _size()
            start = datetime.combine(FIRST, time(9), UTC) + timedelta(days=number)
            now.return_value = start
            _talk(team, agent, owner, said[number * A_DAY : (number + 1) * A_DAY])
            now.return_value = start + timedelta(hours=20)  # past the hour of dreams
            schedule.tick(now.return_value)
            list(engine.run_pending())
    return (_size() - before) / (days - days // 2)


def _talk(team: Team, agent: Agent, owner: Owner, said: list[str]) -> None:
    """Three messages at a time, thirteen a conversation."""
    at = timezone.now()
    for first in range(0, len(said), 3):
        told = [
            NewMessage("user" if n % 2 == 0 else "assistant", said[n], timestamp=at)
            for n in range(first, min(first + 3, len(said)))
        ]
        talk = f"{at.date()} {first // 13}"
        with write_transaction(team) as tx:
            add_messages(tx, agent=agent, owner=owner, conversation_id=talk, messages=told)
    with write_transaction(team) as tx:
        run = request(tx, agent=agent, owner=owner, trigger=COMMAND, finished=True, immediate=True)
    if run is not None:
        engine.work(run.pk)


def _text(number: int, length: int) -> str:
    """Words in an order of its own for each number."""
    chosen = [WORDS[number * step % len(WORDS)] for step in range(1, 40)]
    return f"{number} {' '.join(chosen)}"[:length]


def _size() -> int:
    """Of the whole database, in bytes; pages that are free again do not count."""
    with connection.cursor() as cursor:
        if connection.vendor != "sqlite":
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
        numbers = []
        for name in ("page_count", "freelist_count", "page_size"):
            cursor.execute(f"PRAGMA {name}")
            numbers.append(int(cursor.fetchone()[0]))
    pages, free, size = numbers
    return (pages - free) * size
