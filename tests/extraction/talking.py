"""Conversations to extract, and what an extraction left."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memoryweb.agents.models import Owner
from memoryweb.extraction.models import Extraction
from memoryweb.extraction.requests import request
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import Conversation, File
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TALK = (
    ("user", "Hello there!"),
    ("assistant", "Hello, how can I help?"),
    ("user", "I moved to Porto yesterday."),
    ("user", "My sister Carla plays the cello."),
)


def messages(
    turns: Sequence[tuple[str, str]] = TALK, *, name: str = "Ann", at: datetime = NOON
) -> list[NewMessage]:
    """One a minute; ids t1, t2, …"""
    return [
        NewMessage(
            role,
            text,
            f"t{number}",
            name if role == "user" else "",
            at + timedelta(minutes=number - 1),
        )
        for number, (role, text) in enumerate(turns, start=1)
    ]


def talk(
    world: World,
    turns: Sequence[tuple[str, str]] = TALK,
    *,
    conversation: str = "c",
    owner: Owner | None = None,
    at: datetime = NOON,
    name: str = "Ann",
    **fields: Any,
) -> Conversation:
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=owner or world.customer,
            conversation_id=conversation,
            messages=messages(turns, at=at, name=name),
            **fields,
        ).conversation


def go_on(
    world: World,
    turns: Sequence[tuple[str, str]],
    *,
    conversation: str = "c",
    owner: Owner | None = None,
    at: datetime = NOON + timedelta(hours=1),
) -> Conversation:
    """More of a conversation, without ids of the client's."""
    fresh = [replace(message, id=None) for message in messages(turns, at=at)]
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=owner or world.customer,
            conversation_id=conversation,
            messages=fresh,
        ).conversation


def ask(
    world: World,
    conversation: Conversation | None = None,
    *,
    owner: Owner | None = None,
    **how: Any,
) -> Run | None:
    with write_transaction(world.team) as tx:
        return request(
            tx,
            agent=world.agent,
            owner=owner or (conversation.owner if conversation else world.customer),
            conversation=conversation,
            **{"trigger": Run.Trigger.CONVERSATION} | how,
        )


def extract(world: World, conversation: Conversation | None = None, **how: Any) -> Run:
    """Ask and work it at once, as a command does."""
    run = ask(world, conversation, **{"immediate": True} | how)
    assert run is not None
    engine.work(run.pk)
    return Run.objects.get(pk=run.pk)


def text_of(world: World, path: str, owner: Owner | None = None) -> str:
    found = File.objects.filter(agent=world.agent, owner=owner or world.customer, path=path)
    return "".join(found.values_list("raw_content", flat=True))


def bullets(content: str) -> list[str]:
    return [line for line in content.split("\n") if line.startswith("- ")]


def soon(run: Run) -> Run:
    """The run as if its time had come."""
    Run.objects.filter(pk=run.pk).update(due_at=datetime.now(UTC))
    engine.work(run.pk)
    return Run.objects.get(pk=run.pk)


def again(run: Run) -> Run:
    """The run that asks again what this one failed at, as if its time had come."""
    clock = datetime.now(UTC)
    Extraction.objects.filter(run=run).update(retry_at=clock)
    return soon(Run.objects.get(agent=run.agent, owner=run.owner, status=Run.Status.QUEUED))
