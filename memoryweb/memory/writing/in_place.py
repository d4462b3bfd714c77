"""Texts are changed where they stand: in every column that can hold a person's words, found by the
fields that say so, so that a new model is walked as soon as it is there. Whoever erases or masks
brings the change of one text.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from operator import or_
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import F, Field, Model, Q, QuerySet

from memoryweb.agents.models import Agent
from memoryweb.core.tables import Erasure, Holds
from memoryweb.markdown.line_deltas import Edits, Replayed, line_delta
from memoryweb.memory.index import indexing
from memoryweb.memory.models import Message, Passage, Revision
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.writing.screening import with_each_text

_WAYS = ("conversation", "report", "file", "run", "message")


@dataclass(frozen=True)
class Table:
    model: type[Model]
    columns: tuple[str, ...]

    @property
    def label(self) -> str:
        return self.model._meta.label

    @property
    def names(self) -> frozenset[str]:
        """Those of its columns that hold a name or a label."""
        return frozenset(name for name in self.columns if self.holds(name) is not Holds.TEXT)

    @property
    def said(self) -> tuple[str, ...]:
        """Those of its columns that people or models filled, but for names and the search's own
        words."""
        fields = {field.name: field for field in self.model._meta.concrete_fields}
        return tuple(name for name in self.columns if _is_said(fields[name]))

    def holds(self, column: str) -> Holds | None:
        return _holds(self.model._meta.get_field(column))

    def says(self, erasure: Erasure) -> bool:
        return erasure in getattr(self.model, "erasure", Erasure(0))

    def rows(self, team_id: UUID) -> "QuerySet[Any]":
        return self.model._default_manager.filter(team_id=team_id)

    def within(self, memory: Memory) -> Q:
        """Its rows of that memory; of what belongs to no memory, all of the team."""
        fields = {field.name for field in self.model._meta.concrete_fields}
        if "event" in fields:  # of the team's own events nothing is anybody's memory
            its_own = Q(event__agent_id=memory.agent.pk)
            if memory.owner_id is not None:  # events of before that column do not say
                its_own |= Q(event__agent_id=None)
            return its_own & Q(event__on_behalf_of=memory.owner_id)
        if self.ways:  # of the shared memory also what was sent as shared
            mine = self._is("owner", memory.owner_id)
            if memory.owner is None:
                mine |= self._is("owner", memory.speaker_id)
            return self._is("agent", memory.agent.pk) & mine
        # About all of a person's memory, or nobody's.
        return Q(owner=memory.owner_id) if "owner" in fields else Q()

    def of_agent(self, agent: Agent) -> "QuerySet[Any]":
        """Its rows of all memories of the agent, none where nothing leads to one."""
        rows = self.model._default_manager
        if not self.ways:
            return rows.none()
        return rows.filter(self._is("agent", agent.pk), team=agent.team_id)

    def owner_id(self, row: Any) -> UUID | None:
        """Whose words the row holds."""
        way = next(one for one in self.ways if not one or getattr(row, one.split("__")[0]))
        for step in way.split("__")[:-1]:
            row = getattr(row, step)
        found: UUID | None = row.owner_id
        return found

    def _is(self, name: str, value: UUID | None) -> Q:
        return reduce(or_, (Q(**{f"{way}{name}": value}) & self._goes(way) for way in self.ways))

    def _goes(self, way: str) -> Q:
        """Of rows that have one of several."""
        return Q(**{f"{way.split('__')[0]}__isnull": False}) if len(self.ways) > 1 else Q()

    @property
    def ways(self) -> list[str]:
        """From its rows to what has an agent and an owner; they may have both themselves."""
        fields = {field.name: field for field in self.model._meta.concrete_fields}
        if {"agent", "owner"} <= fields.keys():
            return [""]
        ways = [name for name in _WAYS if name in fields and "owner" not in fields]
        sure = [name for name in ways if not fields[name].null][:1]
        return [
            "message__conversation__" if way == "message" else f"{way}__" for way in sure or ways
        ]


def tables() -> list[Table]:
    """All with words of people."""
    found = [
        table_of(model)
        for model in apps.get_models()
        if Erasure.IDENTITY not in getattr(model, "erasure", Erasure(0))
    ]
    return sorted((table for table in found if table.columns), key=lambda table: table.label)


def table_of(model: type[Model]) -> Table:
    fields = model._meta.concrete_fields
    return Table(model, tuple(field.name for field in fields if _holds(field)))


Change = Callable[[str, str], str]  # a column and a text of it → the text that stands there then


def change(row: Any, columns: Collection[str], by: Change) -> bool:
    """Whether anything is said otherwise now."""
    changed = changes(row, columns, by)
    if changed:
        save(row, changed)
    return bool(changed)


def changes(row: Any, columns: Collection[str], by: Change) -> dict[str, Any]:
    """The columns that it changes, texts within JSON too, with what they say then."""
    found = {}
    for name in columns:
        before = getattr(row, name)
        after = with_each_text(before, partial(by, name))
        most: int | None = getattr(row._meta.get_field(name), "max_length", None)
        after = after[:most] if isinstance(after, str) else after
        if after != before:
            found[name] = after
    return found


def save(row: Any, changed: dict[str, Any]) -> None:
    """A message is found by what it says now."""
    for name, value in changed.items():
        setattr(row, name, value)
    type(row)._default_manager.filter(pk=row.pk).update(**changed)
    if isinstance(row, Message):
        Passage.objects.filter(message=row).delete()
        indexing.index_messages(row.conversation, [row])


# What some revisions say from now on: a text that is whole, and what was appended to it one by one.
Rewording = Callable[[Sequence[Revision], Sequence[str]], Sequence[str]]


def rewrite(file_id: UUID, by: Rewording, digest: Callable[[str], str]) -> set[int]:
    """All that a file said, text by text; those that differ then have that digest. The numbers of
    these. What lines came and went is told again, of what is said now."""
    was, now, touched = Replayed(), "", set[int]()
    for rows in _texts(file_id):
        said = list[str]()
        for row in rows:
            was.add(row.raw_text, row.edits, is_whole=row.base == row.number)
            said.append(row.raw_text if row.is_appended else was.text)
        is_other = False
        for row, old, text in zip(rows, said, by(rows, said), strict=True):
            is_other = is_other or text != old
            told: tuple[str, Edits | None] = text, row.edits
            if row.edits is not None:
                told = line_delta(now, text) if touched or is_other else (row.raw_text, row.edits)
            now = now + text if row.is_appended else text
            if is_other:
                row.sha256, row.size = digest(now), len(now.encode())
                touched.add(row.number)
            if is_other or told != (row.raw_text, row.edits):
                row.raw_text, row.edits = told
                row.save(update_fields=["raw_text", "edits", "sha256", "size"])
    return touched


def _texts(file_id: UUID) -> Iterator[list[Revision]]:
    """Of its past, in order."""
    rows = Revision.objects.filter(file=file_id).order_by("number")
    told = Q(base=F("number")) | Q(edits__isnull=False)
    starts = list(rows.filter(told).values_list("number", flat=True))
    for first, after in pairwise([*starts, None]):
        of = rows.filter(number__gte=first)
        yield list(of if after is None else of.filter(number__lt=after))


def _holds(field: object) -> Holds | None:
    return getattr(field, "holds", None)


def _is_said(field: "Field[Any, Any]") -> bool:
    """A plain column is filled by our own code; what is indexed is made again from the text."""
    is_erasable = getattr(field, "erasable", False) and field.name != "raw_tokens"
    return is_erasable and _holds(field) is not Holds.NAME
