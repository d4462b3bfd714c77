"""SOUL.md says how an agent behaves. After every twenty changes of its shared memory that people
accepted, their instructions are proposed for it; nothing is written by itself."""

from collections.abc import Iterator
from uuid import UUID

from django.db.models import F, Q
from django.utils.translation import gettext_noop

from memoryweb.agents.models import Agent
from memoryweb.language.extraction_rules import Kind
from memoryweb.memory import models
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements.listing import lines_of
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.visible.readable import To, statement
from memoryweb.memory.writing import proposing

SOUL = "SOUL.md"
EVERY = 20
_HEADING = "How to behave"
_REASON = (
    "soul",
    gettext_noop(
        "People accepted 20 more changes of this agent's shared memory. These are instructions "
        "among them that SOUL.md does not have yet."
    ),
)


def count_towards_soul(
    tx: Transaction, agent: Agent, owner_id: UUID | None, changes: int = 1
) -> None:
    """Changes that a person accepted or, below nought, took back. Of somebody's own memory nothing
    is counted, because nothing of it may become everyone's."""
    if owner_id is not None or agent.is_global:
        return
    rows = Agent.objects.filter(pk=agent.pk)
    rows.update(accepted_changes=F("accepted_changes") + changes)
    if rows.filter(accepted_changes__gte=EVERY).update(accepted_changes=0):
        _propose(tx, agent)


def _propose(tx: Transaction, agent: Agent) -> None:
    soul = models.File.objects.of(agent.pk, None).present().filter(path=SOUL).first()
    if soul is None:
        return
    said = {
        statement(fact, To.PROGRAM).text: Origin((source,)) for fact, source in _instructions(agent)
    }
    writer = Writer(models.AuthorKind.SYSTEM)
    proposing.hold_back_bullets(tx, soul, _HEADING, said, writer=writer, broken=[_REASON])


def _instructions(agent: Agent) -> Iterator[tuple[models.Fact, Source]]:
    """That a person wrote, confirmed or accepted, each with the line that says it."""
    facts = models.Fact.objects.of(agent.pk, None).living().filter(kind=Kind.INSTRUCTION)
    facts = facts.filter(state=models.Fact.State.ACTIVE, hidden_at=None, file__isnull=False)
    stands = remembered_of(facts).select_related("file").order_by("created_at")
    accepted = _accepted(agent)
    for fact in stands:
        file = fact.file
        if file is None or (line := lines_of(file).get(fact.fingerprint)) is None:
            continue
        is_vouched = fact.confirmed_at is not None or fact.source == models.SourceClass.PERSON
        if is_vouched or (file.pk, line) in accepted:
            yield fact, Source(file.pk, file.revision, line)


def _accepted(agent: Agent) -> set[tuple[UUID, int]]:
    """Lines that a person took up from what was proposed: only the proposal tells them from what
    a program wrote with that person's token."""
    shared = Q(file__agent=agent, file__owner=None)
    proposals = models.Proposal.objects.filter(shared, state=models.Proposal.State.ACCEPTED)
    brought = {
        (file, number)
        for file, taken in proposals.values_list("file", "taken")
        for number in range(taken.get("before", 0) + 1, taken.get("after", -1) + 1)
    }
    lines = models.LineOrigin.objects.filter(shared, user__isnull=False)
    return {
        (file, line)
        for file, line, since, run in lines.values_list("file", "line", "since", "run")
        if run is not None or (file, since) in brought
    }
