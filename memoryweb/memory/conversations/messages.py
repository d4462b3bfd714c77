"""The door for messages: kept in order, masked, once each, or not at all (SPEC §4)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Length, TruncDate
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team, Token
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import memory_of
from memoryweb.audit.record import target
from memoryweb.core import row_batches
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.forget_requests import forgets
from memoryweb.language.normal_form import normalise
from memoryweb.language.secrets import in_names
from memoryweb.memory import forgetting, questions
from memoryweb.memory.conversations import parsing
from memoryweb.memory.conversations.parsing import MAX_NAME, NewMessage
from memoryweb.memory.index import indexing
from memoryweb.memory.lines.source_classes import is_own_name
from memoryweb.memory.models import Conversation, ForgetRequest, Import, Marker, Message
from memoryweb.memory.models.refusals import BatchRefused, MessageConflict
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.statements import spoken_corrections
from memoryweb.memory.visible.hidden import MARK, is_meant
from memoryweb.memory.visible.text_matching import sentences
from memoryweb.memory.writing import screening, tombstones
from memoryweb.memory.writing.screening import MAX_SIGHTS, Sight, told

PAUSED, EPHEMERAL, QUOTA = "paused", "ephemeral", "quota"
_NOT_LIVE = frozenset(
    {Conversation.Source.IMPORT, Conversation.Source.CRON, Conversation.Source.DREAM}
)


@dataclass(frozen=True)
class Intake:
    """`skipped` says why nothing was kept: `paused` or `ephemeral`. `masked` are the
    secrets that were, each with its message's index in the batch. `offer`: what was asked to be
    forgotten and waits for a yes. `waited`: earlier messages of it wait for an extraction."""

    conversation: Conversation
    added: int = 0
    duplicates: int = 0
    skipped: str = ""
    masked: tuple[tuple[int, Sight], ...] = ()
    offer: ForgetRequest | None = None
    waited: bool = False


@dataclass(frozen=True)
class ImportCounts:
    conversations: int = 0
    added: int = 0
    duplicates: int = 0


@dataclass(frozen=True)
class _CleanMessage:
    """`index` in the batch; `sights` with the field that each stands in."""

    index: int
    message: NewMessage
    sights: tuple[tuple[str, Sight], ...] = ()


def add_messages(
    tx: Transaction,
    *,
    agent: Agent,
    owner: Owner,
    conversation_id: str,
    messages: Sequence[NewMessage],
    source: str = Conversation.Source.API,
    group: bool = False,
    ephemeral: bool = False,
    token: Token | None = None,
    batch: Import | None = None,
    refused: bool = False,
) -> Intake:
    """Append a checked batch to the owner's conversation of that id, which the first batch makes.

    An id that is there already with the same text is a duplicate. No message is kept of a paused
    owner, in an ephemeral conversation, or `refused` by a quota; what is said against memory counts
    all the same. Raises MessageConflict, BatchRefused (an id is a secret)."""
    _check_identifiers(conversation_id, messages)
    conversation = _conversation(tx, agent, owner, conversation_id, source, group)
    waited = conversation.waiting
    if reason := QUOTA if refused else _not_kept(conversation, owner, ephemeral):
        return _refrain(tx, conversation, reason, messages)
    known = _known(conversation, messages)
    buried = tombstones.of(conversation.agent_id, memory_of(owner))
    anew = dict(_said_anew(conversation, messages, known, tx.now)) if buried else {}
    buried = tombstones.lifted(tx, buried, anew)
    messages = [replace(one, content=buried.said(one.content)) for one in messages]
    masked = [_mask(tx, owner, index, message) for index, message in enumerate(messages)]
    fresh = [item for item in masked if _is_new(item.index, item.message, known)]
    offer = None
    if fresh:
        rows = _append(tx, conversation, fresh, token, batch)
        offer = forgetting.hear(tx, conversation, rows)
        questions.hear(tx, conversation, rows)
        if buried.is_hiding:
            tombstones.in_messages(conversation, rows, anew)
    sights = tuple((item.index, one) for item in masked for _place, one in item.sights)
    return Intake(conversation, len(fresh), len(messages) - len(fresh), "", sights, offer, waited)


def speaks_against_memory(messages: Sequence[NewMessage]) -> bool:
    """Whether there may be something to hear in them."""
    own = (one.content for one in messages if one.role == Message.Role.USER)
    return any(forgets(said) or spoken_corrections.may_correct(said) for said in own)


def import_messages(
    open_unit: Callable[[], AbstractContextManager[Transaction]],
    *,
    agent: Agent,
    find_owner: Callable[[], Owner],
    open_file: Callable[[], AbstractContextManager[Iterable[bytes]]],
) -> ImportCounts:
    """Take a JSONL file, all of it or nothing; taking it again adds nothing.

    Checked before the unit is opened, so that no one waits for a file to be read that is refused.
    The owner is found within, so that a refused file makes none.
    Raises BatchRefused, MessageConflict.
    """
    with open_file() as lines:
        parsing.check(lines)
    seen: set[str] = set()
    total = ImportCounts()
    with open_unit() as unit, open_file() as lines:
        owner = find_owner()
        for conversation_id, messages in parsing.batches(lines):
            added = add_messages(
                unit,
                agent=agent,
                owner=owner,
                conversation_id=conversation_id,
                messages=messages,
                source=Conversation.Source.IMPORT,
            )
            seen.add(conversation_id)
            total = ImportCounts(
                len(seen), total.added + added.added, total.duplicates + added.duplicates
            )
    return total


def amount_of(messages: "QuerySet[Message]") -> tuple[int, int]:
    """How many they are, and their characters."""
    found = messages.aggregate(n=Count("pk"), characters=Sum(Length("raw_content")))
    return found["n"], found["characters"] or 0


def _check_identifiers(conversation_id: str, messages: Sequence[NewMessage]) -> None:
    """Raises BatchRefused: an id is kept as it is, so a secret in it can't be masked."""
    named = {"conversationId": conversation_id} | {
        f"messages[{index}].id": message.id
        for index, message in enumerate(messages)
        if message.id is not None
    }
    for field, text in named.items():
        if in_names.holds_secret(text):
            raise BatchRefused(
                field, _("{field} looks like a secret; use another id.").format(field=field)
            )


def _conversation(
    tx: Transaction, agent: Agent, owner: Owner, external_id: str, source: str, group: bool
) -> Conversation:
    """The team's lock is held: nobody else makes it meanwhile."""
    found = next(iter(_called(agent.pk, owner.pk, external_id)), None) or Conversation(
        team=tx.team, external_id=external_id, source=source, group=group, created_at=tx.now
    )
    found.agent, found.owner = agent, owner
    if found._state.adding:
        found.save(force_insert=True)
    return found


def _not_kept(conversation: Conversation, owner: Owner, ephemeral: bool) -> str:
    if not owner.keeping:
        return PAUSED
    return EPHEMERAL if ephemeral or conversation.ephemeral else ""


def _refrain(
    tx: Transaction, conversation: Conversation, reason: str, messages: Sequence[NewMessage]
) -> Intake:
    unkept = _unkept(conversation, messages, tx.now)
    spoken_corrections.hear(tx, conversation, unkept)
    offer = forgetting.hear(tx, conversation, unkept)
    if reason != QUOTA:
        conversation.skipped = reason
        conversation.ephemeral = conversation.ephemeral or reason == EPHEMERAL
        conversation.waiting = False
        conversation.save(update_fields=["skipped", "ephemeral", "waiting", "several_from"])
    _record(tx, conversation, {"not_kept": len(messages)}, reason)
    return Intake(conversation, skipped=reason, offer=offer)


def _unkept(
    conversation: Conversation, messages: Sequence[NewMessage], now: datetime
) -> list[Message]:
    """Those that were not sent before, as they would be kept."""
    known, before = _known(conversation, messages), _said_before(conversation, messages)
    conversation.several_from = _several_from(conversation, messages)
    return [
        Message(
            conversation=conversation,
            position=conversation.message_count + 1,
            role=message.role,
            name=message.name,
            raw_content=message.content,
            timestamp=_time(message, before, now),
            created_at=now,
        )
        for message in messages
        if message.id not in known
    ]


def _several_from(conversation: Conversation, messages: Iterable[NewMessage | Message]) -> int:
    """The first position of the batch that brings a second name: who spoke alone before was the
    owner. All names of the owner's own are one."""
    fresh = {one.name for one in messages if one.role == Message.Role.USER and one.name}
    if conversation.several_from or not fresh:
        return conversation.several_from
    names = {*map(normalise, {*fresh, *(name for (name,) in _speakers(conversation.pk))})}
    others = [one for one in names if len(names) > 1 and not is_own_name(one, conversation.owner)]
    is_room = len(others) > 1 or 0 < len(others) < len(names)
    return conversation.message_count + 1 if is_room else 0


def _said_anew(
    conversation: Conversation,
    messages: Sequence[NewMessage],
    known: Mapping[str, Any],
    now: datetime,
) -> Iterator[tuple[str, datetime]]:
    """What the owner says in their own conversation, and when: no import, nothing that was here
    before, and of what comes without a time the last message alone, lest a replay counts."""
    is_theirs = conversation.owner.is_one_person and not conversation.group
    if not is_theirs or conversation.source in _NOT_LIVE:
        return
    own = [one for one in messages if one.role == Message.Role.USER]
    for one in own:
        if (one.timestamp or one is own[-1]) and not (one.id and one.id in known):
            at = min(one.timestamp or now, now)
            yield from ((said, at) for _first, _last, said in sentences(one.content))


def _mask(tx: Transaction, owner: Owner, index: int, message: NewMessage) -> _CleanMessage:
    content, name = (
        screening.mask(tx.team.pk, text, owner_id=owner.pk)
        for text in (message.content, message.name)
    )
    text, asked = screening.mask_asking(content.text)
    places = (("content", (*content.masked, *asked)), ("name", name.masked))
    sights = tuple((place, one) for place, found in places for one in found)
    if not sights:
        return _CleanMessage(index, message)
    masked = replace(message, content=text, name=name.text[:MAX_NAME])
    return _CleanMessage(index, masked, sights)


def _known(conversation: Conversation, messages: Sequence[NewMessage]) -> dict[str, Any]:
    ids = [message.id for message in messages if message.id is not None]
    rows = _kept(conversation.pk, Q(external_id__in=ids)) if ids else ()
    return {row.external_id: row for row in rows}


def _is_new(index: int, message: NewMessage, known: dict[str, Any]) -> bool:
    row = known.get(message.id) if message.id is not None else None
    if row is None:
        return True
    if row.role != message.role or not _is_same(row.raw_content, message.content):
        raise MessageConflict(index, row.external_id)
    return False


def _is_same(kept: str, sent: str) -> bool:
    """Also where a person has decided about a likely password in it meanwhile, or has erased
    something of it."""
    if kept == sent or MARK in kept:
        return True
    return screening.mask_asking(screening.mask_all(kept))[0] == screening.mask_all(sent)


def _append(
    tx: Transaction,
    conversation: Conversation,
    fresh: Sequence[_CleanMessage],
    token: Token | None,
    batch: Import | None,
) -> list[Message]:
    first = conversation.message_count + 1
    names = _names(conversation, fresh, first)
    before = _said_before(conversation, [item.message for item in fresh])
    rows = [
        Message(
            team_id=tx.team.pk,
            conversation=conversation,
            position=position,
            external_id=names[position],
            role=item.message.role,
            name=item.message.name,
            raw_content=item.message.content,
            timestamp=_time(item.message, before, tx.now),
            tools_used=list(item.message.tools_used),
            token=token,
            batch=batch,
            masked=len(item.sights),
            created_at=tx.now,
        )
        for position, item in enumerate(fresh, start=first)
    ]
    row_batches.insert(rows)
    for row, kept in zip(rows, _kept(conversation.pk, Q(position__gte=first)), strict=True):
        row.pk = kept.pk
    _advance(tx, conversation, rows)
    indexing.index_messages(conversation, rows)
    spoken_corrections.hear(tx, conversation, rows)
    _record(tx, conversation, {"added": len(rows), **_sighted(fresh)})
    return rows


def _sighted(fresh: Sequence[_CleanMessage]) -> dict[str, Any]:
    found = [
        {"message": item.index, "field": place} | one
        for item in fresh
        for place, sight in item.sights
        for one in told([sight])
    ]
    return {"masked": len(found), "secrets": found[:MAX_SIGHTS]} if found else {}


def _said_before(conversation: Conversation, fresh: Sequence[NewMessage]) -> Mapping[str, datetime]:
    """What comes without id and time, in the very words of an earlier message, may be that one sent
    again: it is as old, and no news."""
    untold = {message.content for message in fresh if _is_untold(message)}
    is_import = conversation.source == Conversation.Source.IMPORT
    if not untold or is_import or not conversation.message_count:
        return {}
    rows = _kept(conversation.pk, Q(raw_content__in=tuple(untold)))
    return {row.raw_content: row.timestamp for row in reversed(rows)}


def _is_untold(message: NewMessage) -> bool:
    return message.id is None and message.timestamp is None


def _time(message: NewMessage, before: Mapping[str, datetime], now: datetime) -> datetime:
    if _is_untold(message):
        return before.get(message.content, now)
    return message.timestamp or now


def _names(
    conversation: Conversation, fresh: Sequence[_CleanMessage], first: int
) -> dict[int, str]:
    """The client's ids; a message without one is called after its position, `m12`."""
    named = {at: item.message.id for at, item in enumerate(fresh, start=first)}
    made = {at: f"m{at}" for at, name in named.items() if name is None}
    given = {at: name for at, name in named.items() if name is not None}
    while made:
        rows = _kept(conversation.pk, Q(external_id__in=tuple(made.values())))
        taken = {*given.values(), *(row.external_id for row in rows)}.intersection(made.values())
        if not taken:
            break
        made = {at: f"{name}-" if name in taken else name for at, name in made.items()}
    return given | made


def _advance(tx: Transaction, conversation: Conversation, rows: Sequence[Message]) -> None:
    moments = [min(row.timestamp, tx.now) for row in rows]
    conversation.several_from = _several_from(conversation, rows)
    conversation.message_count += len(rows)
    conversation.started_at = min([*moments, conversation.started_at or tx.now])
    conversation.last_message_at = max([*moments, *filter(None, [conversation.last_message_at])])
    conversation.waiting = True
    conversation.skipped = ""
    counted = ("message_count", "started_at", "last_message_at", "several_from")
    row_batches.update([conversation], [*counted, "waiting", "skipped"])


def _record(
    tx: Transaction, conversation: Conversation, details: dict[str, Any], reason: str = ""
) -> None:
    is_import = conversation.source == Conversation.Source.IMPORT
    tx.record(
        "conversation.imported" if is_import else "conversation.received",
        **target(conversation),
        on_behalf_of=conversation.owner_id,
        outcome="skipped" if reason else "ok",
        reason_code=reason,
        details=details,
    )


@dataclass(frozen=True)
class Talks:
    """How often an owner talked, and when last."""

    count: int = 0
    last_at: datetime | None = None


def talks_per_owner(team: Team, owner_ids: Collection[UUID]) -> dict[UUID, Talks]:
    rows = Conversation.objects.filter(team=team, owner__in=owner_ids)
    counted = rows.values_list("owner").annotate(Count("pk"), Max("last_message_at")).order_by()
    return {owner: Talks(count, last) for owner, count, last in counted}


def messages_with_talks(ids: Collection[int]) -> dict[int, Message]:
    """Each with its conversation and whose that is, for a reader to be asked about."""
    found = Message.objects.select_related("conversation__owner")
    found = found.annotate(is_meant=is_meant(message="pk"))
    return {one.pk: one for one in found.filter(pk__in=ids)} if ids else {}


def last_marker(talk: Conversation) -> Marker | None:
    """Where reading it on begins."""
    return talk.markers.order_by("-upto").first()


def messages_by_day(team: Team, which: Q, since: datetime, zone: ZoneInfo) -> Counter[date]:
    """Of the conversations that `which` lets through."""
    talks = Conversation.objects.filter(which, team=team, last_message_at__gte=since)
    rows = Message.objects.filter(conversation__in=talks, timestamp__gte=since)
    days = rows.annotate(day=TruncDate("timestamp", tzinfo=zone)).values_list("day").order_by()
    return Counter(dict(days.annotate(Count("pk"))))


def first_said(talks: Collection[Conversation]) -> QuerySet[Message]:
    """The message that each of them began with."""
    spoken = Message.objects.filter(role=Message.Role.USER, reverted_at=None)
    first = spoken.filter(conversation=OuterRef("conversation")).order_by("position")
    return spoken.filter(conversation__in=talks, position=Subquery(first.values("position")[:1]))


# Made once a process: a message more is a few of these.


@PreparedQuery
def _called(agent: UUID, owner: UUID, name: str) -> QuerySet[Conversation]:
    return Conversation.objects.filter(agent=agent, owner=owner, external_id=name)


@PreparedQuery
def _kept(talk: UUID, which: Q) -> QuerySet[Message, Any]:
    rows = Message.objects.filter(which, conversation=talk).order_by("position")
    return rows.values_list("pk", "external_id", "role", "raw_content", "timestamp", named=True)


@PreparedQuery
def _speakers(talk: UUID) -> QuerySet[Message, tuple[str]]:
    rows = Message.objects.filter(conversation=talk, role=Message.Role.USER).exclude(name="")
    return rows.values_list("name").distinct()
