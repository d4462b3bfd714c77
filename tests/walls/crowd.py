"""More of everything that a page or a route may list, in a team that has one of each."""

from datetime import date, timedelta
from uuid import UUID

from memoryweb.accounts import members, tokens
from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Role, Scope
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import api_owner, channel_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.memory.agents import archive_agent, create_agent
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Conversation
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.writing.proposing import propose
from memoryweb.memory.writing.write import delete, write
from tests.snapshots.archives import of
from tests.walls.api_stage import dreamt
from tests.walls.web_stage import MARKED_LINE
from tests.world import Home

FIRST = date(2026, 1, 1)
TOOL = Writer(AuthorKind.AGENT)


def add(home: Home, number: int) -> None:
    """One more of each: agents, people and what they hold, in the shared memory and in theirs."""
    _people(home, number)
    with write_transaction(home.team) as tx:
        create_agent(tx, name=f"Agent {number}")
        archive_agent(tx, create_agent(tx, name=f"Former {number}"))
    for owner in (None, home.person, home.customer):
        _memory(home, owner, number)
    _weighed(home, number)


def _people(home: Home, number: int) -> None:
    email = f"crowd-{number}@example.org"
    user = User.objects.create_user(email=email, password=None, name=f"Person {number}")
    add_member(team=home.team, email=email, role=Role.MEMBER, by=SYSTEM)
    members.invite(team=home.team, email=f"guest-{number}@example.org", role=Role.VIEWER, by=SYSTEM)
    create_integration(team=home.team, name=f"shop-{number}", by=SYSTEM)
    scopes = [Scope.MEMORY_READ.value]
    for holder, program in ((user, None), (home.person.person, None), (None, home.integration)):
        tokens.issue(
            team=home.team,
            by=SYSTEM,
            user=holder,
            integration=program,
            name=f"Token {number}",
            scopes=scopes,
        )
    api_owner(home.team, home.integration, f"crowd-{number}")
    linked = channel_owner(home.team, "slack", f"C{number}")
    linked.person = home.person.person
    linked.save(update_fields=["person"])


def _memory(home: Home, owner: Owner | None, number: int) -> None:
    talk = _talk(home, owner or home.person, number)
    run = dreamt(home, owner, f"scarf {number}")
    note = f"memory/{FIRST + timedelta(days=number)}.md"
    texts = {
        f"skills/crowd-{number}/SKILL.md": "# Greets\n\n- Breakfast is early.\n",
        f"structured/crowd-{number}.md": f"{MARKED_LINE}\n",
        f"structured/door-{number}.md": f"Password of door {number}: " + f"tulip47{number}1\n",
    }
    with write_transaction(home.team) as tx:
        said = talk.messages.order_by("position").values_list("pk", flat=True)[0]
        place = Place(home.agent, owner, note)
        extraction = Writer(AuthorKind.EXTRACTION, run=run, conversation_id=talk.pk)
        origins = {1: Origin((Source(message_id=said),))}
        noted = write(tx, place, f"- Breakfast {number}.\n", writer=extraction, origins=origins)
        for path, text in texts.items():
            write(tx, Place(home.agent, owner, path), text, writer=TOOL)
        gone = write(tx, Place(home.agent, owner, f"gone-{number}.md"), "- Bye.\n", writer=TOOL)
        delete(tx, gone.file, writer=TOOL)
        file = write(
            tx,
            Place(home.agent, owner, "MEMORY.md"),
            _more(home, owner, f"- Breakfast {number} is at seven.\n"),
            writer=Writer(AuthorKind.DREAM, run=run, is_vouched=True),
            origins=_from(home, owner, number, noted.file.pk),
        ).file
        propose(
            tx,
            run=run,
            file=file,
            content=f"{file.raw_content}- Tea {number}.\n",
            origins={},
            broken=[],
        )
    _import(home, owner, number)


def _more(home: Home, owner: Owner | None, line: str) -> str:
    files = home.agent.files.of(home.agent.pk, owner.pk if owner else None)
    return files.get(path="MEMORY.md").raw_content + line


def _from(home: Home, owner: Owner | None, number: int, note: UUID) -> dict[int, Origin]:
    last = _more(home, owner, "").count("\n") + 1
    return {last: Origin((Source(note, 1, 1),))}


def _talk(home: Home, owner: Owner, number: int) -> Conversation:
    said = [NewMessage(role="user", content=f"Breakfast {n}?") for n in range(2)]
    with write_transaction(home.team) as tx:
        for name in (f"crowd-{number}", "c-1" if owner == home.customer else "c-2"):
            talk = add_messages(
                tx, agent=home.agent, owner=owner, conversation_id=name, messages=said
            ).conversation
    return talk


def _import(home: Home, owner: Owner | None, number: int) -> None:
    archive = of({f"memory/2025-02-{number + 1:02}.md": f"# Note\n\n- The ferry {number}.\n"})
    by = Writer(AuthorKind.PERSON, user=home.person.person)
    token = snapshots.preview(Memory(home.agent, owner), archive, by=by).token
    with write_transaction(home.team) as tx:
        snapshots.apply(tx, Memory(home.agent, owner), archive, token, by=by)


def _weighed(home: Home, number: int) -> None:
    """In every dream's report that there is."""
    Candidate.objects.bulk_create(
        Candidate(
            team=home.team,
            report=report,
            key=f"crowd-{number}",
            text=f"Breakfast {number}",
            path="memory/2026-03-01.md",
            line=number,
            score=0.5,
            verdict=Candidate.Verdict.KEPT,
        )
        for report in Report.objects.filter(agent=home.agent)
    )
