"""Recall notices: a conversation that was given what a person took back is told so, once."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from memoryweb.agents.models import Reader
from memoryweb.audit.record import target
from memoryweb.language.secrets import credentials
from memoryweb.llm import tokens
from memoryweb.markdown.marks import living
from memoryweb.markdown.render import render
from memoryweb.memory.facts import StatementGone, check_person, locked
from memoryweb.memory.lines.revisions import contents_of
from memoryweb.memory.models import (
    Conversation,
    Evidence,
    Fact,
    File,
    InjectedSpan,
    RecallNotice,
)
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements.bullets import statements_of
from memoryweb.memory.visible.hidden import remembered
from memoryweb.memory.visible.readable import Look, To, statement

LASTS = timedelta(days=30)
_MOST, _CHARACTERS = 5, 600  # in one prompt, and of one statement
_HEADING = "corrected since earlier answers"
_WRONG = (Fact.Why.NOT_TRUE, Fact.Why.REWORDED, Fact.Why.ASKED)


@dataclass(frozen=True)
class Recall:
    """Where a statement was given: `talks` are conversations, each with its last prompt that had
    it; `untold` counts prompts and reads of none."""

    prompts: int
    talks: Mapping[UUID, datetime]
    untold: int
    since: datetime | None
    notices: Mapping[UUID, RecallNotice]

    @property
    def to_tell(self) -> list[UUID]:
        """Those that were given it since they were last sent a notice."""
        sent = {key: one.sent_at for key, one in self.notices.items()}
        return [key for key, last in self.talks.items() if key not in sent or sent[key] < last]

    @property
    def told(self) -> int:
        return sum(one.told_at is not None for one in self.notices.values())


def can_recall(fact: Fact) -> bool:
    """A person took it back or put it in other words, or its owner said otherwise."""
    return fact.hidden_at is not None or (fact.state in Fact.OVER and fact.why in _WRONG)


def recall_of(fact: Fact) -> Recall:
    """Whoever it was given to; of what is personal, its owner alone."""
    given = {injection: (talk, at) for injection, talk, at in _given(fact)}
    talks: dict[UUID, datetime] = {}
    for talk, at in sorted(given.values(), key=lambda one: one[1]):
        if talk:
            talks[talk] = at
    untold = sum(talk is None for talk, _at in given.values())
    since = min((at for talk, at in given.values() if talk), default=None)
    sent = fact.recall_notices.select_related("conversation__owner__person")
    notices = {one.conversation_id: one for one in sent}
    return Recall(len(given) - untold, talks, untold, since, notices)


def _given(fact: Fact) -> Iterator[tuple[int, UUID | None, datetime]]:
    """Prompts and reads with its line, or with a message that it was made of."""
    files = File.objects.of(fact.agent_id, fact.owner_id).filter(path=fact.path)
    said = Evidence.objects.filter(fact=fact, message__isnull=False)
    spans = InjectedSpan.objects.filter(
        Q(file__in=files) | Q(message__in=said.values("message")), injection__agent=fact.agent_id
    )
    if fact.owner_id:
        spans = spans.filter(injection__owner=fact.owner_id)
    its = (f"injection__{name}" for name in ("pk", "conversation", "at"))
    rows = list(spans.values_list(*its, "file", "revision", "first_line", "last_line"))
    wanted: dict[UUID, set[int]] = defaultdict(set)
    for *_injection, file, number, _first, _last in rows:
        if file and number:
            wanted[file].add(number)
    lines = {
        (file, number): [
            one.line for one in statements_of(text, fact.path) if one.print == fact.fingerprint
        ]
        for file, texts in contents_of(wanted).items()
        for number, text in texts.items()
    }
    for pk, talk, at, file, number, first, last in rows:
        if file is None or any(first <= line <= last for line in lines.get((file, number), ())):
            yield pk, talk, at


def send(tx: Transaction, fact: Fact, *, writer: Writer) -> None:
    """To each conversation that was given it. Raises WriteRefused; StatementGone where it holds,
    is to be forgotten, or nobody is left to tell."""
    check_person(writer)
    fact = locked(fact)
    if not can_recall(fact) or statement(fact, To.PAGE).is_hidden:
        raise StatementGone
    if not (talks := recall_of(fact).to_tell):
        raise StatementGone
    new = {"team_id": fact.team_id, "fact": fact, "sent_by": writer.user, "sent_at": tx.now}
    RecallNotice.objects.bulk_create(
        [RecallNotice(conversation_id=talk, **new) for talk in talks],
        update_conflicts=True,
        unique_fields=["fact", "conversation"],
        update_fields=["sent_by", "sent_at", "told_at"],
    )
    sent = RecallNotice.objects.filter(fact=fact, sent_at=tx.now).values("conversation")
    Conversation.objects.filter(pk__in=sent).update(notices_until=tx.now + LASTS)
    count = {"conversations": len(talks)}
    tx.record("fact.recalled", **target(fact), on_behalf_of=fact.owner_id, details=count)


# What the next prompt of such a conversation says of it.


@dataclass(frozen=True)
class Notice:
    id: int
    fact_id: UUID
    text: str


def waiting_for(reader: Reader, conversation: Conversation | None) -> tuple[Notice, ...]:
    """Nothing while the owner's memory isn't used. Asks nothing of a conversation without any."""
    until = conversation.notices_until if conversation else None
    if conversation is None or until is None or until <= timezone.now():
        return ()
    if reader.owner is None and not conversation.owner.is_system:
        return ()
    rows = list(_waiting(reader, conversation, timezone.now()))
    newer = remembered(reader.sees() & Q(pk__in=[row.fact.superseded_by_id for row in rows]))
    facts = {one.pk: one for one in newer.select_related("file").defer("file__raw_content")}
    look = Look(To.PROGRAM, facts=facts.values())
    texts = ((row, _text(row.fact, facts, look)) for row in rows)
    return tuple(Notice(row.pk, row.fact_id, text) for row, text in texts if text)[:_MOST]


def _waiting(reader: Reader, conversation: Conversation, now: datetime) -> "QuerySet[RecallNotice]":
    """Of statements that this reader may read, and that don't hold again."""
    holds = Fact.objects.living().filter(
        Q(owner=OuterRef("fact__owner")) | Q(owner=None),
        agent=OuterRef("fact__agent"),
        fingerprint=OuterRef("fact__fingerprint"),
        hidden_at=None,
    )
    rows = RecallNotice.objects.filter(
        ~Exists(holds),
        fact__in=remembered(reader.sees()).values("pk"),
        conversation=conversation,
        told_at=None,
        sent_at__gt=now - LASTS,
    )
    return rows.select_related("fact").order_by("sent_at", "pk")


def _text(fact: Fact, newer: Mapping[Any, Fact], look: Look) -> str:
    """Empty where what took its place is erased, or not for this reader."""
    if fact.superseded_by_id is None:
        is_replaced = fact.state == Fact.State.SUPERSEDED
        return "" if is_replaced else _wrong(fact)
    if (one := newer.get(fact.superseded_by_id)) is None:
        return ""
    is_in_prompts = one.file is None or (one.file.enabled and one.file.deleted_at is None)
    is_living = one.state in (Fact.State.ACTIVE, Fact.State.DISPUTED) and one.hidden_at is None
    if not (is_in_prompts and is_living):
        return _wrong(fact)
    readable = look.fact(one)
    said = " ".join(credentials.mask(living(readable.text, readable.ended))[0].split())
    return f"Corrected since an earlier answer: {said[:_CHARACTERS]}"


def _wrong(fact: Fact) -> str:
    about = fact.subject or ("the person" if fact.owner_id else "")
    return f"An earlier answer{about and f' about {about}'} was wrong."


def rendered(notices: Collection[Notice]) -> str:
    """For the block of data."""
    lines = "".join(f"- {one.text}\n" for one in notices)
    return render([(_HEADING, lines)]) if lines else ""


def cost(notices: Collection[Notice]) -> int:
    return tokens.estimate(rendered(notices))


def mark_told(
    tx: Transaction, conversation: Conversation | None, notices: Collection[Notice]
) -> None:
    """A prompt with these was handed out."""
    if conversation is None or conversation.notices_until is None:
        return
    its = RecallNotice.objects.filter(conversation=conversation, told_at=None)
    its.filter(pk__in=[one.id for one in notices]).update(told_at=tx.now)
    if not its.filter(sent_at__gt=tx.now - LASTS).exists():
        Conversation.objects.filter(pk=conversation.pk).update(notices_until=None)
