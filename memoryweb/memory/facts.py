"""What people do about statements, and statements that can't both be true.

What changes a statement changes its file; the facts follow, as they follow every edit.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.audit.record import target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.marks import Ended, living, marked
from memoryweb.markdown.sections import with_bullet, without_lines
from memoryweb.memory import models
from memoryweb.memory.models.refusals import ContentRefused, Decided, MemoryRefused
from memoryweb.memory.models.writer import Place, Transaction, Writer
from memoryweb.memory.soul import count_towards_soul
from memoryweb.memory.statements import conflicts, evidence, listing, moves
from memoryweb.memory.statements.asked import part_asked
from memoryweb.memory.statements.bullets import Statement, all_bullets_of, bullets_of
from memoryweb.memory.statements.conflicts import are_rivals, clash, open_or_add
from memoryweb.memory.statements.evidence import Ground
from memoryweb.memory.statements.listing import marks_of
from memoryweb.memory.statements.moves import Departure
from memoryweb.memory.statements.validity import in_states, today
from memoryweb.memory.visible.hidden import remembered
from memoryweb.memory.writing import write
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.memory.writing.write import WriteResult

Why = models.Fact.Why


class StatementGone(MemoryRefused):
    """What was asked needs a statement that stands, or one that does not."""

    code = "gone"
    sentence = gettext_lazy("This statement has changed. Look at it again, then decide.")


def check_person(writer: Writer) -> None:
    """Raises WriteRefused."""
    if writer.behind is not models.AuthorKind.PERSON:
        raise WriteRefused(_("Only a person can decide whether a statement is true."))


def confirm(tx: Transaction, fact: models.Fact, *, writer: Writer) -> models.Fact:
    """The file stays as it is. Raises WriteRefused, StatementGone."""
    check_person(writer)
    fact = locked(fact)
    if fact.state not in {models.Fact.State.ACTIVE, models.Fact.State.DISPUTED}:
        raise StatementGone
    is_new = fact.confirmed_at is None
    fact.confirmed_at, fact.confirmed_by = tx.now, writer.user
    fact.hidden_at = fact.hidden_by = None
    fact.save(update_fields=["confirmed_at", "confirmed_by", "hidden_at", "hidden_by"])
    if is_new:
        count_towards_soul(tx, fact.agent, fact.owner_id)
    record(tx, "fact.confirmed", fact)
    return fact


def unconfirm(tx: Transaction, fact: models.Fact, *, writer: Writer) -> models.Fact:
    """Undo one's own confirmation. Raises WriteRefused, StatementGone."""
    check_person(writer)
    fact = locked(fact)
    if fact.confirmed_at is None or fact.confirmed_by != writer.user:
        raise StatementGone
    fact.confirmed_at = fact.confirmed_by = None
    fact.save(update_fields=["confirmed_at", "confirmed_by"])
    count_towards_soul(tx, fact.agent, fact.owner_id, -1)
    record(tx, "fact.unconfirmed", fact)
    return fact


def edit(
    tx: Transaction, fact: models.Fact, text: str, *, writer: Writer, is_line: bool = False
) -> WriteResult:
    """Put it in other words, at its place. What had ended of it has still, unless the text
    `is_line`: as the file has it, with its marks. Raises StatementGone, ContentRefused and what
    memory.write raises."""
    fact = locked(fact)
    if fact.state in models.Fact.OVER:
        raise StatementGone
    said = " ".join(text.split())
    if not is_line:
        said = marked(said, [one for one in marks_of(fact) if one.words in said])
    if not bullets_of(f"- {said}"):
        raise ContentRefused(_("Write the new text, or mark the statement as not true."))
    written = replace(tx, fact, said, writer=writer)
    if writer.behind is models.AuthorKind.PERSON:
        count_towards_soul(tx, fact.agent, fact.owner_id)
    record(tx, "fact.edited", fact)
    return written


def remember_until(tx: Transaction, fact: models.Fact, day: date | None, *, writer: Writer) -> None:
    """Its last day, whatever its text says; None: as that says. Raises WriteRefused,
    StatementGone, ContentRefused."""
    check_person(writer)
    fact = locked(fact)
    if fact.state in models.Fact.OVER:
        raise StatementGone
    if day and day < today(tx.now, fact.agent.zone):
        raise ContentRefused(_("Choose a day that isn't over yet."))
    moves.remember(fact, day)
    record(tx, "fact.kept_until", fact)


def not_true(tx: Transaction, fact: models.Fact, *, writer: Writer) -> None:
    """Take it out, wherever this memory says it; nothing said before brings it back. Raises
    WriteRefused, StatementGone."""
    check_person(writer)
    fact = locked(fact)
    take_out(tx, fact, Departure(Why.NOT_TRUE), writer=writer)
    same = models.Fact.objects.of(fact.agent_id, fact.owner_id).filter(fingerprint=fact.fingerprint)
    while one := same.living().standing().first():  # what leaves one file may stand in another
        take_out(tx, locked(one), Departure(Why.NOT_TRUE), writer=writer)
    for one in same.living():
        take_out(tx, locked(one), Departure(Why.NOT_TRUE), writer=writer)
    record(tx, "fact.not_true", fact)


def restore(tx: Transaction, fact: models.Fact, *, writer: Writer) -> WriteResult:
    """Put what no longer stands back into its file. Raises WriteRefused, StatementGone and what
    memory.write raises."""
    check_person(writer)
    fact = locked(fact)
    if fact.file is not None:
        raise StatementGone
    written = put_in(tx, fact, writer=writer)
    record(tx, "fact.restored", fact)
    return written


def vote(tx: Transaction, fact: models.Fact, *, writer: Writer, helpful: bool | None) -> None:
    """None takes the person's vote back. Raises WriteRefused."""
    check_person(writer)
    if writer.user is None:
        raise WriteRefused(_("Sign in to vote on a statement."))
    mine = {"fact": fact, "user": writer.user}
    if helpful is None:
        models.Vote.objects.filter(**mine).delete()
    else:
        values = {"helpful": helpful}
        new = {**values, "team_id": fact.team_id}
        models.Vote.objects.update_or_create(**mine, defaults=values, create_defaults=new)
    record(tx, "fact.voted", fact)


def locked(fact: models.Fact) -> models.Fact:
    """As it is now: what a caller holds may be older than the transaction."""
    rows = models.Fact.objects.select_for_update(of=("self",)).select_related(
        "agent", "owner", "file"
    )
    return rows.get(pk=fact.pk)


def replace(
    tx: Transaction,
    fact: models.Fact,
    text: str,
    *,
    writer: Writer,
    why: models.Fact.Why = Why.REWORDED,
) -> WriteResult:
    """Its line with another text, or that text where it stood last."""
    went = Departure(why if writer.behind is models.AuthorKind.PERSON else Why.SUPERSEDED, text)
    if fact.file is None:
        written = put_in(tx, fact, writer=writer, text=text)
        if (now := locked(fact)).file is None:
            moves.leave(tx, now, went, writer)
        return written
    same = models.Fact.objects.filter(file=fact.file, fingerprint=fingerprint(text))
    if (there := same.exclude(pk=fact.pk).first()) is not None:
        return _take_line(tx, fact, Departure(went.why, there.pk), writer)

    def reworded(content: str) -> str:
        lines = content.split("\n")
        for one in _places(content, fact):
            marker = lines[one.line - 1].partition(one.text.split(" ", 1)[0])[0] or "- "
            lines[one.line - 1 : one.end] = [f"{marker}{text}"]
        return "\n".join(lines)

    return _change(tx, fact, reworded, writer, went)


def take_line_of(
    tx: Transaction, fact: models.Fact, by: models.Fact, *, writer: Writer, why: models.Fact.Why
) -> None:
    """Another statement stands where this one stood."""
    replace(tx, fact, by.raw_text, writer=writer, why=why)


def take_out(tx: Transaction, fact: models.Fact, went: Departure, *, writer: Writer) -> None:
    if fact.file is None:
        moves.leave(tx, fact, went, writer)
    else:
        _take_line(tx, fact, went, writer)


def put_in(
    tx: Transaction,
    fact: models.Fact,
    *,
    writer: Writer,
    text: str = "",
    ended: Collection[Ended] | None = None,
) -> WriteResult:
    """Under its heading, in the file where it stood last; what had `ended` has still, where more
    stands there. Raises StatementGone where it stands."""
    had = fact.ended if living(fact.raw_text, fact.ended).strip(".!?。") else ()
    said = text or marked(fact.raw_text, had if ended is None else ended)

    def with_it(content: str) -> str:
        if fingerprint(said) in {one.print for one in bullets_of(content, fact.path)}:
            raise StatementGone
        return with_bullet(content, fact.heading, f"- {said}")

    return write.change(tx, Place(fact.agent, fact.owner, fact.path), with_it, writer=writer)


def record(tx: Transaction, action: str, fact: models.Fact) -> None:
    tx.record(action, **target(fact), on_behalf_of=fact.owner_id)


def _places(content: str, fact: models.Fact) -> list[Statement]:
    """Wherever it stands there, the last first. Raises StatementGone."""
    there = all_bullets_of(content, fact.path)
    if places := [one for one in there if one.print == fact.fingerprint]:
        return places[::-1]
    raise StatementGone


def _take_line(tx: Transaction, fact: models.Fact, went: Departure, writer: Writer) -> WriteResult:
    def without_it(content: str) -> str:
        for one in _places(content, fact):
            content = "\n".join(without_lines(content, range(one.line, one.end + 1)))
        return content

    return _change(tx, fact, without_it, writer, went)


def _change(
    tx: Transaction, fact: models.Fact, how: Callable[[str], str], writer: Writer, went: Departure
) -> WriteResult:
    """Of the file that it stands in."""
    if fact.file is None:
        raise StatementGone
    place = Place(fact.agent, fact.owner, fact.file.path)
    return write.change(tx, place, how, writer=writer, whys=moves.whys_of(fact, went))


# What stands in a memory now, for an agent's home: how much there is, and the statements.

_STANDING = (models.Fact.State.ACTIVE, models.Fact.State.DISPUTED)


MOST_STANDING = 200


@PreparedQuery
def amounts(agent: Any, owners: Collection[UUID], day: date) -> "QuerySet[Any, Any]":
    """How many statements hold that day, in the shared memory (None) and in these owners'."""
    reach = Q(agent=agent) & (Q(owner=None) | Q(owner__in=owners))
    found = remembered(reach).filter(in_states(_STANDING, day))
    return found.order_by().values_list("owner").annotate(Count("pk"))


@PreparedQuery
def standing(agent: Any, owner: UUID | None, day: date) -> "QuerySet[Any]":
    """The latest statements of exactly one memory. `was`: the value before."""
    found = remembered(in_states(_STANDING, day)).filter(agent=agent, owner=owner)
    replaced = Q(superseded_by=OuterRef("pk")) & ~Q(why=Why.REVERTED)
    earlier = remembered(replaced).order_by("-changed_at")
    listed: QuerySet[Any] = found.annotate(was=Subquery(earlier.values("raw_value")[:1]))
    return listed.order_by("-changed_at", "-pk")[:MOST_STANDING]


State, Resolution = models.Contradiction.State, models.Contradiction.Resolution
# Contradictions from what brings them to what a person decides, and back.


def contradict(
    tx: Transaction,
    standing: models.Fact,
    text: str,
    *,
    source: models.SourceClass,
    grounds: Sequence[Ground],
) -> models.Fact | None:
    """A statement that may not replace what stands waits beside it, in no file; said again, it
    gets more evidence. None where it is no rival or stands itself, where a person let both stand,
    and where too much waits already."""
    one = Statement(text, standing.heading)
    made = moves.new(standing, one, tx.now)
    made.subject = standing.subject  # by whatever name: they were found to speak of one thing
    there = models.Fact.objects.of(standing.agent_id, standing.owner_id)
    if not are_rivals(standing, made) or there.standing().filter(fingerprint=one.print).exists():
        return None
    waiting = there.filter(state=models.Fact.State.PENDING, file=None, attribute=made.attribute)
    if not made.attribute:  # no key tells whether two say the same
        waiting = waiting.filter(fingerprint=one.print)
    known = [row for row in waiting if not clash(row, made) and row.subject == made.subject]
    rival = next(iter(known), made)
    if not known:
        made.path, made.state, made.source = standing.path, models.Fact.State.PENDING, source
        made.said_at = max((ground.said_at for ground in grounds if ground.said_at), default=None)
        made.save(force_insert=True)
    if open_or_add(tx, standing, rival) is None and not known:
        made.delete()
        return None
    if not known:
        record(tx, "fact.changed", made)
    evidence.add({rival: grounds}, known=known)
    return rival


def sides_of(found: models.Contradiction) -> list[models.Fact]:
    return listing.sides_of(found, found.facts.select_related("file", "agent", "owner"))


def resolve(
    tx: Transaction, found: models.Contradiction, resolution: str, *, writer: Writer, text: str = ""
) -> models.Contradiction:
    """Change facts and files as a person decided. Of more than two sides, A is what stands first
    and B the latest of the others.

    Raises WriteRefused, Decided, ContentRefused, StatementGone and what memory.write raises.
    """
    check_person(writer)
    found = _locked(found)
    if found.state != State.OPEN:
        raise Decided
    sides = [locked(one) for one in sides_of(found)]
    found.before = {str(one.pk): conflicts.before_of(one) for one in sides}
    _close(tx, found, resolution, writer)
    standing, others = sides[0], sides[1:]
    if found.is_question and resolution == Resolution.IGNORE:
        confirm(tx, standing, writer=writer)
    elif resolution == Resolution.IGNORE:
        _keep_all(tx, found, sides, writer)
    elif found.is_question and resolution == Resolution.KEEP_B:
        _end(tx, standing, others, writer)
    elif resolution == Resolution.MERGE:
        _merge(tx, standing, others, text, writer)
    else:
        kept = standing if resolution == Resolution.KEEP_A or not others else others[-1]
        why = models.Fact.Why.REWORDED if found.is_question else models.Fact.Why.NOT_TRUE
        _keep(tx, kept, [one for one in sides if one != kept], writer, why)
    conflicts.record(tx, "contradiction.resolved", found)
    return found


def _end(tx: Transaction, older: models.Fact, newer: Sequence[models.Fact], writer: Writer) -> None:
    """What of it was asked about holds no longer; the rest of its line stays."""
    words = part_asked(older, newer[-1]) if newer and older.file else older.raw_text
    if words != older.raw_text:
        at = newer[-1].said_at or tx.now
        ended = Ended(at.astimezone(older.agent.zone).date(), words)
        mark(tx, older, [*older.ended, ended], writer)
    elif newer:
        _keep(tx, newer[-1], [older], writer, Why.REWORDED)
    else:
        take_out(tx, older, Departure(Why.ASKED), writer=writer)


def mark(tx: Transaction, fact: models.Fact, ended: Sequence[Ended], writer: Writer) -> WriteResult:
    """Its line with these marks and no others."""
    return replace(tx, fact, marked(fact.raw_text, ended), writer=writer)


def undo(tx: Transaction, found: models.Contradiction, *, writer: Writer) -> models.Contradiction:
    """Bring facts and files back to what they were before it was resolved, unless they changed
    since. Raises WriteRefused, Decided, StatementGone and what memory.write raises."""
    check_person(writer)
    found = _locked(found)
    same = {"agent": found.agent_id, "owner": found.owner_id, "key": found.key}
    if not found.before or models.Contradiction.objects.filter(**same, state=State.OPEN).exists():
        raise Decided
    sides = [locked(one) for one in models.Fact.objects.filter(pk__in=found.before)]
    made = [
        one.superseded_by for one in sides if one.superseded_by and one.superseded_by not in sides
    ]
    if found.decided_at and any(one.changed_at > found.decided_at for one in (*sides, *made)):
        raise StatementGone
    for one in {*made, *(side for side in sides if not found.before[str(side.pk)]["stands"])}:
        if (now := locked(one)).file is not None:
            take_out(tx, now, Departure(models.Fact.Why.REMOVED), writer=writer)
    if found.is_question and (older := next((one for one in sides if found.is_about(one)), None)):
        _unmark(tx, older, [one for one in sides if one != older], writer)
    found.state = State.OPEN  # what comes back joins it
    found.save(update_fields=["state"])
    for side in sides:
        if found.before[str(side.pk)]["stands"] and locked(side).file is None:
            put_in(tx, side, writer=writer)
    for side in sides:
        was = found.before[str(side.pk)]
        models.Fact.objects.filter(pk=side.pk).update(
            contradiction=found, **{name: was[name] for name in conflicts.KEPT}
        )
    found.before, found.resolution = {}, ""
    found.decided_by = found.decided_at = None
    found.save()
    conflicts.record(tx, "contradiction.reopened", found)
    return found


def _unmark(
    tx: Transaction, older: models.Fact, newer: Sequence[models.Fact], writer: Writer
) -> None:
    for ended in older.ended if newer and older.file else ():
        others = [one for one in older.ended if one != ended]
        older.raw_ended = [[one.on.isoformat(), one.words] for one in others]
        if part_asked(older, newer[-1]) == ended.words:
            mark(tx, older, others, writer)
            return


def _keep_all(
    tx: Transaction, found: models.Contradiction, sides: Sequence[models.Fact], writer: Writer
) -> None:
    """Each stands, what waited on a line of its own; no dream takes one for the other's sake."""
    there = models.Fact.objects.of(found.agent_id, found.owner_id).standing()
    for one in sides:
        is_told = there.filter(path=one.path, fingerprint=one.fingerprint).exists()
        if one.state == models.Fact.State.PENDING and not is_told:
            put_in(tx, one, writer=writer)
    kept = found.facts.living().standing()
    kept.update(state=models.Fact.State.ACTIVE, confirmed_at=tx.now, confirmed_by=writer.user)


def _keep(
    tx: Transaction,
    kept: models.Fact,
    others: Sequence[models.Fact],
    writer: Writer,
    why: models.Fact.Why,
) -> None:
    """Nothing is lost: a rival takes the line of the first that stood."""
    stood = next((one for one in others if one.file is not None), None) if not kept.file else None
    for one in others:
        if one != stood:
            take_out(tx, one, Departure(why, kept.pk), writer=writer)
    if stood is not None:
        take_line_of(tx, stood, kept, writer=writer, why=why)
    elif kept.file is None and kept.state == models.Fact.State.PENDING:
        put_in(tx, kept, writer=writer)
    now = locked(kept)
    if now.state in {models.Fact.State.DISPUTED, models.Fact.State.ACTIVE}:
        now.state = models.Fact.State.ACTIVE
        now.confirmed_at, now.confirmed_by = tx.now, writer.user
        now.save(update_fields=["state", "confirmed_at", "confirmed_by"])


def _merge(
    tx: Transaction, standing: models.Fact, others: Sequence[models.Fact], text: str, writer: Writer
) -> None:
    said = " ".join(text.split())
    if not said:
        raise ContentRefused(_("Write the line that says both."))
    for one in others:
        take_out(tx, one, Departure(models.Fact.Why.NOT_TRUE), writer=writer)
    replace(tx, standing, said, writer=writer)
    newer = locked(standing).superseded_by
    models.Fact.objects.filter(pk__in=[one.pk for one in others]).update(
        why=models.Fact.Why.REWORDED, state=models.Fact.State.SUPERSEDED, superseded_by=newer
    )


def _locked(found: models.Contradiction) -> models.Contradiction:
    return models.Contradiction.objects.select_for_update(of=("self",)).get(pk=found.pk)


def _close(tx: Transaction, found: models.Contradiction, resolution: str, writer: Writer) -> None:
    """First, so that what the files lose on the way decides nothing."""
    found.state = State.IGNORED if resolution == Resolution.IGNORE else State.RESOLVED
    found.resolution, found.decided_by, found.decided_at = resolution, writer.user, tx.now
    found.save(update_fields=["state", "resolution", "decided_by", "decided_at", "before"])
