"""How near what a reader may see is to a query in meaning, where the team has an embedding
endpoint. Without one nothing is asked or imported; where it fails, words alone find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from importlib import import_module
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.secrets import credentials
from memoryweb.llm import embedding
from memoryweb.llm.exceptions import ModelError
from memoryweb.memory.index.fulltext import Found
from memoryweb.memory.index.ranking import Places
from memoryweb.memory.models import Passage

NEAREST = 20  # that may be hits without a word of the query


@dataclass(frozen=True)
class Meaning:
    """Of a query. `vector` is empty where words alone find, and `notice` says why if they
    shouldn't; `finds`: the nearest are hits, too."""

    vector: bytes = b""
    space: int = 0
    finds: bool = False
    notice: str = ""

    def near(self, groups: Sequence[Sequence[str]], finds: Sequence[Found]) -> list[Found]:
        """With how near those are that the scope keys of each group lead to."""
        if not self.vector:
            return list(finds)
        reaches = tuple({reach: None for group in groups for reach in group})
        rows: dict[str, list[tuple[int, bytes]]] = {reach: [] for reach in reaches}
        for passage, reach, vector in _vectors(self.space, reaches):
            rows[reach].append((passage, bytes(vector)))
        nears = [_near(self.vector, [row for reach in of for row in rows[reach]]) for of in groups]
        return self._with_places(finds, nears)

    def _with_places(
        self, finds: Sequence[Found], nears: Sequence[Mapping[int, float]]
    ) -> list[Found]:
        best = [
            nlargest(NEAREST, near, key=lambda one: (near[one], one)) if self.finds else ()
            for near in nears
        ]
        alone = [
            {one for one in its if one not in found.places.places}
            for its, found in zip(best, finds, strict=True)
        ]
        known = {pk: (whole, place) for pk, whole, place in _places(set[int]().union(*alone))}
        return [
            _joined(found, near, {one: known[one] for one in its if one in known})
            for found, near, its in zip(finds, nears, alone, strict=True)
        ]


def of(team_id: UUID, text: str, finds: bool) -> Meaning:
    """Never inside a transaction: where there is an endpoint, it is asked."""
    if not embedding.is_possible() or (row := embedding.row_of(team_id)) is None:
        return Meaning()
    try:
        vector = embedding.of_query(row, credentials.mask(text)[0])
    except ModelError:
        said = _("The embedding endpoint gave no answer in time, so only words were searched.")
        return Meaning(notice=said)
    space = embedding.space_of(row.made_for, len(vector))
    return Meaning(_nearness().packed(vector), space, finds)


def _nearness() -> Any:
    return import_module("memoryweb.memory.index.nearness")


def _near(query: bytes, rows: Sequence[tuple[int, bytes]]) -> dict[int, float]:
    """Of those that stand out."""
    nears = _nearness().nearness(query, [vector for _passage, vector in rows])
    return {row[0]: near for row, near in zip(rows, nears, strict=True) if near}


def _joined(found: Found, near: Mapping[int, float], alone: Mapping[int, tuple[int, int]]) -> Found:
    wholes = {passage: whole for passage, (whole, _place) in alone.items()}
    packed = {passage: place for passage, (_whole, place) in alone.items()}
    places = Places({**found.places.wholes, **wholes}, {**found.places.places, **packed})
    here = {passage: one for passage, one in near.items() if passage in places.places}
    weighed = {passage: settings.EMBEDDING_WEIGHT * one for passage, one in here.items()}
    return replace(found, places=places, near=weighed)


@PreparedQuery
def _vectors(space: int, reaches: Sequence[str]) -> "QuerySet[Passage, Any]":
    rows = Passage.objects.filter(space=space, reach__in=reaches)
    return rows.values_list("pk", "reach", "vector")


def _places(passages: set[int]) -> "QuerySet[Passage, Any]":
    rows = Passage.objects.filter(pk__in=passages)
    return rows.values_list("pk", "whole", "place") if passages else rows.none()
