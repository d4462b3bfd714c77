"""Recall notices: a conversation that was given what a person took back is told so, once."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
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
from memoryweb.memory.models import Conversation, Evidence, Fact, File, InjectedSpan, RecallNotice
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements.bullets import statements_of
from memoryweb.memory.visible.hidden import remembered
from memoryweb.memory.visible.readable import Look, To, statement

LASTS = timedelta(days=30)
_MOST, _CHARACTERS = 5, 600  # in one prompt, and of one statement
_HEADING = "corrected since earlier answers"
State, Why = Fact.State, Fact.Why


@dataclass(frozen=True)
class Recall:
    """Where a statement was given: `talks` are conversations, each with its last prompt that had
    it; `untold` counts prompts and reads of none."""

    prompts: int
    talks: Mapping[UUID, datetime]
    untold: int
    since: date | None
    notices: Mapping[UUID, RecallNotice]

    @property
    def to_tell(self) -> list[UUID]:
        """Those that were given it since they were last sent a notice."""
        sent = {talk: one.sent_at for talk, one in self.notices.items()}
        return [talk for talk, last in self.talks.items() if last > sent.get(talk, _NEVER)]


_NEVER = datetime.min.replace(tzinfo=UTC)


def can_recall(fact: Fact) -> bool:
    """A person took it back or put it in other words, or its owner said otherwise."""
    is_wrong = fact.why in {Why.NOT_TRUE, Why.REWORDED, Why.ASKED}
    return fact.hidden_at is not None or (fact.state in Fact.OVER and is_wrong)


def recall_of(fact: Fact) -> Recall:
    """Whoever it was given to; of what is personal, its owner alone."""
    given = sorted({(at, pk): talk for pk, talk, at in _given(fact)}.items())
    talks = {talk: at for (at, _pk), talk in given if talk}
    first = next((timezone.localtime(at).date() for (at, _pk), talk in given if talk), None)
    untold = sum(talk is None for _key, talk in given)
    sent = fact.recall_notices.select_related("conversation__owner__person")
    notices = {one.conversation_id: one for one in sent}
    return Recall(len(given) - untold, talks, untold, first, notices)


def _given(fact: Fact) -> Iterator[tuple[int, UUID | None, datetime]]:
    """Prompts and reads with its line, or with a message that it was made of."""
    same = Fact.objects.of(fact.agent_id, fact.owner_id).filter(fingerprint=fact.fingerprint)
    files = File.objects.of(fact.agent_id, fact.owner_id).filter(path__in=same.values("path"))
    its = Evidence.objects.filter(fact=fact)
    which = Q(file__in=files) | Q(file__in=its.values("root__file"))
    which |= Q(message__in=its.values("message"))
    if fact.owner_id:
        which &= Q(injection__owner=fact.owner_id)
    spans = InjectedSpan.objects.filter(which, injection__agent=fact.agent_id)
    prompt = ("injection", "injection__conversation", "injection__at")
    rows = list(spans.values_list(*prompt, "file", "revision", "first_line", "last_line"))
    wanted = {file: {row[4] for row in rows if row[3] == file} for file in {row[3] for row in rows}}
    wanted.pop(None, None)
    lines = {
        (file, number): one.line
        for file, texts in contents_of(wanted).items()
        for number, text in texts.items()
        for one in statements_of(text, fact.path)
        if one.print == fact.fingerprint
    }
    for pk, talk, at, file, number, first, last in rows:
        if file is None or first <= lines.get((file, number), 0) <= last:
            yield pk, talk, at


def send(tx: Transaction, fact: Fact, *, writer: Writer) -> None:
    """To each conversation that was given it. Raises WriteRefused; StatementGone where it holds,
    is to be forgotten, or nobody is left to tell."""
    check_person(writer)
    fact = locked(fact)
    is_wrong = can_recall(fact) and not statement(fact, To.PAGE).is_hidden
    if not (talks := recall_of(fact).to_tell if is_wrong else []):
        raise StatementGone
    new = {"team_id": fact.team_id, "fact": fact, "sent_by": writer.user, "sent_at": tx.now}
    notices = [RecallNotice(conversation_id=talk, **new) for talk in talks]
    RecallNotice.objects.bulk_create(
        notices,
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


def waiting_for(reader: Reader, talk: Conversation | None, room: int) -> tuple[Notice, ...]:
    """Nothing while the owner's memory isn't used. Asks nothing of a conversation without any."""
    if talk is None or (talk.notices_until or _NEVER) <= timezone.now():
        return ()
    if reader.owner is None and not talk.owner.is_system:
        return ()
    rows = list(_waiting(reader, talk))
    newer = remembered(reader.sees() & Q(pk__in=[row.fact.superseded_by_id for row in rows]))
    facts = {one.pk: one for one in newer}
    look = Look(To.PROGRAM, facts=facts.values())
    texts = ((row, _text(row.fact, facts, look)) for row in rows)
    found = tuple(Notice(row.pk, row.fact_id, text) for row, text in texts if text)[:_MOST]
    return found if cost(found) <= room else ()


def _waiting(reader: Reader, talk: Conversation) -> "QuerySet[RecallNotice]":
    """Of statements that this reader may read, and that don't hold again."""
    holds = Fact.objects.living().filter(
        Q(owner=OuterRef("fact__owner")) | Q(owner=None),
        agent=OuterRef("fact__agent"),
        fingerprint=OuterRef("fact__fingerprint"),
        hidden_at=None,
    )
    readable = remembered(reader.sees()).values("pk")
    rows = _unread(talk, timezone.now()).filter(~Exists(holds), fact__in=readable)
    return rows.select_related("fact").order_by("sent_at", "pk")


def _unread(talk: Conversation, now: datetime) -> "QuerySet[RecallNotice]":
    since = now - LASTS
    return RecallNotice.objects.filter(conversation=talk, told_at=None, sent_at__gt=since)


def _text(fact: Fact, newer: Mapping[Any, Fact], look: Look) -> str:
    """Empty where what took its place is erased, or not for this reader."""
    one = newer.get(fact.superseded_by_id)
    if one is None and (fact.superseded_by_id or fact.state == State.SUPERSEDED):
        return ""
    if one is None or one.state not in {State.ACTIVE, State.DISPUTED} or one.hidden_at:
        about = fact.subject or ("the person" if fact.owner_id else "")
        return f"An earlier answer{about and f' about {about}'} was wrong."
    readable = look.fact(one)
    said = " ".join(credentials.mask(living(readable.text, readable.ended))[0].split())
    return f"Corrected since an earlier answer: {said[:_CHARACTERS]}"


def rendered(notices: Collection[Notice]) -> str:
    """For the block of data."""
    lines = "".join(f"- {one.text}\n" for one in notices)
    return render([(_HEADING, lines)]) if lines else ""


def cost(notices: Collection[Notice]) -> int:
    return tokens.estimate(rendered(notices))


def mark_told(tx: Transaction, talk: Conversation | None, notices: Collection[Notice]) -> None:
    """A prompt with these was handed out."""
    if talk is None or talk.notices_until is None:
        return
    unread = _unread(talk, tx.now)
    unread.filter(pk__in=[one.id for one in notices]).update(told_at=tx.now)
    if not unread.exists():
        Conversation.objects.filter(pk=talk.pk).update(notices_until=None)
