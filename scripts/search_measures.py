"""What the search benchmark measures: one installation, query by query."""

import random
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate

from django.db import connection
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.agents.owners import channel_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import create_agent
from memoryweb.memory.index.indexing import of_file, of_messages, scope_key
from memoryweb.memory.models import Conversation, File, Message, Passage, Scope
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.search.engine import search

PER_FILE = 100
ENDS = [first + last for first in "bdgklmnprst" for last in ("a", "el", "or", "um", "ix")]
WORDS = [a + b + end for a in "bdfgklmnprst" for b in ("a", "e", "io", "ou") for end in ENDS]
ZIPF = list(accumulate(1 / rank for rank in range(10, len(WORDS) + 10)))
AT = datetime(2031, 3, 9, tzinfo=UTC)


def serve(kind: str, blocks: int, others: int, count: int) -> None:
    """Build what is searched, then answer how long each query that standard input names takes."""
    dice = random.Random(7)
    team = create_team(name="Search", by=SYSTEM)
    with scope(team=team):
        agent = _agent(team, "searched")
        owner = channel_owner(team, "bench", "searcher") if kind == "messages" else None
        made = _turns(agent, owner, dice, blocks) if owner else _blocks(agent, dice, blocks)
        Passage.objects.bulk_create(made, batch_size=5000)
        queries = [" ".join(_said(dice, dice.randint(2, 5))) for _number in range(count)]
        started = time.perf_counter()
        _add_others(team, agent, blocks, others)
        _settle()
        print(f"({others:,} blocks of others in {time.perf_counter() - started:.0f} s)", flush=True)
        asks: dict[str, Callable[[str], object]] = {
            "search": lambda query: search(Reader(agent, owner), query)
        }
        if connection.vendor == "sqlite":
            _plain_index(agent)
            asks["bm25"] = partial(_bm25, agent)
        for line in sys.stdin:
            what, number = line.split()
            started = time.perf_counter()
            asks[what](queries[int(number)])
            print(time.perf_counter() - started, flush=True)


def _blocks(agent: Agent, dice: random.Random, count: int) -> Iterator[Passage]:
    for number in range(count // PER_FILE):
        lines = (f"- {' '.join(_said(dice, dice.randint(6, 30)))}." for _line in range(PER_FILE))
        file = _file(agent, f"notes-{number}.md", "\n".join(lines))
        yield from of_file(file)


def _turns(agent: Agent, owner: Owner, dice: random.Random, count: int) -> Iterator[Passage]:
    for number in range(count // PER_FILE):
        talk = Conversation.objects.create(
            team_id=agent.team_id, agent=agent, owner=owner, external_id=f"talk {number}"
        )
        turns = [
            Message(
                team_id=agent.team_id,
                conversation=talk,
                position=position,
                external_id=str(position),
                role=Message.Role.USER if position % 2 else Message.Role.ASSISTANT,
                raw_content=" ".join(_said(dice, dice.randint(6, 30))),
                timestamp=AT,
            )
            for position in range(1, PER_FILE + 1)
        ]
        yield from of_messages(talk, Message.objects.bulk_create(turns))


def _file(agent: Agent, path: str, content: str) -> File:
    return File.objects.create(
        team_id=agent.team_id,
        agent=agent,
        scope=Scope.TEAM,
        path=path,
        folded_path=path,
        raw_content=content,
        sha256="",
        size=len(content),
        updated_at=AT,
    )


def _said(dice: random.Random, count: int) -> list[str]:
    """By Zipf's law, as people speak."""
    return dice.choices(WORDS, cum_weights=ZIPF, k=count)


def _add_others(team: Team, agent: Agent, blocks: int, others: int) -> None:
    """Copies with other scope keys: the same words, so that nothing but the keys keeps them off."""
    fields = [
        name for field in Passage._meta.concrete_fields if (name := field.column or "") != "id"
    ]
    key = scope_key(agent.pk, None)
    for number in range(others // blocks):
        other = _agent(team, f"other {number}")
        file = _file(other, "copy.md", "")
        changed = {
            "file_id": f"'{_stored(file.pk)}'",
            "reach": f"'{scope_key(other.pk, None)}'",
            "whole": f"whole + {number + 1}",
        }
        taken = ", ".join(changed.get(field, field) for field in fields)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO recall_passage ({', '.join(fields)})"
                f" SELECT {taken} FROM recall_passage WHERE reach = '{key}'"
            )


def _stored(key: object) -> str:
    return str(key).replace("-", "") if connection.vendor == "sqlite" else str(key)


def _agent(team: Team, name: str) -> Agent:
    with write_transaction(team) as tx:
        return create_agent(tx, name=name)


def _settle() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")


def _plain_index(agent: Agent) -> None:
    """What one would write without us: the text in FTS5, the agent in a column beside it."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE VIRTUAL TABLE bench_plain USING fts5(text, agent UNINDEXED)")
        cursor.execute(
            "INSERT INTO bench_plain(rowid, text, agent)"
            " SELECT p.id, coalesce(m.content, p.text), %s FROM recall_passage AS p"
            " LEFT JOIN conversations_message AS m ON m.id = p.message_id"
            " WHERE p.reach = %s",
            [_stored(agent.pk), scope_key(agent.pk, None)],
        )


def _bm25(agent: Agent, query: str) -> None:
    wanted = " OR ".join(f'"{word}"' for word in query.split())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rowid, text, bm25(bench_plain) AS score FROM bench_plain"
            " WHERE bench_plain MATCH %s AND agent = %s ORDER BY score LIMIT 10",
            [wanted, _stored(agent.pk)],
        )
        cursor.fetchall()
