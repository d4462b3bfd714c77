"""Skills and the summary: proposed by dreams, and gone with what they were learned from."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.file_kinds import SKILL, SUMMARY
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.lines.files import last_places, of_kinds
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.lines.revisions import Cited, cited_lines
from memoryweb.memory.models import Proposal
from memoryweb.memory.models.writer import Place, Transaction
from memoryweb.memory.writing import machine_guards, screening, write
from memoryweb.memory.writing.proposing import (
    kept_free,
    propose,
    rejected_lines,
    settle,
    without_rejected,
)
from memoryweb.runs.models import Run

LEARNED = of_kinds([SKILL, SUMMARY], "file__")


def is_learned(path: str) -> bool:
    return kind_of(path) in (SKILL, SUMMARY)


def propose_learned(
    tx: Transaction,
    run: Run,
    at: Place,
    content: str,
    origins: Mapping[int, Origin],
    broken: Sequence[tuple[str, str]],
) -> bool:
    """The whole text, or that it goes (""); whether it waits now. Nothing twice: only with
    something under a new line that was under no earlier proposal. Never against what a person
    wrote there."""
    path, file = screening.path(at.path), write.find(at)
    before = file.raw_content if file else ""
    lines, stood = content.split("\n"), {*before.split("\n")}
    origins = {n: one for n, one in origins.items() if lines[n - 1] not in stood}
    earlier = list(Proposal.objects.filter(file=file)) if file else []
    known = {one for row in earlier for one in _sources_of(row)}
    cited = {(s.file_id, s.revision, s.line) for one in origins.values() for s in one.sources}
    is_news = bool(cited - known) if content else all(one.raw_content for one in earlier)
    rejected = rejected_lines(run.agent_id, at.owner, at.path)
    is_again = content == before or without_rejected(before, content, rejected)[1]
    if is_again or not is_news or (file and machine_guards.of_people_in(file, content)):
        return False
    file = file or kept_free(tx, at, path, last_places(at.memory))
    propose(tx, run=run, file=file, content=content, origins=origins, broken=broken)
    return True


def drop_learned(agent_id: UUID, prints: Mapping[UUID, Collection[str]], which: Q) -> None:
    """What was proposed, and stands on one of these lines, by file."""
    rows = Proposal.objects.filter(which, LEARNED, file__agent=agent_id, file__owner=None)
    cited = {row: _sources_of(row) for row in rows} if prints else {}
    then = cited_lines(one for those in cited.values() for one in those if one[0] in prints)
    meant = {at for at, line in then.items() if at[0] and fingerprint(line) in prints[at[0]]}
    gone = {row.pk: row.run_id for row, those in cited.items() if those & meant}
    if gone:
        Proposal.objects.filter(pk__in=gone).delete()
        settle(gone)


def _sources_of(proposal: Proposal) -> set[Cited]:
    origins = proposal.origins.values()
    rows = (source for one in origins for source in one["sources"])
    return {(UUID(file) if file else None, *at[:2]) for file, *at in rows}
