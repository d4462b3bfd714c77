"""What tonight's dream would do, by the rules and by a model on the same inputs; it writes nothing.

A model's answer stays in its run: a dream that would ask the same takes it from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils.functional import cached_property

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent
from memoryweb.dreaming import consolidators, inputs, pipeline, reports, schedule
from memoryweb.dreaming.inputs import MEMORY, PROFILE, Inputs
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.operations import DreamAnswer
from memoryweb.llm import prompts
from memoryweb.llm.choices import Trial
from memoryweb.llm.endpoint import configured, endpoint_for
from memoryweb.llm.tokens import estimate, estimate_messages
from memoryweb.memory.conversations import amount_of
from memoryweb.memory.models import File, Message
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.memory.writing import screening
from memoryweb.runs import engine
from memoryweb.runs.engine import GiveUp, Lease, Outcome
from memoryweb.runs.models import Run

ANSWERS = 600  # tokens that an answer to one part usually has
DONE = "previewed"


@dataclass(frozen=True)
class Estimate:
    """What asking would take, roughly."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_micros: int


class Preview:
    """Of one memory as it stands; `asked` is its last run of a model."""

    def __init__(self, memory: Memory, now: datetime) -> None:
        agent, owner = memory.agent, memory.owner
        self.run = Run(team_id=agent.team_id, agent=agent, owner=owner, clock=now)
        self.read: Inputs = inputs.read(self.run)

    @cached_property
    def asked(self) -> Run | None:
        run = self.run
        found = Run.objects.filter(
            inputs.notes_of(run.owner), agent=run.agent, kind=Run.Kind.PREVIEW
        )
        return found.order_by("-created_at").first()

    @property
    def has_notes(self) -> bool:
        return bool(self.read.mentions or self.read.is_due)

    @property
    def by_rules(self) -> Sequence[Operation]:
        return reports.operations_of(self.read, consolidators.by_rules(self.read))

    @property
    def by_model(self) -> Sequence[Operation] | None:
        """None where no model was asked about just these inputs."""
        run = self.asked
        if run is None or run.reason != DONE or run.inputs != self.read.frozen:
            return None
        made = consolidators.by_model(self.read, pipeline.answers_of(run))
        return reports.operations_of(self.read, made)

    @cached_property
    def expected(self) -> Estimate:
        run, system = self.run, prompts.load("dream")
        parts = [
            screening.data_for_prompt(data, run.team_id, owner_id=run.owner_id)
            for data in consolidators.data_for_model(self.read)
        ]
        tokens_in = sum(estimate_messages([system, prompts.fenced(data)]) for data in parts)
        tokens_out = ANSWERS * len(parts)
        price = endpoint_for(run.team_id, "default", local_only=False)
        cost = price.cost_micros(tokens_in, tokens_out)
        return Estimate(len(parts), tokens_in, tokens_out, cost)


def request(tx: Transaction, memory: Memory, user: User) -> Run:
    """Ask the model; the run that asks already where there is one."""
    kind, trigger = Run.Kind.PREVIEW, Run.Trigger.PERSON
    made = engine.enqueue(
        agent=memory.agent, owner=memory.owner, kind=kind, trigger=trigger, user=user
    )
    if made.created:
        schedule.record(tx, "run.requested", made.run)
    return made.run


def preview(lease: Lease) -> None:
    """The handler of runs of kind `preview`."""
    run = lease.run
    if pipeline.ends_early(lease):
        return
    if not configured(run.team_id, local_only=run.agent.local_models_only):
        raise GiveUp("no_model")
    read = inputs.read(run)
    if not read.mentions:
        lease.finish(Outcome(Run.Status.SKIPPED, "no_notes"))
        return
    if run.answer is None or run.inputs != read.frozen:
        lease.store(Run.Phase.INPUTS, inputs=read.frozen, consolidator="model", answer=None)
    pipeline.ask_all(lease, read)
    lease.finish(Outcome(Run.Status.NO_CHANGE, DONE))


# What a test call asks a model: what a night asks it, about people who don't exist.

_STATEMENTS, _NOTES = 60, 25  # of an ordinary night: about 4,000 tokens with what is asked of them


def trial() -> Trial:
    statements = [
        f"Customer {n} gets their order {4_000 + n} on Tuesdays." for n in range(_STATEMENTS)
    ]
    notes = [f"Customer {n} wants order {5_000 + n} on Fridays from now on." for n in range(_NOTES)]
    data = {
        "memory": [
            {"id": f"s{n}", "text": text, "said": "2031-02-01"}
            for n, text in enumerate(statements, start=1)
        ],
        "retired": [],
        "corrected": [],
        "date": "2031-03-02",
        "language": "en",
        "notes": [
            {"id": f"n{n}", "text": text, "said": "2031-03-01"}
            for n, text in enumerate(notes, start=1)
        ],
    }
    return Trial(prompts.load("dream"), data, DreamAnswer)


# What a model will probably take each night, judged by the last seven days.

DAYS = 7
_CHARACTERS = 4  # of a token (`llm.tokens`)


@dataclass(frozen=True)
class Nightly:
    """Roughly, a night."""

    calls: int
    tokens_in: int
    tokens_out: int


def nightly(team_id: UUID, now: datetime) -> Nightly:
    """Of extractions and dreams of the agents that would ask: as many as the rules did."""
    since = now - timedelta(days=DAYS)
    agents, rules = Agent.objects.live().filter(team=team_id), Agent.Consolidator.RULES
    asking, noting = agents.exclude(consolidator=rules), agents.exclude(extractor=rules)
    said = Message.objects.filter(conversation__agent__in=noting, timestamp__gte=since)
    messages, characters = amount_of(said)
    of_dreams = Q(kind=Run.Kind.DREAM, agent__in=asking)
    of_notes = Q(kind=Run.Kind.EXTRACTION, agent__in=noting)
    ran = Run.objects.filter(of_dreams | of_notes).exclude(status=Run.Status.SKIPPED)
    ran = ran.annotate(at=Coalesce("clock", "created_at")).filter(at__gte=since)
    kinds = dict(ran.order_by().values_list("kind").annotate(Count("pk")))
    dreams = kinds.get(Run.Kind.DREAM, 0)
    windows = ceil(messages / settings.EXTRACTION_WINDOW_MESSAGES)
    extractions = max(kinds.get(Run.Kind.EXTRACTION, 0), windows) if messages else 0
    read = estimate(prompts.load("extraction")) * extractions
    read += characters // _CHARACTERS
    if dreams:
        read += dreams * (estimate(prompts.load("dream")) + _of_a_memory(asking, since))
    calls = extractions + dreams
    return Nightly(ceil(calls / DAYS), ceil(read / DAYS), ceil(calls * ANSWERS / DAYS))


def _of_a_memory(asking: QuerySet[Agent], since: datetime) -> int:
    """Tokens of MEMORY.md and the notes of a dream's window, on average."""
    is_read = Q(path__in=(MEMORY, PROFILE)) | Q(note_date__gte=since.date())
    found = (
        File.objects.present()
        .filter(is_read, agent__in=asking)
        .aggregate(size=Sum("size"), memories=Count("owner", distinct=True))
    )
    size: int = found["size"] or 0
    memories: int = found["memories"] + 1  # one shared
    return size // _CHARACTERS // memories
