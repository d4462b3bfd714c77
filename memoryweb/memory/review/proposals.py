"""A machine's change that waits for a person: accepted or rejected as a whole."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memoryweb.accounts.models import User
from memoryweb.language.flags import suspicious
from memoryweb.markdown.diff import carry
from memoryweb.markdown.merge import conflicts, merge, resolved
from memoryweb.memory.exceptions import Decided, Stale
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import Place, Writer, Written, lock, write
from memoryweb.provenance import flags
from memoryweb.provenance.origins import Origin, Source
from memoryweb.review.models import Proposal
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File
from memoryweb.workspace.revisions import content_of


def accept(tx: Transaction, proposal: Proposal, *, by: User) -> Written:
    """Write what was proposed, if it still fits what the file is now.

    Raises Decided, Stale.
    """
    proposal.file = file = lock(proposal.file)
    _decide(tx, proposal, Proposal.State.ACCEPTED, by)
    content = outcome(proposal)
    if content is None:
        raise Stale(file)
    told = origins_of(proposal)
    if proposal.run is None:
        flags.let_stand(file, suspicious(_brought(file, content)))
        told = _moved({n: one for n, one in told.items() if one != Origin()}, proposal, content)
    place = Place(file.agent, file.owner, file.path)
    return write(tx, place, content, writer=_writer(proposal, by), origins=told)


def outcome(proposal: Proposal) -> str | None:
    """The text that accepting leaves. A dream looks again at a file that was changed since; what a
    program wrote by itself comes together with the change. None where it does not fit."""
    file = proposal.file
    if file.revision == proposal.base_revision:
        return proposal.content
    if proposal.run_id is not None:
        return None
    base = content_of(file, proposal.base_revision)
    hunks = merge(base, file.content, proposal.content)
    return None if conflicts(hunks) else resolved(hunks, {})


def reject(tx: Transaction, proposal: Proposal, *, by: User, keeps_out: bool = True) -> None:
    """Leave the file alone. What stands in a rejected proposal is not proposed again, unless it
    went for one of its sources only (`keeps_out`)."""
    if not keeps_out:
        proposal.origins = {}
        proposal.save(update_fields=["origins"])
    _decide(tx, proposal, Proposal.State.REJECTED, by)


def origins_of(proposal: Proposal) -> dict[int, Origin]:
    return {int(line): _unpacked(origin) for line, origin in proposal.origins.items()}


def _writer(proposal: Proposal, by: User) -> Writer:
    of_program = AuthorKind.IMPORT if proposal.batch_id else AuthorKind.AGENT
    run, token = proposal.run, proposal.token
    return Writer(
        AuthorKind(run.kind) if run else of_program,
        user=by,
        run=run,
        integration=token.integration if token else None,
        token=token,
        conversation_id=proposal.conversation_id,
        batch=proposal.batch,
        is_approved=True,
    )


def _brought(file: File, content: str) -> list[str]:
    stood = set(file.content.split("\n"))
    return [line for line in content.split("\n") if line not in stood]


def _moved(told: Mapping[int, Origin], proposal: Proposal, content: str) -> dict[int, Origin]:
    """Where the lines stand once the file was changed meanwhile, too."""
    same = carry(proposal.content.split("\n"), content.split("\n")).same
    return {new: told[old] for new, old in same.items() if old in told}


def _decide(tx: Transaction, proposal: Proposal, state: Proposal.State, by: User) -> None:
    waiting = Proposal.objects.filter(pk=proposal.pk, state=Proposal.State.PENDING)
    if not waiting.update(state=state, decided_by=by, decided_at=tx.now):
        raise Decided
    tx.record(
        f"proposal.{state}",
        target_kind="proposal",
        target_id=str(proposal.pk),
        on_behalf_of=proposal.file.owner_id,
        run_id=proposal.run_id,
    )


def _unpacked(packed: dict[str, Any]) -> Origin:
    return Origin(
        tuple(
            Source(UUID(file_id) if file_id else None, *rest)
            for file_id, *rest in packed["sources"]
        ),
        durable=packed["durable"],
        asked=packed["asked"],
        category=packed["category"],
        also=tuple(packed.get("also", ())),
    )
