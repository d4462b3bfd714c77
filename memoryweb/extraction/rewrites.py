"""A model's new text of MEMORY.md or PROFILE.md: applied, kept for a person, or left alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time

from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.extraction.extractors import MEMORY, PROFILE
from memoryweb.extraction.findings import Line
from memoryweb.language.statements import Lookup
from memoryweb.memory import guards, proposing, write, write_matrix
from memoryweb.memory.guards import Broken
from memoryweb.memory.machine_changes import changed_by_machines
from memoryweb.memory.proposing import rejected_lines
from memoryweb.memory.protected_lines import keep
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import Place, Writer
from memoryweb.provenance.origins import Origin, Source, protected_lines
from memoryweb.review.models import Proposal
from memoryweb.review.rejections import without_rejected
from memoryweb.runs.models import Run
from memoryweb.workspace.models import File

CAPS = {MEMORY: guards.CAP, PROFILE: 4_000}
_EMPTY = {MEMORY: "# Memory\n", PROFILE: "# Profile\n"}


def apply(
    work: Transaction,
    writer: Writer,
    run: Run,
    place: Place,
    content: str,
    *,
    inputs: Sequence[str],
    lines: Sequence[Line],
    said: Sequence[int],
    seen: int,
    is_current: bool,
    has_secret: bool = False,
) -> tuple[write.Written | None, bool]:
    """`inputs` are all texts that the model saw, `said` the messages of people among them: a new
    line that none of `lines` says stands on all of those. `seen` is the file's revision, or 0.
    Gives what was written, and whether it was kept for a person instead."""
    file = write.find(place)
    before = file.content if file and file.deleted_at is None else ""
    protected = protected_lines(file) if file else set()
    content = _kept(place, before, content, protected)
    if not guards.changed_lines(before, content):
        return None, False
    broken = guards.check(
        before,
        content,
        inputs=inputs,
        protected_lines=protected,
        changed_today=_changed_today(run, file) if file else 0,
        cap=CAPS[place.path],
        has_secret=lambda text: has_secret,
    )
    broken += _obstacles(place, writer, is_current)
    origins = _origins(before, content, lines, said)
    if not broken and run.agent.policy == Agent.Policy.APPLY:
        return write.write(work, place, content, writer=writer, origins=origins), False
    if file is None or file.deleted_at is not None:
        file = _made(work, place, writer)
        seen = seen or file.revision
    return None, _propose(work, run, file, content, origins, broken, base=seen)


def _obstacles(place: Place, writer: Writer, is_current: bool) -> list[Broken]:
    """Why a person has to look, whatever the text says."""
    found = []
    if not is_current:
        found.append(Broken("current", _("The file changed twice while the model was at work.")))
    if place.owner is None and not writer.is_vouched:
        found.append(Broken(*write_matrix.OUTSIDE))
    return found


def _made(work: Transaction, place: Place, writer: Writer) -> File:
    """The file with its heading alone, so that a proposal has something to stand beside."""
    ours = replace(writer, is_vouched=True)  # these words are
    return write.write(work, place, _EMPTY[place.path], writer=ours).file


def _kept(place: Place, before: str, content: str, protected: Collection[int]) -> str:
    """With what a person pinned or wrote, and without what a person rejected."""
    rejected = rejected_lines(place.agent.pk, place.owner, place.path)
    return without_rejected(before, keep(before, content, protected), rejected)[0]


def _changed_today(run: Run, file: File) -> int:
    """Lines that machines have changed on the agent's local date."""
    zone = run.agent.zone
    start = datetime.combine(run.now.astimezone(zone).date(), time(), tzinfo=zone)
    return changed_by_machines(file.pk, start, run.now)


def _origins(
    before: str, content: str, lines: Sequence[Line], said: Sequence[int]
) -> Mapping[int, Origin]:
    old = {line.strip() for line in before.split("\n")}
    cited = {line.text: line for line in lines}
    lookup = Lookup(cited)
    everything = Origin(tuple(Source(message_id=pk) for pk in said))
    found: dict[int, Origin] = {}
    for number, text in enumerate(content.split("\n"), start=1):
        if not text.strip() or text.startswith("#") or text.strip() in old:
            continue
        match = next(lookup.covering(text), None)
        found[number] = origin_of(cited[match]) if match else everything
    return found


def origin_of(line: Line) -> Origin:
    sources = tuple(Source(message_id=pk) for pk in line.messages)
    return Origin(sources, durable=line.durable, asked=line.asked, category=line.category)


def _propose(
    work: Transaction,
    run: Run,
    file: File,
    content: str,
    origins: Mapping[int, Origin],
    broken: Sequence[Broken],
    *,
    base: int,
) -> bool:
    """One proposal a run and file: a later window's takes the place of an earlier one's. None
    where a person rejected the same before."""
    decided = Proposal.objects.filter(file=file).exclude(state=Proposal.State.PENDING)
    if decided.filter(state=Proposal.State.REJECTED, content=content).exists():
        return False
    if decided.filter(run=run).exists():
        return False
    Proposal.objects.filter(file=file, run=run).delete()
    proposing.propose(
        work,
        run=run,
        file=file,
        content=content,
        origins=origins,
        broken=[(item.guard, item.detail) for item in broken],
        base=base,
    )
    return True
