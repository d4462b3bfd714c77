"""What waits for a person, in one shape and one list."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, partial
from typing import Any, overload
from uuid import UUID

from django.db.models import CharField, Count, F, Q, QuerySet, Value
from django.db.models.functions import Cast

from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.forgetting.queries import is_meant
from memoryweb.prepared_queries import Prepared
from memoryweb.review.item_kinds import SOURCES, Kind
from memoryweb.review.models import Proposal

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
    that holds all; a slice takes one, and one for each kind in it."""

    def __init__(
        self,
        team: Team,
        reach: Reach,
        *,
        kinds: Collection[str] = (),
        is_decided: bool = False,
        since: datetime | None = None,
    ) -> None:
        self._team, self._reach, self._is_decided = team, reach, is_decided
        self._decided = Q(decided_at__gte=since) if since else Q()
        self._kinds = [kind for kind in Kind if kind in kinds or not kinds]

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
        return list(self.in_order()[key])

    def in_order(self) -> "QuerySet[Any, Any]":
        listed = (
            rows.annotate(
                item_at=F("decided_at") if self._is_decided else SOURCES[kind].since(),
                item_key=Cast("pk", CharField()),
            ).values_list("item_kind", "item_key", "item_at")
            for kind, rows in self.rows().items()
        )
        return _together(listed).order_by("-item_at", "item_kind", "item_key")

    def rows(self) -> "dict[Kind, QuerySet[Any]]":
        found = {}
        for kind in self._kinds:
            source = SOURCES[kind]
            if self._is_decided and not source.waits:
                continue
            shown = _bare(kind, self._team).filter(
                self._reach(f"{source.holder}owner", source.takes)
            )
            if source.waits:
                is_waiting = Q(state=source.waits)
                is_shown = ~is_waiting & self._decided if self._is_decided else is_waiting
                shown = shown.filter(is_shown)
            found[kind] = shown.annotate(item_kind=Value(kind.value))
        return found

    def _filled(self, keys: Sequence[tuple[Kind, str]]) -> list[Item]:
        wanted: dict[Kind, list[str]] = defaultdict(list)
        for kind, key in keys:
            wanted[kind].append(key)
        items: dict[tuple[Kind, str], Item] = {}
        for kind, of_kind in wanted.items():
            # SQLite writes a UUID without its dashes.
            key_of = SOURCES[kind].model._meta.pk.to_python
            by_key = _by_key(kind, self._team, map(key_of, of_kind))
            shown = ((key, by_key.get(key_of(key))) for key in of_kind)
            items |= {(kind, key): item_of(kind, row) for key, row in shown if row}
        return [items[key] for key in keys if key in items]


class Waiting(Inbox):
    """All that waits for a person: counted by every page with a rail and listed by the first one,
    by SQL that is made once."""

    def __init__(
        self, team: Team, rights: frozenset[Permission], own: Iterable[UUID], opened: Iterable[UUID]
    ) -> None:
        self._rights, self._owners = rights, (tuple(own), tuple(opened))
        super().__init__(team, partial(reach_of, rights, *self._owners))

    @cached_property
    def counts(self) -> dict[str, int]:
        return _by_list(_count_of(self._rights)(self._team.pk, *self._owners), 1)[0]

    def _listed(self, key: slice) -> list[tuple[str, str, datetime]]:
        if self._kinds != [*Kind] or key.start:
            return super()._listed(key)
        return _list_of(self._rights, key.stop)(self._team.pk, *self._owners)


@cache
def _count_of(rights: frozenset[Permission]) -> Prepared[tuple[int, str, int]]:
    return Prepared(
        lambda team, *owners: _counted([Inbox(team, partial(reach_of, rights, *owners))])
    )


@cache
def _list_of(rights: frozenset[Permission], stop: int) -> Prepared[tuple[str, str, datetime]]:
    return Prepared(
        lambda team, *owners: Inbox(team, partial(reach_of, rights, *owners)).in_order()[:stop]
    )


@cache
def _rows_of_keys(kind: Kind) -> Prepared[Any]:
    return Prepared(lambda team, keys: rows_of(kind, team).filter(pk__in=keys))


def _by_key(kind: Kind, team: Team, keys: Iterable[Any]) -> dict[Any, Any]:
    found = _rows_of_keys(kind)(team.pk, tuple(keys))
    SOURCES[kind].add_beside(found)
    return {row.pk: row for row in found}


def reach_of(
    rights: Collection[Permission],
    own: Iterable[UUID],
    opened: Iterable[UUID],
    owner: str,
    takes: Permission,
) -> Q:
    """The filter for what a person decides about: shared memory with the right to, what is theirs,
    and what was opened to them, of which nobody forgets for another."""
    owners = own if takes == Permission.FORGET else (*own, *opened)
    reach = Q(**{f"{owner}__in": owners})
    if takes in rights:
        reach |= Q(**{owner: None}) | Q(**{f"{owner}__source": "system"})
    return reach


def count_together(*lists: Inbox) -> None:
    """All that one page shows, in one statement."""
    for one, counts in zip(lists, counts_of(lists), strict=True):
        one.__dict__["counts"] = counts  # as the cached property would keep it


def counts_of(lists: Sequence[Inbox]) -> list[dict[str, int]]:
    return _by_list(_counted(lists), len(lists))


def _counted(lists: Sequence[Inbox]) -> "QuerySet[Any, tuple[int, str, int]]":
    return _together(
        rows.annotate(item_list=Value(n))
        .values_list("item_list", "item_kind")
        .annotate(Count("pk"))
        for n, one in enumerate(lists)
        for rows in one.rows().values()
    )


def _by_list(found: Iterable[tuple[int, str, int]], lists: int) -> list[dict[str, int]]:
    counts: list[dict[str, int]] = [{} for _list in range(lists)]
    for n, kind, count in found:
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
