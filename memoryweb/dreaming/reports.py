"""What a dream leaves for people to read: the report and a row for every candidate."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.dreaming import consolidators, diary
from memoryweb.dreaming.gates import Verdict
from memoryweb.dreaming.inputs import DIARY, MEMORY, Inputs
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.dreaming.rules import Consolidated
from memoryweb.memory import write
from memoryweb.memory.guards import changed_lines
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import Place, Writer
from memoryweb.review.models import Proposal
from memoryweb.runs.models import Run
from memoryweb.workspace.models import File


def store(
    work: Transaction,
    run: Run,
    read: Inputs,
    made: Consolidated,
    *,
    entry: str,
    changes: Sequence[dict[str, Any]],
) -> Report:
    for change in changes:
        is_memory = change["path"] == MEMORY
        change["lines"] = changed_lines(read.memory.content, made.content) if is_memory else 0
    counts = {kind: _count(made, kind) for kind in ("promoted", "kept", "rejected")}
    report = Report.objects.create(
        team=work.team,
        agent=run.agent,
        owner=run.owner,
        run=run,
        dreamt_at=read.now,
        notes=len(read.notes),
        blocks=len(read.mentions),
        summary=_summary(read, made, changes),
        diary=entry,
        changes=list(changes),
        disputed=[list(pair) for pair in made.disputed],
        fingerprint=_fingerprint(read, made),
        **counts,
    )
    lines = {m: line for line, mentions in made.placed.items() for m in mentions}
    Candidate.objects.bulk_create(
        _candidate(report, verdict, next((lines[m] for m in _of(verdict) if m in lines), None))
        for verdict in made.verdicts
    )
    _forget_older(report)
    return report


def held_sentence(made: Consolidated, *, needs_review: bool) -> str:
    """What the diary says in place of the changes, where a person decides first."""
    if not needs_review:
        return ""
    why = " ".join(item.detail for item in made.broken)
    return _("MEMORY.md was not changed: the proposal waits for a person. {why}").format(
        why=why
    ).strip()  # fmt: skip


def note_revert(tx: Transaction, run: Run, writer: Writer) -> None:
    """One line in DREAMS.md, or in the month's archive where the entry has moved."""
    report = Report.objects.filter(run=run).first()
    if report is None:
        return
    said = _reverted_sentence(tx, run, writer)
    files = File.objects.of(run.agent_id, run.owner_id).present()
    for file in files.filter(path__in=[DIARY, diary.archive_of(report.diary)]):
        text = diary.reverted(file.content, report.diary, said)
        if text != file.content:
            place = Place(run.agent, run.owner, file.path)
            write.write(tx, place, text, writer=writer, expected=file.sha256)


def _reverted_sentence(tx: Transaction, run: Run, writer: Writer) -> str:
    who = " ".join(str(writer.user).split()) if writer.user else _("a person")
    at = f"{tx.now.astimezone(run.agent.zone):%Y-%m-%d %H:%M}"
    return _("Reverted on {at} by {who}: what this dream changed is undone.").format(at=at, who=who)


def _forget_older(report: Report) -> None:
    """The window has the same blocks night after night: of earlier dreams only what they added
    is kept, and what a person still has to decide about."""
    earlier = Report.objects.filter(agent=report.agent, owner=report.owner).exclude(pk=report.pk)
    open_ones = Proposal.objects.filter(state=Proposal.State.PENDING).values("run")
    decided = earlier.exclude(run__in=open_ones)
    weighed = Candidate.objects.filter(report__in=decided.values("pk"))
    weighed.exclude(verdict=Candidate.Verdict.PROMOTED).delete()


def _summary(read: Inputs, made: Consolidated, changes: Sequence[dict[str, Any]]) -> str:
    is_applied = any(change["path"] == MEMORY for change in changes)
    if made.content != read.memory.content and not is_applied:
        told = held_sentence(made, needs_review=True)
    else:
        gone = consolidators.removed(read.memory.content, made)
        told = diary.summary(made.verdicts, made.superseded, made.disputed, gone)
    return " ".join([told, *made.notices])


def _count(made: Consolidated, kind: str) -> int:
    return sum(verdict.verdict == kind for verdict in made.verdicts)


def _of(verdict: Verdict) -> Sequence[Any]:
    return verdict.candidate.mentions


def _candidate(report: Report, verdict: Verdict, memory_line: int | None) -> Candidate:
    candidate = verdict.candidate
    latest = candidate.mentions[-1]
    return Candidate(
        team_id=report.team_id,
        report=report,
        key=candidate.key,
        text=candidate.text,
        file_id=latest.file_id,
        path=latest.path,
        line=latest.line,
        sources=[
            {"file": m.file_id, "path": m.path, "revision": m.revision, "line": m.line}
            for m in candidate.mentions
        ],
        score=round(verdict.scored.total, 4),
        components={
            name: round(value, 4) for name, value in asdict(verdict.scored.components).items()
        },
        gates=[asdict(gate) for gate in verdict.gates],
        verdict=verdict.verdict,
        reason=verdict.reason,
        memory_line=memory_line if verdict.verdict == "promoted" else None,
    )


def _fingerprint(read: Inputs, made: Consolidated) -> str:
    """Two nights with the same one looked at the same and decided the same."""
    said = f"{read.frozen['notes']}{made.content}"
    return hashlib.sha256(said.encode()).hexdigest()
