"""What people do about one statement: confirm, edit, not true, restore, vote.

What changes a statement changes its file; the facts follow, as they follow every edit.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.audit.record import target
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.sections import with_bullet, without_lines
from memoryweb.memory.facts import soul
from memoryweb.memory.models import Fact, Vote
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import ContentRefused, MemoryRefused
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.statements import moves
from memoryweb.memory.statements.bullets import Statement, all_bullets_of, bullets_of
from memoryweb.memory.statements.listing import weighed
from memoryweb.memory.statements.moves import Departure
from memoryweb.memory.statements.validity import in_states, today
from memoryweb.memory.visible.hidden import remembered
from memoryweb.memory.writing import write
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.memory.writing.write import Place, Writer, WriteResult

Why = Fact.Why


class StatementGone(MemoryRefused):
    """What was asked needs a statement that stands, or one that does not."""

    code = "gone"

    def __init__(self) -> None:
        super().__init__(_("This statement has changed. Look at it again, then decide."))


def check_person(writer: Writer) -> None:
    """Raises WriteRefused."""
    if writer.behind is not AuthorKind.PERSON:
        raise WriteRefused(_("Only a person can decide whether a statement is true."))


def confirm(tx: Transaction, fact: Fact, *, writer: Writer) -> Fact:
    """The file stays as it is. Raises WriteRefused, StatementGone."""
    check_person(writer)
    fact = locked(fact)
    if fact.state not in {Fact.State.ACTIVE, Fact.State.DISPUTED}:
        raise StatementGone
    if fact.confirmed_at is None:
        soul.count(tx, fact.agent, fact.owner_id)
    fact.confirmed_at, fact.confirmed_by = tx.now, writer.user
    fact.hidden_at = fact.hidden_by = None
    fact.save(update_fields=["confirmed_at", "confirmed_by", "hidden_at", "hidden_by"])
    record(tx, "fact.confirmed", fact)
    return fact


def unconfirm(tx: Transaction, fact: Fact, *, writer: Writer) -> Fact:
    """Undo one's own confirmation. Raises WriteRefused, StatementGone."""
    check_person(writer)
    fact = locked(fact)
    if fact.confirmed_by_id is None or fact.confirmed_by != writer.user:
        raise StatementGone
    fact.confirmed_at = fact.confirmed_by = None
    fact.save(update_fields=["confirmed_at", "confirmed_by"])
    soul.count(tx, fact.agent, fact.owner_id, -1)
    record(tx, "fact.unconfirmed", fact)
    return fact


def edit(tx: Transaction, fact: Fact, text: str, *, writer: Writer) -> WriteResult:
    """Put it in other words, at its place. Raises StatementGone, ContentRefused and what
    memory.write raises."""
    fact = locked(fact)
    if fact.state in Fact.OVER:
        raise StatementGone
    said = " ".join(text.split())
    if not bullets_of(f"- {said}"):
        raise ContentRefused(_("Write the new text, or mark the statement as not true."))
    written = replace(tx, fact, said, writer=writer)
    if writer.behind is AuthorKind.PERSON:
        soul.count(tx, fact.agent, fact.owner_id)
    record(tx, "fact.edited", fact)
    return written


def not_true(tx: Transaction, fact: Fact, *, writer: Writer) -> None:
    """Take it out, wherever this memory says it; nothing said before brings it back. Raises
    WriteRefused, StatementGone."""
    check_person(writer)
    fact = locked(fact)
    take_out(tx, fact, Departure(Why.NOT_TRUE), writer=writer)
    same = Fact.objects.of(fact.agent_id, fact.owner_id).filter(fingerprint=fact.fingerprint)
    for one in same.living().exclude(pk=fact.pk):
        take_out(tx, locked(one), Departure(Why.NOT_TRUE), writer=writer)
    record(tx, "fact.not_true", fact)


def restore(tx: Transaction, fact: Fact, *, writer: Writer) -> WriteResult:
    """Put what no longer stands back into its file. Raises WriteRefused, StatementGone and what
    memory.write raises."""
    check_person(writer)
    fact = locked(fact)
    if fact.file is not None:
        raise StatementGone
    written = put_in(tx, fact, writer=writer)
    record(tx, "fact.restored", fact)
    return written


def vote(tx: Transaction, fact: Fact, *, writer: Writer, helpful: bool | None) -> None:
    """None takes the person's vote back. Raises WriteRefused."""
    check_person(writer)
    if writer.user is None:
        raise WriteRefused(_("Sign in to vote on a statement."))
    mine = {"fact": fact, "user": writer.user}
    if helpful is None:
        Vote.objects.filter(**mine).delete()
    else:
        values = {"helpful": helpful}
        new = {**values, "team_id": fact.team_id}
        Vote.objects.update_or_create(**mine, defaults=values, create_defaults=new)
    record(tx, "fact.voted", fact)


def locked(fact: Fact) -> Fact:
    """As it is now: what a caller holds may be older than the transaction."""
    rows = Fact.objects.select_for_update(of=("self",)).select_related("agent", "owner", "file")
    return rows.get(pk=fact.pk)


def replace(
    tx: Transaction, fact: Fact, text: str, *, writer: Writer, why: Fact.Why = Why.REWORDED
) -> WriteResult:
    """Its line with another text, or that text where it stood last."""
    went = Departure(why if writer.behind is AuthorKind.PERSON else Why.SUPERSEDED, text)
    if fact.file is None:
        written = put_in(tx, fact, writer=writer, text=text)
        if (now := locked(fact)).file is None:
            moves.leave(tx, now, went, writer)
        return written
    same = Fact.objects.filter(file=fact.file, fingerprint=fingerprint(text)).exclude(pk=fact.pk)
    if (there := same.first()) is not None:
        return _take_line(tx, fact, Departure(went.why, there.pk), writer)

    def reworded(content: str) -> str:
        lines = content.split("\n")
        for one in _places(content, fact):
            marker = lines[one.line - 1].partition(one.text.split(" ", 1)[0])[0] or "- "
            lines[one.line - 1 : one.end] = [f"{marker}{text}"]
        return "\n".join(lines)

    return _change(tx, fact, reworded, writer, went)


def take_line_of(tx: Transaction, fact: Fact, by: Fact, *, writer: Writer, why: Fact.Why) -> None:
    """Another statement stands where this one stood."""
    replace(tx, fact, by.raw_text, writer=writer, why=why)


def take_out(tx: Transaction, fact: Fact, went: Departure, *, writer: Writer) -> None:
    if fact.file is None:
        moves.leave(tx, fact, went, writer)
    else:
        _take_line(tx, fact, went, writer)


def put_in(tx: Transaction, fact: Fact, *, writer: Writer, text: str = "") -> WriteResult:
    """Under its heading, in the file where it stood last. Raises StatementGone where it stands."""
    said = text or fact.raw_text

    def with_it(content: str) -> str:
        if fingerprint(said) in {one.print for one in bullets_of(content, fact.path)}:
            raise StatementGone
        return with_bullet(content, fact.heading, f"- {said}")

    return write.change(tx, Place(fact.agent, fact.owner, fact.path), with_it, writer=writer)


def record(tx: Transaction, action: str, fact: Fact) -> None:
    tx.record(action, **target(fact), on_behalf_of=fact.owner_id)


def _places(content: str, fact: Fact) -> list[Statement]:
    """Wherever it stands there, the last first. Raises StatementGone."""
    there = all_bullets_of(content, fact.path)
    if places := [one for one in there if one.print == fact.fingerprint]:
        return places[::-1]
    raise StatementGone


def _take_line(tx: Transaction, fact: Fact, went: Departure, writer: Writer) -> WriteResult:
    def without_it(content: str) -> str:
        for one in _places(content, fact):
            content = "\n".join(without_lines(content, range(one.line, one.end + 1)))
        return content

    return _change(tx, fact, without_it, writer, went)


def _change(
    tx: Transaction, fact: Fact, how: Callable[[str], str], writer: Writer, went: Departure
) -> WriteResult:
    """Of the file that it stands in."""
    if fact.file is None:
        raise StatementGone
    place = Place(fact.agent, fact.owner, fact.file.path)
    return write.change(tx, place, how, writer=writer, whys=moves.whys_of(fact, went))


# What stands in a memory now, for an agent's home: how much there is, and the statements.

_STANDING = (Fact.State.ACTIVE, Fact.State.DISPUTED)


def amounts(agent: Agent, owners: Collection[UUID], now: datetime) -> dict[UUID | None, int]:
    """How many statements hold now, in the shared memory (None) and in that of these owners."""
    reach = Q(agent=agent) & (Q(owner=None) | Q(owner__in=owners))
    found = remembered(reach).filter(in_states(_STANDING, today(now, agent.zone)))
    return dict(found.order_by().values_list("owner").annotate(Count("pk")))


def standing(agent: Agent, owner_id: UUID | None, now: datetime) -> "QuerySet[Any]":
    """The statements of exactly one memory, the latest first, weighed. `was`: the value before."""
    found = remembered(in_states(_STANDING, today(now, agent.zone)))
    found = found.filter(agent=agent, owner=owner_id)
    earlier = remembered(Q(superseded_by=OuterRef("pk"))).order_by("-changed_at")
    was = Subquery(earlier.values("raw_value")[:1])
    listed: QuerySet[Any] = weighed(found).annotate(was=was)
    return listed.order_by("-changed_at", "-pk")
