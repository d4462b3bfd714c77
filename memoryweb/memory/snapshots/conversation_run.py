"""Conversations come in by a run, one a transaction: many take longer than a person waits."""

from dataclasses import replace
from itertools import islice

from django.utils.translation import gettext as _

from memoryweb.agents.models import Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import Import
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.snapshots import conversations
from memoryweb.memory.snapshots.contents import Contents, Talk
from memoryweb.memory.snapshots.formats import table
from memoryweb.memory.snapshots.planning import plan
from memoryweb.memory.snapshots.writing import write_files
from memoryweb.runs import engine
from memoryweb.runs.engine import Lease, Outcome, enqueue
from memoryweb.runs.models import Run

KIND = Run.Kind.IMPORT
STEP_SECONDS = 60.0


class Importing(MemoryRefused):
    """One at a time into one memory."""

    code = "import_running"

    def __init__(self) -> None:
        super().__init__(_("Another import into this memory isn't finished. Try again when it is."))


def request(tx: Transaction, batch: Import, archive: bytes, *, by: Writer) -> Run:
    """The run that brings an import's conversations. Raises Importing."""
    trigger = Run.Trigger.PERSON if by.user else Run.Trigger.API
    made = enqueue(
        agent=batch.agent,
        owner=batch.owner,
        kind=KIND,
        trigger=trigger if by.user or by.token else Run.Trigger.COMMAND,
        user=by.user,
        integration=by.integration,
    )
    if not made.created:
        raise Importing
    batch.archive, batch.run = archive, made.run
    batch.save(update_fields=["archive", "run"])
    named = target(made.run)
    tx.record("run.requested", **named, on_behalf_of=batch.owner_id, run_id=made.run.pk)
    return made.run


def bring(lease: Lease) -> None:
    """The handler of runs of kind `import`; goes on behind the last conversation that it kept."""
    run = lease.run
    batch = Import.objects.select_related("agent", "owner", "user", "token").filter(run=run).first()
    if batch is None or batch.archive is None or batch.owner is None:
        lease.finish(Outcome(Run.Status.SKIPPED, "import_gone"))
        return
    contents = table.read(bytes(batch.archive))
    is_there = bool(run.result) or _began(lease, batch, contents)
    for talk in islice(contents.talks(), run.result.get("done", 0), None):
        lease.make_room(STEP_SECONDS)
        is_there = is_there and _kept(lease, batch, batch.owner, talk)
        if not is_there:
            break
    with write_transaction(run.team, run=run) as tx:
        batch.archive = None
        batch.save(update_fields=["archive"])
        lease.finish(_outcome(run.result, is_there=is_there), record=tx.record)
        engine.followed(tx, run)


def _began(lease: Lease, batch: Import, contents: Contents) -> bool:
    """Goes through all of it once, then writes what was remembered."""
    run, by = lease.run, Writer(AuthorKind.IMPORT, user=batch.user, token=batch.token)
    by = replace(by, integration=run.integration)
    coming = conversations.look(batch.agent, batch.owner, contents)
    with write_transaction(run.team, run=run) as tx:
        if not _is_wanted(batch):
            return False
        made = plan(batch.agent, batch.owner, bytes(batch.archive or b""), by, coming)
        files = len(write_files(tx, batch, made, by))
        result = {"done": 0, "total": coming.total, "messages": 0, "files": files}
        lease.advance(Run.Phase.INPUTS, result=result)
    return True


def _kept(lease: Lease, batch: Import, owner: Owner, talk: Talk) -> bool:
    with write_transaction(lease.run.team, run=lease.run) as tx:
        if not _is_wanted(batch):
            return False
        added, before = conversations.bring(tx, batch, owner, talk), lease.run.result
        counts = {"done": before["done"] + 1, "messages": before["messages"] + added}
        lease.advance(Run.Phase.INPUTS, result=before | counts)
    return True


def _is_wanted(batch: Import) -> bool:
    """It was not taken back, and nothing of its owner erased, while it came."""
    return Import.objects.filter(pk=batch.pk, archive__isnull=False).exists()


def _outcome(result: dict[str, int], *, is_there: bool) -> Outcome:
    if not is_there:
        return Outcome(Run.Status.SKIPPED, "import_gone")
    came = result["messages"] or result["files"]
    return Outcome(Run.Status.SUCCEEDED if came else Run.Status.NO_CHANGE)
