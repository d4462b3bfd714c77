"""The only way text is found. Can't be called without a reader."""

from memoryweb.memory.search.engine import (
    LOOKED_AT,
    WeighedFact,
    answering,
    beside,
    found_with,
    known,
    search,
    search_each,
    taken_back,
    told,
)
from memoryweb.memory.search.matching import SearchPlan
