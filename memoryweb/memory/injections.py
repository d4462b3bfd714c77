"""Which lines of the memory entered which prompt: `Injection` and its spans (SPEC §8.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from memoryweb.accounts.models import Token
from memoryweb.agents.readers import Reader
from memoryweb.audit.record import target
from memoryweb.conversations.models import Conversation
from memoryweb.memory.context import Context
from memoryweb.memory.transaction import Transaction
from memoryweb.search import recalls
from memoryweb.search.hits import Hit
from memoryweb.search.models import InjectedSpan, Injection, RecallEvent
from memoryweb.workspace.models import File


@dataclass(frozen=True)
class Span:
    """Lines of a file as it is now, or a message."""

    file: File | None = None
    first: int = 0
    last: int = 0
    message_id: int | None = None


class Line(NamedTuple):
    """A block of a file, from that line on."""

    file: File
    number: int
    text: str


def note(
    reader: Reader,
    spans: Iterable[Span],
    *,
    via: Injection.Via,
    at: datetime,
    tokens: int = 0,
    hits: int = 0,
    conversation_id: UUID | None = None,
    token: Token | None = None,
) -> Injection:
    """Remember what was given to a reader's agent."""
    team_id = reader.agent.team_id
    with transaction.atomic():
        injection = Injection.objects.create(
            team_id=team_id,
            agent=reader.agent,
            owner=reader.owner,
            conversation_id=conversation_id,
            token=token,
            via=via,
            tokens=tokens,
            hits=hits,
            at=at,
        )
        InjectedSpan.objects.bulk_create(
            InjectedSpan(
                team_id=team_id,
                injection=injection,
                file=span.file,
                revision=span.file.revision if span.file else None,
                first_line=span.first,
                last_line=span.last,
                message_id=span.message_id,
            )
            for span in spans
        )
    return injection


def served(
    tx: Transaction,
    context: Context,
    *,
    conversation: Conversation | None = None,
    token: Token | None = None,
) -> Injection:
    """Record that a prompt was handed out: its spans, the recalls of its hits, and an event."""
    spans = list(_spans(context))
    injection = note(
        context.reader,
        spans,
        via=Injection.Via.CONTEXT,
        at=tx.now,
        tokens=context.gauge.used,
        hits=len(context.hits),
        conversation_id=context.conversation_id,
        token=token,
    )
    if context.conversation_id and conversation and not conversation.is_automatic:
        given = _given(_lines(quoted.hit for quoted in context.hits))
        via = RecallEvent.Via.PREFETCH
        recalls.count(context.reader, conversation.pk, context.query, given, via=via, at=tx.now)
    owner = context.reader.owner
    tx.record(
        "context.served",
        **target(context.reader.agent),
        on_behalf_of=owner.pk if owner else None,
        details={
            "injection": injection.pk,
            "files": sum(not one.is_left_out for one in context.files),
            "hits": len(context.hits),
            "tokens": context.gauge.used,
        },
    )
    return injection


def found(
    reader: Reader,
    query: str,
    hits: Sequence[Hit],
    *,
    conversation: Conversation | None,
    token: Token | None,
    at: datetime,
) -> None:
    """Record what a search gave to an agent; it is a recall within a conversation.

    Where nothing is kept, nothing is recorded.
    """
    paused = reader.owner is not None and reader.owner.paused
    if paused or (conversation and conversation.ephemeral) or not hits:
        return
    spans = [_span(hit) for hit in hits]
    note(
        reader,
        spans,
        via=Injection.Via.SEARCH,
        at=at,
        conversation_id=conversation.pk if conversation else None,
        token=token,
    )
    if conversation:
        recall(reader, conversation, query, _lines(hits), via=RecallEvent.Via.SEARCH, at=at)


def recall(
    reader: Reader,
    conversation: Conversation,
    query: str,
    lines: Iterable[Line],
    *,
    via: RecallEvent.Via,
    at: datetime,
) -> None:
    """Count what was found for a conversation and does not stand in its prompt anyway."""
    if conversation.is_automatic:
        return
    prompts = Injection.objects.filter(conversation=conversation, via=Injection.Via.CONTEXT)
    spans = InjectedSpan.objects.filter(injection=prompts.order_by("-at", "-pk").first())
    shown = list(spans.values_list("file", "revision", "first_line", "last_line"))
    fresh = [
        one
        for one in lines
        if not any(
            (file, revision) == (one.file.pk, one.file.revision) and first <= one.number <= last
            for file, revision, first, last in shown
        )
    ]
    recalls.count(reader, conversation.pk, query, _given(fresh), via=via, at=at)


def _spans(context: Context) -> Iterable[Span]:
    for one in context.files:
        for first, last in one.lines:
            yield Span(one.file, first, last)
    for quoted in context.hits:
        yield _span(quoted.hit)


def _span(hit: Hit) -> Span:
    if hit.file:
        return Span(hit.file, hit.line, hit.end_line)
    return Span(message_id=hit.message.pk if hit.message else None)


def _lines(hits: Iterable[Hit]) -> list[Line]:
    return [Line(hit.file, hit.line, hit.text) for hit in hits if hit.file]


def _given(lines: Iterable[Line]) -> list[recalls.Given]:
    """Of daily notes, which dreams weigh."""
    return [recalls.Given(one.file.pk, one.text) for one in lines if one.file.note_date]
