"""Looking again, with today's patterns, at what was kept before they were known (SPEC §12).

A run of one agent, in steps of a few rows with a transaction each, that goes on where it stood.
It notes kind and place of what it finds, never the text; with `fix` it masks it where it stands:
the current text by a new revision, old revisions and messages in place. Lines keep their numbers.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Model, QuerySet

from memoryweb.agents.models import Agent
from memoryweb.conversations.models import Message
from memoryweb.memory.secrets import redacting
from memoryweb.memory.unit import Unit, unit
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.enqueueing import enqueue
from memoryweb.runs.models import Run
from memoryweb.workspace.models import File, Proposal

KIND = Run.Kind.SECRET_SCAN
FIX = "fix"
STEP = 50
STEP_SECONDS = 60.0  # more than the longest step takes
FILES = 1  # with all their revisions, while every other writer of the team waits
MOST = 500  # sightings that are listed; all are counted


@dataclass(frozen=True)
class Sighting:
    """`where`: file, revision, message, proposal or record; `number` its revision or position."""

    kind: str
    where: str
    id: str
    number: int
    line: int
    owner: str | None


def request(work: Unit, agent: Agent, *, fix: bool, trigger: str, user: Any = None) -> Run:
    """The run that looks, or the one at work already."""
    made = enqueue(
        agent=agent, owner=None, kind=KIND, trigger=trigger, user=user, topic=FIX if fix else ""
    )
    if made.created:
        work.record(
            "run.requested", target_kind="run", target_id=str(made.run.pk), run_id=made.run.pk
        )
    return made.run


def masks(run: Run) -> bool:
    """Whether it masks what it finds, too."""
    return run.topic == FIX


def scan(lease: Lease) -> None:
    """The handler of runs of kind `secret_scan`."""
    run = lease.run
    cursor = run.checked or {"stage": 0, "after": None}
    result = run.result or {"found": 0, "masked": 0, "done": 0, "total": 0, "sightings": []}
    stages = _stages(run.agent)
    result["total"] = sum(rows.count() for _name, rows in stages)
    while cursor["stage"] < len(stages):
        name, rows = stages[cursor["stage"]]
        batch = list(_after(rows, cursor["after"])[: FILES if name == "file" else STEP])
        if not batch:
            cursor = {"stage": cursor["stage"] + 1, "after": None}
            continue
        lease.make_room(STEP_SECONDS)
        with unit(run.team, run=run) as work:
            seen = [one for row in batch for one in _look(work, name, row, fix=masks(run))]
            cursor = {"stage": cursor["stage"], "after": str(batch[-1].pk)}
            _count(result, seen, len(batch), fixed=masks(run))
            if seen and masks(run):
                work.record("secret.masked", details={"where": name, "count": len(seen)})
            lease.advance(Run.Phase.INPUTS, checked=cursor, result=result)
    status = Run.Status.SUCCEEDED if result["found"] else Run.Status.NO_CHANGE
    lease.finish(Outcome(status, "masked" if result["masked"] else "", result=result))


def _stages(agent: Agent) -> list[tuple[str, "QuerySet[Any]"]]:
    team = agent.team_id
    return [
        ("file", File.objects.filter(team=team, agent=agent)),
        ("message", Message.objects.filter(team=team, conversation__agent=agent)),
        ("proposal", Proposal.objects.filter(team=team, file__agent=agent)),
        *(("record", rows) for rows in redacting.records_of(agent)),
    ]


def _after(rows: "QuerySet[Any]", after: str | None) -> "QuerySet[Any]":
    found = rows.order_by("pk")
    return found.filter(pk__gt=after) if after else found


def _look(work: Unit, name: str, row: Model, *, fix: bool) -> Iterator[Sighting]:
    if isinstance(row, File):
        yield from _in_file(work, row, fix=fix)
        return
    owner = redacting.owner_of(row)
    if name == "message" and isinstance(row, Message):
        found = redacting.in_message(work, row, fix=fix)
        number = row.position
    else:
        found, number = redacting.in_record(row, fix=fix), 0
    for one in found:
        yield Sighting(one.kind, name, str(row.pk), number, one.line, owner)


def _in_file(work: Unit, file: File, *, fix: bool) -> Iterator[Sighting]:
    """The past first: the revision that masks the current text makes one more."""
    owner = str(file.owner_id) if file.owner_id else None
    found = redacting.in_current(work, file, fix=fix)
    for one in found:
        yield Sighting(one.kind, "file", str(file.pk), file.revision, one.line, owner)
    for number, one in redacting.in_past(work, file, fix=fix):
        yield Sighting(one.kind, "revision", str(file.pk), number, one.line, owner)


def _count(result: dict[str, Any], seen: list[Sighting], rows: int, *, fixed: bool) -> None:
    result["done"] += rows
    result["found"] += len(seen)
    result["masked"] += len(seen) if fixed else 0
    room = MOST - len(result["sightings"])
    result["sightings"] += [asdict(one) for one in seen[: max(0, room)]]
