"""A machine's change that waits for a person: made, accepted or rejected as a whole."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from memoryweb.accounts.models import User
from memoryweb.agents.models import Owner
from memoryweb.language.statements import clean
from memoryweb.memory import screening
from memoryweb.memory.exceptions import ProposalDecided, Stale
from memoryweb.memory.transaction import Unit
from memoryweb.memory.write import Place, Writer, Written, lock, write
from memoryweb.provenance import authorship
from memoryweb.provenance.origins import Origin, Source
from memoryweb.review.rejections import states
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, File, Proposal

_LATEST = 50  # rejected proposals that are looked at
_KINDS = {Run.Kind.DREAM: AuthorKind.DREAM, Run.Kind.EXTRACTION: AuthorKind.EXTRACTION}


def propose(
    unit: Unit,
    *,
    run: Run,
    file: File,
    content: str,
    origins: Mapping[int, Origin],
    broken: Sequence[tuple[str, str]],
    base: int | None = None,
) -> Proposal:
    """Keep a change for a person. `broken` are (guard, sentence); none where the policy asks.

    `base` is the revision that the change was made from, where that is not the current one: such
    a change is shown, and cannot be accepted over what was written since.
    It holds all that an undecided one of the same file held, so that one is replaced.
    """
    Proposal.objects.filter(file=file, state=Proposal.State.PENDING).update(
        state=Proposal.State.REPLACED, decided_at=unit.now
    )
    content = screening.without_new(content, known=file.content)
    screened = screening.hold(unit.team.pk, content, owner_id=file.owner_id, known=file.content)
    rooted = authorship.rooted(origins)  # what a source stands on may be changed meanwhile
    proposal = Proposal.objects.create(
        team=unit.team,
        file=file,
        run=run,
        base_revision=file.revision if base is None else base,
        content=screened.text,
        origins={str(line): packed(origin) for line, origin in rooted.items()},
        broken=[{"guard": guard, "detail": detail} for guard, detail in broken],
        created_at=unit.now,
    )
    unit.record(
        "proposal.made",
        target_kind="proposal",
        target_id=str(proposal.pk),
        on_behalf_of=file.owner_id,
        details={"guards": [guard for guard, _detail in broken]},
    )
    screening.keep_for_file(unit, file, screened, Writer(_KINDS[Run.Kind(run.kind)], run=run))
    return proposal


def accept(unit: Unit, proposal: Proposal, *, by: User) -> Written:
    """Write what was proposed, if the file is still what it was then.

    Raises ProposalDecided, Stale.
    """
    file = lock(proposal.file)
    _decide(unit, proposal, Proposal.State.ACCEPTED, by)
    if file.revision != proposal.base_revision:
        raise Stale(file)
    writer = Writer(_KINDS[Run.Kind(proposal.run.kind)], user=by, run=proposal.run)
    return write(
        unit,
        Place(file.agent, file.owner, file.path),
        proposal.content,
        writer=writer,
        origins=origins_of(proposal),
    )


def reject(unit: Unit, proposal: Proposal, *, by: User, keeps_out: bool = True) -> None:
    """Leave the file alone. What stands in a rejected proposal is not proposed again, unless it
    went for one of its sources only (`keeps_out`)."""
    if not keeps_out:
        proposal.origins = {}
        proposal.save(update_fields=["origins"])
    _decide(unit, proposal, Proposal.State.REJECTED, by)


def origins_of(proposal: Proposal) -> dict[int, Origin]:
    return {int(line): _unpacked(origin) for line, origin in proposal.origins.items()}


def rejected_lines(agent_id: UUID, owner: Owner | None, path: str) -> frozenset[str]:
    """The lines that rejected proposals would have brought into a file."""
    proposals = Proposal.objects.filter(
        state=Proposal.State.REJECTED, file__agent=agent_id, file__owner=owner, file__path=path
    )
    found = set()
    rows = proposals.order_by("-created_at").values_list("content", "origins")[:_LATEST]
    for content, placed in rows:
        lines = content.split("\n")
        numbers = [int(number) for number in placed]
        found |= {lines[n - 1] for n in numbers if n <= len(lines)}
    return frozenset(clean(line) for line in found if states(line))


def _decide(unit: Unit, proposal: Proposal, state: Proposal.State, by: User) -> None:
    waiting = Proposal.objects.filter(pk=proposal.pk, state=Proposal.State.PENDING)
    if not waiting.update(state=state, decided_by=by, decided_at=unit.now):
        raise ProposalDecided
    unit.record(
        f"proposal.{state}",
        target_kind="proposal",
        target_id=str(proposal.pk),
        on_behalf_of=proposal.file.owner_id,
        run_id=proposal.run_id,
    )


def packed(origin: Origin) -> dict[str, Any]:
    return {
        "sources": [
            [str(s.file_id) if s.file_id else None, s.revision, s.line, s.message_id, s.root_id]
            for s in origin.sources
        ],
        "durable": origin.durable,
        "asked": origin.asked,
        "category": origin.category,
        "also": list(origin.also),
    }


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
