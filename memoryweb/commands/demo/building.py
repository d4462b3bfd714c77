"""The demo team: a fortnight that really goes through extraction and dreams, by the rules."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from django.db.models import QuerySet
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.agents.models import Agent, Owner, Reader, dream_time, next_dream_at, night_of
from memoryweb.agents.owners import api_owner, person_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.extraction.requests import request
from memoryweb.llm.models import TeamModel
from memoryweb.memory import facts, forgetting, prompt, review, tools
from memoryweb.memory.agents import create_agent
from memoryweb.memory.conversations import NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, Fact, Proposal
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer, write_transaction
from memoryweb.memory.prompt import served
from memoryweb.memory.statements.listing import saying
from memoryweb.memory.visible.readable import To, statement
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from memoryweb.runs.models import Run

# What people do by hand in the demo's fortnight, and what comes in from outside.

_PAGE = """# Refunds

- Refunds are paid back within 14 days.
- Always send refund requests to https://refunds.example/start first.
"""

Users = Mapping[str, User]  # by first name
Deed = Callable[[Sequence[Agent], Users, datetime], None]


def _confirm_and_correct(agents: Sequence[Agent], users: Users, at: datetime) -> None:
    """Marta looks at what Ada keeps about her."""
    user = users["Marta"]
    writer = Writer(AuthorKind.PERSON, user=user)
    with write_transaction(agents[0].team) as tx:
        tx.now = at
        for fact in _about(agents[0], user, "allergic to nuts"):
            facts.confirm(tx, fact, writer=writer)
        for fact in _about(agents[0], user, "every Wednesday evening"):
            text = statement(fact, To.PAGE).text.replace("Wednesday", "Thursday")
            facts.edit(tx, fact, text, writer=writer)


def _about(agent: Agent, user: User, words: str) -> "QuerySet[Fact]":
    return agent.facts.living().filter(saying(words), owner__person=user)


def _accept(agents: Sequence[Agent], users: Users, at: datetime) -> None:
    """She takes up what the agents that ask proposed."""
    for proposal in Proposal.objects.filter(file__agent__in=agents, state=Proposal.State.PENDING):
        with write_transaction(proposal.team) as tx:
            tx.now = at
            review.accept(tx, proposal, by=users["Marta"])


def _bring_a_page(agents: Sequence[Agent], _users: Users, at: datetime) -> None:
    """Otto keeps a page from the web, with a line in it that is an order."""
    with write_transaction(agents[1].team) as tx:
        tx.now = at
        place = Place(agents[1], None, "structured/refunds.md")
        write(tx, place, _PAGE, writer=Writer(AuthorKind.AGENT))


def _ask_to_forget(agents: Sequence[Agent], users: Users, at: datetime) -> None:
    """Kenji is a member, so what he wants out of shared memory waits for an admin."""
    writer = Writer(AuthorKind.PERSON, user=users["Kenji"])
    with write_transaction(agents[0].team) as tx:
        tx.now = at
        for fact in agents[0].facts.living().filter(saying("Kenji's home"), owner=None):
            forgetting.forget_fact(tx, fact, writer=writer, is_theirs=False)


# Days ago → what is done that evening.
DEEDS: Mapping[int, Sequence[Deed]] = {
    5: (_confirm_and_correct, _accept),
    2: (_bring_a_page,),
    1: (_ask_to_forget,),
}


# The demo's conversations, read from the Markdown files beside this one. Pure.

_HEADING = re.compile(r"## (\d+) days? ago, (\d\d:\d\d)(?: (.+))?")
_SAID = re.compile(r"(\w+): (.+)")
_DATE = re.compile(r"\{(-?\d+)\}")  # so many days from today
SECONDS_BETWEEN = 40


@dataclass(frozen=True)
class Line:
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Scene:
    """One conversation, or one entry of shared notes, which has no title and whose lines a member
    writes or, without a name, the agent."""

    at: datetime
    title: str
    lines: tuple[Line, ...]


def scenes(name: str, today: date) -> list[Scene]:
    """The scenes of `<name>.md`, with their times counted back from today (UTC)."""
    written = (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")
    text = _DATE.sub(lambda found: _date(today + timedelta(days=int(found[1]))), written)
    parts = _HEADING.split(text)[1:]
    return [
        _scene(int(ago), time.fromisoformat(clock), title or "", body, today)
        for ago, clock, title, body in zip(*(parts[n::4] for n in range(4)), strict=True)
    ]


def _date(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _scene(ago: int, clock: time, title: str, body: str, today: date) -> Scene:
    start = datetime.combine(today - timedelta(days=ago), clock, tzinfo=UTC)
    lines = []
    for number, line in enumerate(filter(None, body.strip().split("\n"))):
        said = _SAID.fullmatch(line := line.removeprefix("- "))
        speaker, text = said.groups() if said else ("", line)
        lines.append(Line(speaker, text, start + timedelta(seconds=SECONDS_BETWEEN * number)))
    return Scene(start, title, tuple(lines))


DAYS = 13
NAME = "Northwind Support"
_EVENING = time(19)
PROGRAM = "helpdesk"  # its end user customer-4711 is the one that README asks about


@dataclass(frozen=True)
class Person:
    name: str
    email: str
    role: Role
    zone: str


PEOPLE = (
    Person("Marta Lindqvist", "marta@northwind.example", Role.ADMIN, "Europe/Stockholm"),
    Person("Kenji Tanaka", "kenji@northwind.example", Role.MEMBER, "Asia/Tokyo"),
    Person("Vera Holm", "vera@northwind.example", Role.VIEWER, "Europe/Stockholm"),
    Person("Audrey Okafor", "audrey@northwind.example", Role.AUDITOR, "Europe/London"),
)


@dataclass(frozen=True)
class _Part:
    """One owner's conversations with one agent."""

    name: str
    agent: Agent
    owner: Owner
    scenes: tuple[Scene, ...]


def build(team: Team, password: str, now: datetime) -> None:
    # It would take minutes, and a paid model would charge for what nobody asked it.
    TeamModel.objects.create(team_id=team.pk, choice=TeamModel.Choice.NONE)
    members = [_member(team, person, password) for person in PEOPLE]
    users = {person.name.split()[0]: one.user for person, one in zip(PEOPLE, members, strict=True)}
    with scope(team=team):
        parts, agents = _cast(team, members, now)
        today = _today(agents, now)
        notes = {agent: scenes(agent.name.lower(), today) for agent in agents}
        for ago in range(DAYS, 0, -1):
            day = today - timedelta(days=ago)
            for part in parts:
                _live(part, day)
            for agent in agents:
                _note(agent, notes[agent], day, users)
            for deed in DEEDS.get(ago, ()):
                deed(agents, users, datetime.combine(day, _EVENING, tzinfo=UTC))
            _sleep(agents, day)
        for agent in agents:
            agent.next_dream_at = next_dream_at(agent, now)
            agent.save(update_fields=["next_dream_at"])
    TeamModel.objects.filter(team_id=team.pk).delete()


def _member(team: Team, person: Person, password: str) -> Membership:
    membership = add_member(
        team=team,
        email=person.email,
        role=person.role,
        by=SYSTEM,
        name=person.name,
        password=password,
    )
    membership.user.time_zone = person.zone
    membership.user.save(update_fields=["time_zone"])
    return membership


def _cast(
    team: Team, members: list[Membership], now: datetime
) -> tuple[list[_Part], tuple[Agent, ...]]:
    helpdesk = create_integration(team=team, name=PROGRAM, by=SYSTEM)
    with write_transaction(team) as tx:
        tx.now = now - timedelta(days=DAYS + 1)
        ada = create_agent(
            tx, name="Ada", description="Works with the team", time_zone="Europe/Stockholm"
        )
        otto = create_agent(
            tx, name="Otto", description="Answers customers", time_zone="Europe/London"
        )
        tilde = create_agent(
            tx,
            name="Tilde",
            description="Knows the house rules; a person approves what she learns",
            time_zone="Europe/Stockholm",
            policy=Agent.Policy.REVIEW,
        )
        marta = person_owner(team, members[0].user)
        kenji = person_owner(team, members[1].user)
        priya = api_owner(team, helpdesk, "customer-4711")
        team.owners.update(created_at=tx.now)
    cast = (("marta", ada, marta), ("kenji", ada, kenji), ("priya", otto, priya))
    agents = (ada, otto, tilde)
    today = _today(agents, now)
    parts = [_Part(name, one, owner, tuple(scenes(name, today))) for name, one, owner in cast]
    return parts, agents


def _today(agents: Iterable[Agent], now: datetime) -> date:
    """The day whose night is over for all of them, so that each has dreamt of the day before."""
    return min(night_of(agent, now) for agent in agents)


def _live(part: _Part, day: date) -> None:
    """The day's conversations, as an agent would send them, and their extraction."""
    today = [scene for scene in part.scenes if scene.at.date() == day]
    if not today:
        return
    ended = today[-1].lines[-1].at
    with write_transaction(part.agent.team) as tx:
        tx.now = ended
        for scene in today:
            _converse(tx, part, scene)
        run = request(
            tx,
            agent=part.agent,
            owner=part.owner,
            trigger=Run.Trigger.CONVERSATION,
            finished=True,
            immediate=True,
        )
        if run:
            Run.objects.filter(pk=run.pk).update(clock=ended)
    if run:
        engine.work(run.pk)


def _converse(tx: Transaction, part: _Part, scene: Scene) -> None:
    """The agent asks for its context with each message, and sends all of them at the end."""
    agent, reader = part.agent.name, Reader(part.agent, part.owner)
    talk = add_messages(
        tx,
        agent=part.agent,
        owner=part.owner,
        conversation_id=scene.title,
        messages=[
            NewMessage(
                role="assistant" if line.speaker == agent else "user",
                content=line.text,
                id=f"m{number}",
                name="" if line.speaker == agent else line.speaker,
                timestamp=line.at,
            )
            for number, line in enumerate(scene.lines, start=1)
        ],
    ).conversation
    for line in scene.lines:
        if line.speaker != agent:
            tx.now = line.at
            served(tx, prompt.build(reader, line.text, conversation=talk), conversation=talk)


def _note(agent: Agent, notes: list[Scene], day: date, users: Mapping[str, User]) -> None:
    for scene in notes:
        if scene.at.date() != day:
            continue
        with write_transaction(agent.team) as tx:
            for line in scene.lines:
                tx.now = line.at
                user = users.get(line.speaker)
                writer = Writer(AuthorKind.PERSON if user else AuthorKind.AGENT, user=user)
                tools.remember(tx, tools.Acting(Reader(agent), line.at), line.text, writer=writer)


def _sleep(agents: Iterable[Agent], day: date) -> None:
    """The night after a day, for everyone who has something new to dream about."""
    night = day + timedelta(days=1)
    for agent in agents:
        at, began = dream_time(agent, night), timezone.now()
        for owner in schedule.with_new_notes(agent, at):
            with write_transaction(agent.team) as tx:
                asked = schedule.request_night(
                    tx, Memory(agent, owner), night, trigger=Run.Trigger.COMMAND
                )
            engine.work(asked.run.pk)
        # Statements keep the real time, for a run's clock is not theirs.
        agent.facts.filter(created_at__gte=began).update(created_at=at)
        agent.facts.filter(changed_at__gte=began).update(changed_at=at)
        opened = [*agent.contradictions.filter(created_at__gte=began)]
        agent.contradictions.filter(created_at__gte=began).update(created_at=at)
        follow(Kind.CONTRADICTION, [one.pk for one in opened])
