"""A change that a person has to accept: kept beside its file, which stays as it is."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from memoryweb.agents.models import Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import Lookup, clean, fingerprint, says_the_same
from memoryweb.markdown.diff import carry
from memoryweb.markdown.merge import merge
from memoryweb.markdown.paths import WorkspacePath
from memoryweb.markdown.sections import with_bullet
from memoryweb.memory.lines import history
from memoryweb.memory.lines.files import new_file
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.lines.revisions import content_of, contents_of
from memoryweb.memory.models import AuthorKind, File, Proposal, Revision
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Place, Transaction, Writer
from memoryweb.memory.writing import screening
from memoryweb.memory.writing.revising import Change, revise
from memoryweb.runs.models import Run

# What a person rejected is not proposed again: in these words or in nearly these, nor the same
# value of the same thing in others. Pure.


def states(line: str) -> bool:
    """Says something: not blank, no heading, no comment."""
    return bool(line.strip()) and not line.strip().startswith(("#", "<!--"))


class Rejections:
    """Statements that a person rejected, to be asked whether a text brings one of them again."""

    def __init__(self, texts: Collection[str]) -> None:
        self._is_empty = not texts
        self._lookup = Lookup(sorted(texts))
        self._values = {_value(text) for text in texts} - {None}

    def has(self, text: str) -> bool:
        if self._is_empty:
            return False
        if self._values and _value(text) in self._values:
            return True
        if next(self._lookup.within(text), None) is not None:
            return True
        return any(says_the_same(text, other) for other in self._lookup.covering(text))


def _value(text: str) -> tuple[tuple[str, str], str] | None:
    claim = claim_of(text)
    return (claim.key, normalise(claim.value)) if claim.key else None


def without_rejected(before: str, after: str, rejected: Collection[str]) -> tuple[str, int]:
    """`after` without the new lines that say what was rejected, and how many those were. Where
    one had taken the place of an old line, that one is back."""
    if not rejected:
        return after, 0
    rejections = Rejections(rejected)
    old, lines = before.split("\n"), after.split("\n")
    changed = carry(old, lines).changed
    kept: list[str] = []
    left_out = 0
    for number, line in enumerate(lines, start=1):
        if line in old or not states(line) or not rejections.has(clean(line)):
            kept.append(line)
            continue
        left_out += 1
        if number in changed:
            kept.append(old[changed[number] - 1])
    return "\n".join(kept), left_out


_LATEST = 50  # rejected proposals that are looked at


def propose(
    tx: Transaction,
    *,
    run: Run,
    file: File,
    content: str,
    origins: Mapping[int, Origin],
    broken: Sequence[tuple[str, str]],
    base: int | None = None,
) -> Proposal:
    """Keep a run's change for a person. `broken` are (guard, sentence); none where the policy asks.

    `base` is the revision that the change was made from, where that is not the current one: such
    a change is shown, and cannot be accepted over what was written since.
    It holds all that an undecided one of the same file held, so that one is replaced.
    """
    of_runs = Proposal.objects.filter(file=file, state=Proposal.State.PENDING, run__isnull=False)
    replaced = dict(of_runs.values_list("pk", "run"))
    of_runs.update(state=Proposal.State.REPLACED, decided_at=tx.now)
    settle(replaced)
    content = screening.without_new(content, known=file.raw_content)
    texts = [(content, file.raw_content)]
    [screened] = screening.mask_likely(tx.team.pk, texts, owner_id=file.owner_id)
    rooted = history.rooted(origins)  # what a source stands on may be changed meanwhile
    proposal = Proposal(team=tx.team, file=file, run=run, raw_content=screened.text)
    proposal.base_revision = file.revision if base is None else base
    proposal.origins = {str(line): packed(origin) for line, origin in rooted.items()}
    _save(tx, proposal, broken)
    writer = Writer(AuthorKind(run.kind), run=run)
    screening.note(tx, file, screened, writer)
    return proposal


def hold_back(
    tx: Transaction,
    file: File,
    content: str,
    *,
    writer: Writer,
    broken: Sequence[tuple[str, str]],
    origins: Mapping[int, Origin],
) -> Proposal | None:
    """One proposal a file, source and day: what comes later is added to what waits already. None
    where a person rejected all of it before."""
    rejected = rejected_lines(file.agent_id, file.owner, file.path)
    packs = {line: packed(origins[n]) for n, line in _lines(content) if n in origins}
    content, _left_out = without_rejected(file.raw_content, content, rejected)
    proposal = _of_source(tx, file, writer)
    if content == file.raw_content or proposal.state not in {"", Proposal.State.PENDING}:
        return None
    if proposal.state:
        was = dict(_lines(proposal.raw_content))
        packs = {was[int(n)]: kept for n, kept in proposal.origins.items()} | packs
        content = _together(file, proposal, content)
        if (content, file.revision) == (proposal.raw_content, proposal.base_revision):
            return proposal
    stood = set(file.raw_content.split("\n"))
    nothing = packed(Origin())
    proposal.origins = {
        str(n): packs.get(line, nothing)
        for n, line in _lines(content)
        if states(line) and line not in stood
    }
    proposal.raw_content, proposal.base_revision = content, file.revision
    _save(tx, proposal, broken)
    return proposal


def hold_back_bullets(
    tx: Transaction,
    file: File,
    heading: str,
    said: Mapping[str, Origin],
    *,
    writer: Writer,
    broken: Sequence[tuple[str, str]],
) -> None:
    """Of these texts what the file does not say yet, proposed for a section of it."""
    content, wanted = file.raw_content, {}
    known = {fingerprint(clean(line)) for _n, line in _lines(content)}
    for text, origin in said.items():
        if (print_ := fingerprint(text)) not in known:
            known.add(print_)
            content = with_bullet(content, heading, f"- {text}")
            wanted[f"- {text}"] = origin
    origins = {number: wanted[line] for number, line in _lines(content) if line in wanted}
    if origins:
        hold_back(tx, file, content, writer=writer, broken=broken, origins=origins)


def settle(proposals: Mapping[UUID, UUID | None]) -> None:
    """Of proposals, with their runs, that were decided or wait again. A run needs no review once
    all that it proposed is decided, and needs it again after an undo."""
    follow(Kind.PROPOSAL, proposals.keys())
    for run in Run.objects.filter(pk__in=filter(None, proposals.values())):
        waits = Proposal.objects.filter(run=run, state=Proposal.State.PENDING).exists()
        was, now = Run.Status.NEEDS_REVIEW, Run.Status.SUCCEEDED
        if waits:
            was, now = now, was
        if run.status == was:
            run.status = now
            run.save(update_fields=["status"])


def kept_free(tx: Transaction, place: Place, path: WorkspacePath, places: Iterator[int]) -> File:
    """A file that stands for nothing until a person accepts its first text: a deleted one."""
    file = new_file(place.memory, path, places, by_person=False)
    revise(tx, [(file, Change("", is_deletion=True))], Writer(AuthorKind.SYSTEM))
    return file


def _save(tx: Transaction, proposal: Proposal, broken: Sequence[tuple[str, str]]) -> None:
    proposal.broken = [{"guard": guard, "detail": detail} for guard, detail in broken]
    proposal.state, proposal.created_at = Proposal.State.PENDING, tx.now
    proposal.save()
    follow(Kind.PROPOSAL, [proposal.pk])
    tx.record(
        "proposal.made",
        target_kind="proposal",
        target_id=str(proposal.pk),
        agent_id=proposal.file.agent_id,
        on_behalf_of=proposal.file.owner_id,
        details={"guards": [guard for guard, _sentence in broken]},
    )


@PreparedQuery
def _rejected(
    agent_id: UUID, owner_id: UUID | None, paths: Collection[str]
) -> QuerySet[Proposal, tuple[str, dict[str, Any], dict[str, Any], datetime]]:
    is_rejected = Q(state=Proposal.State.REJECTED)
    is_partly = Q(state=Proposal.State.ACCEPTED, taken__has_key="left_out")
    proposals = Proposal.objects.filter(
        is_rejected | is_partly, file__agent=agent_id, file__owner=owner_id, file__path__in=paths
    )
    columns = ("raw_content", "origins", "taken", "decided_at")
    return proposals.order_by("-created_at").values_list(*columns)[:_LATEST]


def current_revision(file: File) -> Revision:
    """With how many changes of it wait, as `proposals`."""
    waits = Proposal.objects.filter(file=OuterRef("file"), state=Proposal.State.PENDING)
    counted = waits.order_by().values("file").annotate(n=Count("pk")).values("n")
    found = file.revisions.select_related("user", "run", "integration", "token")
    return found.annotate(proposals=Subquery(counted)).get(number=file.revision)


def rejected_lines(agent_id: UUID, owner: Owner | None, *paths: str) -> dict[str, datetime]:
    """The lines that a person rejected of what was proposed for these files, and the note lines
    that they were made of: in other words they would say the same. Each with when that was."""
    found: dict[str, datetime] = {}
    cited: dict[UUID, dict[int, dict[int, datetime]]] = defaultdict(lambda: defaultdict(dict))
    for content, of_lines, taken, at in _rejected(agent_id, owner.pk if owner else None, paths):
        lines, out = content.split("\n"), [str(n) for n in taken.get("left_out", of_lines)]
        placed = {number: one for number, one in of_lines.items() if number in out}
        for number in map(int, placed):
            if number <= len(lines):
                found.setdefault(lines[number - 1], at)
        for file_id, revision, line, *_behind in chain(
            *(one["sources"] for one in placed.values())
        ):
            if file_id and revision and line:
                cited[UUID(file_id)][revision].setdefault(line, at)
    for file_id, texts in contents_of(cited).items():
        for number, text in texts.items():
            for n, line in enumerate(text.split("\n"), start=1):
                if n in cited[file_id][number]:
                    found.setdefault(line, cited[file_id][number][n])
    return {clean(line): at for line, at in reversed(found.items()) if states(line)}


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


def _of_source(tx: Transaction, file: File, writer: Writer) -> Proposal:
    """What waits of the same source since midnight (UTC), else a new one, without a state yet. Of a
    run there is one a file."""
    found = Proposal.objects.filter(file=file, run=writer.run)
    if writer.run is None:
        found = found.filter(
            state=Proposal.State.PENDING,
            token=writer.token,
            batch=writer.batch,
            conversation=writer.conversation_id,
            created_at__gte=tx.now.replace(hour=0, minute=0, second=0, microsecond=0),
        )
    made = Proposal(
        team_id=file.team_id,
        file=file,
        run=writer.run,
        token=writer.token,
        conversation_id=writer.conversation_id,
        batch=writer.batch,
        state="",
    )
    return found.first() or made


def _together(file: File, waiting: Proposal, content: str) -> str:
    """Both changes: whoever makes the later one has not seen the earlier."""
    base = content_of(file, waiting.base_revision)
    hunks = merge(base, waiting.raw_content, content)
    return "\n".join(line for hunk in hunks for line in hunk.merged)


def _lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.split("\n"), start=1))
