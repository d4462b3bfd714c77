"""Contradictions from what brings them to what a person decides, and back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.memory.facts import actions
from memoryweb.memory.facts.actions import (
    StatementGone,
    check_person,
    locked,
    put_in,
    replace,
    take_line_of,
    take_out,
)
from memoryweb.memory.models import Contradiction, Fact
from memoryweb.memory.models.author_kinds import SourceClass
from memoryweb.memory.models.refusals import ContentRefused, Decided
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.statements import conflicts, evidence, listing, moves
from memoryweb.memory.statements.bullets import Statement
from memoryweb.memory.statements.conflicts import are_rivals, clash, open_or_add, value_print
from memoryweb.memory.statements.evidence import Ground
from memoryweb.memory.statements.moves import Departure
from memoryweb.memory.writing.write import Writer

State, Resolution = Contradiction.State, Contradiction.Resolution
_KEPT = (
    *("state", "why", "superseded_by_id", "corrected_at", "corrected_by_id"),
    *("confirmed_at", "confirmed_by_id"),
)


def contradict(
    tx: Transaction, standing: Fact, text: str, *, source: SourceClass, grounds: Sequence[Ground]
) -> Fact | None:
    """A statement that may not replace what stands waits beside it, in no file; said again, it
    gets more evidence. None where it is no rival or stands itself, where a person let both stand,
    and where too much waits already."""
    one = Statement(text, standing.heading)
    made = moves.new(standing, one, tx.now)
    made.subject = standing.subject  # by whatever name: they were found to speak of one thing
    there = Fact.objects.of(standing.agent_id, standing.owner_id)
    if not are_rivals(standing, made) or there.standing().filter(fingerprint=one.print).exists():
        return None
    waiting = there.filter(state=Fact.State.PENDING, file=None, attribute=made.attribute)
    if not made.attribute:  # no key tells whether two say the same
        waiting = waiting.filter(fingerprint=one.print)
    known = [row for row in waiting if not clash(row, made) and row.subject == made.subject]
    rival = next(iter(known), made)
    if not known:
        made.path, made.state, made.source = standing.path, Fact.State.PENDING, source
        made.said_at = max((ground.said_at for ground in grounds if ground.said_at), default=None)
        made.save(force_insert=True)
    if open_or_add(tx, standing, rival) is None and not known:
        made.delete()
        return None
    if not known:
        actions.record(tx, "fact.changed", made)
    evidence.add({rival: grounds}, known=known)
    return rival


def sides_of(found: Contradiction) -> list[Fact]:
    return listing.sides_of(found, found.facts.select_related("file", "agent", "owner"))


def resolve(
    tx: Transaction, found: Contradiction, resolution: str, *, writer: Writer, text: str = ""
) -> Contradiction:
    """Change facts and files as a person decided. Of more than two sides, A is what stands first
    and B the latest of the others.

    Raises WriteRefused, Decided, ContentRefused, StatementGone and what memory.write raises.
    """
    check_person(writer)
    found = _locked(found)
    if found.state != State.OPEN:
        raise Decided
    sides = [locked(one) for one in sides_of(found)]
    found.before = {str(one.pk): _before(one) for one in sides}
    _close(tx, found, resolution, writer)
    standing, others = sides[0], sides[1:]
    if resolution == Resolution.IGNORE:
        _keep_all(tx, found, sides, writer)
    elif resolution == Resolution.MERGE:
        _merge(tx, standing, others, text, writer)
    else:
        kept = standing if resolution == Resolution.KEEP_A or not others else others[-1]
        why = Fact.Why.REWORDED if found.asks_replacement else Fact.Why.NOT_TRUE
        _keep(tx, kept, [one for one in sides if one != kept], writer, why)
    conflicts.record(tx, "contradiction.resolved", found)
    return found


def undo(tx: Transaction, found: Contradiction, *, writer: Writer) -> Contradiction:
    """Bring facts and files back to what they were before it was resolved, unless they changed
    since. Raises WriteRefused, Decided, StatementGone and what memory.write raises."""
    check_person(writer)
    found = _locked(found)
    same = {"agent": found.agent_id, "owner": found.owner_id, "key": found.key}
    if not found.before or Contradiction.objects.filter(**same, state=State.OPEN).exists():
        raise Decided
    sides = [locked(one) for one in Fact.objects.filter(pk__in=found.before)]
    made = [
        one.superseded_by for one in sides if one.superseded_by and one.superseded_by not in sides
    ]
    if found.decided_at and any(one.changed_at > found.decided_at for one in (*sides, *made)):
        raise StatementGone
    for one in {*made, *(side for side in sides if not found.before[str(side.pk)]["stands"])}:
        if (now := locked(one)).file is not None:
            take_out(tx, now, Departure(Fact.Why.REMOVED), writer=writer)
    found.state = State.OPEN  # what comes back joins it
    found.save(update_fields=["state"])
    for side in sides:
        if found.before[str(side.pk)]["stands"] and locked(side).file is None:
            put_in(tx, side, writer=writer)
    for side in sides:
        was = found.before[str(side.pk)]
        Fact.objects.filter(pk=side.pk).update(
            contradiction=found, **{name: was[name] for name in _KEPT}
        )
    found.before, found.resolution = {}, ""
    found.decided_by = found.decided_at = None
    found.save()
    conflicts.record(tx, "contradiction.reopened", found)
    return found


def _keep_all(tx: Transaction, found: Contradiction, sides: Sequence[Fact], writer: Writer) -> None:
    """Each stands, what waited on a line of its own; no dream takes one for the other's sake."""
    there = Fact.objects.of(found.agent_id, found.owner_id).standing()
    for one in sides:
        is_told = there.filter(path=one.path, fingerprint=one.fingerprint).exists()
        if one.state == Fact.State.PENDING and not is_told:
            put_in(tx, one, writer=writer)
    kept = found.facts.living().standing()
    kept.update(state=Fact.State.ACTIVE, confirmed_at=tx.now, confirmed_by=writer.user)


def _keep(
    tx: Transaction, kept: Fact, others: Sequence[Fact], writer: Writer, why: Fact.Why
) -> None:
    """Nothing is lost: a rival takes the line of the first that stood."""
    stood = next((one for one in others if one.file is not None), None) if not kept.file else None
    for one in others:
        if one != stood:
            take_out(tx, one, Departure(why, kept.pk), writer=writer)
    if stood is not None:
        take_line_of(tx, stood, kept, writer=writer, why=why)
    elif kept.file is None and kept.state == Fact.State.PENDING:
        put_in(tx, kept, writer=writer)
    now = locked(kept)
    if now.state in {Fact.State.DISPUTED, Fact.State.ACTIVE}:
        now.state = Fact.State.ACTIVE
        now.confirmed_at, now.confirmed_by = tx.now, writer.user
        now.save(update_fields=["state", "confirmed_at", "confirmed_by"])


def _merge(
    tx: Transaction, standing: Fact, others: Sequence[Fact], text: str, writer: Writer
) -> None:
    said = " ".join(text.split())
    if not said:
        raise ContentRefused(_("Write the line that says both."))
    for one in others:
        take_out(tx, one, Departure(Fact.Why.NOT_TRUE), writer=writer)
    replace(tx, standing, said, writer=writer)
    newer = locked(standing).superseded_by
    Fact.objects.filter(pk__in=[one.pk for one in others]).update(
        why=Fact.Why.REWORDED, state=Fact.State.SUPERSEDED, superseded_by=newer
    )


def _locked(found: Contradiction) -> Contradiction:
    return Contradiction.objects.select_for_update(of=("self",)).get(pk=found.pk)


def _before(fact: Fact) -> dict[str, Any]:
    kept = {name: getattr(fact, name) for name in _KEPT}
    plain = {
        name: value.isoformat() if isinstance(value, datetime) else value and str(value)
        for name, value in kept.items()
    }
    return {**plain, "stands": fact.file_id is not None, "print": value_print(fact)}


def _close(tx: Transaction, found: Contradiction, resolution: str, writer: Writer) -> None:
    """First, so that what the files lose on the way decides nothing."""
    found.state = State.IGNORED if resolution == Resolution.IGNORE else State.RESOLVED
    found.resolution, found.decided_by, found.decided_at = resolution, writer.user, tx.now
    found.save(update_fields=["state", "resolution", "decided_by", "decided_at", "before"])
