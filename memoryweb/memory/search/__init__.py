"""The only way text is found. Can't be called without a reader."""

from memoryweb.memory.search.engine import beside, search, search_each
from memoryweb.memory.search.matching import SearchPlan
from memoryweb.memory.search.statements import (
    LOOKED_AT,
    Found,
    answering,
    found_with,
    known,
    taken_back,
    told,
)

__all__ = [
    "LOOKED_AT",
    "Found",
    "SearchPlan",
    "answering",
    "beside",
    "found_with",
    "known",
    "search",
    "search_each",
    "taken_back",
    "told",
]
