"""Looking again, with today's patterns, at what was kept before they were known (SPEC §12).

A run of one agent, in steps of a few rows with a transaction each, that goes on where it stood.
It notes kind and place of what it finds, never the text; with `fix` it masks it where it stands:
the current text by a new revision, old revisions and messages in place. Lines keep their numbers.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.agents.models import Agent
from memoryweb.audit.record import target
from memoryweb.core.row_batches import insert
from memoryweb.memory import models
from memoryweb.memory.index import indexing
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.statements import projection
from memoryweb.memory.writing import in_place, screening, write
from memoryweb.memory.writing.revising import sha256
from memoryweb.memory.writing.screening import MaskResult, Sight
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.models import Run
from memoryweb.runs.queue import enqueue

KIND = Run.Kind.SECRET_SCAN
FIX = "fix"
STEP = 50
STEP_SECONDS = 60.0  # more than the longest step takes
FILES = 1  # with all their revisions, while every other writer of the team waits
MOST = 500  # sightings that are listed; all are counted


# Stages of their own, or made again from those.
_BY_THEMSELVES = (models.File, models.Revision, models.Message, models.Proposal, models.Passage)


@dataclass(frozen=True)
class Sighting:
    """`where`: file, revision, message, proposal or record; `number` its revision or position."""

    kind: str
    where: str
    id: str
    number: int
    line: int
    owner: str | None


def request(tx: Transaction, agent: Agent, *, fix: bool, trigger: str, user: Any = None) -> Run:
    """The run that looks, or the one at work already."""
    made = enqueue(
        agent=agent, owner=None, kind=KIND, trigger=trigger, user=user, topic=FIX if fix else ""
    )
    if made.created:
        tx.record("run.requested", **target(made.run), run_id=made.run.pk)
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
        with write_transaction(run.team, run=run) as tx:
            seen = [sighting for row in batch for sighting in _look(tx, name, row, fix=masks(run))]
            cursor = {"stage": cursor["stage"], "after": str(batch[-1].pk)}
            _count(result, seen, len(batch), fixed=masks(run))
            if seen and masks(run):
                tx.record("secret.masked", details={"where": name, "count": len(seen)})
            lease.advance(Run.Phase.INPUTS, checked=cursor, result=result)
    status = Run.Status.SUCCEEDED if result["found"] else Run.Status.NO_CHANGE
    lease.finish(Outcome(status, "masked" if result["masked"] else "", result=result))


def _stages(agent: Agent) -> list[tuple[str, "QuerySet[Any]"]]:
    """What else of an agent can hold a person's words: runs, reports, stored answers…"""
    its = {table.model: table.of_agent(agent) for table in in_place.tables() if table.said}
    others = [rows for model, rows in its.items() if model not in _BY_THEMSELVES]
    return [
        ("file", its[models.File]),
        ("message", its[models.Message]),
        ("proposal", its[models.Proposal]),
        *(("record", rows) for rows in others),
    ]


def _after(rows: "QuerySet[Any]", after: str | None) -> "QuerySet[Any]":
    found = rows.order_by("pk")
    return found.filter(pk__gt=after) if after else found


def _look(tx: Transaction, name: str, row: Any, *, fix: bool) -> Iterator[Sighting]:
    table = in_place.table_of(type(row))
    owner_id = table.owner_id(row)
    if isinstance(row, models.File):
        # The past second: the revision that masks the current text makes one more.
        found = [("file", row.revision, sight) for sight in in_current(tx, row, fix=fix)]
        found += [("revision", number, sight) for number, sight in in_past(row, fix=fix)]
    elif isinstance(row, models.Message):
        found = [(name, row.position, sight) for sight in in_message(row, fix=fix)]
    else:
        masks = in_columns(row, table.said, owner_id, fix=fix)
        found = [(name, 0, sight) for masked in masks for sight in masked.sights]
    owner = str(owner_id) if owner_id else None
    for where, number, sight in found:
        yield Sighting(sight.kind, where, str(row.pk), number, sight.line, owner)


def _count(result: dict[str, Any], seen: list[Sighting], rows: int, *, fixed: bool) -> None:
    result["done"] += rows
    result["found"] += len(seen)
    result["masked"] += len(seen) if fixed else 0
    room = MOST - len(result["sightings"])
    result["sightings"] += [asdict(sighting) for sighting in seen[: max(0, room)]]


def in_current(tx: Transaction, file: models.File, *, fix: bool) -> list[Sight]:
    """Of the current text; masked by a new revision that leaves every line to its writer."""
    if file.deleted_at is not None:
        return []
    masked = screening.mask_in_place(file.team_id, file.raw_content, owner_id=file.owner_id)
    if fix and masked.sights:
        origins = list(models.LineOrigin.objects.filter(file=file))
        place = Place.of(file)
        writer = Writer(models.AuthorKind.SYSTEM, run=tx.run)
        written = write.write(tx, place, masked.text, writer=writer)
        models.LineOrigin.objects.filter(file=file).delete()
        insert(_again(row) for row in origins)
        follow(Kind.FLAG, [file.pk])
        projection.weigh(written.file)
        indexing.index_files([written.file])
    return list(masked.sights)


def in_past(file: models.File, *, fix: bool) -> list[tuple[int, Sight]]:
    """Of all revisions but the current text, with each one's number; masked in place, and every
    digest that depends on it is made again."""
    found: list[tuple[int, Sight]] = []
    last = 0

    def masked(rows: Sequence[models.Revision], texts: Sequence[str]) -> Sequence[str]:
        nonlocal last
        last = rows[0].number
        mask = screening.mask_in_place(file.team_id, "".join(texts), owner_id=file.owner_id)
        ends = pairwise(accumulate(map(len, texts), initial=0))
        cuts = [mask.cut(start, end) for start, end in ends]
        for row, (_text, sights) in zip(rows, cuts, strict=True):
            reasons = in_columns(row, ("reason",), file.owner_id, fix=fix)
            sights += [sight for reason in reasons for sight in reason.sights]
            found.extend((row.number, sight) for sight in sights)
        return [text for text, _sights in cuts] if fix else texts

    in_place.rewrite(file.pk, masked, sha256)
    return [(n, sight) for n, sight in found if fix or n < last]


def in_message(message: models.Message, *, fix: bool) -> list[Sight]:
    said, owner_id = in_place.table_of(models.Message).said, message.conversation.owner_id
    masks = in_columns(message, said, owner_id, fix=fix)
    sights = [sight for masked in masks for sight in masked.sights]
    if fix and sights:
        message.masked += len(sights)
        message.save(update_fields=["masked"])
    return sights


def in_columns(
    row: Any, columns: Collection[str], owner_id: UUID | None, *, fix: bool
) -> list[MaskResult]:
    """Of texts within JSON, too."""
    found: list[MaskResult] = []

    def mask(_column: str, text: str) -> str:
        found.append(screening.mask_in_place(row.team_id, text, owner_id=owner_id))
        return found[-1].text

    changed = in_place.changes(row, columns, mask)
    if fix and changed:
        in_place.save(row, changed)
    return found


def _again(row: models.LineOrigin) -> models.LineOrigin:
    row.pk = None
    row._state.adding = True
    return row
