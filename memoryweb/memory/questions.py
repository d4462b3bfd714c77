"""What a person is asked because code can't tell (SPEC §5.4): whether an older statement still
holds beside a newer one, or by itself. A question is a contradiction that says so by its key; it
holds no text, waits in Review, and is asked once in talk where its owner has no account.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django_scopes import scopes_disabled

from memoryweb.agents.models import Owner, Reader, reading
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language import answers
from memoryweb.markdown import marks
from memoryweb.memory.lines.source_classes import source_of_message
from memoryweb.memory.models import Contradiction, Conversation, Fact, Message, SourceClass
from memoryweb.memory.models.review import ReviewItem
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.memory.statements import conflicts
from memoryweb.memory.statements.asked import part_asked
from memoryweb.memory.statements.listing import sides_of
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.visible.readable import To, statement

logger = logging.getLogger(__name__)

MOST = 5  # a night of one memory
MOST_UNPROVED = 3  # of them what a night's operations could not prove
LASTS = timedelta(days=7)  # then both hold
_NIGHT = timedelta(hours=20)
_ANSWERED = timedelta(days=2)  # an answer comes while the talk goes on
_A_TICK = 100
State, Resolution = Contradiction.State, Contradiction.Resolution
Sides = tuple[Fact, Fact | None]  # the older one, and the newer one where there is one


def ask(tx: Transaction, memory: Memory, wanted: Iterable[Sides]) -> int:
    """In this order, as many as a night may; each once, and again only when something newer was
    said. How many."""
    its = _of(memory.agent.pk, memory.owner_id)
    count, room, before = 0, MOST, set[frozenset[str]]()
    for number, sides in enumerate(wanted):
        if not number:
            room -= its.filter(created_at__gt=tx.now - _NIGHT).count()
            before = {frozenset(one) for one in its.values_list("before", flat=True)}
        if count >= room:
            break
        facts = [one for one in sides if one is not None]
        if frozenset(str(one.pk) for one in facts) not in before:
            count += conflicts.ask_about(tx, *facts)
    return count


def still_true(tx: Transaction, fact: Fact) -> bool:
    """Ask of one statement by itself."""
    return bool(ask(tx, Memory(fact.agent, fact.owner), [(fact, None)]))


def waiting(memory: Memory) -> "QuerySet[Contradiction]":
    """The oldest first."""
    its = _of(memory.agent.pk, memory.owner_id)
    return its.filter(state=State.OPEN).order_by("created_at", "pk")


def waiting_for(owners: Iterable[Owner]) -> "QuerySet[Contradiction]":
    """Of all agents that are there."""
    rows = _questions().filter(state=State.OPEN, owner__in=list(owners))
    return rows.filter(agent__archived_at=None).order_by("created_at", "pk")


def _questions() -> "QuerySet[Contradiction]":
    return Contradiction.objects.filter(key__startswith=Contradiction.REPLACES)


def _of(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[Contradiction]":
    return _questions().filter(agent=agent_id, owner=owner_id)


def told_of(found: Contradiction, to: To) -> str:
    return sentence(found, remembered_of(found.facts.all()).select_related("agent"), to)


def sentences(asked: Collection[Contradiction]) -> dict[UUID, str]:
    """As `sentence` puts each to a reader of a page, in one statement."""
    sides: dict[UUID | None, list[Fact]] = defaultdict(list)
    facts = remembered_of(Fact.objects.filter(contradiction__in=asked)).select_related("agent")
    for one in facts if asked else ():
        sides[one.contradiction_id].append(one)
    return {one.pk: sentence(one, sides[one.pk], To.PAGE) for one in asked}


def sentence(found: Contradiction, facts: Iterable[Any], to: To) -> str:
    """As it is put to a person: to a reader of a page in theirs, in talk in the language of the
    statements. Empty where they may no longer be told."""
    sides = sides_of(found, facts)
    if not sides or not found.is_about(sides[0]):
        return ""
    older, newer = sides[0], sides[-1] if len(sides) > 1 else None
    told = [statement(one, to).text for one in sides]
    if newer is not None and (words := part_asked(older, newer)) in told[0]:
        told[0] = words
    told = [marks.without(one).rstrip(" .。") for one in told]
    spoken = get_language() if to is To.PAGE else answers.language_of(told[0])
    with override(spoken):
        if newer is None:
            said = _("Is “{older}” ({older_day}) still true?")
        elif found.owner_id:
            said = _("You said “{newer}” ({newer_day}). Is “{older}” ({older_day}) still true?")
        else:
            said = _("“{newer}” ({newer_day}) is newer. Is “{older}” ({older_day}) still true?")
        days = {"older_day": _day(older), "newer_day": _day(newer or older)}
        return said.format(older=told[0], newer=told[-1], **days).replace(" ()", "")


def _day(fact: Fact) -> str:
    if fact.said_at is None:
        return ""
    day = fact.said_at.astimezone(fact.agent.zone).date()
    is_of_year = day.year == timezone.now().year
    return date_format(day, _("j M") if is_of_year else _("j M Y"))


# In talk, one a day, where its owner has no account to be asked in.


def to_tell(reader: Reader) -> tuple[Contradiction, str] | None:
    """The next one, and its sentence; None where it isn't theirs to be asked here, or was today."""
    owner = reader.owner
    if owner is None or not owner.is_one_person or owner.person_id is not None:
        return None
    with reading(reader):
        its = waiting(Memory(reader.agent, owner))
        if its.filter(told_at__gt=timezone.now() - _NIGHT).exists():
            return None
        for found in its.filter(told_at=None)[:MOST]:
            if said := told_of(found, To.PROGRAM):
                return found, said
    return None


def told(tx: Transaction, found: Contradiction) -> None:
    Contradiction.objects.filter(pk=found.pk).update(told_at=tx.now)


def hear(tx: Transaction, conversation: Conversation, messages: Sequence[Message]) -> None:
    """The owner's own words, soon after they were asked: what still holds is confirmed, what does
    no longer is hidden until a night writes it down."""
    if conversation.group or conversation.is_automatic or not conversation.owner.is_one_person:
        return
    asked = _told_since(tx.now - _ANSWERED, conversation.agent_id, conversation.owner_id)
    for message in messages if asked else ():
        is_users = message.role == Message.Role.USER
        if is_users and source_of_message(conversation, message) == SourceClass.OWNER:
            _hear(tx, message, asked)


@PreparedQuery
def _told_since(at: datetime, agent: UUID, owner: UUID) -> "QuerySet[Contradiction]":
    told = Contradiction.objects.filter(state=State.OPEN, told_at__gt=at)  # only questions are
    return told.filter(agent=agent, owner=owner).order_by("created_at", "pk")


def _hear(tx: Transaction, message: Message, asked: list[Contradiction]) -> None:
    turn = _turn_before(message)
    for found in list(asked):
        sides = sides_of(found, found.facts.all())
        texts = [one.raw_text for one in sides]
        holds = answers.answer(message.raw_content, turn, *texts[:2]) if texts else None
        if holds is None or not found.is_about(sides[0]):
            continue
        asked.remove(found)
        changed = (
            {"confirmed_at": tx.now, "hidden_at": None, "hidden_by": None}
            if holds
            else {"hidden_at": tx.now, "hidden_by": message if message.pk else None}
        )
        Fact.objects.filter(pk=sides[0].pk).update(**changed)
        found.resolution = Resolution.IGNORE if holds else Resolution.KEEP_B
        _close(tx, found, State.IGNORED if holds else State.RESOLVED, sides)
        conflicts.record(tx, "contradiction.resolved", found)
        return


def _turn_before(message: Message) -> str:
    if message.pk is None:
        return ""
    said = message.conversation.messages.filter(position__lt=message.position)
    last = said.order_by("-position").first()
    return last.raw_content if last and last.role == Message.Role.ASSISTANT else ""


def _close(tx: Transaction, found: Contradiction, state: str, sides: Iterable[Fact]) -> None:
    found.state, found.decided_at = state, tx.now
    found.before = {str(one.pk): conflicts.before_of(one) for one in sides}
    found.save(update_fields=["state", "resolution", "decided_at", "before"])


def expire(now: datetime) -> None:
    """Once a minute: what nobody answered in seven days holds beside the other."""
    with scopes_disabled():
        asked = _questions().filter(state=State.OPEN)
        late = asked.filter(created_at__lt=now - LASTS, agent__archived_at=None)
        found = list(late.select_related("agent__team").order_by("created_at")[:_A_TICK])
    for team in {one.agent.team for one in found}:
        try:
            with write_transaction(team) as tx:
                keys = [one.pk for one in found if one.agent.team_id == team.pk]
                for one in (
                    _questions()
                    .filter(pk__in=keys, state=State.OPEN)
                    .select_for_update(of=("self",))
                ):
                    _close(tx, one, State.IGNORED, one.facts.all())
                    conflicts.record(tx, "contradiction.lapsed", one)
                items = ReviewItem.objects.filter(contradiction__in=keys)
                items.filter(state=ReviewItem.State.DECIDED).update(state=ReviewItem.State.EXPIRED)
        except Exception:
            logger.exception("Questions of team %s that nobody answers could not lapse.", team.pk)
