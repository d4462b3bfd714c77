"""How near what a reader may see is to a query in meaning, where the team has an embedding
endpoint. Without one nothing is asked or imported; where it fails, words alone find."""

from collections.abc import Sequence
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
from memoryweb.llm.exceptions import HostRefused, ModelError, NotConfigured
from memoryweb.memory.index.fulltext import Found
from memoryweb.memory.index.ranking import Places
from memoryweb.memory.models import Passage

_Row = tuple[int, int, int, bytes]  # passage, whole, place and vector
NEAREST = 20  # that may be hits without a word of the query


@dataclass(frozen=True)
class Meaning:
    """Of a query. `vector` is empty where words alone find, and `notice` says why if they
    shouldn't; `finds`: the nearest are hits, too."""

    vector: Sequence[float] = ()
    space: int = 0
    finds: bool = False
    notice: str = ""

    def near(self, groups: Sequence[Sequence[str]], finds: Sequence[Found]) -> list[Found]:
        """With how near those are that the scope keys of each group lead to."""
        if not self.vector:
            return list(finds)
        reaches = tuple({reach: None for group in groups for reach in group})
        rows: dict[str, list[_Row]] = {reach: [] for reach in reaches}
        for reach, *row in _rows(self.space, reaches):
            rows[reach].append(tuple(row))
        return [
            self._joined(found, [row for reach in of for row in rows[reach]])
            for of, found in zip(groups, finds, strict=True)
        ]

    def _joined(self, found: Found, rows: Sequence[_Row]) -> Found:
        nearness = import_module("memoryweb.memory.index.nearness")
        nears = nearness.nearness(self.vector, [row[3] for row in rows])
        told = [(one, row) for one, row in zip(nears, rows, strict=True) if one]
        near = {row[0]: settings.EMBEDDING_WEIGHT * one for one, row in told}
        best = nlargest(NEAREST, told, key=lambda it: (it[0], it[1][0])) if self.finds else ()
        new = [row for _near, row in best if row[0] not in found.places.places]
        wholes = {**found.places.wholes, **{passage: whole for passage, whole, *_of in new}}
        packed = {**found.places.places, **{passage: place for passage, _whole, place, _of in new}}
        kept = {passage: one for passage, one in near.items() if passage in packed}
        return replace(found, places=Places(wholes, packed), near=kept)


def of(team_id: UUID, text: str, finds: bool, *, local_only: bool) -> Meaning:
    """Never inside a transaction: where there is an endpoint, it is asked."""
    is_possible = settings.EMBEDDING_MODEL or settings.MODEL_HOSTS
    rows = embedding.with_vectors(team_id) if is_possible else []
    if not rows:
        return Meaning()
    row = rows[0]
    try:
        vector = embedding.of_query(row, credentials.mask(text)[0], local_only=local_only)
    except (HostRefused, NotConfigured):  # nobody expects an answer
        return Meaning()
    except ModelError:
        said = _("The embedding endpoint gave no answer in time, so only words were searched.")
        return Meaning(notice=said)
    space = embedding.space_of(row.made_for, len(vector))
    return Meaning(vector, space, finds)


@PreparedQuery
def _rows(space: int, reaches: Sequence[str]) -> "QuerySet[Passage, Any]":
    rows = Passage.objects.filter(space=space, reach__in=reaches)
    return rows.values_list("reach", "pk", "whole", "place", "vector")
