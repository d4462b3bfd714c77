"""One dream: read the notes, decide, and write MEMORY.md, the diary and the report together."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.dreaming import consolidators, diary, inputs, reports
from memoryweb.dreaming.answers import DreamAnswer
from memoryweb.dreaming.candidates import Mention
from memoryweb.dreaming.inputs import Inputs, Text
from memoryweb.dreaming.rules import Consolidated
from memoryweb.language.secrets import credentials
from memoryweb.language.statements import clean
from memoryweb.llm import client, prompts
from memoryweb.llm.exceptions import ModelError
from memoryweb.markdown.diff import carry
from memoryweb.memory import proposing, screening, write
from memoryweb.memory.guards import Broken
from memoryweb.memory.transaction import Transaction, write_transaction
from memoryweb.memory.write import Place, Writer, Written
from memoryweb.memory.write_matrix import OUTSIDE
from memoryweb.provenance.origins import Origin, Source
from memoryweb.runs.engine import GiveUp, Lease, Outcome
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, File


def dream(lease: Lease) -> None:
    """The handler of runs of kind `dream`; begins again wherever the run stands.

    A dream whose inputs moved on is planned once more, then a person is asked.
    """
    run = lease.run
    while True:
        if reason := _stopped(run):
            lease.finish(Outcome(Run.Status.SKIPPED, reason))
            return
        read = inputs.read(run)
        if not read.mentions:
            lease.store(Run.Phase.INPUTS, inputs=read.frozen)
            lease.finish(Outcome(Run.Status.SKIPPED, "no_notes"))
            return
        made = _consolidated(lease, read)
        if _apply(lease, read, made, last="moved_on" in _checked(run)):
            return
        # Stored, because the second plan may be another task's, and there is no third.
        lease.store(Run.Phase.INPUTS, answer=None, checked={"moved_on": True})


def _stopped(run: Run) -> str:
    """Why nothing may be read or written any more, as of now; empty where it may."""
    now = Run.objects.filter(pk=run.pk).values_list("agent__archived_at", "owner__paused")
    archived_at, paused = now.get()
    return "archived" if archived_at else "paused" if paused else ""


def _consolidated(lease: Lease, read: Inputs) -> Consolidated:
    run = lease.run
    if not uses_model(run.agent):
        lease.store(Run.Phase.INPUTS, inputs=read.frozen, consolidator="rules")
        return consolidators.by_rules(read)
    if run.answer is None or run.inputs != read.frozen:
        lease.store(Run.Phase.INPUTS, inputs=read.frozen, consolidator="model", answer=None)
        _ask(lease, read)
    answer = DreamAnswer.model_validate(run.answer)
    if answer.should_update and not answer.memory_content.strip():
        raise GiveUp(
            "empty_answer", error=_("The model answered with an empty memory. Nothing was changed.")
        )
    made = consolidators.by_model(read, answer)
    if not _checked(run).get("had_secret"):
        return made
    broken = Broken("secret", _("A new line looks like a secret."))
    return replace(made, broken=(broken, *made.broken))


def _checked(run: Run) -> dict[str, Any]:
    return run.checked or {}


def uses_model(agent: Agent) -> bool:
    if agent.consolidator == Agent.Consolidator.RULES:
        return False
    if agent.consolidator == Agent.Consolidator.MODEL and not client.configured():
        raise GiveUp("no_model", error=_("This agent dreams with a model, and none is set up."))
    return client.configured()


def _ask(lease: Lease, read: Inputs) -> None:
    """Put the model's answer into the run before anything is done with it."""
    run = lease.run
    lease.make_room(settings.DREAM_TIMEOUT_SECONDS)
    try:
        said = client.complete(
            team_id=run.team_id,
            role="default",
            system=prompts.load("dream"),
            data=screening.data_for_prompt(
                consolidators.data_for_model(read), run.team_id, owner_id=run.owner_id
            ),
            schema=DreamAnswer,
            deadline=time.monotonic() + settings.DREAM_TIMEOUT_SECONDS,
            daily_tokens=run.team.daily_tokens,
        )
    except ModelError as error:
        lease.store(
            Run.Phase.INPUTS,
            tokens_in=run.tokens_in + error.tokens_in,
            tokens_out=run.tokens_out + error.tokens_out,
            cost_micros=run.cost_micros + client.cost_micros(error.tokens_in, error.tokens_out),
        )
        raise
    answer, had_secret = _masked(said.value)
    lease.advance(
        Run.Phase.ANSWER,
        answer=answer.model_dump(mode="json"),
        checked=_checked(run) | {"had_secret": had_secret},
        model=said.model,
        tokens_in=run.tokens_in + said.tokens_in,
        tokens_out=run.tokens_out + said.tokens_out,
        cost_micros=run.cost_micros + said.cost_micros,
    )


def _masked(answer: DreamAnswer) -> tuple[DreamAnswer, bool]:
    """A secret must not even wait in the stored answer; the guard is told that one was there."""
    memory, found = credentials.mask(answer.memory_content)
    citations = (one.model_copy(update={"text": _mask(one.text)}) for one in answer.citations)
    masked = {
        "memory_content": memory,
        "reason": _mask(answer.reason),
        "diary": _mask(answer.diary),
        "citations": tuple(citations),
    }
    return answer.model_copy(update=masked), bool(found)


def _mask(text: str) -> str:
    return credentials.mask(text)[0]


def _apply(lease: Lease, read: Inputs, made: Consolidated, *, last: bool) -> bool:
    """All in one transaction, if the fence is ours and nobody wrote the inputs meanwhile."""
    run = lease.run
    with write_transaction(run.team, run=run) as work:
        lease.fence()
        if reason := _stopped(run):
            lease.finish(Outcome(Run.Status.SKIPPED, reason), record=work.record)
            return True
        if not inputs.is_current(run, read.frozen):
            if not last:
                return False
            said = _("The notes changed twice while the dream was at work.")
            made = replace(made, broken=(*made.broken, Broken("current", said)))
        needs_review = bool(made.broken) or _asks_first(run.agent)
        if needs_review and made.proposed:
            whole = made.proposed
            made = replace(whole, broken=(*made.broken, *whole.broken), notices=made.notices)
        is_changed = made.content != read.memory.content
        changes = []
        if is_changed and needs_review:
            _propose(work, run, read, made)
        elif is_changed:
            changes.append(_write_memory(work, run, made))
        if made.proposed:
            _propose(work, run, read, made.proposed, beside=made)
        outcome = _outcome(made, is_changed=is_changed, needs_review=needs_review)
        entry = _entry(run, read, made, needs_review=is_changed and needs_review)
        changes += _write_diary(work, run, read, made, entry)
        reports.store(work, run, read, made, entry=entry, changes=changes)
        lease.finish(outcome, record=work.record)
    return True


def _entry(run: Run, read: Inputs, made: Consolidated, *, needs_review: bool) -> str:
    return diary.entry(
        read.now.astimezone(run.agent.zone),
        note_dates=[note.note_date for note in read.notes if note.note_date],
        blocks=len(read.mentions),
        verdicts=made.verdicts,
        superseded=made.superseded,
        disputed=made.disputed,
        removed=consolidators.removed(read.memory.content, made),
        outcome=reports.held_sentence(made, needs_review=needs_review),
        told_by_model=made.told,
        notices=made.notices,
    )


def _asks_first(agent: Agent) -> bool:
    return agent.policy == Agent.Policy.REVIEW


def _outcome(made: Consolidated, *, is_changed: bool, needs_review: bool) -> Outcome:
    if not is_changed and made.proposed:
        return Outcome(Run.Status.NEEDS_REVIEW, OUTSIDE[0])
    if not is_changed:
        return Outcome(Run.Status.NO_CHANGE, "nothing_promoted")
    if needs_review:
        reason = made.broken[0].guard if made.broken else "policy"
        return Outcome(Run.Status.NEEDS_REVIEW, reason)
    return Outcome(Run.Status.SUCCEEDED)


def _place(run: Run, path: str) -> Place:
    return Place(run.agent, run.owner, path)


def _writer(run: Run) -> Writer:
    """What nobody in the team vouches for was sorted out by the gates, or is proposed."""
    return Writer(AuthorKind.DREAM, run=run, is_vouched=True)


def _write_memory(work: Transaction, run: Run, made: Consolidated) -> dict[str, Any]:
    written = write.write(
        work,
        _place(run, inputs.MEMORY),
        made.content,
        writer=_writer(run),
        origins=origins_of(made),
    )
    return _change(written)


def origins_of(made: Consolidated) -> dict[int, Origin]:
    """Each placed line → the note lines it came from."""
    return {
        line: Origin(
            tuple(_source(m) for m in mentions),
            durable=any(m.durable for m in mentions),
            asked=any(m.asked for m in mentions),
            category=next((m.category for m in mentions if m.category), ""),
            also=made.carried.get(line, ()),
        )
        for line, mentions in made.placed.items()
    }


def _source(mention: Mention) -> Source:
    return Source(UUID(mention.file_id), mention.revision, mention.line)


def _propose(
    work: Transaction,
    run: Run,
    read: Inputs,
    made: Consolidated,
    beside: Consolidated | None = None,
) -> None:
    """`beside`: what was written already; the rest is proposed on top of it."""
    file, base = write.find(_place(run, inputs.MEMORY)), read.memory.revision
    if file is None or file.deleted_at is not None:
        file = _empty_memory(work, run)
        base = base or file.revision
    base = file.revision if beside else base
    broken = [(item.guard, item.detail) for item in made.broken]
    new = consolidators.new_statements(file.content, made.content)
    told = _on_top(read, beside, origins_of(made), made.content) if beside else origins_of(made)
    origins = {**dict.fromkeys(new, Origin()), **told}
    proposing.propose(
        work, run=run, file=file, content=made.content, origins=origins, broken=broken, base=base
    )


def _on_top(
    read: Inputs, written: Consolidated, told: Mapping[int, Origin], content: str
) -> dict[int, Origin]:
    """Of the lines that are not there by now; `also` numbers lines of the text that was written."""
    now, lines = written.content.split("\n"), content.split("\n")
    moved = {old: new for new, old in carry(read.memory.content.split("\n"), now).same.items()}
    return {
        line: replace(origin, also=tuple(moved[old] for old in origin.also if old in moved))
        for line, origin in told.items()
        if lines[line - 1] not in now
    }


def _empty_memory(work: Transaction, run: Run) -> File:
    """An owner's MEMORY.md comes into being with its first dream, even one that is held back."""
    written = write.write(work, _place(run, inputs.MEMORY), "# Memory\n", writer=_writer(run))
    return written.file


def _write_diary(
    work: Transaction, run: Run, read: Inputs, made: Consolidated, entry: str
) -> list[dict[str, Any]]:
    """The archives first, then the diary that no longer has what they hold."""
    today = read.now.astimezone(run.agent.zone).date()
    rolled = diary.add(read.diary.content, entry, today=today)
    changes = []
    for month, text in rolled.archives.items():
        path = f"memory/dreams/{month}.md"
        lines = list(_moved(read.diary, text))
        changes.append(_change(write.append(work, _place(run, path), lines, writer=_writer(run))))
    place = _place(run, inputs.DIARY)
    first = rolled.diary.count("\n", 0, max(0, rolled.diary.find(entry.strip())))
    cited = diary.cited(entry, _behind(read, made), told_by_model=made.told)
    origins = {first + number: origin for number, origin in cited.items()}
    changes.append(
        _change(write.write(work, place, rolled.diary, writer=_writer(run), origins=origins))
    )
    return changes


def _moved(old: Text, entries: str) -> Iterator[write.NewLine]:
    """Entries of the diary, line by line, each standing on what it stood on there."""
    lines = old.content.split("\n")
    headings = {line: n for n, line in enumerate(lines, start=1) if line.startswith("## ")}
    at = 0
    for line in entries.split("\n"):
        at = headings.get(line, at + 1 if at else 0)
        source = Source(UUID(old.file_id), old.revision, at) if at and line.strip() else None
        yield write.NewLine(line, Origin((source,) if source else ()))


def _behind(read: Inputs, made: Consolidated) -> dict[str, list[Source]]:
    """What the diary may quote → the lines of notes, or of MEMORY.md before, that say it."""
    found: dict[str, list[Source]] = defaultdict(list)
    for verdict in made.verdicts:
        found[verdict.candidate.text] += map(_source, verdict.candidate.mentions)
    olds = {old for old, _new in (*made.superseded, *made.disputed)}
    for number, line in enumerate(read.memory.content.split("\n"), start=1):
        if (said := clean(line)) in olds and read.memory.file_id:
            found[said].append(Source(UUID(read.memory.file_id), read.memory.revision, number))
    return found


def _change(written: Written) -> dict[str, Any]:
    return {
        "file": str(written.file.pk),
        "path": written.file.path,
        "before": written.before,
        "after": written.file.revision,
    }
