"""What waits for a person, in one shape and one list."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache
from typing import Any, overload
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q, QuerySet, Value
from django.utils.translation import gettext as _
from django_scopes import scope

from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.memory.lines.flags import line_at, print_of
from memoryweb.memory.models import Contradiction, Fact, ReviewItem
from memoryweb.memory.models.review import CAUSES, Difference, about, differences, follow
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.statements.listing import counted, weighed
from memoryweb.memory.visible.hidden import is_hidden, is_meant
from memoryweb.memory.visible.request_contents import with_offer

# The kinds of what waits for a person. A new one is a value of `Kind`, a row of `CAUSES` and a row
# of `SOURCES`.

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


# The filter for what a person reaches, by the name of the owner's field and the right it takes.
Reach = Callable[[str, Permission], Q]
State = ReviewItem.State


@dataclass(frozen=True)
class Item:
    """One thing that a person decides about."""

    kind: Kind
    id: str  # as addresses have it
    row: Any
    agent: Agent
    owner: Owner | None  # who decides; for shared memory it is everybody with the right to
    path: str  # empty for a message, and for what stands in several files
    line: int  # 0 for a whole file
    since: datetime
    reasons: tuple[str, ...]  # sentences of a proposal, codes of the others
    is_waiting: bool
    state: str
    decided_by: User | None
    decided_at: datetime | None


class Inbox(Sequence[Item]):
    """The latest first. Counted in one statement, since every page with a rail asks, or by a slice
    that holds all; a slice takes one, and one for each kind in it. SQL is made once, so `reach`
    gives filters of ids, alike in shape for whoever has the same rights."""

    def __init__(
        self,
        team: Team,
        reach: Reach,
        *,
        kinds: Collection[str] = (),
        is_decided: bool = False,
        since: datetime | None = None,
    ) -> None:
        self.team, self._at = team, "decided_at" if is_decided else "since"
        state = ~Q(state=State.OPEN.value) if is_decided else Q(state=State.OPEN.value)
        which = state & Q(agent__archived_at=None) & _reached(reach, kinds)
        self.which = which & Q(decided_at__gte=since) if since else which

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many of each kind that there is any of."""
        return counts_of([self])[0]

    def __len__(self) -> int:
        return sum(self.counts.values())

    @overload
    def __getitem__(self, key: int) -> Item: ...
    @overload
    def __getitem__(self, key: slice) -> list[Item]: ...
    def __getitem__(self, key: int | slice) -> Item | list[Item]:
        if not isinstance(key, slice):
            return self[key : key + 1][0]
        return self._filled(self._listed(key))

    def head(self, shown: int, listed: int) -> list[Item]:
        """Of the first `listed` those that are shown, and every proposal: what a page shows is
        worth a statement for each kind, what it counts is not."""
        items = self._listed(slice(listed))
        more = (item for item in items[shown:] if item.kind == Kind.PROPOSAL)
        return self._filled([*items[:shown], *more])

    def rows(self) -> "QuerySet[ReviewItem]":
        return ReviewItem.objects.filter(self.which, team=self.team)

    def _listed(self, key: slice) -> list[ReviewItem]:
        items = _listed(self._at, key.start or 0, key.stop)(self.team.pk, self.which)
        if not key.start and key.stop and len(items) < key.stop:  # these are all there are
            vars(self).setdefault("counts", dict(Counter(item.kind for item in items)))
        return items

    def _filled(self, items: Sequence[ReviewItem]) -> list[Item]:
        wanted: dict[Kind, list[ReviewItem]] = defaultdict(list)
        for item in items:
            wanted[Kind(item.kind)].append(item)
        rows: dict[Kind, list[Any]] = defaultdict(list)
        joined = frozenset(wanted.keys() & _JOINED)
        keys = tuple(item.pk for kind in joined for item in wanted[kind])
        for item in _joined(joined)(self.team.pk, keys) if keys else ():
            rows[Kind(item.kind)].append(_row_of(item))
        for kind in wanted.keys() - joined:
            rows[kind] = _rows_of_keys(kind)(self.team.pk, tuple(map(about, wanted[kind])))
        for kind, its in rows.items():
            SOURCES[kind].add_beside(its)
        found = {row.item.pk: item_of(kind, row) for kind, its in rows.items() for row in its}
        return [found[item.pk] for item in items if item.pk in found]


def _reached(reach: Reach, kinds: Collection[str]) -> Q:
    """Of the kinds, or of all."""
    by_right: dict[Permission, list[str]] = defaultdict(list)
    for kind in Kind:
        if kind in kinds or not kinds:
            by_right[SOURCES[kind].takes].append(kind.value)
    found = Q()
    for takes, of_right in by_right.items():
        found |= Q(kind__in=of_right) & reach("owner", takes)
    return found or Q(pk=None)  # of no kind nothing


@lru_cache(128)
def _listed(at: str, first: int, stop: int | None) -> PreparedQuery[ReviewItem]:
    def build(team: Any, which: Q) -> "QuerySet[ReviewItem]":
        rows = ReviewItem.objects.filter(which, team=team)
        return rows.order_by(f"-{at}", "kind", "pk")[first:stop]

    return PreparedQuery(build)


@cache
def _counted(lists: int) -> PreparedQuery[tuple[int, str, int]]:
    """Each with the number of its list."""

    def build(team: Any, *filters: Q) -> "QuerySet[Any, tuple[int, str, int]]":
        first, *others = (
            ReviewItem.objects.filter(which, team=team)
            .annotate(item_list=Value(number))
            .values_list("item_list", "kind")
            .annotate(Count("pk"))
            for number, which in zip(range(lists), filters, strict=True)
        )
        return first.union(*others, all=True) if others else first

    return PreparedQuery(build)


@cache
def _rows_of_keys(kind: Kind) -> PreparedQuery[Any]:
    return PreparedQuery(lambda team, keys: rows_of(kind, team).filter(pk__in=keys))


# Kinds of which one statement brings all; the others take one each.
_JOINED = frozenset({Kind.PROPOSAL, Kind.FLAG, Kind.CONTRADICTION})


@cache
def _joined(kinds: Collection[Kind]) -> PreparedQuery[Any]:
    def build(team: Any, keys: Sequence[int]) -> "QuerySet[Any]":
        rows = ReviewItem.objects.filter(team=team, pk__in=keys)
        for kind in sorted(kinds):
            column = CAUSES[kind].column
            related = (f"{column}__{name}" for name in SOURCES[kind].related.split())
            rows = rows.select_related(column, *related)
            if CAUSES[kind].holder:
                meant = {f"{column}_is_meant": is_meant(file=f"{column}__file")}
                rows = rows.annotate(**meant)
        return rows

    return PreparedQuery(build)


def _row_of(item: Any) -> Any:
    column = CAUSES[Kind(item.kind)].column
    row = getattr(item, column)
    row.item, row.is_meant = item, getattr(item, f"{column}_is_meant", None)
    return row


def count_together(*lists: Inbox) -> None:
    """All that one page shows, in one statement."""
    for inbox, counts in zip(lists, counts_of(lists), strict=True):
        inbox.__dict__["counts"] = counts  # as the cached property would keep it


def counts_of(lists: Sequence[Inbox]) -> list[dict[str, int]]:
    counts: list[dict[str, int]] = [{} for _list in lists]
    filters = [inbox.which for inbox in lists]
    for number, kind, count in _counted(len(lists))(lists[0].team.pk, *filters):
        counts[number][kind] = count
    return counts


def rows_of(kind: Kind, team: Team) -> "QuerySet[Any]":
    """What items of a kind are about, waiting or decided, of agents that are not archived."""
    source = SOURCES[kind]
    rows = source.with_more(CAUSES[kind].model._default_manager.filter(team=team))
    found: QuerySet[Any] = rows.filter(item__agent__archived_at=None, item__kind=kind.value)
    return found.select_related("item", *source.related.split())


def find(kind: str, item_id: str, team: Team, reach: Reach) -> Item | None:
    if kind not in Kind.values:
        return None
    source, key = SOURCES[Kind(kind)], CAUSES[Kind(kind)].key
    try:
        wanted = UUID(item_id.partition(".")[0])
    except ValueError:
        return None
    found = rows_of(Kind(kind), team).filter(reach("item__owner", source.takes), **{key: wanted})
    rows = list(found)
    source.add_beside(rows)
    items = (item_of(Kind(kind), row) for row in rows)
    return next((item for item in items if item.id == item_id), None)


def item_of(kind: Kind, row: Any) -> Item:
    source, item = SOURCES[kind], row.item
    holder = row.file if CAUSES[kind].holder else row
    is_waiting = item.state == State.OPEN
    return Item(
        kind=kind,
        id=source.id(row),
        row=row,
        agent=holder.agent,
        owner=holder.owner,
        path=row.file.path if getattr(row, "file", None) else "",
        line=getattr(row, "line", 0),
        since=item.since,
        reasons=tuple(source.reasons(row)),
        is_waiting=is_waiting,
        state="" if is_waiting else _outcome(item, row),
        decided_by=None if is_waiting else row.decided_by,
        decided_at=item.decided_at,
    )


def _outcome(item: ReviewItem, row: Any) -> str:
    if item.state == State.EXPIRED:
        return _("Not decided in time")
    if item.kind == Kind.CONTRADICTION and row.state == Contradiction.State.IGNORED:
        return _("Both kept")
    return "" if item.kind == Kind.FLAG else str(row.get_state_display())


@PreparedQuery
def _sides(keys: Sequence[UUID]) -> "QuerySet[Any]":
    sides = counted(weighed(Fact.objects.filter(contradiction__in=keys)))
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


# Proving that what waits is what its causes say, and making it so: for databases that are older
# than the table, and whenever somebody wants to know.


def check(team: Team) -> list[Difference]:
    """What differs twice: a change that is written between the halves of a look differs once."""
    with scope(team=team):
        found = [difference for kind in ReviewItem.Kind for difference in differences(kind)]
        kinds = dict.fromkeys(difference.kind for difference in found)
        again = (difference for kind in kinds for difference in differences(kind))
        return [difference for difference in again if difference in found]


def repair(team: Team) -> list[Difference]:
    """What differed."""
    with write_transaction(team):
        return [difference for kind in ReviewItem.Kind for difference in follow(kind)]


def fill_missing(**_signal: Any) -> None:
    """Receiver of `post_migrate`: what waited before this table, unless the way leads back."""
    if ReviewItem._meta.db_table not in connection.introspection.table_names():
        return
    for team in Team.objects.order_by("slug"):
        # A team of which nothing waits is not written to: its chain begins with its first event.
        if any(difference.problem == "missing" for difference in check(team)):
            repair(team)
