"""What became of what a dream left to a person."""

from collections.abc import Collection, Mapping, Sequence

from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.operations import Waits
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.models import Contradiction, Fact, Proposal
from memoryweb.memory.writing.changes import not_taken
from memoryweb.runs.models import Run

State, Resolution = Proposal.State, Contradiction.Resolution


def outcomes(run: Run, operations: Sequence[Operation]) -> list[str]:
    """What each came to, in their order: its `outcome`, and `accepted` or `rejected` instead of
    `waits` once a person decided, or
    `left_out` where nobody was asked."""
    waiting = [one for one in operations if one.outcome == "waits"]
    if run._state.adding or not waiting:  # what a dream would do was given to nobody
        return [one.outcome for one in operations]
    became = _of_rivals(run, [one for one in waiting if one.waits == Waits.RIVAL])
    became |= _of_proposed(run, [one for one in waiting if one.waits != Waits.RIVAL])
    return [became.get(one.pk, one.outcome) for one in operations]


def _of_proposed(run: Run, waiting: Sequence[Operation]) -> dict[int, str]:
    proposal = _standing(run.proposals.select_related("file").first()) if waiting else None
    if proposal is None or proposal.state == State.PENDING:
        return {}
    if proposal.state == State.REJECTED:
        return {one.pk: "rejected" for one in waiting}
    out, stayed = not_taken(proposal)
    return {one.pk: "rejected" if _is_out(one, out, stayed) else "accepted" for one in waiting}


def _standing(proposal: Proposal | None) -> Proposal | None:
    """A newer one of its file holds all that an undecided one held."""
    if proposal is None or proposal.state != State.REPLACED:
        return proposal
    newer = proposal.file.proposals.filter(run__isnull=False, created_at__gt=proposal.created_at)
    return newer.exclude(state=State.REPLACED).order_by("created_at").first()


def _is_out(one: Operation, out: Collection[str], stayed: Collection[str]) -> bool:
    if one.after:
        return fingerprint(one.after) in out
    return any(fingerprint(text) in stayed for text in one.before)


def _of_rivals(run: Run, waiting: Sequence[Operation]) -> dict[int, str]:
    prints = {one.pk: fingerprint(one.after) for one in waiting}
    facts = run.agent.facts.of(run.agent_id, run.owner_id).filter(fingerprint__in=prints.values())
    found: Mapping[str, Fact] = {
        one.fingerprint: one for one in facts.select_related("contradiction").order_by("changed_at")
    }
    became = {pk: _became(found.get(print_)) for pk, print_ in prints.items()}
    return {pk: outcome for pk, outcome in became.items() if outcome}


def _became(fact: Fact | None) -> str:
    """Empty while it waits. Nobody was asked about what there is no statement of, and nobody is
    again about what may stand beside the other one."""
    about = fact.contradiction if fact else None
    if fact is not None and fact.file_id is not None:
        return "" if about and about.state == Contradiction.State.OPEN else "accepted"
    if about is None or about.state == Contradiction.State.IGNORED:
        return "left_out"
    if about.state == Contradiction.State.OPEN:
        return ""
    return "accepted" if about.resolution == Resolution.MERGE else "rejected"
