"""Statements of one key that can't all be true: one contradiction a key opens, in the transaction
that finds it, and what follows adds to it."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import QuerySet

from memoryweb.agents.models import Agent
from memoryweb.audit.record import target
from memoryweb.language.extraction_rules import is_other_value
from memoryweb.language.normal_form import normalise
from memoryweb.language.single_values import tells_otherwise
from memoryweb.language.statement_comparison import contradicts
from memoryweb.memory.models import Contradiction, Fact
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.statements.validity import holds_on, state_on, today

MOST_OPEN = 20  # an agent and owner; SPEC §5.4
State = Contradiction.State
# What of a side a decision changes.
KEPT = (
    *("state", "why", "superseded_by_id", "corrected_at", "corrected_by_id"),
    *("confirmed_at", "confirmed_by_id"),
)


def key_print(subject: str, attribute: str) -> str:
    return hashlib.sha256(f"{subject}\0{attribute}".encode("utf-8", "surrogatepass")).hexdigest()


def value_print(fact: Fact) -> str:
    said = normalise(fact.raw_value or fact.raw_text)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def before_of(fact: Fact) -> dict[str, Any]:
    """Of a side, before it is decided; so that it can be undone, and is not asked again."""
    kept = {name: getattr(fact, name) for name in KEPT}
    plain = {
        name: value.isoformat() if isinstance(value, datetime) else value and str(value)
        for name, value in kept.items()
    }
    return {**plain, "stands": fact.file_id is not None, "print": value_print(fact)}


def clash(one: Fact, other: Fact) -> bool:
    """Other values of one key, which hold at the same time."""
    if not one.attribute or (one.subject, one.attribute) != (other.subject, other.attribute):
        return False
    starts = (one.valid_from or date.min, other.valid_from or date.min)
    ends = (one.valid_to or date.max, other.valid_to or date.max)
    return max(starts) <= min(ends) and is_other_value(
        one.attribute, one.raw_value, other.raw_value
    )


def are_rivals(one: Fact, other: Fact) -> bool:
    """They say otherwise of the same thing, whether or not a key tells so."""
    texts = (one.raw_text, other.raw_text)
    return clash(one, other) or contradicts(*texts) or tells_otherwise(*texts)


def find(tx: Transaction, agent: Agent, made: Sequence[Fact]) -> None:
    """Open what new statements contradict of those that stand in the same workspace. What is over,
    and what the owner said otherwise about, waits only for the night."""
    day = today(tx.now, agent.zone)
    active = [fact for fact in made if state_on(fact, day) == Fact.State.ACTIVE]
    keyed = [fact for fact in active if fact.attribute]
    if not keyed:
        return
    there = Fact.objects.of(keyed[0].agent_id, keyed[0].owner_id).living().standing()
    attributes = {fact.attribute for fact in keyed}
    there = there.filter(holds_on(day), hidden_at=None, attribute__in=attributes)
    of_key = defaultdict[object, list[Fact]](list)
    for other in there.order_by("created_at", "pk"):
        of_key[other.subject, other.attribute].append(other)
    rivals = []
    for fact in keyed:
        same = of_key[fact.subject, fact.attribute]
        standing = next((one for one in same if one.pk != fact.pk and clash(one, fact)), None)
        if standing is not None:
            rivals.append((standing, fact))
    if rivals:
        _open_all(tx, rivals)


def _open_all(tx: Transaction, rivals: Sequence[tuple[Fact, Fact]]) -> None:
    keys = set(_waiting(rivals[0][0]).values_list("key", flat=True))
    for standing, fact in rivals:
        key = key_print(standing.subject, standing.attribute)
        is_room = key in keys or len(keys) < MOST_OPEN  # else nothing is opened, whichever it is
        if is_room and open_or_add(tx, standing, fact):
            keys.add(key)


def open_or_add(tx: Transaction, standing: Fact, rival: Fact) -> Contradiction | None:
    """The one open contradiction of their key, with both in it; None where a person had these two
    stand beside each other, or where too many are open."""
    has_key = bool(standing.attribute)
    key = key_print(standing.subject, standing.attribute) if has_key else standing.pk.hex
    found = _opened(tx, key, standing, rival)
    for fact in (standing, rival) if found else ():
        fact.contradiction = found
        if fact.state == Fact.State.ACTIVE:
            fact.state = Fact.State.DISPUTED
        fact.save(update_fields=["contradiction", "state"])
    return found


def ask_about(tx: Transaction, older: Fact, *newer: Fact) -> bool:
    """Both hold, until a person says that the older one does no longer; a statement stands in one
    question at a time."""
    sides = Fact.objects.filter(pk__in=[older.pk, *(one.pk for one in newer)])
    if sides.filter(contradiction__state=State.OPEN).exists():
        return False
    found = _open(tx, f"{Contradiction.REPLACES}{older.pk.hex}", older)
    sides.update(contradiction=found)
    return True


def _opened(tx: Transaction, key: str, standing: Fact, rival: Fact) -> Contradiction | None:
    of_key = Contradiction.objects.filter(agent=standing.agent_id, owner=standing.owner_id, key=key)
    found = of_key.filter(state=State.OPEN).first()
    if found is None:
        if _is_ignored(of_key.filter(state=State.IGNORED), standing, rival):
            return None
        if _waiting(standing).count() >= MOST_OPEN:
            return None
        found = _open(tx, key, standing)
    return found


def _waiting(of: Fact) -> "QuerySet[Contradiction]":
    """Of its memory; questions take no room from these."""
    there = Contradiction.objects.filter(agent=of.agent_id, owner=of.owner_id, state=State.OPEN)
    return there.exclude(key__startswith=Contradiction.REPLACES)


def _open(tx: Transaction, key: str, standing: Fact) -> Contradiction:
    found = Contradiction.objects.create(
        team_id=standing.team_id,
        agent_id=standing.agent_id,
        owner_id=standing.owner_id,
        key=key,
        created_at=tx.now,
    )
    record(tx, "contradiction.opened", found)
    return found


def close_decided(tx: Transaction, left: Iterable[Fact]) -> None:
    """Those of which an edit left one side alone are resolved; it is no longer disputed. What took
    the place of a side that left is that side now."""
    newer = {row.contradiction_id: row.superseded_by_id for row in left if row.contradiction_id}
    disputed = Contradiction.objects.filter(pk__in=newer, state=State.OPEN)
    for found in disputed if newer else ():
        sides = found.facts.filter(state__in=(Fact.State.DISPUTED, Fact.State.PENDING))
        for standing in Fact.objects.living().standing().filter(pk__in=[newer[found.pk]]):
            for waiting in sides.filter(state=Fact.State.PENDING):
                _stand_in(tx, standing, waiting)
        if sides.count() > 1 or sides.filter(state=Fact.State.PENDING).exists():
            continue
        found.facts.filter(state=Fact.State.DISPUTED).update(state=Fact.State.ACTIVE)
        found.state, found.decided_at = State.RESOLVED, tx.now
        found.save(update_fields=["state", "decided_at"])
        record(tx, "contradiction.resolved", found)


def _stand_in(tx: Transaction, standing: Fact, waiting: Fact) -> None:
    """What waits contradicts what stands now, or says the same."""
    if clash(standing, waiting):
        open_or_add(tx, standing, waiting)
    elif standing.attribute and (standing.subject, standing.attribute) == (
        waiting.subject,
        waiting.attribute,
    ):
        gone = {"state": Fact.State.RETIRED, "why": Fact.Why.DUPLICATE, "changed_at": tx.now}
        Fact.objects.filter(pk=waiting.pk).update(superseded_by=standing, **gone)


def _is_ignored(ignored: Iterable[Contradiction], one: Fact, other: Fact) -> bool:
    both = {value_print(one), value_print(other)}
    return any(both <= {side["print"] for side in it.before.values()} for it in ignored)


def record(tx: Transaction, action: str, found: Contradiction) -> None:
    """It was opened, decided, or opened again."""
    follow(Kind.CONTRADICTION, [found.pk])
    tx.record(
        action,
        **target(found),
        on_behalf_of=found.owner_id,
        details={"resolution": found.resolution} if found.resolution else {},
    )
