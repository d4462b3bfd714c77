"""A machine's change that waits for a person: accepted as a whole or by lines, or rejected."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.language.line_flags import suspicious
from memoryweb.language.normal_form import normalise
from memoryweb.markdown.diff import Row, Span, carry, paired
from memoryweb.markdown.marks import ended_in, told
from memoryweb.markdown.merge import merge
from memoryweb.memory import soul
from memoryweb.memory.lines import flags
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import AuthorKind, Fact, File, Proposal, ReviewItem
from memoryweb.memory.models.refusals import Decided, MemoryRefused, Stale
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.statements.projection import all_went
from memoryweb.memory.visible.readable import Look
from memoryweb.memory.writing import changes
from memoryweb.memory.writing.proposing import settle, states
from memoryweb.memory.writing.write import WriteResult, delete, lock, restore, write

logger = logging.getLogger(__name__)
_KEPT = timedelta(days=30)
_A_TICK = 100  # so that no tick holds up what writes


class ProposalChanged(MemoryRefused):
    code = "changed"
    sentence = _("This proposal has changed since you opened it. Look at it again, then decide.")


class NothingTicked(MemoryRefused):
    code = "nothing_ticked"
    sentence = _("Tick the lines that are right, or reject all of them.")


def accept(tx: Transaction, proposal: Proposal, *, by: User) -> WriteResult:
    """Write what was proposed, if it still fits what the file is now.

    Raises Decided, Stale.
    """
    content = _taken_up(tx, proposal, by)
    proposal.taken = {"before": proposal.file.revision}
    written = _write(tx, proposal, content, _origins_now(proposal, content), by)
    return _keep(tx, proposal, written)


def accept_lines(
    tx: Transaction, proposal: Proposal, *, by: User, picked: changes.Pick, no_secrets: bool = False
) -> WriteResult:
    """Write the lines that a person picked, some in their own words. What they leave out is not
    proposed again.

    Raises Decided, Stale, ProposalChanged, NothingTicked.
    """
    after, before = _taken_up(tx, proposal, by), proposal.file.raw_content
    if changes.print_of(before, after) != picked.seen:
        raise ProposalChanged
    taken = changes.take(before, after, picked)
    if not picked.numbers or taken.content == before:
        raise NothingTicked
    back = {new: old for old, new in _carried(after, proposal.raw_content).items()}
    stayed = {"left_out": [back[n] for n in taken.left_out if n in back], "kept": taken.kept}
    proposal.taken = {name: lines for name, lines in stayed.items() if lines}
    proposal.taken["before"] = proposal.file.revision
    told = _origins_now(proposal, after)
    told = {new: told[old] for new, old in taken.came.items() if old in told}
    written = _write(tx, proposal, taken.content, told, by)
    if taken.edited:
        lines = written.file.raw_content.split("\n")
        for number, text in taken.edited.items():
            lines[number - 1] = text
        place = Place(written.file.agent, written.file.owner, written.file.path)
        written = write(
            tx, place, "\n".join(lines), writer=replace(_person(by), no_secrets=no_secrets)
        )
    return _keep(tx, proposal, written)


def undo(tx: Transaction, proposal: Proposal, *, by: User) -> None:
    """It waits again, and the file is what it was, unless it changed since.

    Raises Decided, Stale.
    """
    file = lock(proposal.file)
    found = Proposal.objects.select_for_update(of=("self",)).get(pk=proposal.pk)
    if found.state not in {Proposal.State.ACCEPTED, Proposal.State.REJECTED}:
        raise Decided
    if found.state == Proposal.State.ACCEPTED:
        before, after = found.taken.get("before", 0), found.taken.get("after")
        if not before or file.revision != after:
            raise Stale(file)
        _count(tx, file, before, -1)
        whys = all_went(file, Fact.Why.REMOVED)
        if file.revisions.get(number=before).is_deletion:
            number = delete(tx, file, writer=_person(by), whys=whys).number
        else:
            number = restore(tx, file, before, writer=_person(by), whys=whys).file.revision
        if found.base_revision == before:
            found.base_revision = number
    found.state, found.taken, found.decided_by, found.decided_at = "pending", {}, None, None
    found.created_at = tx.now  # it waits from now on, and expires no sooner than any other
    found.save()
    settle({found.pk: found.run_id})
    tx.record(
        "review.undone",
        target_kind="proposal",
        target_id=str(found.pk),
        on_behalf_of=file.owner_id,
        run_id=found.run_id,
    )


def outcome(proposal: Proposal) -> str | None:
    """The text that accepting leaves. A dream looks again at a file that was changed since; what a
    program wrote by itself comes together with the change, and stands below what was added at the
    same place. None where it does not fit."""
    file = proposal.file
    if file.revision == proposal.base_revision:
        return proposal.raw_content
    if proposal.run_id is not None:
        return None
    base = content_of(file, proposal.base_revision)
    hunks = merge(base, file.raw_content, proposal.raw_content)
    if any(hunk.is_rivalry for hunk in hunks):
        return None
    return "\n".join(line for hunk in hunks for line in hunk.merged)


def texts_of(proposal: Proposal) -> tuple[str, str, bool]:
    """What stands and what accepting leaves. Where it does not fit (False), or was decided on: what
    it began from, and what was proposed."""
    left = outcome(proposal) if proposal.state == Proposal.State.PENDING else None
    if left is not None:
        return proposal.file.raw_content, left, True
    base = content_of(proposal.file, proposal.base_revision) if proposal.base_revision else ""
    return base, proposal.raw_content, False


def sources_of(proposal: Proposal) -> dict[str, Sequence[Source]]:
    """By the line that stands on them."""
    lines = proposal.raw_content.split("\n")
    told = origins_of(proposal).items()
    return {lines[number - 1]: one.sources for number, one in told if number <= len(lines)}


def expire(now: datetime) -> int:
    """Once a minute: what nobody decided about in 30 days of somebody's own memory counts as
    rejected (SPEC §1); how many did. One of a simulated night waits as long as any."""
    waits = Q(item__state=ReviewItem.State.OPEN, item__owner__isnull=False)
    with scopes_disabled():
        personal = Proposal.objects.filter(waits).exclude(item__owner__source="system")
        # While an agent is archived nobody sees what waits there.
        late = personal.filter(created_at__lt=now - _KEPT, item__agent__archived_at=None)
        seen = late.select_related("team", "file").defer(
            "raw_content", "origins", "file__raw_content"
        )
        proposals = list(seen.order_by("created_at")[:_A_TICK])
    for team in {proposal.team for proposal in proposals}:
        try:
            with write_transaction(team) as tx:
                for proposal in proposals:
                    if proposal.team_id == team.pk:
                        _expire(tx, proposal)
        except Exception:
            logger.exception("Proposals of team %s that nobody decides could not expire.", team.pk)
    return len(proposals)


def reject(tx: Transaction, proposal: Proposal, *, by: User, keeps_out: bool = True) -> None:
    """Leave the file alone. What stands in a rejected proposal is not proposed again, unless it
    went for one of its sources only (`keeps_out`)."""
    if not keeps_out:
        proposal.origins = {}
        proposal.save(update_fields=["origins"])
    _decide(tx, proposal, Proposal.State.REJECTED, by)


def origins_of(proposal: Proposal) -> dict[int, Origin]:
    return {int(line): _unpacked(origin) for line, origin in proposal.origins.items()}


def _taken_up(tx: Transaction, proposal: Proposal, by: User) -> str:
    """The text that accepting leaves, decided. Raises Decided, Stale."""
    proposal.file = file = lock(proposal.file)
    _decide(tx, proposal, Proposal.State.ACCEPTED, by)
    proposal.refresh_from_db(fields=["raw_content", "base_revision", "origins", "state"])
    if (content := outcome(proposal)) is None:
        raise Stale(file)
    return content


def _write(
    tx: Transaction, proposal: Proposal, content: str, told: Mapping[int, Origin], by: User
) -> WriteResult:
    file, brought = proposal.file, _brought(proposal.file, content)
    if proposal.run is None:
        flags.let_stand(file, suspicious(brought))
    place = Place.of(file)
    writer = _writer(proposal, by)
    if not content and file.deleted_at is None:
        gone = delete(tx, file, writer=writer)
        return WriteResult(lock(file), gone, gone.number - 1)
    return write(tx, place, content, writer=writer, origins=told)


def _keep(tx: Transaction, proposal: Proposal, written: WriteResult) -> WriteResult:
    proposal.taken["after"] = written.file.revision
    proposal.save(update_fields=["taken"])
    _count(tx, written.file, proposal.taken["before"])
    return written


def _count(tx: Transaction, file: File, before: int, sign: int = 1) -> None:
    """What was accepted since that revision, as it stands now."""
    if file.path != soul.SOUL:
        was = content_of(file, before) if before else ""
        lines = sum(map(states, set(file.raw_content.split("\n")) - set(was.split("\n"))))
        soul.count_towards_soul(tx, file.agent, file.owner_id, sign * max(1, lines))


def _person(by: User) -> Writer:
    return Writer(AuthorKind.PERSON, user=by)


def _writer(proposal: Proposal, by: User) -> Writer:
    of_program = AuthorKind.IMPORT if proposal.batch_id else AuthorKind.AGENT
    run, token = proposal.run, proposal.token
    return Writer(
        AuthorKind.of_run(run.kind) if run else of_program,
        user=by,
        run=run,
        integration=token.integration if token else None,
        token=token,
        conversation_id=proposal.conversation_id,
        batch=proposal.batch,
        is_approved=True,
    )


def _brought(file: File, content: str) -> list[str]:
    stood = set(file.raw_content.split("\n"))
    return [line for line in content.split("\n") if line not in stood]


def _origins_now(proposal: Proposal, content: str) -> dict[int, Origin]:
    """Of the lines where they stand once the file was changed meanwhile, too."""
    told = origins_of(proposal)
    if proposal.run is not None:
        return told
    carried = _carried(proposal.raw_content, content).items()
    return {new: told[old] for new, old in carried if told.get(old, Origin()) != Origin()}


def _carried(before: str, after: str) -> dict[int, int]:
    return carry(before.split("\n"), after.split("\n")).same


def _decide(tx: Transaction, proposal: Proposal, state: Proposal.State, by: User | None) -> None:
    """Without a person it was decided by time."""
    waiting = Proposal.objects.filter(pk=proposal.pk, state=Proposal.State.PENDING)
    if not waiting.update(state=state, decided_by=by, decided_at=tx.now):
        raise Decided
    settle({proposal.pk: proposal.run_id})
    tx.record(
        f"proposal.{state}",
        target_kind="proposal",
        target_id=str(proposal.pk),
        agent_id=proposal.file.agent_id,
        on_behalf_of=proposal.file.owner_id,
        run_id=proposal.run_id,
        reason_code="" if by else "expired",
    )


def _expire(tx: Transaction, proposal: Proposal) -> None:
    with suppress(Decided):  # by a person just now
        _decide(tx, proposal, Proposal.State.REJECTED, None)
        ReviewItem.objects.filter(proposal=proposal).update(state=ReviewItem.State.EXPIRED)


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


# A proposal line by line: as people read it, why, and what each line stands on.


@dataclass(frozen=True)
class ProposedLine:
    """`old` and `new` with what differs marked; `words` are those of `new`, to be edited."""

    number: int
    kind: str  # add | change | retire
    heading: str
    old: Sequence[Span]
    new: Sequence[Span]
    words: str
    can_edit: bool
    was_taken: bool


class ProposalLines:
    """`seen` tells it from another change of the same proposal. What does not fit the file any
    more (`fits`), or was decided on, is compared with the text that it began from."""

    def __init__(self, proposal: Proposal, look: Look) -> None:
        self._proposal = proposal
        before, after, self.fits = texts_of(proposal)
        self._changes = changes.changes_of(before, after)
        self._hidden = _hidden(proposal, look, (before, after))
        self.seen = changes.print_of(before, after)
        self.lines = [self._line(one) for one in self._changes]

    def behind(self) -> Mapping[int, tuple[str, Sequence[Source]]]:
        """Why a line goes, and what it stands on: told by the dream, else by the line's own
        origins."""
        told, placed = self._operations(), sources_of(self._proposal)
        found = {}
        for change in self._changes:
            old, new = changes.plain(change.row.old), changes.plain(change.row.new)
            operation = told.get(normalise(new or old))
            sources = placed.get(new, ())
            if operation and not sources:
                sources = tuple(_source(packed) for packed in operation.sources)
            found[change.number] = (operation.reason if operation and old else "", sources)
        return found

    def _line(self, change: changes.Change) -> ProposedLine:
        row, taken = change.row, self._proposal.taken
        left_out, kept = taken.get("left_out", []), taken.get("kept", [])
        is_hidden = changes.plain(row.new) in self._hidden
        return ProposedLine(
            change.number,
            change.kind,
            change.heading,
            *self._both(row),
            "" if is_hidden else change.new,
            can_edit=change.kind != "retire" and not is_hidden,
            was_taken=row.new_number not in left_out and row.old_number not in kept,
        )

    def _both(self, row: Row) -> tuple[Sequence[Span], Sequence[Span]]:
        """Marks as prompts say them."""
        old, new = changes.plain(row.old), changes.plain(row.new)
        is_shown = old not in self._hidden and new not in self._hidden
        if row.kind == "changed" and is_shown and (ended_in(old) or ended_in(new)):
            said = list(paired([told(old)], [told(new)]))
            row = said[0] if len(said) == 1 else row
        return self._shown(row.old), self._shown(row.new)

    def _shown(self, spans: Sequence[Span]) -> list[Span]:
        hidden = self._hidden.get(changes.plain(spans))
        return changes.spans_of(spans) if hidden is None else [Span(hidden, marked=False)]

    def _operations(self) -> dict[str, Any]:
        """What was said of a text by the dream that brought it or took it away."""
        report = getattr(self._proposal.run, "report", None)
        if report is None or not any(change.row.old for change in self._changes):
            return {}
        operations = report.operations.all()
        return {normalise(text): it for it in operations for text in (it.after, *it.before)}


def _hidden(proposal: Proposal, look: Look, texts: Iterable[str]) -> Mapping[str, str]:
    """Line → what people read in its place, of those that are to be forgotten."""
    found = {}
    for text in texts:
        shown = look.then(proposal.file, text)
        pairs = zip(text.split("\n"), shown.split("\n"), strict=True)
        found.update({line: other for line, other in pairs if line != other})
    return found


def _source(packed: Mapping[str, Any]) -> Source:
    return Source(UUID(packed["file"]), packed["revision"], packed["line"])
