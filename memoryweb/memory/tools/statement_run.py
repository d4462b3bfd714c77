"""Many statements that a program sends at once are written by a run, some at a time: nobody who
writes waits longer than for those."""

from collections.abc import Sequence

from memoryweb.accounts.models import Token
from memoryweb.agents.readers import Reader
from memoryweb.audit.record import target
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.tools import owner_statements
from memoryweb.memory.tools.files import Acting
from memoryweb.memory.writing.write import Writer
from memoryweb.runs.engine import Lease, Outcome, enqueue
from memoryweb.runs.models import Run

KIND = Run.Kind.STATEMENTS
SLICE = 50  # statements of one transaction; so many are also written while the caller waits
STEP_SECONDS = 60.0


def request(tx: Transaction, acting: Acting, texts: Sequence[str], *, writer: Writer) -> Run:
    """Accepted are all of them. What is sent while a run of that memory is at work joins it."""
    run = enqueue(
        agent=acting.reader.agent,
        owner=acting.reader.owner,
        kind=KIND,
        trigger=Run.Trigger.API,
        user=writer.user,
        integration=writer.integration,
    ).run
    sent = {"token": str(writer.token.pk) if writer.token else None, "texts": list(texts)}
    run.inputs = {"waiting": [*run.inputs.get("waiting", ()), sent]}
    run.save(update_fields=["inputs"])
    tx.record("run.requested", **target(run), on_behalf_of=run.owner_id, run_id=run.pk)
    return run


def write_all(lease: Lease) -> None:
    """The handler of runs of kind `statements`. What is written leaves what waits in the same
    transaction, so that a run that is taken over goes on right behind it. What is refused leaves
    it too: another token's texts may wait behind."""
    while not lease.finished:
        lease.make_room(STEP_SECONDS)
        try:
            _write_slice(lease)
        except MemoryRefused as refused:
            _pass_over(lease, refused)


def _write_slice(lease: Lease) -> None:
    run = lease.run
    with write_transaction(run.team, run=run) as work:
        # Meanwhile more may have come, and something of it been erased.
        run.refresh_from_db(fields=["inputs", "result", "owner", "agent"])
        waiting, why = run.inputs.get("waiting"), _why_not(run)
        if not waiting or why:
            lease.store(Run.Phase.APPLIED, inputs={})
            lease.finish(_outcome(run, why), record=work.record)
            return
        sent, *later = waiting
        acting = Acting(Reader(run.agent, run.owner), work.now)
        now, rest = sent["texts"][:SLICE], sent["texts"][SLICE:]
        owner_statements.state(work, acting, now, writer=_writer(run, sent["token"]))
        later = [sent | {"texts": rest}, *later] if rest else later
        done = run.result | {"done": run.result.get("done", 0) + len(now)}
        lease.advance(Run.Phase.INPUTS, inputs={"waiting": later}, result=done)


def _outcome(run: Run, why: str) -> Outcome:
    if refused := run.result.get("refused"):
        return Outcome(Run.Status.FAILED, *refused)
    return Outcome(Run.Status.SKIPPED if why else Run.Status.SUCCEEDED, why)


def _why_not(run: Run) -> str:
    if run.agent.archived_at is not None:
        return "archived"
    return "paused" if run.owner is not None and run.owner.paused else ""


def _writer(run: Run, token_id: str | None) -> Writer:
    """As whoever sent it, with a token that may be revoked by now: it was accepted before."""
    return Writer(
        AuthorKind.AGENT,
        user=run.user,
        integration=run.integration,
        token=Token.objects.filter(pk=token_id).first() if token_id else None,
        is_tool=True,
        speaker=run.owner,
    )


def _pass_over(lease: Lease, refused: MemoryRefused) -> None:
    run = lease.run
    with write_transaction(run.team, run=run):
        run.refresh_from_db(fields=["inputs", "result"])
        result = run.result | {"refused": [refused.code, str(refused)]}
        later = run.inputs["waiting"][1:]
        lease.advance(Run.Phase.INPUTS, inputs={"waiting": later}, result=result)
