"""What requests to forget hide, asked once for all that a reader is about to be given."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Exists, OuterRef, Q, QuerySet, Value
from django_scopes import scope

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.normal_form import clean
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.blocks import blocks
from memoryweb.memory.models import Fact, FactQuerySet, File, ForgetRequest, Message, Target

MARK = "[forgotten]"
Span = tuple[int, int | None]
Statements = TypeVar("Statements", bound="QuerySet[Any]")


@dataclass(frozen=True)
class HiddenText:
    """Statements by id, lines by file and fingerprint of their text, characters of messages."""

    facts: frozenset[UUID] = frozenset()
    prints: Mapping[UUID, frozenset[str]] = field(default_factory=dict)
    spans: Mapping[int, Sequence[Span]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.facts or self.prints or self.spans)

    @property
    def all(self) -> frozenset[tuple[Any, ...]]:
        """To compare with what it was before."""
        lines = {(file, one) for file, prints in self.prints.items() for one in prints}
        return frozenset({(fact,) for fact in self.facts} | lines)

    def lines_of(self, file: File) -> set[int]:
        """Numbers of the lines of the current text that say something hidden."""
        return self.lines_in(file.pk, file.raw_content) if file.pk in self.prints else set()

    def lines_in(self, file_id: UUID, content: str) -> set[int]:
        """The same of any text of that file."""
        prints = self.prints.get(file_id)
        return lines_saying(content, prints) if prints else set()

    def says(self, text: str) -> bool:
        """Whether it is the text of one of the lines, wherever it stands now."""
        print_ = fingerprint(text)
        return any(print_ in prints for prints in self.prints.values())

    def said(self, message: Message) -> str:
        """The message without what is hidden of it; empty where nothing else was said."""
        return without_spans(message.raw_content, self.spans.get(message.pk, ()))


def hidden(
    *,
    files: Iterable[File] = (),
    messages: Iterable[Message] = (),
    teams: Collection[UUID] = (),
    which: Q | None = None,
) -> HiddenText:
    """Of these files and messages (or of `teams` and all that `which` finds of the requests)."""
    shown, said = list(files), list(messages)
    of = {*teams, *(one.team_id for one in shown), *(one.team_id for one in said)}
    if not of:
        return HiddenText()
    keys = [one.pk for one in shown], [one.pk for one in said]
    if which is None and not _is_any_meant(*keys):
        return HiddenText()
    wanted = which or Q(file__in=keys[0]) | Q(message__in=keys[1])
    with scope(team=tuple(of)):
        return of_targets(hiding(wanted))


def hiding(which: Q) -> "QuerySet[Target]":
    """Of the targets, those that are hidden now."""
    return Target.objects.filter(which, is_hidden=True, request__state__in=ForgetRequest.HIDING)


def is_meant(**which: Any) -> Exists:
    """To annotate rows: whether any request is about what they name, so that `hidden` need be asked
    of those alone."""
    return Exists(Target.objects.filter(**{name: OuterRef(of) for name, of in which.items()}))


def is_hidden() -> Exists:
    """To annotate statements: whether they are hidden now."""
    return Exists(hiding(Q(fact=OuterRef("pk"))))


def hiding_of(facts: Collection[UUID]) -> dict[UUID, ForgetRequest]:
    """Statement → the request that hides it now."""
    targets = hiding(Q(fact__in=facts)).select_related("request") if facts else ()
    return {one.fact_id: one.request for one in targets if one.fact_id}


def lines_saying(content: str, prints: Collection[str]) -> set[int]:
    """Numbers of the lines with these fingerprints; of a block that has one, all its lines."""
    found = {n for n, line in enumerate(content.split("\n"), 1) if _is_among(line, prints)}
    for block in blocks(content):
        if block.end > block.line and fingerprint(block.text) in prints:
            found |= set(range(block.line, block.end + 1))
    return found


def of_memory(team_id: UUID, agent_id: UUID, owner_id: UUID | None) -> HiddenText:
    """Of exactly one memory, the agent's shared one or one owner's, whoever asked."""
    with scope(team=team_id):
        return of_targets(_of_memory(agent_id, owner_id))


@PreparedQuery
def _of_memory(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[Target]":
    its = Q(fact__isnull=False, fact__owner=owner_id)
    its |= Q(file__isnull=False, file__owner=owner_id)
    its |= Q(message__isnull=False, message__conversation__owner=owner_id)
    return hiding(its & Q(request__agent=agent_id))


def asked_since(messages: Collection[Message], when: datetime) -> bool:
    """Something of these messages is to be forgotten that was not at that time."""
    said = [one.pk for one in messages]
    asked = Target.objects.filter(message__in=said, is_hidden=True, request__created_at__gt=when)
    return asked.exists()


def remembered(which: Q) -> FactQuerySet:
    """The statements of these that nobody asked to forget."""
    return remembered_of(Fact.objects.filter(which))


def remembered_of(facts: Statements) -> Statements:
    """The same of a list."""
    return none_hidden(facts.exclude(pk__in=hidden_facts()))


def none_hidden(facts: Statements) -> Statements:
    """Tells readers so, of a query that leaves out what is hidden: nobody asks again."""
    return facts.annotate(is_hidden=Value(value=False, output_field=BooleanField()))


def hidden_facts() -> "QuerySet[Target, Any]":
    """To exclude from lists: the ids of statements that are to be forgotten."""
    return hiding(Q(fact__isnull=False)).values("fact")


def of_targets(rows: Iterable[Target]) -> HiddenText:
    """What these targets mean."""
    facts: set[UUID] = set()
    prints: dict[UUID, set[str]] = defaultdict(set)
    spans: dict[int, list[Span]] = defaultdict(list)
    for row in rows:
        if row.fact_id:
            facts.add(row.fact_id)
        if row.file_id and row.fingerprint:
            prints[row.file_id].add(row.fingerprint)
        if row.message_id:
            spans[row.message_id].append((row.first or 0, row.last))
    kept = {key: frozenset(found) for key, found in prints.items()}
    return HiddenText(frozenset(facts), kept, dict(spans))


def text_of(row: Target) -> str:
    """What it says now."""
    if row.fact is not None:
        return row.fact.raw_text
    if row.message is not None:
        return row.message.raw_content[row.first or 0 : row.last].strip()
    lines = row.file.raw_content.split("\n") if row.file else []
    found = (line for line in lines if line.strip() and fingerprint(line) == row.fingerprint)
    return clean(next(found, ""))


def without_spans(text: str, spans: Sequence[Span]) -> str:
    """With the mark in the place of each; nothing where all of it goes."""
    ends = sorted((first, len(text) if last is None else last) for first, last in spans)
    kept, at = [], 0
    for first, last in ends:
        if first >= at:
            kept.append(text[at:first])
        at = max(at, last)
    if not ends:
        return text
    kept.append(text[at:])
    return MARK.join(kept) if any(part.strip() for part in kept) else ""


def _is_any_meant(files: Sequence[UUID], messages: Sequence[int]) -> bool:
    """Whether any request is about these. Asked before each search, where the answer is no: by
    hand, as Django takes ten times as long to write the statement as the database to answer it."""
    marks = [", ".join(["%s"] * len(keys)) or "NULL" for keys in (files, messages)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM forgetting_target"
            f" WHERE file_id IN ({marks[0]}) OR message_id IN ({marks[1]}) LIMIT 1",
            [*(key.hex for key in files), *messages],
        )
        return cursor.fetchone() is not None


def _is_among(line: str, wanted: Collection[str]) -> bool:
    return bool(line.strip()) and fingerprint(line) in wanted
