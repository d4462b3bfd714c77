"""Taking back all that one source wrote: exactly its lines, by new revisions, in one transaction.

What it added goes, what it overwrote or deleted comes back. A line that somebody else changed
later, or that stands on other sources too, stays. Every file keeps its history, so that the whole
can be undone by restoring revisions; doing it again changes nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy, gettext_noop

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent
from memoryweb.core.row_batches import batches
from memoryweb.language.normal_form import normalise
from memoryweb.markdown.diff import carry, counts, side_by_side
from memoryweb.memory import freeing, models
from memoryweb.memory import review as proposals
from memoryweb.memory.lines.history import returning
from memoryweb.memory.lines.origins import Origin, lines_of_people
from memoryweb.memory.lines.origins import Source as Cited
from memoryweb.memory.lines.revisions import content_of, contents_of
from memoryweb.memory.lines.sources import Kind, Lines, Source, from_source, is_diary, lines_of
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.review import drop_empty, follow
from memoryweb.memory.models.writer import Place, Transaction, Writer
from memoryweb.memory.statements import projection
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.writing import matrix, proposing, put_back, write
from memoryweb.memory.writing.write import WriteResult
from memoryweb.runs.models import Run


def used(source: Source, talks: Q) -> "QuerySet[models.Message]":
    """Messages of the source that prompts, search and runs still use."""
    within = models.Conversation.objects.filter(talks, agent=source.agent)
    return source.messages.filter(reverted_at=None, conversation__in=within)


def unuse(tx: Transaction, source: Source, talks: Q) -> None:
    """Of an import nothing is left, so that it can come again; other messages are kept, and used
    for nothing."""
    going = used(source, talks)
    models.Passage.objects.filter(message__in=going.values("pk")).delete()
    hidden = models.Fact.objects.filter(hidden_by__in=going.values("pk"))
    hidden.update(hidden_at=None, hidden_by=None)
    if source.kind is not Kind.IMPORT:
        going.update(reverted_at=tx.now)
        return
    within = set(going.values_list("conversation", flat=True).distinct())
    going.delete()
    drop_empty()
    for some in batches(within):
        models.Conversation.objects.filter(pk__in=some, messages=None).delete()


def waiting(source: Source, talks: Q) -> "list[models.Conversation]":
    """Conversations with messages of the source that no extraction has looked at, and no other."""
    behind = models.Conversation.objects.filter(
        talks, agent=source.agent, message_count__gt=F("extracted_upto")
    )
    if source.kind is Kind.CONVERSATION:
        return list(behind.filter(pk=source.id))
    if source.kind is not Kind.TOKEN:
        return []
    fresh = source.messages.filter(
        conversation=OuterRef("pk"), position__gt=OuterRef("extracted_upto")
    )
    others = models.Message.objects.filter(
        conversation=OuterRef("pk"), position__gt=OuterRef("extracted_upto")
    ).exclude(token=source.id)
    return list(behind.filter(Exists(fresh), ~Exists(others)).order_by("pk"))


_QUOTING: list[Callable[[Agent, UUID | None, Collection[str]], None]] = []


def register_quotes(untell: Callable[[Agent, UUID | None, Collection[str]], None]) -> None:
    """What quotes an owner's lines and statements, and is given those to quote no longer."""
    _QUOTING.append(untell)


_NOTES: dict[str, Callable[[Transaction, Run, Writer], Sequence[WriteResult]]] = {}
REVERTED = "reverted"  # why the messages of a conversation were not extracted


def register(kind: str, note: Callable[[Transaction, Run, Writer], Sequence[WriteResult]]) -> None:
    """What else is written when a run of that kind was taken back, in the same transaction."""
    _NOTES[kind] = note


class PlanMoved(MemoryRefused):
    code = "stale"
    sentence = gettext_lazy(
        "Something was written since you looked. Look at what would change, then decide."
    )


@dataclass(frozen=True)
class Change:
    """`restores` is the revision whose text comes back as it was, where it does; else lines come
    back from `befores`, those that the source changed, the newest first. `stay` counts lines of
    the source that are left, because they stand on other sources or were changed. `free`:
    statements that stand again, because the source had ended them."""

    file: models.File
    after: str
    stay: int = 0
    deletes: bool = False
    restores: int | None = None
    befores: Sequence[int] = field(default=())
    free: Sequence[models.Fact] = field(default=())

    @property
    def before(self) -> str:
        return self.file.raw_content

    @property
    def texts(self) -> tuple[str, str]:
        return self.before, self.after

    @property
    def counts(self) -> tuple[int, int]:
        """Lines that come back, and lines that go."""
        return counts(side_by_side(self.before, self.after, context=0))

    @property
    def is_empty(self) -> bool:
        return self.before == self.after and not self.deletes and self.restores is None


@dataclass(frozen=True)
class Plan:
    """`messages` counts those that are used from now on for nothing any more."""

    source: Source
    changes: tuple[Change, ...]
    conversations: tuple[models.Conversation, ...]
    proposals: tuple[models.Proposal, ...]
    messages: int = 0
    stay: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.changes or self.conversations or self.proposals or self.messages)

    @property
    def fingerprint(self) -> str:
        """Of what it was made from; another one after somebody wrote meanwhile."""
        parts = [f"{c.file.pk}:{c.file.revision}:{c.file.sha256}" for c in self.changes]
        parts += [f"{talk.pk}:{talk.message_count}" for talk in self.conversations]
        parts += [str(proposal.pk) for proposal in self.proposals]
        parts.append(str(self.messages))
        return hashlib.sha256("\n".join([str(self.source.id), *parts]).encode()).hexdigest()


@dataclass(frozen=True)
class Reversal:
    """`saves`: each file and revision that this wrote, for `undoing.undo_revert`."""

    files: int
    lines: int
    restored: int
    conversations: int
    proposals: int
    messages: int
    saves: tuple[tuple[UUID, int], ...] = ()


def plan(source: Source, reach: Q, talks: Q, *, known: Mapping[UUID, Lines] | None = None) -> Plan:
    """What would be taken back of the files that `reach` lets through, as `File`s, and of the
    conversations that `talks` does. Nothing is written. `known`: the source's lines, if read."""
    lines = deepcopy(lines_of(source) if known is None else known)
    wrote = models.Revision.objects.filter(
        pk__in=source.revisions.values("pk"), file=OuterRef("pk")
    )
    touched = models.File.objects.filter(Q(pk__in=list(lines)) | Exists(wrote))
    rows = touched.filter(reach).select_related("agent", "owner").order_by("folded_path", "pk")
    mine: list[Any] = list(rows.annotate(is_meant=is_meant(file="pk")))
    numbers = defaultdict(list)
    for file_id, number in source.revisions.order_by("-number").values_list("file", "number"):
        numbers[file_id].append(number)
    contents = contents_of({file.pk: set(_around(numbers[file.pk])) for file in mine})
    stated = freeing.known_of(source, mine)
    if source.kind is not Kind.RUN:
        freeing.divide(stated, lines, mine)
    people = lines_of_people(mine)
    made = [
        _change(file, lines.get(key, Lines()), numbers[key], contents[key], people[key])
        for file in mine
        if (key := file.pk)
    ]
    stay = sum(change.stay for change in made)
    return Plan(
        source,
        tuple(change for change in _with_freed(source, reach, made, stated) if not change.is_empty),
        tuple(waiting(source, talks)),
        tuple(_proposed(source, reach)),
        messages=used(source, talks).count(),
        stay=stay,
    )


def revert(
    tx: Transaction,
    source: Source,
    reach: Q,
    talks: Q,
    *,
    writer: Writer,
    expected: str | None = None,
) -> Reversal:
    """Take it back, all of it or nothing. `expected` is the fingerprint of the plan that was seen.

    Only a person does. Raises PlanMoved, WriteRefused, SecretRefused.
    """
    matrix.check_person(writer)
    made = plan(source, reach, talks)
    if expected is not None and expected != made.fingerprint:
        raise PlanMoved
    reason = gettext_noop("Reverted what a source wrote.")
    for proposal in made.proposals:
        if writer.user is not None:
            is_of_run = source.kind is Kind.RUN and proposal.run_id == source.id
            proposals.reject(tx, proposal, by=writer.user, keeps_out=is_of_run)
    saves = []
    for change in made.changes:
        _keep_out(tx, source, change, writer.user)
        saves.append((change.file.pk, _apply(tx, change, writer, reason)))
    for talk in made.conversations:
        talk.waiting, talk.skipped, talk.extracted_upto = False, REVERTED, talk.message_count
        talk.save(update_fields=["waiting", "skipped", "extracted_upto"])
    unuse(tx, source, talks)
    if source.kind is not Kind.RUN or not source.runs.filter(kind__in=_NOTES).exists():
        _untell(source, reach, _gone(made))  # the report of a dream says so itself
    noted = _mark(tx, source, made, writer)
    done = _sum(made)
    _record(tx, source, done)
    return replace(
        done, saves=(*saves, *((written.file.pk, written.file.revision) for written in noted))
    )


def _with_freed(
    source: Source, reach: Q, made: Sequence[Change], stated: Sequence[Any]
) -> list[Change]:
    found = {change.file.pk: change for change in made}
    for its in freeing.freed(source, reach, {one.file: one.after for one in made}, stated):
        change = found.get(its.file.pk) or Change(its.file, its.file.raw_content)
        if (after := its.put_into(change.after)) != change.after:
            found[its.file.pk] = Change(
                its.file, after, change.stay, befores=change.befores, free=tuple(its.facts)
            )
    return sorted(found.values(), key=lambda one: (one.file.folded_path, one.file.pk))


def _around(numbers: Sequence[int]) -> Iterator[int]:
    """The last revision of each stretch, and the one before its first."""
    for first, last in put_back.stretches(numbers):
        yield from (first - 1, last)


def _change(
    file: models.File,
    lines: Lines,
    numbers: Sequence[int],
    contents: Mapping[int, str],
    people: Collection[int],
) -> Change:
    """`numbers` are the source's revisions of the file, the newest first."""
    contents = {0: _head(file), **contents}
    take = put_back.untold if is_diary(file) and not numbers else put_back.without_lines
    kept = take(file.raw_content, lines.alone)
    stays = {file.raw_content.split("\n")[n - 1] for n in lines.partly}
    text, conflicts = put_back.without_revisions(kept, numbers, contents, stays)
    if text != file.raw_content:
        text = put_back.without_bare_headings(file.raw_content, text, _words_of(file, people))
    is_bare = text.strip() in {"", _head(file).strip()} and file.raw_content != text
    began = (bool(numbers) and numbers[-1] == 1) or file.note_date is not None
    stay = len(lines.partly) + conflicts
    befores = [first - 1 for first, _last in put_back.stretches(numbers) if first > 1]
    same = _same_as(file, befores, contents, text)
    if file.deleted_at is not None:
        # It comes back only if it was the source that took it away, and had text before.
        is_theirs = bool(numbers) and numbers[0] == file.revision and text.strip() != ""
        same = same if is_theirs else None
        return Change(file, text if same else file.raw_content, stay, restores=same)
    if began and is_bare:
        return Change(file, "", stay, deletes=True)
    return Change(file, text, stay, restores=same, befores=befores)


def _head(file: models.File) -> str:
    """What a file that the source began has without it: a daily note keeps its heading."""
    return f"# {file.note_date.isoformat()}\n\n" if file.note_date else ""


def _words_of(file: models.File, people: Collection[int]) -> set[str]:
    lines = file.raw_content.split("\n")
    return {lines[number - 1] for number in people}


def _same_as(
    file: models.File, befores: Sequence[int], contents: Mapping[int, str], text: str
) -> int | None:
    """The revision before the source's, where the text is exactly that one's: its lines then stay
    the words of whoever wrote them."""
    if text == file.raw_content and file.deleted_at is None:
        return None
    return next((number for number in reversed(befores) if contents[number] == text), None)


def _proposed(source: Source, reach: Q) -> list[models.Proposal]:
    """Changes that wait for a person and would bring it in."""
    pending = models.Proposal.objects.filter(
        file__in=models.File.objects.filter(reach, agent=source.agent),
        state=models.Proposal.State.PENDING,
    )
    cited = {
        proposal: {one for of in proposals.origins_of(proposal).values() for one in of.sources}
        for proposal in pending.select_related("file").order_by("pk")
    }
    own = from_source(source, set[Cited]().union(*cited.values()))
    return [
        proposal
        for proposal, stands_on in cited.items()
        if getattr(proposal, f"{source.column}_id") == source.id or stands_on & own
    ]


def _apply(tx: Transaction, change: Change, writer: Writer, reason: str) -> int:
    """The number of the new revision."""
    file = change.file
    why = models.Fact.Why.REVERTED
    whys = {**projection.all_went(file, why), **freeing.instead(change.free)}
    if change.deletes:
        return write.delete(tx, file, writer=writer, expected=file.sha256, whys=whys).number
    if change.restores is not None:
        written = write.restore(tx, file, change.restores, writer=writer, whys=whys)
    else:
        origins = _coming_back(change)
        written = write.write(
            tx,
            Place.of(file),
            change.after,
            writer=writer,
            expected=file.sha256,
            reason=reason,
            origins=origins,
            whys=whys,
        )
    return written.revision.number if written.revision else 0


def _coming_back(change: Change) -> Mapping[int, Origin]:
    """Lines that the source had taken away are again of whoever wrote them."""
    after = change.after.split("\n")
    there = carry(change.before.split("\n"), after).same
    missing = {n for n, line in enumerate(after, start=1) if line.strip() and n not in there}
    found: dict[int, Origin] = {}
    befores = [*change.befores, *freeing.last_stood(change.file, change.free)]
    contents = contents_of({change.file.pk: befores if missing else ()})[change.file.pk]
    for number in befores:
        if not missing:
            break
        same = carry(contents[number].split("\n"), after).same
        if missing & same.keys():
            origins = returning(change.file, number)
            found |= {n: origins[same[n]] for n in missing & same.keys() if same[n] in origins}
            missing -= found.keys()
    return found


def _keep_out(tx: Transaction, source: Source, change: Change, by: User | None) -> None:
    """What a person took back of a run is as if they had rejected it: it is not proposed again."""
    if source.kind is not Kind.RUN or by is None:
        return
    wrote = source.revisions.filter(file=change.file).order_by("-number").first()
    if wrote is None or wrote.number < 2:
        return
    content = content_of(change.file, wrote.number)
    stood = set(content_of(change.file, wrote.number - 1).split("\n"))
    lines = enumerate(content.split("\n"), start=1)
    brought = [number for number, line in lines if line.strip() and line not in stood]
    stood_on = returning(change.file, wrote.number)
    # One that a person had accepted is rejected by now: the latest decision counts.
    decided = {
        "raw_content": content,
        "origins": {str(n): proposing.packed(stood_on.get(n, Origin())) for n in brought},
        "state": models.Proposal.State.REJECTED,
        "decided_by": by,
        "decided_at": tx.now,
    }
    made = {"team": tx.team, "base_revision": wrote.number - 1, "created_at": tx.now}
    kept, _is_new = models.Proposal.objects.update_or_create(
        run_id=source.id, file=change.file, defaults=decided, create_defaults=decided | made
    )
    follow(models.ReviewItem.Kind.PROPOSAL, [kept.pk])


def _untell(source: Source, reach: Q, gone: Mapping[UUID | None, Collection[str]]) -> None:
    """`gone`: lines that the files of each owner lost. With them go statements of the past that
    stood on the source alone; what still stands somewhere stays."""
    texts = {owner_id: set(lines) for owner_id, lines in gone.items()}
    owners = models.File.objects.filter(reach, agent=source.agent).values_list("owner", flat=True)
    for key in set(owners):
        known = models.Fact.objects.of(source.agent.pk, key).filter(_stands_alone_on(source))
        texts.setdefault(key, set()).update(known.values_list("raw_text", flat=True))
    for owner_id, told in texts.items():
        contents = (
            models.File.objects.of(source.agent.pk, owner_id).present().values_list("raw_content")
        )
        stands = {normalise(line) for [content] in contents for line in content.split("\n")}
        lost = {text for text in told if normalise(text) not in stands}
        for quoting in _QUOTING:
            quoting(source.agent, owner_id, lost)


def _stands_alone_on(source: Source) -> Q:
    theirs = Q(message__in=source.messages) | Q(root__in=source.revisions.values("pk"))
    said = models.Evidence.objects.filter(fact=OuterRef("pk"))
    return Q(Exists(said.filter(theirs))) & ~Q(Exists(said.exclude(theirs)))


def _mark(tx: Transaction, source: Source, made: Plan, writer: Writer) -> Sequence[WriteResult]:
    """The import or the run says itself that it was taken back. Returns what is written of it."""
    came = bool(made.changes or made.messages)
    if source.kind is Kind.IMPORT:
        rows = models.Import.objects.filter(pk=source.id, reverted_at=None)
        rows = rows if came else rows.exclude(archive=None)  # a run hasn't brought it yet
        rows.update(reverted_at=tx.now, archive=None)
    if came and source.kind is Kind.RUN:
        run = Run.objects.select_related("agent", "owner").get(pk=source.id)
        run.reverted_at, run.reverted_by = tx.now, writer.user
        run.save(update_fields=["reverted_at", "reverted_by"])
        if run.kind in _NOTES:
            return _NOTES[run.kind](tx, run, writer)
    return ()


def _gone(made: Plan) -> Mapping[UUID | None, set[str]]:
    """Owner → lines that their files lose."""
    found: dict[UUID | None, set[str]] = defaultdict(set)
    for change in made.changes:
        left = "" if change.deletes else change.after
        lost = set(change.before.split("\n")) - set(left.split("\n"))
        found[change.file.owner_id] |= lost
    return found


def _sum(made: Plan) -> Reversal:
    found = [change.counts for change in made.changes]
    return Reversal(
        files=len(made.changes),
        lines=sum(gone for _back, gone in found),
        restored=sum(back for back, _gone in found),
        conversations=len(made.conversations),
        proposals=len(made.proposals),
        messages=made.messages,
    )


def _record(tx: Transaction, source: Source, done: Reversal) -> None:
    counts = asdict(done)
    del counts["saves"]
    tx.record(
        "provenance.reverted",
        target_kind=str(source.kind),
        target_id=str(source.id),
        agent_id=source.agent.pk,
        details={"agent": str(source.agent.pk), **counts},
    )
