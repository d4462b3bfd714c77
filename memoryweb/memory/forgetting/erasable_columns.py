"""Every column that can hold a person's words: found by the fields that say so, so that a new model
is walked as soon as it is there. Looking through them is scanning; taking words out is scrubbing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Model, Q, QuerySet

from memoryweb.agents.models import Owner
from memoryweb.agents.owners import speaker_id
from memoryweb.audit.models import Label
from memoryweb.core.fields import Erasure, Holds
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.memory.writing.screening import with_each_text

_HEADING = "Forgotten"
STEP = 20_000  # rows that are looked through at once
_HEADINGS = re.compile(r"^#{1,6} .*", re.MULTILINE)
_WAYS = ("conversation", "report", "file", "run", "message")


@dataclass(frozen=True)
class Memory:
    """The agent's shared one, or one owner's."""

    team_id: UUID
    agent_id: UUID
    owner_id: UUID | None

    def within(self, way: str = "") -> Q:
        """By the agent and the owner that this way leads to. Of the shared one also what was sent
        as shared."""
        owner, its_agent = f"{way}owner", Q(**{f"{way}agent": self.agent_id})
        mine = Q(**{owner: self.owner_id})
        if self.owner_id is None:
            mine |= Q(**{owner: self._system})
        return its_agent & mine

    @cached_property
    def _system(self) -> UUID | None:
        return speaker_id(self.team_id, None)


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

    def holds(self, column: str) -> Holds | None:
        return _holds(self.model._meta.get_field(column))

    def says(self, erasure: Erasure) -> bool:
        return erasure in getattr(self.model, "erasure", Erasure(0))

    def rows(self, team_id: UUID) -> "QuerySet[Any]":
        return self.model._default_manager.filter(team_id=team_id)

    def within(self, memory: Memory) -> Q:
        """Its rows of that memory; of what belongs to no memory, all of the team."""
        fields = {field.name: field for field in self.model._meta.concrete_fields}
        if {"agent", "owner"} <= fields.keys():
            return memory.within()
        if "event" in fields:  # of the team's own events nothing is anybody's memory
            its_own = Q(event__agent_id=memory.agent_id)
            if memory.owner_id is not None:  # events of before that column do not say
                its_own |= Q(event__agent_id=None)
            return its_own & Q(event__on_behalf_of=memory.owner_id)
        if "owner" in fields:  # about all of a person's memory
            return Q(owner=memory.owner_id)
        ways = [name for name in _WAYS if name in fields]
        way = next((name for name in ways if not fields[name].null), ways[0] if ways else "")
        if not way:
            return Q()
        way = "message__conversation" if way == "message" else way
        return memory.within(f"{way}__")

    def found(self, rows: "QuerySet[Any]", sought: Sought, after: Any) -> "Step":
        """The rows of one step that hold a sought text."""
        rows = rows.order_by("pk").values_list("pk", *self.columns)
        read = list((rows.filter(pk__gt=after) if after is not None else rows)[:STEP])
        texts = [(pk, values, "\0".join(_texts(values))) for pk, *values in read]
        together = "\0".join(text for _pk, _values, text in texts)
        hits = []
        if sought.may_be_in(together):
            hits = [
                pk
                for pk, values, text in texts
                if sought.is_in(text) or any(map(sought.is_in_name, self._names_in(values)))
            ]
        return Step(len(read), hits, read[-1][0] if len(read) == STEP else None)

    def _names_in(self, values: list[Any]) -> Iterator[str]:
        """Headings name what stands below them."""
        names, has_headings = self.names, self.says(Erasure.HEADED)
        for name, value in zip(self.columns, values, strict=True):
            if name in names:
                yield from _texts([value])
            elif has_headings and isinstance(value, str):
                yield from _HEADINGS.findall(value)


@dataclass(frozen=True)
class Step:
    """`last` is the key to go on after; None at the end."""

    rows: int
    hits: list[Any]
    last: Any


def tables() -> list[Table]:
    """All with words of people."""
    found = []
    for model in apps.get_models():
        columns = tuple(field.name for field in model._meta.concrete_fields if _holds(field))
        table = Table(model, columns)
        if columns and not table.says(Erasure.IDENTITY):
            found.append(table)
    return sorted(found, key=lambda table: table.label)


def records() -> list[Table]:
    """Those that no door writes, whose words are taken out where they stand."""
    return [table for table in tables() if not table.says(Erasure.BY_DOORS)]


def hits(table: Table, memory: Memory, sought: Sought) -> list[Any]:
    """Of the rows of that memory, those with the very words."""
    rows = table.rows(memory.team_id).filter(table.within(memory))
    found: list[Any] = []
    last = None
    while sought:
        step = table.found(rows, sought, last)
        found += step.hits
        last = step.last
        if last is None:
            break
    return found


def identities(memory: Memory, sought: Sought) -> int:
    """Whether the owner's own id has the words: it is who they are, and goes with all of them."""
    own = Owner.objects.filter(pk__in=filter(None, [memory.owner_id])).values_list(
        "external_id", flat=True
    )
    return sum(map(sought.is_in_name, own))


def quoting() -> list[Table]:
    """Those of the shared memory that can repeat what stands in a private one."""
    return [table for table in tables() if table.says(Erasure.QUOTING)]


def scrub(table: Table, keys: list[Any], sought: Sought) -> int:
    """Take the texts out of these rows; how many there were."""
    rows = table.model._default_manager.filter(pk__in=keys)
    if table.says(Erasure.DROPPED):
        rows.delete()
        return len(keys)
    for row in rows:
        changed = {
            name: _without(table, name, getattr(row, name), sought) for name in table.columns
        }
        if table.model is Label:  # its event stands by the commitment alone
            changed = {"text": "", "salt": None}
        rows.filter(pk=row.pk).update(**changed)
    return len(keys)


def empty_answers(memory: Memory) -> int:
    """What models answered, and what was made of it, in other words perhaps: of no use once a run
    has ended."""
    count = 0
    for table in records():
        for name in {"answer", "checked"} & set(table.columns):
            field = table.model._meta.get_field(name)
            blank: Any = None if field.null else {}
            rows = table.rows(memory.team_id).filter(table.within(memory))
            filled = Q(**{f"{name}__isnull": False}) if field.null else ~Q(**{name: {}})
            rows = rows.filter(filled)
            count += rows.update(**{name: blank})
    return count


def headed(text: str, sought: Sought) -> str:
    """With another heading in the place of each that has the words."""

    def head(found: re.Match[str]) -> str:
        is_meant = sought.is_in_name(found[0])
        return f"{found[0].split()[0]} {_HEADING}" if is_meant else found[0]

    return _HEADINGS.sub(head, text)


def _holds(field: object) -> Holds | None:
    return getattr(field, "holds", None)


def _without(table: Table, name: str, value: Any, sought: Sought) -> Any:
    holds = table.holds(name)
    if holds is Holds.NAME:
        return sought.renamed(value)
    if holds is Holds.TEXT:
        return with_each_text(value, sought.without)
    told = with_each_text(value, sought.label)
    most: int | None = getattr(table.model._meta.get_field(name), "max_length", None)
    return told[:most] if isinstance(told, str) else told


def _texts(values: list[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif value:
            yield from _inside(value)


def _inside(value: Any) -> Iterator[str]:
    """Each text of a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from _inside(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _inside(one)
