"""A team where every owner's memory holds a bird of its own, extracted and dreamt for real."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import models

from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming import schedule
from memoryweb.extraction.requests import request
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.fakes import ModelServer
from tests.world import World

NIGHT = date(2026, 11, 20)
SHARED = "sandpiper"
BIRDS = ("cormorant", "albatross", "goldcrest", SHARED)


def owners_of(world: World) -> dict[str, Owner | None]:
    """Whose canary each bird is: two people without an account, Bob, and everybody."""
    return {
        "cormorant": world.customer,
        "albatross": world.sender,
        "goldcrest": world.bobs_memory,
        SHARED: None,
    }


def seen_in(text: str) -> set[str]:
    folded = text.casefold()
    return {bird for bird in BIRDS if bird in folded}


def let_live(world: World, model: ModelServer) -> None:
    """Three nights of every owner at an agent of an echo model: one applied, one for review, one
    that failed; and one night at an agent of rules."""
    agent, of_rules = world.agent, world.other_agent
    of_rules.extractor = of_rules.consolidator = Agent.Consolidator.RULES
    of_rules.save()
    model.echo()
    for bird, owner in owners_of(world).items():
        for one in (agent, of_rules):
            _write(world, one, owner, bird)
            _talk(world, one, owner, bird)
            _dream(one, owner, NIGHT)
    agent.policy = Agent.Policy.REVIEW
    agent.save()
    for bird, owner in owners_of(world).items():
        _note(world, agent, owner, NIGHT + timedelta(1), f"The kettle belongs to {bird}aunt.")
        _dream(agent, owner, NIGHT + timedelta(1))
        model.text(f"I would rather talk about the {bird}.")
        _dream(agent, owner, NIGHT + timedelta(2))


def _write(world: World, agent: Agent, owner: Owner | None, bird: str) -> None:
    person = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        memory = f"# Memory\n\n- The memory is of a {bird}mem.\n"
        write(tx, Place(agent, owner, "MEMORY.md"), memory, writer=person, reason=f"A {bird}.")
        write(tx, Place(agent, owner, f"{bird}path.md"), f"# {bird}\n", writer=person)
    _note(
        world,
        agent,
        owner,
        NIGHT,
        f"The lamp belongs to {bird}note.",
        f"Maybe there was a {bird}once.",
    )


def _note(world: World, agent: Agent, owner: Owner | None, day: date, *texts: str) -> None:
    lines = [NewLine(f"- 09:00 {text}", Origin(durable=True)) for text in texts]
    with write_transaction(world.team) as tx:
        append(
            tx,
            Place(agent, owner, f"memory/{day}.md"),
            lines,
            writer=Writer(AuthorKind.EXTRACTION),
        )


def _talk(world: World, agent: Agent, owner: Owner | None, bird: str) -> None:
    if owner is None:
        return
    at = datetime(NIGHT.year, NIGHT.month, NIGHT.day, 12, tzinfo=UTC)
    said = NewMessage("user", f"I moved to {bird.title()}stad yesterday.", "1", f"{bird}name", at)
    more = [
        replace(said, id="2", content=f"My sister's name is {bird.title()}sis."),
        NewMessage("assistant", f"Noted: {bird}answer.", "3", timestamp=at),
        replace(said, id="4", content="My dog is called Rex."),
    ]
    with write_transaction(world.team) as tx:
        conversation = add_messages(
            tx, agent=agent, owner=owner, conversation_id=f"{bird}talk", messages=[said, *more]
        ).conversation
        run = request(
            tx,
            agent=agent,
            owner=owner,
            conversation=conversation,
            trigger=Run.Trigger.CONVERSATION,
            immediate=True,
        )
    assert run is not None
    engine.work(run.pk)


def _dream(agent: Agent, owner: Owner | None, night: date) -> None:
    with write_transaction(agent.team) as tx:
        run = schedule.request_night(tx, Memory(agent, owner), night, trigger="command").run
    engine.work(run.pk)


_PARENTS = ("file", "conversation", "report", "run", "event")


def owner_id_of(row: models.Model) -> Any:
    """Whose row this is: its own owner, or that of what it belongs to."""
    for name in ("owner_id", "on_behalf_of"):
        if hasattr(row, name):
            return getattr(row, name)
    for name in _PARENTS:
        parent = getattr(row, name, None)
        if parent is not None:
            return owner_id_of(parent)
    raise AssertionError(f"Whose is {row!r}?")


def texts_of(row: models.Model) -> str:
    return " ".join(str(row.serializable_value(field.attname)) for field in row._meta.fields)


def addresses(world: World, share: int = 1) -> list[str]:
    """Pages behind every id there is, linked or not. A `share` of two has half of the pages of each
    file: the others of the next one."""
    base = f"/t/{world.team.slug}"
    found = [f"{base}/runs/{run.pk}/" for run in Run.objects.filter(team=world.team)]
    for agent in Agent.objects.filter(team=world.team):
        at = f"{base}/agents/{agent.pk}"
        found += [f"{at}/conversations/{one.pk}/" for one in agent.conversations.all()]
        for turn, file in enumerate(agent.files.filter(ours(agent)).order_by("owner", "path")):
            query = f"?owner={file.owner_id}" if file.owner_id else ""
            verbs = ("", "/edit/", "/revisions/1/", "/why/3/")[turn % share :: share]
            found += [f"{at}/files/{file.path}{verb}{query}" for verb in verbs]
            found += [f"{base}/review/{one.pk}/" for one in file.proposals.all()]
    return found


def ours(agent: Agent) -> models.Q:
    """Without the seed files, which hold no bird; of the agent of rules MEMORY.md alone."""
    if agent.consolidator == Agent.Consolidator.RULES:
        return models.Q(path="MEMORY.md")
    return ~models.Q(path__in=("AGENTS.md", "SOUL.md", "PROFILE.md"), owner=None)
