"""One dream: read the notes, decide, and write MEMORY.md, the diary and the report together."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent, dream_time
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming import backfill, consolidators, diary, inputs, reports, skills, writing
from memoryweb.dreaming.consolidators import Consolidation
from memoryweb.dreaming.inputs import Inputs, Text
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.operations import DreamAnswer
from memoryweb.language.secrets import credentials
from memoryweb.llm import client, prompts
from memoryweb.llm.client import Answer, Completion
from memoryweb.llm.endpoint import configured, endpoint_for
from memoryweb.llm.exceptions import BudgetSpent, ModelError
from memoryweb.memory import memory_tests, review
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.writing import screening, write
from memoryweb.runs.engine import GiveUp, Lease, Outcome
from memoryweb.runs.lease import GOOD
from memoryweb.runs.models import Run

AWAY = "model_away"  # in `checked`: the rules did what a model was to do
_ASKING = (Run.Kind.DREAM, Run.Kind.PREVIEW)
_REMEMBERED = 10  # runs whose answers are looked through before a model is asked


def dream(lease: Lease) -> None:
    """The handler of runs of kind `dream`; begins again wherever the run stands.

    A dream whose inputs moved on is planned once more, then a person is asked.
    """
    run = lease.run
    if ends_early(lease):
        return
    while True:
        read = inputs.read(run)
        if not (read.mentions or read.is_due):
            lease.store(Run.Phase.INPUTS, inputs=read.frozen)
            with write_transaction(run.team, run=run) as tx:
                lease.finish(Outcome(Run.Status.SKIPPED, "no_notes"), record=tx.record)
                backfill.go_on(tx, run)
            return
        made = _consolidated(lease, read)
        month = _month(lease, read)
        if _apply(lease, read, made, month, last="moved_on" in (run.checked or {})):
            return
        # Stored, because the second plan may be another task's, and there is no third.
        lease.store(Run.Phase.INPUTS, answer=None, checked={"moved_on": True})


def ends_early(lease: Lease) -> bool:
    """Nothing is read of an archived agent, or of a person who paused keeping."""
    run = lease.run
    if reason := _stopping(run.agent.archived_at, not run.owner or run.owner.keeping):
        lease.finish(Outcome(Run.Status.SKIPPED, reason))
    return bool(reason)


def answers_of(run: Run) -> list[DreamAnswer]:
    return [DreamAnswer.model_validate(one) for one in _answers(run)]


def _stopped(run: Run) -> str:
    """Why nothing may be read or written any more, as of now; empty where it may."""
    [(archived_at, keeping)] = _stops(run.pk)
    return _stopping(archived_at, keeping is not False)


@PreparedQuery
def _stops(run_id: UUID) -> QuerySet[Run, tuple[datetime | None, bool | None]]:
    return Run.objects.filter(pk=run_id).values_list("agent__archived_at", "owner__keeping")


def _stopping(archived_at: datetime | None, keeping: bool) -> str:
    return "archived" if archived_at else "" if keeping else "paused"


def _consolidated(lease: Lease, read: Inputs) -> Consolidation:
    run = lease.run
    if not read.mentions or not uses_model(run.agent):
        lease.store(Run.Phase.INPUTS, inputs=read.frozen, consolidator="rules")
        return _decided(run, read)
    if run.answer is None or run.inputs != read.frozen:
        lease.store(Run.Phase.INPUTS, inputs=read.frozen, consolidator="model", answer=None)
    try:
        ask_all(lease, read)
    except ModelError as error:
        if not _is_away(run, error):
            raise
        lease.store(Run.Phase.INPUTS, consolidator="rules", checked={AWAY: error.code})
    return _decided(run, read)


def _is_away(run: Run, error: ModelError) -> bool:
    """The endpoint is gone for this memory's second night."""
    if error.of_content or isinstance(error, BudgetSpent) or run.night is None:
        return False
    dreams = Run.objects.filter(inputs.notes_of(run.owner), agent=run.agent, kind=Run.Kind.DREAM)
    before = dreams.filter(night__lt=run.night).order_by("-night").first()
    has_failed = before is not None and before.status == Run.Status.FAILED
    is_same = before is not None and before.reason.startswith(("model_", "breaker_"))
    first = before.night if before and has_failed and is_same else run.night
    return first is not None and timezone.now() >= dream_time(run.agent, first + timedelta(days=1))


def ask_all(lease: Lease, read: Inputs) -> None:
    """Until every part of the notes has its answer in the run."""
    parts = list(consolidators.data_for_model(read))
    while len(answers := _answers(lease.run)) < len(parts):
        _ask(lease, parts[len(answers)], answers)


def _answers(run: Run) -> list[Any]:
    return list((run.answer or {}).get("parts", []))


def _decided(run: Run, read: Inputs) -> Consolidation:
    if run.consolidator == "rules":
        return consolidators.by_rules(read)
    return consolidators.by_model(read, answers_of(run))


def uses_model(agent: Agent) -> bool:
    if agent.consolidator == Agent.Consolidator.RULES:
        return False
    has_model = configured(agent.team_id, local_only=agent.local_models_only)
    if agent.consolidator == Agent.Consolidator.MODEL and not has_model:
        raise GiveUp("no_model", error=_("This agent dreams with a model, and none is set up."))
    return has_model


def _ask(lease: Lease, data: dict[str, Any], answers: list[Any]) -> None:
    """Put the model's answer into the run before anything is done with it."""
    run = lease.run
    data = screening.data_for_prompt(data, run.team_id, owner_id=run.owner_id)
    asked = print_of(run.team_id, data)
    if known := _known(run, asked):
        lease.advance(Run.Phase.ANSWER, answer={"parts": [*answers, known[0]]}, model=known[1])
        return
    said = _completed(lease, "dream", data, DreamAnswer)
    answer = _masked(said.value)
    parts = [*answers, answer.model_dump(mode="json") | {"asked": asked}]
    _keep(lease, {"parts": parts}, said)


def _month(lease: Lease, read: Inputs) -> Inputs | None:
    """In which a model found skills, asked where a note is new. What fails here costs no dream
    anything but its tokens."""
    run = lease.run
    is_asked = "skills" in (run.answer or {})
    if run.consolidator != "model" or not (is_asked or _may_find_skills(run, read)):
        return None
    month = inputs.read(run, skills.DAYS)
    if is_asked or (data := skills.data_for_model(run, month)) is None:
        return month
    data = screening.data_for_prompt(data, run.team_id, owner_id=run.owner_id)
    try:
        said = _completed(lease, "skills", data, skills.SkillAnswer)
    except ModelError:
        lease.store(run.phase, answer={**(run.answer or {}), "skills": {}})
    else:
        _keep(lease, {**(run.answer or {}), "skills": said.value.kept(month)}, said)
    return month


def _may_find_skills(run: Run, read: Inputs) -> bool:
    """A note is new since a dream's model looked for some."""
    if not skills.makes_skills(run):
        return False
    done = _earlier(run).filter(status__in=GOOD, reverted_at=None).exclude(reason="current")
    rows = done.values_list("answer", "inputs")[:_REMEMBERED]
    seen = inputs.read_by_dreams(its for answer, its in rows if (answer or {}).get("skills"))
    return not inputs.read_by_dreams([read.frozen]) <= seen


def _completed(
    lease: Lease, name: str, data: dict[str, Any], schema: type[Answer]
) -> Completion[Answer]:
    run = lease.run
    lease.make_room(settings.DREAM_TIMEOUT_SECONDS)
    try:
        return client.complete(
            team_id=run.team_id,
            role="default",
            system=prompts.load(name),
            data=data,
            schema=schema,
            deadline=time.monotonic() + settings.DREAM_TIMEOUT_SECONDS,
            daily_tokens=run.team.token_budget,
            local_only=run.agent.asks_local_only(),
        )
    except ModelError as error:
        lease.store(run.phase if name == "skills" else Run.Phase.INPUTS, **lease.spent(error))
        raise


def _keep(lease: Lease, answer: dict[str, Any], said: Completion[Any]) -> None:
    lease.advance(Run.Phase.ANSWER, answer=answer, model=said.model, **lease.spent(said))


def print_of(team_id: UUID, data: Mapping[str, Any]) -> str:
    """Of all that a model is asked with."""
    asked = [prompts.load("dream"), data, endpoint_for(team_id, "default", local_only=False).model]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _known(run: Run, asked: str) -> tuple[dict[str, Any], str] | None:
    """What an earlier dream or preview was answered to the same, and by which model."""
    for answer, model in _earlier(run).values_list("answer", "model")[:_REMEMBERED]:
        for part in (answer or {}).get("parts", []):
            if part.get("asked") == asked:
                return part, model
    return None


def _earlier(run: Run) -> QuerySet[Run]:
    earlier = Run.objects.filter(inputs.notes_of(run.owner), agent=run.agent, kind__in=_ASKING)
    return earlier.exclude(pk=run.pk).exclude(answer=None).order_by("-created_at")


def _masked(answer: DreamAnswer) -> DreamAnswer:
    """A secret must not even wait in the stored answer; the engine is told that one was there."""
    operations = []
    for one in answer.operations:
        text, found = credentials.mask(one.text)
        changed = {"text": text, "had_secret": bool(found)}
        operations.append(one.model_copy(update=changed if found else {"had_secret": False}))
    told = credentials.mask(answer.diary)[0]
    return answer.model_copy(update={"operations": tuple(operations), "diary": told})


def _apply(
    lease: Lease, read: Inputs, made: Consolidation, month: Inputs | None, *, last: bool
) -> bool:
    """All in one transaction, if the fence is ours and nobody wrote the inputs meanwhile."""
    run = lease.run
    with write_transaction(run.team, run=run) as tx:
        lease.fence()
        if reason := _stopped(run):
            lease.finish(Outcome(Run.Status.SKIPPED, reason), record=tx.record)
            return True
        is_current = inputs.is_current(run, read.frozen)
        if is_current and inputs.has_changed(run, read):
            again = inputs.read(run)
            is_current = again.frozen == read.frozen
            read, made = (again, _decided(run, again)) if is_current else (read, made)
        if not is_current and not last:
            return False
        if month and (month.decided != read.decided or not inputs.is_current(run, month.frozen)):
            month = inputs.read(run, skills.DAYS)
        held = "current" if not is_current else "policy" if _asks_first(run.agent) else ""
        night = writing.Night(tx, run, read, made, held)
        done = reports.operations_of(read, made, held)
        entry = _entry(run, read, made, done, held=held)
        changes = _write(night, entry)
        reports.store(tx, run, read, made, done, entry=entry, changes=changes, memory=night.content)
        if not held:
            memory_tests.retire(tx, run, made.retired)
        review.tell(tx, writing.place(run, inputs.MEMORY), night.content)
        waits = is_current and skills.propose(tx, run, month or read, night.content)
        lease.finish(_outcome(made, held, waits=waits), record=tx.record)
        backfill.go_on(tx, run)
    return True


def _entry(
    run: Run, read: Inputs, made: Consolidation, done: Sequence[Operation], *, held: str
) -> str:
    return diary.entry(
        read.now.astimezone(run.agent.zone),
        note_dates=[note.note_date for note in read.notes if note.note_date],
        blocks=len(read.mentions),
        verdicts=made.verdicts,
        done=done,
        held=held,
        told_by_model=made.told,
    )


def _asks_first(agent: Agent) -> bool:
    return agent.policy == Agent.Policy.REVIEW


def _outcome(made: Consolidation, held: str, *, waits: bool) -> Outcome:
    """`waits`: something else that was proposed."""
    if made.applied and held:
        return Outcome(Run.Status.NEEDS_REVIEW, held)
    if made.proposed and not made.applied:
        return Outcome(Run.Status.NEEDS_REVIEW, str(made.proposed[0].waits))
    if waits:
        return Outcome(Run.Status.NEEDS_REVIEW, "proposal")
    if made.applied:
        return Outcome(Run.Status.SUCCEEDED)
    return Outcome(Run.Status.NO_CHANGE, "nothing_promoted")


def _write(night: writing.Night, entry: str) -> list[dict[str, Any]]:
    """The archives of the diary first, then MEMORY.md and the diary that no longer has what they
    hold, then what stands in no file."""
    run, read, told = night.run, night.read, night.made.told
    rolled = diary.add(read.diary.content, entry, today=read.material.today)
    cited = diary.cited(entry, night.behind(), told_by_model=told)
    lines = entry.split("\n")
    new = {lines[number - 1]: origin for number, origin in cited.items()}
    done = [
        _archived(night, month, list(_moved(read.diary, text, new)), rolled.diary)
        for month, text in rolled.archives.items()
    ]
    at = rolled.diary.find(entry.strip())
    first = rolled.diary.count("\n", 0, max(0, at))
    origins = {first + number: origin for number, origin in cited.items()} if at >= 0 else {}
    text = write.Text(writing.place(run, inputs.DIARY), rolled.diary, origins=origins)
    writer = writing.writer_of(run)
    done += write.write_all(night.tx, [*night.texts(), text], writer=writer)
    night.finish(done)
    return [writing.change(one) for one in done if one.changed]


def _archived(
    night: writing.Night, month: str, lines: list[write.NewLine], left: str
) -> write.WriteResult:
    """Entries of a month, below its summary once the diary that is `left` has no more of them."""
    place, writer = (
        writing.place(night.run, f"memory/dreams/{month}.md"),
        writing.writer_of(night.run),
    )
    added = write.append(night.tx, place, lines, writer=writer)
    if not diary.is_told(left, month, night.read.material.today):
        return added
    did, dreams = reports.of_month(night.run, month)
    told = partial(diary.summed_up, month=month, did=did, dreams=dreams)
    whole = write.change(night.tx, place, told, writer=writer)
    return replace(whole, before=added.before) if whole.changed else added


def _moved(old: Text, entries: str, new: Mapping[str, Origin]) -> Iterator[write.NewLine]:
    """Entries of the diary, line by line, each standing on what it stood on there, or where it is
    older than all that there is room for, on what tonight's does."""
    lines = old.content.split("\n")
    headings = {line: n for n, line in enumerate(lines, start=1) if line.startswith("## ")}
    at = 0
    for line in entries.split("\n"):
        at = headings.get(line, at + 1 if at else 0)
        source = Source(UUID(old.file_id), old.revision, at) if at and line.strip() else None
        yield write.NewLine(line, new.get(line) or Origin((source,) if source else ()))
