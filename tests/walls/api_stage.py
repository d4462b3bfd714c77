"""Something behind every id of a route: memory, a conversation, a dream and a proposal."""

import uuid
from dataclasses import dataclass

from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.dreaming.models import Operation, Report
from memoryweb.memory import entries, facts, memory_tests
from memoryweb.memory.agents import archive_agent, create_agent
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.forgetting import hiding
from memoryweb.memory.forgetting.finding import fact_mention
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.models import AuthorKind, ForgetRequest
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.snapshots.service import preview
from memoryweb.memory.writing.proposing import propose
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Run
from tests.snapshots.archives import of
from tests.world import Home, World, confirm_address

PERSON = Writer(AuthorKind.PERSON)
CANARY = "the blue umbrella"
OTHER = "a red scarf"
ARCHIVE = of({"MEMORY.md": "# Memory\n\n- Coffee is served at six.\n"})


@dataclass(frozen=True)
class Stage:
    """The run, its report and the conversation are the customer's; the proposal and `dream`, which
    added the fact, are shared."""

    agent: str
    run: str
    dream: str
    proposal: str
    archived: str
    talk: str = "c-1"
    preview: str = ""
    fact: str = ""
    retired: str = ""
    contradiction: str = ""
    resolved: str = ""
    asked: str = ""
    owner: str = ""
    test: str = ""

    def ids(self) -> dict[str, str]:
        return dict(vars(self))

    def with_random(self, name: str) -> dict[str, str]:
        made = f"c-{uuid.uuid4()}" if name == "talk" else str(uuid.uuid4())
        return self.ids() | {name: made}


def furnish(home: Home, canary: str = CANARY) -> Stage:
    writer = Writer(AuthorKind.PERSON, user=home.admin)
    with write_transaction(home.team) as tx:
        memory = "# Memory\n\n- Breakfast ends at half past ten.\n"
        agent = Writer(AuthorKind.AGENT)
        shared = write(tx, Place(home.agent, None, "MEMORY.md"), memory, writer=agent).file
        mine = f"# Memory\n\n- Looks for {canary}.\n"
        write(tx, Place(home.agent, home.customer, "MEMORY.md"), mine, writer=writer)
        said = NewMessage(role="user", content=f"I left {canary} in the lobby.")
        add_messages(
            tx,
            agent=home.agent,
            owner=home.customer,
            conversation_id="c-1",
            messages=[said],
        )
        dream = dreamt(home, None, OTHER)
        proposed = propose(
            tx,
            run=dream,
            file=shared,
            content=memory + "- Tea is served at five.\n",
            origins={},
            broken=[],
        )
        keys = entries.add(
            tx, Memory(home.agent, None), "Keys", "Two for each room.", writer=writer
        )
        entries.add_alias(tx, keys, "room keys", writer=writer)
        whose = f"Whose {canary}"
        entries.add(
            tx, Memory(home.agent, home.customer), whose, canary, writer=writer, aliases=[canary]
        )
        wifi = "Wi-Fi password: " + "tulip" + "4711\n"
        place = Place(home.agent, None, "structured/wifi.md")
        write(tx, place, wifi, writer=agent)
        asked = "When is tea served?", "at five"
        test = memory_tests.add(tx, Memory(home.agent, None), *asked, writer=writer)
        confirm_address(home, home.sender)
    run = dreamt(home, home.customer, canary)
    _tell(dream, "Breakfast ends at half past ten.")
    with scope(team=home.team):
        token = preview(Memory(home.agent, None), ARCHIVE, by=PERSON).token
    return Stage(
        str(home.agent.pk),
        str(run.pk),
        str(dream.pk),
        str(proposed.pk),
        _archived(home),
        preview=token,
        fact=str(home.agent.facts.get(file=shared).pk),
        retired=_retired(home),
        resolved=resolved(home, None),
        contradiction=contradicted(home, None),
        asked=asked_to_forget(home, None),
        owner=str(home.sender.pk),
        test=str(test.pk),
    )


def contradicted(home: Home | World, owner: Owner | None, who: str = "Marta") -> str:
    """Two files of one workspace that can't both be right."""
    for name, town in (("old", "Porto"), ("new", "Lisbon")):
        with write_transaction(home.team) as tx:
            place = Place(home.agent, owner, f"structured/{who}-{name}.md")
            write(tx, place, f"- {who} lives in {town}.\n", writer=Writer(AuthorKind.AGENT))
    found = home.agent.contradictions.filter(owner=owner, state="open")
    return str(found.latest("created_at").pk)


def asked_to_forget(home: Home | World, owner: Owner | None, *, is_open: bool = False) -> str:
    """A request that hides a statement, or offers it."""
    with write_transaction(home.team) as tx:
        place = Place(home.agent, owner, f"structured/roof-{is_open}.md")
        write(tx, place, "- The roof is red.\n", writer=Writer(AuthorKind.AGENT))
        roof = home.agent.facts.get(path=place.path, owner=owner)
        request = hiding.open_request(
            tx, Wish(Memory(home.agent, owner), ForgetRequest.Via.PAGE, "the roof")
        )
        found = [fact_mention(roof)]
        hiding.hide(tx, request, () if is_open else found, candidates=found if is_open else ())
    return str(request.pk)


def resolved(home: Home, owner: Owner | None) -> str:
    """One that a person has decided."""
    with scope(team=home.team):
        found = home.agent.contradictions.get(pk=contradicted(home, owner, "Jonas"))
    writer = Writer(AuthorKind.PERSON, user=home.admin)
    with write_transaction(home.team) as tx:
        facts.resolve(tx, found, "KEEP_A", writer=writer)
    return str(found.pk)


def _retired(home: Home) -> str:
    """A statement that a person took back."""
    writer = Writer(AuthorKind.PERSON, user=home.admin)
    place = Place(home.agent, None, "structured/bar.md")
    for content in ("- The bar is open.\n- It has a view.\n", "- It has a view.\n"):
        with write_transaction(home.team) as tx:
            write(tx, place, content, writer=writer)
    with scope(team=home.team):
        return str(home.agent.facts.get(path=place.path, file=None).pk)


def _tell(dream: Run, statement: str) -> None:
    """That this dream added it."""
    with scope(team=dream.team):
        told = dream.report
        Operation.objects.create(
            team=dream.team, report=told, position=0, does="add", after=statement
        )


def _archived(home: Home) -> str:
    with write_transaction(home.team) as tx:
        agent = create_agent(tx, name="Retired")
        archive_agent(tx, agent)
    return str(agent.pk)


def dreamt(home: Home, owner: Owner | None, said: str) -> Run:
    now = timezone.now()
    with scope(team=home.team):
        run = Run.objects.create(
            team=home.team,
            agent=home.agent,
            owner=owner,
            kind=Run.Kind.DREAM,
            status=Run.Status.SUCCEEDED,
            trigger=Run.Trigger.CRON,
            error=said,
            topic=said,
            started_at=now,
            finished_at=now,
        )
        Report.objects.create(
            team=home.team,
            agent=home.agent,
            owner=run.owner,
            run=run,
            dreamt_at=now,
            diary=f"Someone lost {said}.",
        )
    return run
