"""What a statement stands on: the origins of its lines, whose word and when it was said."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.core.row_batches import insert
from memoryweb.language.extraction_rules import is_own_word
from memoryweb.language.statement_comparison import cited
from memoryweb.memory import models
from memoryweb.memory.lines import source_classes
from memoryweb.memory.statements.bullets import Statement

# A row with the same ground and source, whether the line was released, and its marks.
_Line = tuple[int, bool, str]
_OWN = frozenset({models.SourceClass.OWNER, models.SourceClass.PERSON})


@dataclass(frozen=True)
class Ground:
    """One origin. `said_at` is None where nobody knows when it was said."""

    message_id: int | None
    root_id: int | None
    said_at: datetime | None


@dataclass(frozen=True)
class Grounds:
    """Of one statement. `source`: whose word its lines are, the system's once released.
    `waits`: one of them is flagged."""

    source: models.SourceClass = models.SourceClass.SYSTEM
    all: tuple[Ground, ...] = ()
    waits: bool = False

    @property
    def said_at(self) -> datetime | None:
        return max((one.said_at for one in self.all if one.said_at), default=None)


# All that a ground and its source are made of comes after the first four.
_TOLD = ("pk", "line", "released", "marks", "author_kind", "user_id", "message_id", "root_id")
_told = attrgetter(*_TOLD)
_MANY = 400  # from there on a second statement costs less than all rows of the first


def grounds_of(file: models.File, there: Sequence[Statement]) -> Mapping[str, Grounds]:
    """Print → what it stands on. Of many lines most stand on what others do, too."""
    of_line = {n: one.print for one in there for n in range(one.line, one.end + 1)}
    if not of_line:
        return {}
    found: dict[str, list[_Line]] = defaultdict(list)
    alike: dict[tuple[Any, ...], int] = {}
    rows = _rows_between(file.pk, min(of_line), max(of_line)) if len(of_line) < _MANY else None
    lines = _lines(file.pk, min(of_line), max(of_line)) if rows is None else map(_told, rows)
    for pk, line, released, marks, *told in lines:
        if line in of_line:
            first = alike.setdefault(tuple(told), pk)
            found[of_line[line]].append((first, released, marks))
    person_id = file.owner.person_id if file.owner else None
    if rows is None:
        rows = _rows(tuple(alike.values()))
    known = {
        row.pk: (ground_of(row), source_classes.source_of_origin(row, person_id)) for row in rows
    }
    return {one.print: _grounds(found[one.print], known) for one in there}


def attributed(file: models.File, there: Sequence[Statement]) -> list[Statement]:
    """With who said them, where several write and one says "I"."""
    if file.owner_id is not None or not any(is_own_word(one.text) for one in there):
        return list(there)
    rows = _spoken(file.pk)
    names = {row.line: source_classes.name_of(row) for row in rows}
    return [replace(one, speaker=names.get(one.line, "")) for one in there]


@PreparedQuery
def _spoken(file_id: UUID) -> QuerySet[models.LineOrigin]:
    rows = models.LineOrigin.objects.filter(file=file_id).select_related(
        "user", "root__user", "message__token__user", "message__conversation__owner__person"
    )
    return rows.defer("message__raw_content", "root__raw_text").order_by("line", "-pk")


@PreparedQuery
def _lines(file_id: UUID, first: int, last: int) -> QuerySet[models.LineOrigin, Any]:
    rows = models.LineOrigin.objects.filter(file=file_id, line__range=(first, last)).order_by(
        "line", "pk"
    )
    return rows.values_list(*_TOLD)


@PreparedQuery
def _rows(keys: Collection[int]) -> QuerySet[models.LineOrigin]:
    return _in_full(models.LineOrigin.objects.filter(pk__in=keys))


@PreparedQuery
def _rows_between(file_id: UUID, first: int, last: int) -> QuerySet[models.LineOrigin]:
    rows = models.LineOrigin.objects.filter(file=file_id, line__range=(first, last))
    return _in_full(rows).order_by("line", "pk")


def _in_full(rows: QuerySet[models.LineOrigin]) -> QuerySet[models.LineOrigin]:
    rows = rows.select_related("message__conversation__owner", "root")
    return rows.defer("message__raw_content", "root__raw_text")


def ground_of(row: models.LineOrigin) -> Ground:
    return Ground(row.message_id, row.root_id, _said_at(row))


def is_said_since(grounds: Grounds, moment: datetime) -> bool:
    """Whether the owner, or a member, has said it later in a message of their own."""
    later = [one for one in grounds.all if one.said_at and one.said_at > moment]
    ids = [one.message_id for one in later if one.message_id is not None]
    said = (
        models.Message.objects.filter(pk__in=ids).select_related("conversation__owner")
        if ids
        else ()
    )
    return any(source_classes.source_of_message(one.conversation, one) in _OWN for one in said)


def add(grounds: Mapping[models.Fact, Iterable[Ground]], known: Sequence[models.Fact] = ()) -> None:
    """Store evidence; of the facts that are `known` some may be there already."""
    there = set()
    if known:
        rows = models.Evidence.objects.filter(fact__in=known)
        there = set(rows.values_list("fact", "message", "root"))
    fresh = [
        (fact, one)
        for fact, all_of_it in grounds.items()
        for one in all_of_it
        if (fact.pk, one.message_id, one.root_id) not in there
    ]
    ids = {one.message_id for _fact, one in fresh if one.message_id is not None}
    said = (
        dict(models.Message.objects.filter(pk__in=ids).values_list("pk", "raw_content"))
        if ids
        else {}
    )
    insert(_evidence(fact, one, said.get(one.message_id or 0, "")) for fact, one in fresh)


def _evidence(fact: models.Fact, ground: Ground, said: str) -> models.Evidence:
    """`said`: its message."""
    first, last = (said and cited(said, fact.raw_text)) or (None, None)
    return models.Evidence(
        team_id=fact.team_id,
        fact_id=fact.pk,
        message_id=ground.message_id,
        root_id=ground.root_id,
        said_at=ground.said_at,
        first=first,
        last=last,
    )


def _grounds(
    lines: Sequence[_Line], known: Mapping[int, tuple[Ground, models.SourceClass]]
) -> Grounds:
    told = dict.fromkeys(known[first][0] for first, _released, _marks in lines)
    sources = [
        models.SourceClass.SYSTEM if released else known[first][1]
        for first, released, _marks in lines
    ]
    return Grounds(
        source_classes.weakest(sources),
        tuple(told),
        any(marks for _first, _released, marks in lines),
    )


def _said_at(row: models.LineOrigin) -> datetime | None:
    """A message's own time; of what a person or a program wrote when it was written."""
    if row.message is not None and row.author_kind != models.AuthorKind.PERSON:
        return row.message.said_at
    is_unknown = row.root is None or row.root.author_kind == models.AuthorKind.IMPORT
    return None if is_unknown or row.root is None else row.root.created_at
