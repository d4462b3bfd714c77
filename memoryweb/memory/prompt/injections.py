"""Which lines of the memory entered which prompt: `Injection` and its spans (SPEC §8.1). What a
conversation's last prompt carried is what “that's wrong” aims at first (SPEC §6.1)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Reader
from memoryweb.audit.record import target
from memoryweb.core import row_batches
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.memory import models
from memoryweb.memory.index import recalls
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.lines.revisions import contents_of
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.prompt.context import Context
from memoryweb.memory.prompt.notices import mark_told
from memoryweb.memory.statements.bullets import Statement, statements_of
from memoryweb.memory.statements.listing import evidence_of
from memoryweb.memory.visible.hidden import hidden_facts, none_hidden
from memoryweb.runs import counting


@dataclass(frozen=True)
class Span:
    """Lines of a file as it is now, or a message."""

    file: models.File | None = None
    first: int = 0
    last: int = 0
    message_id: int | None = None


class Line(NamedTuple):
    """A block of a file, from that line on."""

    file: models.File
    number: int
    text: str


def note(
    reader: Reader,
    spans: Iterable[Span],
    *,
    via: models.Injection.Via,
    at: datetime,
    tokens: int = 0,
    hits: int = 0,
    conversation_id: UUID | None = None,
    token: Token | None = None,
) -> models.Injection:
    """Remember what was given to a reader's agent."""
    team_id = reader.agent.team_id
    with transaction.atomic(savepoint=False):
        injection = models.Injection.objects.create(
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
        rows = ((team_id, injection.pk, *_columns(span)) for span in spans)
        row_batches.insert_values(models.InjectedSpan, _SPAN, rows)
    return injection


_SPAN = ["team", "injection", "file", "revision", "first_line", "last_line", "message"]


def _columns(span: Span) -> tuple[Any, ...]:
    file = span.file
    where = (file.pk, file.revision) if file else (None, None)
    return *where, span.first, span.last, span.message_id


def served(
    tx: Transaction,
    context: Context,
    *,
    conversation: models.Conversation | None = None,
    token: Token | None = None,
) -> models.Injection:
    """Record that a prompt was handed out: its spans, the recalls of its hits, and an event."""
    counting.count("prompts", "carried" if context.hits else "silent")
    spans = list(_spans(context))
    injection = note(
        context.reader,
        spans,
        via=models.Injection.Via.CONTEXT,
        at=tx.now,
        tokens=context.gauge.used,
        hits=len(context.hits),
        conversation_id=context.conversation_id,
        token=token,
    )
    if context.conversation_id and conversation and not conversation.is_automatic:
        given = _given(_lines(quoted.hit for quoted in context.hits))
        via = models.RecallEvent.Via.PREFETCH
        recalls.count(context.reader, conversation.pk, context.query, given, via=via, at=tx.now)
    mark_told(tx, conversation, context.notices)
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


def is_first_today(reader: Reader) -> bool:
    """No prompt was served for this reader since midnight in the agent's time zone."""
    midnight = timezone.now().astimezone(reader.agent.zone).replace(hour=0, minute=0, second=0)
    owner_id = reader.owner.pk if reader.owner else None
    return not _prompts_since(reader.agent.team_id, reader.agent.pk, owner_id, midnight)


@PreparedQuery
def _prompts_since(
    team_id: UUID, agent_id: UUID, owner_id: UUID | None, since: datetime
) -> "QuerySet[models.Injection, int]":
    prompts = models.Injection.objects.filter(
        team=team_id, agent=agent_id, owner=owner_id, at__gte=since
    )
    return prompts.filter(via=models.Injection.Via.CONTEXT).values_list("pk", flat=True)[:1]


def found(
    reader: Reader,
    query: str,
    hits: Sequence[Hit],
    *,
    conversation: models.Conversation | None,
    token: Token | None,
    at: datetime,
) -> None:
    """Record what a search gave to an agent; it is a recall within a conversation.

    Where nothing is used or kept, nothing is recorded.
    """
    owner = reader.owner
    unused = owner is not None and not owner.using
    if unused or (conversation and conversation.ephemeral) or not hits:
        return
    note(
        reader,
        _spans_of(hits),
        via=models.Injection.Via.SEARCH,
        at=at,
        conversation_id=conversation.pk if conversation else None,
        token=token,
    )
    if conversation and (owner is None or owner.keeping):
        recall(reader, conversation, query, _lines(hits), via=models.RecallEvent.Via.SEARCH, at=at)


def recall(
    reader: Reader,
    conversation: models.Conversation,
    query: str,
    lines: Iterable[Line],
    *,
    via: models.RecallEvent.Via,
    at: datetime,
) -> None:
    """Count what was found for a conversation and does not stand in its prompt anyway."""
    if conversation.is_automatic:
        return
    spans = models.InjectedSpan.objects.filter(injection=last_prompt(conversation))
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
    yield from _spans_of([quoted.hit for quoted in context.hits])


def _spans_of(hits: Sequence[Hit]) -> Iterator[Span]:
    """Of a statement that stands in no file, what was said last of it."""
    facts = [hit.fact for hit in hits if hit.fact]
    said = {one.fact_id: one.message_id for one in evidence_of(facts)} if facts else {}
    for hit in hits:
        if hit.file:
            yield Span(hit.file, hit.line, hit.end_line)
        elif hit.message:
            yield Span(message_id=hit.message.pk)
        elif hit.fact and (message_id := said.get(hit.fact.pk)):
            yield Span(message_id=message_id)


def _lines(hits: Iterable[Hit]) -> list[Line]:
    return [Line(hit.file, hit.line, hit.text) for hit in hits if hit.file]


def _given(lines: Iterable[Line]) -> list[recalls.RecalledLine]:
    """Of daily notes, which dreams weigh."""
    return [recalls.RecalledLine(one.file.pk, one.text) for one in lines if one.file.note_date]


@dataclass(frozen=True)
class GivenMemory:
    """`found`: what was found for a prompt's message; `texts`: of the files in it, as they were, by
    file and revision; `count`: the statements that stood in it beside what was found."""

    found: Sequence[models.InjectedSpan]
    texts: Mapping[tuple[UUID, int], str]
    count: int


def given(prompt: models.Injection) -> GivenMemory:
    rows = _with_files(models.InjectedSpan.objects.filter(injection=prompt))
    spans = list(rows.select_related("file", "message__conversation").order_by("pk"))
    at = len(spans) - min(prompt.hits, len(spans))  # these came last
    texts = _texts_then(spans)
    held = _held_in(spans[:at], _statements_in(texts, spans[:at], {prompt.agent_id}))
    return GivenMemory(spans[at:], texts, sum(map(len, held.prints.values())))


def last_prompt(conversation: models.Conversation) -> models.Injection | None:
    return _prompts_of(conversation).order_by("-at", "-pk").first()


def _prompts_of(conversation: models.Conversation) -> "QuerySet[models.Injection]":
    return models.Injection.objects.filter(
        conversation=conversation, via=models.Injection.Via.CONTEXT
    )


def carried(prompt: models.Injection | None) -> "QuerySet[models.Fact]":
    """Those that it held, or that were made of the messages it held, and that still stand."""
    if prompt is None:
        return models.Fact.objects.none()
    spans = list(_with_files(models.InjectedSpan.objects.filter(injection=prompt)))
    held = _held_in(spans, _lines_then(spans, {prompt.agent_id}))
    given = _standing(prompt).filter(held.rows())
    return none_hidden(models.Fact.objects.filter(pk__in=given.values("pk"))).order_by(
        "-changed_at", "pk"
    )


_Lines = Mapping[tuple[UUID, int], Sequence[Statement]]  # file and revision → its statements


@dataclass(frozen=True)
class _PromptContents:
    """The messages of one prompt, and by file the statements on its lines, as they were then."""

    said: set[int]
    prints: dict[UUID, set[str]]

    def rows(self) -> Q:
        found = Q(evidence__message__in=self.said)
        for file_id, prints in self.prints.items():
            found |= Q(file=file_id, fingerprint__in=prints)
        return found


def _standing(prompt: models.Injection) -> "QuerySet[models.Fact]":
    standing = models.Fact.objects.of(prompt.agent_id, prompt.owner_id).living().standing()
    if prompt.owner_id:
        standing |= models.Fact.objects.of(prompt.agent_id, None).living().standing()
    return standing.filter(hidden_at=None).exclude(pk__in=hidden_facts())


def _with_files(spans: "QuerySet[models.InjectedSpan]") -> "QuerySet[models.InjectedSpan]":
    return spans.select_related("file").defer("file__raw_content")


def _lines_then(spans: Collection[models.InjectedSpan], agents: Collection[UUID]) -> _Lines:
    return _statements_in(_texts_then(spans), spans, agents)


def _texts_then(spans: Iterable[models.InjectedSpan]) -> dict[tuple[UUID, int], str]:
    """The text of each revision that these are of."""
    wanted: dict[UUID, set[int]] = defaultdict(set)
    for span in spans:
        if span.file_id and span.revision:
            wanted[span.file_id].add(span.revision)
    found = contents_of(wanted)
    return {(pk, n): text for pk, texts in found.items() for n, text in texts.items()}


def _statements_in(
    texts: Mapping[tuple[UUID, int], str],
    spans: Iterable[models.InjectedSpan],
    agents: Collection[UUID],
) -> _Lines:
    """The statements of files of these agents, by file and revision."""
    files = {span.file.pk: span.file for span in spans if span.file}
    return {
        (pk, number): statements_of(text, files[pk].path)
        for (pk, number), text in texts.items()
        if pk in files and files[pk].agent_id in agents
    }


def _held_in(spans: Iterable[models.InjectedSpan], lines: _Lines) -> _PromptContents:
    held = _PromptContents(set(), defaultdict(set))
    for span in spans:
        if span.message_id is not None:
            held.said.add(span.message_id)
        if span.file_id and span.revision:
            for one in lines.get((span.file_id, span.revision), ()):
                if span.first_line <= one.line <= span.last_line:
                    held.prints[span.file_id].add(one.print)
    return held


_MOST = 5_000  # spans that are looked through


def prompts_with(
    facts: Sequence[models.Fact],
    files: Collection[UUID],
    which: Q,
    until: datetime,
    since: datetime | None = None,
) -> list[models.Injection]:
    """Those between two moments that held one of these statements of an agent: on its line of then
    in one of the `files`, or a message that it stands on. The latest first, all of them without
    `since`; `which` as below."""
    said = models.Evidence.objects.filter(fact__in=facts, message__isnull=False)
    spans = models.InjectedSpan.objects.filter(which, injection__at__lte=until)
    spans = spans.filter(Q(file__in=files) | Q(message__in=said.values("message")))
    spans = _with_files(spans).select_related("injection__conversation__owner")
    spans = spans.order_by("-injection__at", "-pk")
    shown = list(spans.filter(injection__at__gte=since)[:_MOST] if since else spans)
    lines = _lines_then(shown, {fact.agent_id for fact in facts})
    prints = {fact.fingerprint for fact in facts}
    held = [span for span in shown if _is_held(span, prints, lines)]
    return list({span.injection_id: span.injection for span in held}.values())


def _is_held(span: models.InjectedSpan, prints: set[str], lines: _Lines) -> bool:
    held = _held_in([span], lines)
    return bool(held.said) or any(not prints.isdisjoint(there) for there in held.prints.values())


def uses_of(fact: models.Fact, line: int, which: Q, since: datetime) -> list[models.Injection]:
    """The latest first, once for each prompt; `which` filters by the injection's `owner`.

    Lines move from revision to revision: of an older one only a whole beginning counts.
    """
    if fact.file is None or not line:
        return []
    spans = models.InjectedSpan.objects.filter(which, file=fact.file, injection__at__gte=since)
    shown = spans.select_related("injection__conversation").order_by("-injection__at", "-pk")
    covering = _covering(fact, line, shown[:_MOST])
    return list({span.injection_id: span.injection for span in covering}.values())


def times_given(file: models.File) -> int:
    """How many prompts and answers of tools had some of it."""
    spans = models.InjectedSpan.objects.filter(file=file)
    return spans.values("injection").distinct().count()


def _covering(
    fact: models.Fact, line: int, spans: Iterable[models.InjectedSpan]
) -> Iterator[models.InjectedSpan]:
    assert fact.file is not None
    for span in spans:
        is_there = span.first_line <= line <= span.last_line
        is_same = span.revision == fact.file.revision
        if is_there and (
            is_same or (span.first_line <= 1 and span.injection.at >= fact.created_at)
        ):
            yield span
