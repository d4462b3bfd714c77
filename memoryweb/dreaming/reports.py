"""What a dream leaves for people to read: the report, its operations and its candidates."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.core.row_batches import insert, remove
from memoryweb.dreaming import diary, story
from memoryweb.dreaming.candidates import Mention, as_line
from memoryweb.dreaming.consolidators import Consolidation
from memoryweb.dreaming.gates import Verdict
from memoryweb.dreaming.inputs import DIARY, MEMORY, PROFILE, Inputs
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.dreaming.operations import UNJUDGED, Does, LivingStatement, Result, Why
from memoryweb.dreaming.story import Tally
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.marks import marked, part
from memoryweb.memory import forgetting
from memoryweb.memory.freeing import Ending
from memoryweb.memory.freeing import Place as Noted
from memoryweb.memory.models import Fact, File, Proposal
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.statements.bullets import statements_of
from memoryweb.memory.writing import write
from memoryweb.memory.writing.put_back import UNTOLD
from memoryweb.memory.writing.write import WriteResult
from memoryweb.runs.models import Run


def store(
    tx: Transaction,
    run: Run,
    read: Inputs,
    made: Consolidation,
    done: Sequence[Operation],
    *,
    entry: str,
    changes: Sequence[dict[str, Any]],
    memory: str,
) -> Report:
    """`memory`: MEMORY.md as the night left it."""
    judged = [one for one in made.verdicts if not one.reason.startswith(UNJUDGED)]
    counts = Counter[str](one.verdict for one in judged)
    report = Report.objects.create(
        team=tx.team,
        agent=run.agent,
        owner=run.owner,
        run=run,
        dreamt_at=read.now,
        notes=len(read.notes),
        blocks=len(read.mentions),
        diary=entry,
        changes=list(changes),
        fingerprint=_fingerprint(read, made),
        **{kind: counts[kind] for kind in Candidate.Verdict.values},
    )
    for one in done:
        one.team_id, one.report_id = report.team_id, report.pk
    insert(done)
    lines = {one.text: one.line for one in statements_of(memory, MEMORY)}
    insert(_candidate(report, one, made, lines) for one in judged)
    _forget_older(report)
    return report


def of_month(run: Run, month: str) -> tuple[Tally, int]:
    """What the dreams of that memory did in a month, and how many they were."""
    first = datetime.strptime(month, "%Y-%m").replace(tzinfo=run.agent.zone)
    after = (first + timedelta(days=32)).replace(day=1)
    reports = Report.objects.filter(
        agent=run.agent,
        owner=run.owner,
        dreamt_at__gte=first,
        dreamt_at__lt=after,
        run__reverted_at=None,
    )
    done = Operation.objects.filter(report__in=reports.values("pk"))
    return Tally.of(one.kind for one in done), reports.count()


def note_revert(tx: Transaction, run: Run, writer: Writer) -> list[WriteResult]:
    """One line in DREAMS.md, or in the month's archive where the entry has moved."""
    report = Report.objects.filter(run=run).first()
    if report is None:
        return []
    said = _reverted_sentence(tx, run, writer)
    told = partial(diary.reverted, entry=report.diary, sentence=said)
    files = File.objects.of(run.agent_id, run.owner_id).present()
    there = files.filter(path__in=[DIARY, diary.archive_of(report.diary)])
    places = [Place(run.agent, run.owner, path) for path in there.values_list("path", flat=True)]
    noted = [write.change(tx, place, told, writer=writer) for place in places]
    return [one for one in (*noted, *_hold_again(tx, report, writer)) if one.changed]


def _hold_again(tx: Transaction, report: Report, writer: Writer) -> Iterator[WriteResult]:
    """What a dream that is reverted took for ended has no mark any more."""
    ends = {
        fingerprint(one.after): one.ended
        for one in report.operations.filter(does=Does.END, code="", waits="")
    }

    def held(content: str) -> str:
        lines = content.split("\n")
        for at, line in enumerate(lines):
            sentence, there = part(line)
            kept = [one for one in there if one not in ends.get(fingerprint(line), ())]
            lines[at] = marked(sentence, kept) if len(kept) < len(there) else line
        return "\n".join(lines)

    files = File.objects.of(report.agent_id, report.owner_id).present()
    for path in files.filter(path__in=(MEMORY, PROFILE)).values_list("path", flat=True):
        place = Place(report.agent, report.owner, path)
        if ends:
            yield write.change(tx, place, held, writer=writer)


def ended_by(noted: Mapping[UUID, set[Noted]]) -> Iterator[Ending]:
    """What dreams ended by these lines of notes alone."""
    done = Operation.objects.filter(does=Does.END, code="", waits="", report__run__in=noted)
    for one in done.exclude(report__run__reverted_at__isnull=False).select_related("report"):
        cited = {(UUID(str(it["file"])), it["revision"], it["line"]) for it in one.sources}
        if cited and cited <= noted[one.report.run_id]:
            against = "" if one.against == UNTOLD else one.against
            for ended in one.ended:
                yield Ending(one.report.owner_id, fingerprint(one.after), ended, against)


def untell(agent: Agent, owner_id: UUID | None, gone: Collection[str]) -> None:
    """Reports quote these lines and statements no longer."""
    prints = {fingerprint(said) for text in gone if text.strip() for said in (text, as_line(text))}
    reports = Report.objects.filter(agent=agent, owner=owner_id)
    quoted = set(gone) - {""}
    changed = []
    for one in Operation.objects.filter(report__in=reports):
        texts = {*one.before, one.after, one.against} - {""}
        quoting = gone if one.code else ()  # what was left out stands in the diary alone
        if found := {
            text
            for text in texts
            if fingerprint(text) in prints or any(story.bare(text) in line for line in quoting)
        }:
            one.before = [UNTOLD if text in found else text for text in one.before]
            one.after, one.against = (
                UNTOLD if text in found else text for text in (one.after, one.against)
            )
            quoted |= found
            changed.append(one)
    Operation.objects.bulk_update(changed, ["before", "after", "against"])
    Candidate.objects.filter(report__in=reports, key__in=prints).update(text=UNTOLD)
    told = list(reports)
    for report in told:
        report.diary = diary.untold(report.diary, quoted)
    Report.objects.bulk_update(told, ["diary"])


def _reverted_sentence(tx: Transaction, run: Run, writer: Writer) -> str:
    at = f"{tx.now.astimezone(run.agent.zone):%Y-%m-%d %H:%M}"
    with translation.override(run.agent.language):  # as the diary that it stands in
        who = " ".join(str(writer.user).split()) if writer.user else _("a person")
        said = _("Reverted on {at} by {who}: what this dream changed is undone.")
    return said.format(at=at, who=who)


def _forget_older(report: Report) -> None:
    """The window has the same blocks night after night: of earlier dreams only what they added
    is kept, and what a person still has to decide about. One on a topic weighed only a part."""
    if report.run.topic:
        return
    left = _left(report.agent_id, report.owner_id, report.dreamt_at, report.pk)
    remove(Candidate.objects.all(), left)


@PreparedQuery
def _left(
    agent_id: UUID, owner_id: UUID | None, dreamt_at: datetime, but: UUID
) -> "QuerySet[Candidate, int]":
    earlier = Report.objects.filter(agent=agent_id, owner=owner_id, dreamt_at__lte=dreamt_at)
    open_ones = Proposal.objects.filter(state=Proposal.State.PENDING).values("run")
    decided = earlier.exclude(pk=but).exclude(run__in=open_ones)
    weighed = Candidate.objects.filter(report__in=decided.values("pk"))
    return weighed.exclude(verdict=Candidate.Verdict.PROMOTED).values_list("pk", flat=True)


def operations_of(read: Inputs, made: Consolidation, held: str = "") -> list[Operation]:
    """Not stored yet; the first of those that were too many stands for all of them."""
    mentions = {one.ref: one for one in read.mentions}
    left = [one for one in made.results if one.code == UNJUDGED]
    told = (one for one in made.results if one.code != UNJUDGED or one is left[0])
    return [_operation(n, result, mentions, held) for n, result in enumerate(told)]


def _operation(
    position: int, result: Result, mentions: Mapping[str, Mention], held: str
) -> Operation:
    operation = result.operation
    cited = [mentions[ref] for ref in operation.sources if ref in mentions]
    ends = result.marked
    left = result.gone or (ends and ends.newly) or result.why is Why.ROOM
    return Operation(
        position=position,
        does=Does.END if ends else operation.does,
        why=result.why if left else "",
        code=result.code,
        values=dict(result.values),
        waits=result.waits or (held if result.is_applied else ""),
        before=[one.text for one in result.gone] if not ends else [_line(ends.was)],
        after=_after(result),
        against=result.against.text if result.against else "",
        sources=[_place(mention) for mention in cited],
    )


def _after(result: Result) -> str:
    """What ended stands behind its sentence, as in the file."""
    if result.marked:
        return _line(result.marked.now)
    return result.new.text if result.new else result.operation.text


def _line(one: LivingStatement) -> str:
    return marked(one.text, one.ended)


def _place(mention: Mention) -> dict[str, Any]:
    return {
        "file": mention.file_id,
        "path": mention.path,
        "revision": mention.revision,
        "line": mention.line,
    }


def _candidate(
    report: Report, verdict: Verdict, made: Consolidation, lines: Mapping[str, int]
) -> Candidate:
    candidate = verdict.candidate
    latest = candidate.mentions[-1]
    return Candidate(
        team_id=report.team_id,
        report_id=report.pk,
        key=candidate.key,
        text=candidate.text,
        file_id=latest.file_id,
        path=latest.path,
        line=latest.line,
        sources=[_place(mention) for mention in candidate.mentions],
        score=round(verdict.scored.total, 4),
        components={
            name: round(value, 4)
            for name, value in vars(verdict.scored.components).items()
            if value
        },
        gates=[vars(gate) for gate in verdict.gates],
        verdict=verdict.verdict,
        reason=verdict.reason,
        memory_line=_line_of(verdict, made, lines),
    )


def _line_of(verdict: Verdict, made: Consolidation, lines: Mapping[str, int]) -> int | None:
    if verdict.verdict != "promoted":
        return None
    refs = {mention.ref for mention in verdict.candidate.mentions}
    new = (one.new for one in made.applied if one.new and refs & set(one.new.sources))
    return next((lines[one.text] for one in new if one.text in lines), None)


def _fingerprint(read: Inputs, made: Consolidation) -> str:
    """Two nights with the same one looked at the same and decided the same."""
    decided = [
        (
            *(one.operation.does, one.operation.text, one.code, [gone.text for gone in one.gone]),
            *([_line(one.marked.now)] if one.marked else []),
        )
        for one in made.results
    ]
    said = f"{read.frozen['notes']}{decided}"
    return hashlib.sha256(said.encode()).hexdigest()


# How long a team keeps what runs that are over told, beside what they wrote.

A_TICK = 500  # rows of each kind, so that no tick holds up what writes


def expire(now: datetime) -> None:
    """Once a minute, some of what is too old; nothing under a legal hold. What a night did stays,
    and so does what was weighed of a statement that stands or can be restored, or that waits."""
    for team in Team.objects.filter(reports_days__isnull=False):
        with scope(team=team):
            over = _over(team, now - timedelta(days=team.reports_days or 0))
            found = [(rows, _some(rows), left) for rows, left in _told(over)]
            if any(keys for _rows, keys, _left in found):
                _forget(team, found)


def _over(team: Team, before: datetime) -> "QuerySet[Run]":
    runs = Run.objects.filter(team=team, due_at=None, finished_at__lt=before)
    for agent_id, owner_id in forgetting.lasting_holds(team.pk).values_list("agent", "owner"):
        held = Q() if agent_id is None else Q(agent=agent_id)
        held &= Q() if owner_id is None else Q(owner=owner_id)
        runs = runs.exclude(held) if held else runs.none()
    return runs


def _told(over: "QuerySet[Run]") -> "Iterator[tuple[QuerySet[Any], dict[str, Any]]]":
    """Rows, and what their columns hold then; with none the rows go."""
    runs = over.values("pk")
    facts = Fact.objects.filter(agent=OuterRef("report__agent"), fingerprint=OuterRef("key"))
    stands = Q(Exists(facts.filter(owner=OuterRef("report__owner"))))
    stands |= Q(Exists(facts.filter(owner=None)), report__owner=None)
    weighed = Candidate.objects.filter(report__run__in=runs).exclude(stands)
    yield weighed.exclude(verdict=Candidate.Verdict.KEPT), {}
    yield Operation.objects.filter(report__run__in=runs).exclude(code=""), {}
    answered = Q(answer__isnull=False) | Q(checked__isnull=False)
    yield over.filter(answered), {"answer": None, "checked": None}
    extractions: Any = Run._meta.get_field("extractions").related_model
    done = extractions.objects.filter(run__in=runs).exclude(status="answered")
    yield done.exclude(answer={}), {"answer": {}}


def _some(rows: "QuerySet[Any]") -> list[Any]:
    return list(rows.values_list("pk", flat=True)[:A_TICK])


def _forget(team: Team, found: "list[tuple[QuerySet[Any], list[Any], dict[str, Any]]]") -> None:
    with write_transaction(team) as tx:
        for rows, keys, left in found:
            its = rows.model._default_manager.filter(pk__in=keys)
            its.update(**left) if left else its.delete()
        counts = {rows.model.__name__.lower(): len(keys) for rows, keys, _left in found}
        tx.record("reports.expired", details=counts)
