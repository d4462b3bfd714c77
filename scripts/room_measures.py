"""How much room a memory takes in the database: a message, and a person's night."""

from datetime import UTC, date, datetime, timedelta

from django.db import connection
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from scripts.measures import COMMAND, agent_and_owner

MESSAGES, LENGTH = 4000, 138
FIRST, NIGHTS, LINES = date(2031, 3, 1), 16, 20
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
    print(f"{f'A message of {LENGTH} characters':<48}{said:9.0f} bytes")
    print(f"{f'A night of a person with {LINES} new lines':<48}{night / 1000:9.1f} kB")


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
