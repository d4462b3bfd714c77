"""A team in the middle of its week: talks, notes, dreams, a proposal, tokens. All by real doors."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.agents.models import Owner
from memoryweb.agents.owners import system_owner
from memoryweb.dreaming import schedule
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Conversation, File, Proposal
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.proposing import propose
from memoryweb.memory.writing.write import NewLine, append
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.world import Home, World

SHARED = "Marta moved the release to Thursday because Friday is quiet."
PERSONAL = "Bob is allergic to walnuts and carries a green thermos."
CUSTOMERS = "Jonas lives in Graz above a violin workshop."
YESTERDAY = timezone.now().date() - timedelta(days=1)
NOTE = f"memory/{YESTERDAY}.md"


@dataclass(frozen=True)
class Stage:
    world: World
    shared_talk: Conversation
    bobs_talk: Conversation
    customers_talk: Conversation
    shared_run: Run
    bobs_run: Run
    customers_run: Run
    proposal: Proposal
    bobs_proposal: Proposal

    @property
    def memory(self) -> File:
        return File.objects.get(agent=self.world.agent, owner=None, path="MEMORY.md")


def build(world: World) -> Stage:
    with scopes_disabled():
        home = world.home
        system = system_owner(world.team)
        shared_talk = _talk(home, system, None, SHARED, "standup")
        bobs_talk = _talk(home, world.bobs_memory, world.bobs_memory, PERSONAL, "bob-lunch")
        customers = _talk(home, world.customer, world.customer, CUSTOMERS, "jonas-hello")
        runs = [dream(home, owner) for owner in (None, world.bobs_memory, world.customer)]
        return Stage(
            world=world,
            shared_talk=shared_talk,
            bobs_talk=bobs_talk,
            customers_talk=customers,
            shared_run=runs[0],
            bobs_run=runs[1],
            customers_run=runs[2],
            proposal=_proposal(home, None, runs[0]),
            bobs_proposal=_proposal(home, world.bobs_memory, runs[1]),
        )


def _talk(home: Home, speaker: Owner, shelf: Owner | None, said: str, name: str) -> Conversation:
    noon = timezone.now() - timedelta(days=1)
    with write_transaction(home.team) as tx:
        talk = add_messages(
            tx,
            agent=home.agent,
            owner=speaker,
            conversation_id=name,
            messages=[
                NewMessage(id="1", role="user", name="Guest", content=said, timestamp=noon),
                NewMessage(id="2", role="assistant", content="Understood.", timestamp=noon),
            ],
        ).conversation
        talk.extracted_upto = talk.message_count  # as it noted what follows
        talk.save(update_fields=["extracted_upto"])
        first = talk.messages.order_by("position")[0]
        origin = Origin((Source(message_id=first.pk),), durable=True, category="work")
        append(
            tx,
            Place(home.agent, shelf, NOTE),
            [NewLine(f"- {said}", origin)],
            writer=Writer(AuthorKind.EXTRACTION, is_vouched=True),
        )
    return talk


def dream(home: Home, owner: Owner | None) -> Run:
    with write_transaction(home.team) as tx:
        run = schedule.request(tx, Memory(home.agent, owner), trigger=Run.Trigger.COMMAND).run
    list(engine.run_pending(until_idle=True))
    run.refresh_from_db()
    return run


def _proposal(home: Home, owner: Owner | None, run: Run) -> Proposal:
    file = File.objects.get(agent=home.agent, owner=owner, path="MEMORY.md")
    with write_transaction(home.team) as tx:
        return propose(
            tx,
            run=run,
            file=file,
            content=file.raw_content + "- The office smells of cinnamon.\n",
            origins={},
            broken=[("size", "The new text would be too long.")],
        )
