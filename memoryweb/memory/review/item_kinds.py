"""The kinds of what waits for a person. A new one is a value of `Kind`, a row of `CAUSES` and a row
of `SOURCES`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.accounts.permissions import Permission
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.memory.lines.flags import line_at, print_of
from memoryweb.memory.models import Fact, ReviewItem
from memoryweb.memory.statements.listing import weighed
from memoryweb.memory.visible.hidden import is_hidden, is_meant
from memoryweb.memory.visible.request_contents import with_offer

Kind = ReviewItem.Kind


@dataclass(frozen=True)
class Source:
    """How the items of a kind come: shown with what is `related` to what they are about and with
    what `with_more` says of it; `add_beside` brings what there is many of."""

    related: str
    reasons: Callable[[Any], Sequence[str]]
    target: str  # what a read of it is recorded as, by the first part of its id
    takes: Permission = Permission.DECIDE  # of shared memory
    id: Callable[[Any], str] = lambda row: str(row.pk)
    with_more: "Callable[[QuerySet[Any]], QuerySet[Any]]" = lambda rows: rows
    add_beside: Callable[[Sequence[Any]], None] = lambda _rows: None


@PreparedQuery
def _sides(keys: Sequence[UUID]) -> "QuerySet[Any]":
    sides = weighed(Fact.objects.filter(contradiction__in=keys))
    found: QuerySet[Any] = sides.annotate(is_hidden=is_hidden())
    return found.select_related("agent", "file__owner", "confirmed_by")


def _with_sides(rows: Sequence[Any]) -> None:
    """As `prefetch_related` does it, by SQL that is made once."""
    sides: dict[UUID, list[Any]] = {row.pk: [] for row in rows}
    for fact in _sides(tuple(sides)) if rows else ():
        sides[fact.contradiction_id].append(fact)
    for row in rows:
        facts = row.facts.all()
        facts._result_cache, facts._prefetch_done = sides[row.pk], True
        row._prefetched_objects_cache = {"facts": facts}


def _with_meant(rows: "QuerySet[Any]") -> "QuerySet[Any]":
    found: QuerySet[Any] = rows.annotate(is_meant=is_meant(file="file"))
    return found


def _tell_files(rows: Sequence[Any]) -> None:
    for row in rows:
        row.file.is_meant = row.is_meant


SOURCES = {
    Kind.PROPOSAL: Source(
        related="file__agent file__owner__integration file__owner__person run__report"
        " token__integration decided_by",
        reasons=lambda row: [guard["detail"] for guard in row.broken],
        target="proposal",
        with_more=_with_meant,
        add_beside=_tell_files,
    ),
    # A flagged line is known by what it says, wherever in its file it stands by now.
    Kind.FLAG: Source(
        related="file__agent file__owner__integration file__owner__person run user"
        " message__conversation__owner",
        reasons=lambda row: row.marks.split(","),
        target="file",
        id=lambda row: f"{row.file_id}.{print_of(line_at(row.file, row.line))}",
        with_more=_with_meant,
        add_beside=_tell_files,
    ),
    Kind.CONTRADICTION: Source(
        related="agent owner__integration decided_by",
        reasons=lambda _row: (),
        target="contradiction",
        add_beside=_with_sides,
    ),
    Kind.CROWDED: Source(
        related="file__agent file__owner__integration file__owner__person decided_by",
        reasons=lambda _row: (),
        target="file",
    ),
    Kind.FORGET: Source(
        related="agent owner__integration owner__person conversation asked_by decided_by",
        reasons=lambda row: [row.via],
        target="forget_request",
        takes=Permission.FORGET,
        with_more=with_offer,
    ),
}
