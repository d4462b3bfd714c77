"""Looking again, with today's patterns, at what was kept before they were known (SPEC §12).

A run of one agent, in steps of a few rows with a transaction each, that goes on where it stood.
It notes kind and place of what it finds, never the text; with `fix` it masks it where it stands:
the current text by a new revision, old revisions and messages in place. Lines keep their numbers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Model, QuerySet

from memoryweb.agents.models import Agent
from memoryweb.audit.record import target
from memoryweb.core.row_batches import insert
from memoryweb.memory.index import indexing
from memoryweb.memory.models import File, LineOrigin, Message, Passage, Proposal, Revision
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.models.writer import Place, Writer
from memoryweb.memory.statements import projection
from memoryweb.memory.writing import screening, write
from memoryweb.memory.writing.revising import sha256
from memoryweb.memory.writing.screening import Sight
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.enqueue import enqueue
from memoryweb.runs.models import Run

KIND = Run.Kind.SECRET_SCAN
FIX = "fix"
STEP = 50
STEP_SECONDS = 60.0  # more than the longest step takes
FILES = 1  # with all their revisions, while every other writer of the team waits
MOST = 500  # sightings that are listed; all are counted


# Looked through one by one, or made again from what is.
_BY_THEMSELVES = (File, Revision, Message, Proposal, Passage)
# Names, which are refused where they hold a secret, and the search's own words.
_NAMES = {"path", "folded_path", "external_id", "email", "raw_tokens"}
_WAYS = ("agent", "file__agent", "run__agent", "report__run__agent", "conversation__agent")


@dataclass(frozen=True)
class Sighting:
    """`where`: file, revision, message, proposal or record; `number` its revision or position."""

    kind: str
    where: str
    id: str
    number: int
    line: int
    owner: str | None


def request(work: Transaction, agent: Agent, *, fix: bool, trigger: str, user: Any = None) -> Run:
    """The run that looks, or the one at work already."""
    made = enqueue(
        agent=agent, owner=None, kind=KIND, trigger=trigger, user=user, topic=FIX if fix else ""
    )
    if made.created:
        work.record("run.requested", **target(made.run), run_id=made.run.pk)
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
        with write_transaction(run.team, run=run) as work:
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
        *(("record", rows) for rows in records_of(agent)),
    ]


def _after(rows: "QuerySet[Any]", after: str | None) -> "QuerySet[Any]":
    found = rows.order_by("pk")
    return found.filter(pk__gt=after) if after else found


def _look(work: Transaction, name: str, row: Model, *, fix: bool) -> Iterator[Sighting]:
    found: Iterable[tuple[str, int, Sight]]
    if isinstance(row, File):
        # The past second: the revision that masks the current text makes one more.
        found = [("file", row.revision, one) for one in in_current(work, row, fix=fix)]
        found += [("revision", number, one) for number, one in in_past(work, row, fix=fix)]
    elif isinstance(row, Message):
        found = [(name, row.position, one) for one in in_message(work, row, fix=fix)]
    else:
        found = [(name, 0, one) for one in in_record(row, fix=fix)]
    owner = owner_of(row)
    for where, number, one in found:
        yield Sighting(one.kind, where, str(row.pk), number, one.line, owner)


def _count(result: dict[str, Any], seen: list[Sighting], rows: int, *, fixed: bool) -> None:
    result["done"] += rows
    result["found"] += len(seen)
    result["masked"] += len(seen) if fixed else 0
    room = MOST - len(result["sightings"])
    result["sightings"] += [asdict(one) for one in seen[: max(0, room)]]


def in_current(work: Transaction, file: File, *, fix: bool) -> list[Sight]:
    """Of the current text; masked by a new revision that leaves every line to its writer."""
    if file.deleted_at is not None:
        return []
    masked = screening.mask_in_place(file.team_id, file.raw_content, owner_id=file.owner_id)
    if fix and masked.sights:
        origins = list(LineOrigin.objects.filter(file=file))
        place = Place(file.agent, file.owner, file.path)
        writer = Writer(AuthorKind.SYSTEM, run=work.run)
        written = write.write(work, place, masked.text, writer=writer)
        LineOrigin.objects.filter(file=file).delete()
        insert(_again(row) for row in origins)
        follow(Kind.FLAG, [file.pk])
        projection.weigh(written.file)
        indexing.index_files([written.file])
        screening.keep_for_file(work, written.file, masked, writer)
    return list(masked.sights)


def in_past(work: Transaction, file: File, *, fix: bool) -> list[tuple[int, Sight]]:
    """Of all revisions but the current text, with each one's number; masked in place, and every
    digest that depends on it is made again."""
    rows = Revision.objects.filter(file=file)
    found: list[tuple[int, Sight]] = []
    for base in list(rows.order_by("base").values_list("base", flat=True).distinct()):
        found += _in_chain(file, list(rows.filter(base=base).order_by("number")), fix=fix)
    current = rows.filter(number=file.revision).values_list("base", flat=True).first()
    return [(n, one) for n, one in found if fix or current is None or n < current]


def in_message(work: Transaction, message: Message, *, fix: bool) -> list[Sight]:
    owner_id = message.conversation.owner_id
    content = screening.mask_in_place(message.team_id, message.raw_content, owner_id=owner_id)
    name = screening.mask_in_place(message.team_id, message.name, owner_id=owner_id)
    sights = [*content.sights, *name.sights]
    if fix and sights:
        message.raw_content, message.name = content.text, name.text[:120]
        message.masked += len(sights)
        message.save(update_fields=["raw_content", "name", "masked"])
        Passage.objects.filter(message=message).delete()
        indexing.index_messages(message.conversation, [message])
        screening.keep_for_message(work, message.conversation, message, content.held)
    return sights


def in_record(row: Any, *, fix: bool) -> list[Sight]:
    """Every erasable column of another row, texts within JSON, too."""
    sights: list[Sight] = []
    owner = owner_of(row)

    def masked(text: str) -> str:
        owner_id = UUID(owner) if owner else None
        found = screening.mask_in_place(row.team_id, text, owner_id=owner_id)
        sights.extend(found.sights)
        return found.text

    before = {name: getattr(row, name) for name in _columns(type(row))}
    after = {name: screening.with_each_text(value, masked) for name, value in before.items()}
    changed = [name for name in before if after[name] != before[name]]
    if fix and changed:
        for name in changed:
            setattr(row, name, after[name])
        row.save(update_fields=changed)
    return sights


def records_of(agent: Agent) -> "list[QuerySet[Any]]":
    """What else of an agent can hold a person's words: runs, reports, stored answers…"""
    found = []
    for model in apps.get_models():
        if model in _BY_THEMSELVES or not _columns(model):
            continue
        way = _way(model)
        if way:
            rows = model._default_manager.filter(team=agent.team_id, **{way: agent})
            found.append(rows)
    return found


def owner_of(row: Any) -> str | None:
    """Whose words the row holds, by what it belongs to."""
    if hasattr(row, "owner_id"):
        return str(row.owner_id) if row.owner_id else None
    for name in ("file", "conversation", "run", "report"):
        if getattr(row, f"{name}_id", None):
            return owner_of(getattr(row, name))
    return None


def _in_chain(file: File, chain: list[Revision], *, fix: bool) -> list[tuple[int, Sight]]:
    """A revision with the whole text, and what was appended to it one by one."""
    whole = "".join(row.raw_text for row in chain)
    masked = screening.mask_in_place(file.team_id, whole, owner_id=file.owner_id)
    if not masked.sights:
        return _in_reasons(file, chain, fix=fix)
    found, pieces, at = [], [], 0
    for row in chain:
        end = at + len(row.raw_text)
        piece, sights = masked.cut(at, end)
        found += [(row.number, one) for one in sights]
        pieces.append(piece)
        at = end
    if fix:
        whole = ""
        for row, piece in zip(chain, pieces, strict=True):
            whole += piece
            row.raw_text, row.sha256, row.size = piece, sha256(whole), len(whole.encode())
            row.save(update_fields=["raw_text", "sha256", "size"])
    return [*found, *_in_reasons(file, chain, fix=fix)]


def _in_reasons(file: File, chain: list[Revision], *, fix: bool) -> list[tuple[int, Sight]]:
    found = []
    for row in chain:
        masked = screening.mask_in_place(row.team_id, row.reason, owner_id=file.owner_id)
        if not masked.sights:
            continue
        found += [(row.number, one) for one in masked.sights]
        if fix:
            row.reason = masked.text[:300]
            row.save(update_fields=["reason"])
    return found


def _again(row: LineOrigin) -> LineOrigin:
    row.pk = None
    row._state.adding = True
    return row


def _columns(model: type[Model]) -> list[str]:
    return [
        field.name
        for field in model._meta.get_fields()
        if getattr(field, "erasable", False) and field.name not in _NAMES
    ]


def _way(model: type[Model]) -> str:
    """How rows of the model lead to an agent; empty where none does."""
    fields = {field.name for field in model._meta.get_fields() if field.concrete}
    if "team" not in fields:
        return ""
    return next((way for way in _WAYS if way.split("__")[0] in fields), "")
