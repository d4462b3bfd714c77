"""What waits for a person, in one shape and one list."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache
from typing import Any, overload
from uuid import UUID

from django.db.models import CharField, Count, F, Q, QuerySet, Value
from django.db.models.functions import Cast

from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.core.prepared_queries import Prepared
from memoryweb.memory.models import Proposal
from memoryweb.memory.review.item_kinds import SOURCES, Kind
from memoryweb.memory.visible.hidden import is_meant

# The filter for what a person reaches, by the name of the owner's field and the right it takes.
Reach = Callable[[str, Permission], Q]


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
        self.team, self._reach, self._is_decided = team, reach, is_decided
        self._decided = Q(decided_at__gte=since) if since else Q()
        wanted = [kind for kind in Kind if kind in kinds or not kinds]
        self._shown = [kind for kind in wanted if SOURCES[kind].waits or not is_decided]

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
        return self._filled(self._keys(key))

    def head(self, shown: int, listed: int) -> list[Item]:
        """Of the first `listed` those that are shown, and every proposal: what a page shows is
        worth a statement for each kind, what it counts is not."""
        keys = self._keys(slice(listed))
        return self._filled([*keys[:shown], *(k for k in keys[shown:] if k[0] is Kind.PROPOSAL)])

    def _keys(self, key: slice) -> list[tuple[Kind, str]]:
        keys = self._listed(key)
        if not key.start and key.stop and len(keys) < key.stop:  # these are all there are
            vars(self).setdefault("counts", Counter(kind for kind, _pk, _at in keys))
        return [(Kind(kind), pk) for kind, pk, _at in keys]

    def _listed(self, key: slice) -> list[tuple[str, str, datetime]]:
        if key.start:
            return list(_in_order(self.team, self.parts, self.filters)[key])
        return _first_of(self.parts, key.stop)(self.team.pk, *self.filters)

    @property
    def parts(self) -> tuple["_Part", ...]:
        return tuple(_Part(kind, self._is_decided) for kind in self._shown)

    @property
    def filters(self) -> list[Q]:
        """Of each part, which rows are in it."""
        found = []
        for kind in self._shown:
            source = SOURCES[kind]
            which = self._reach(f"{source.holder}owner", source.takes)
            found.append(which & self._decided)
        return found

    def rows(self) -> "dict[Kind, QuerySet[Any]]":
        both = zip(self.parts, self.filters, strict=True)
        return {part.kind: part.rows(self.team, which) for part, which in both}

    def _filled(self, keys: Sequence[tuple[Kind, str]]) -> list[Item]:
        wanted: dict[Kind, list[str]] = defaultdict(list)
        for kind, key in keys:
            wanted[kind].append(key)
        items: dict[tuple[Kind, str], Item] = {}
        for kind, of_kind in wanted.items():
            # SQLite writes a UUID without its dashes.
            key_of = SOURCES[kind].model._meta.pk.to_python
            by_key = _by_key(kind, self.team, map(key_of, of_kind))
            shown = ((key, by_key.get(key_of(key))) for key in of_kind)
            items |= {(kind, key): item_of(kind, row) for key, row in shown if row}
        return [items[key] for key in keys if key in items]


@dataclass(frozen=True)
class _Part:
    """One kind in a list."""

    kind: Kind
    is_decided: bool

    def rows(self, team: Any, which: Q) -> "QuerySet[Any]":
        found: QuerySet[Any] = _bare(self.kind, team).filter(which)
        if waits := SOURCES[self.kind].waits:
            found = found.exclude(state=waits) if self.is_decided else found.filter(state=waits)
        named: QuerySet[Any] = found.annotate(item_kind=Value(self.kind.value))
        return named


def _in_order(team: Any, parts: Iterable[_Part], filters: Iterable[Q]) -> "QuerySet[Any, Any]":
    listed = (
        part.rows(team, which)
        .annotate(
            item_at=F("decided_at") if part.is_decided else SOURCES[part.kind].since(),
            item_key=Cast("pk", CharField()),
        )
        .values_list("item_kind", "item_key", "item_at")
        for part, which in zip(parts, filters, strict=True)
    )
    return _together(listed).order_by("-item_at", "item_kind", "item_key")


@lru_cache(128)
def _first_of(parts: tuple[_Part, ...], stop: int | None) -> Prepared[tuple[str, str, datetime]]:
    return Prepared(lambda team, *filters: _in_order(team, parts, filters)[:stop])


@lru_cache(128)
def _counted(parts: tuple[tuple[int, _Part], ...]) -> Prepared[tuple[int, str, int]]:
    def build(team: Any, *filters: Q) -> "QuerySet[Any, tuple[int, str, int]]":
        return _together(
            part.rows(team, which)
            .annotate(item_list=Value(n))
            .values_list("item_list", "item_kind")
            .annotate(Count("pk"))
            for (n, part), which in zip(parts, filters, strict=True)
        )

    return Prepared(build)


@cache
def _rows_of_keys(kind: Kind) -> Prepared[Any]:
    return Prepared(lambda team, keys: rows_of(kind, team).filter(pk__in=keys))


def _by_key(kind: Kind, team: Team, keys: Iterable[Any]) -> dict[Any, Any]:
    found = _rows_of_keys(kind)(team.pk, tuple(keys))
    SOURCES[kind].add_beside(found)
    return {row.pk: row for row in found}


def count_together(*lists: Inbox) -> None:
    """All that one page shows, in one statement."""
    for one, counts in zip(lists, counts_of(lists), strict=True):
        one.__dict__["counts"] = counts  # as the cached property would keep it


def counts_of(lists: Sequence[Inbox]) -> list[dict[str, int]]:
    counts: list[dict[str, int]] = [{} for _list in lists]
    parts = tuple((n, part) for n, one in enumerate(lists) for part in one.parts)
    filters = [which for one in lists for which in one.filters]
    for n, kind, count in _counted(parts)(lists[0].team.pk, *filters):
        if count:
            counts[n][kind] = count
    return counts


def rows_of(kind: Kind, team: Team) -> "QuerySet[Any]":
    """All of a kind, waiting or decided, of agents that are not archived."""
    source = SOURCES[kind]
    rows: QuerySet[Any] = _bare(kind, team).annotate(since_at=source.since())
    if kind in {Kind.PROPOSAL, Kind.FLAG}:
        rows = rows.annotate(is_meant=is_meant(file="file"))
    return rows.select_related(*source.related.split())


def _bare(kind: Kind, team: Team) -> "QuerySet[Any]":
    source = SOURCES[kind]
    return source.rows(team).filter(**{f"{source.holder}agent__archived_at": None})


def find(kind: str, item_id: str, team: Team, reach: Reach) -> Item | None:
    if kind not in Kind.values:
        return None
    source, found = SOURCES[Kind(kind)], rows_of(Kind(kind), team)
    try:
        key = UUID(item_id.partition(".")[0])
    except ValueError:
        return None
    found = found.filter(reach(f"{source.holder}owner", source.takes), **{source.key: key})
    rows = list(found)
    source.add_beside(rows)
    items = (item_of(Kind(kind), row) for row in rows)
    return next((item for item in items if item.id == item_id), None)


def item_of(kind: Kind, row: Any) -> Item:
    source = SOURCES[kind]
    holder = row.file if source.holder else row
    return Item(
        kind=kind,
        id=source.id(row),
        row=row,
        agent=holder.agent,
        owner=holder.owner,
        path=row.file.path if getattr(row, "file", None) else "",
        line=getattr(row, "line", 0),
        since=row.since_at,
        reasons=tuple(source.reasons(row)),
        is_waiting=not source.waits or row.state == source.waits,
        state=row.get_state_display() if source.waits else "",
        decided_by=row.decided_by if source.waits else None,
        decided_at=row.decided_at if source.waits else None,
    )


def _together(parts: "Iterable[QuerySet[Any, Any]]") -> "QuerySet[Any, Any]":
    first, *others = [*parts] or [Proposal.objects.none()]
    return first.union(*others, all=True) if others else first
