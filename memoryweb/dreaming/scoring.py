"""How much a candidate weighs, from 0 to 1."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta

from memoryweb.dreaming.candidates import Candidate

HALF_LIFE_DAYS = 7
FRESH_DAYS = 30
SPREAD_DAYS = 7
MOST_RECALLS, MOST_QUERIES = 10, 5  # more of them say no more


@dataclass(frozen=True)
class Parts:
    """The weights, which sum to 1, or what each part adds to a total, its weight already in it."""

    recall: float = 0.30
    recency: float = 0.25
    diversity: float = 0.20
    freshness: float = 0.15
    spread: float = 0.10


@dataclass(frozen=True)
class Score:
    total: float
    components: Parts


def score(
    candidates: Sequence[Candidate], now: datetime, weights: Parts | None = None
) -> dict[str, Score]:
    """Candidate key → score.

    0.30·recalls/10 + 0.25·e^(−ln2·days since last recall or mention/7) + 0.20·distinct queries/5
    + 0.15·freshness (1 → 0 over 30 days) + 0.10·distinct days mentioned/7, each part at most its
    weight and by itself: that something else was recalled lowers nothing.
    """
    return {c.key: _scored(c, now, weights or Parts()) for c in candidates}


def age_in_days(written: date, now: datetime) -> int:
    """Whole days since that UTC date ended: 0 on the date and in the night after it, wherever
    the agent lives. A note is known by its date only, so an hour would be made up."""
    ended = datetime.combine(written + timedelta(days=1), datetime.min.time(), UTC)
    return max(0, (now - ended).days)


def _scored(candidate: Candidate, now: datetime, weights: Parts) -> Score:
    age = age_in_days(candidate.last_date, now)
    recall = candidate.recall
    unused = min(age, max(0, (now - recall.last).days)) if recall.last else age
    components = Parts(
        recall=weights.recall * min(1.0, recall.count / MOST_RECALLS),
        recency=weights.recency * math.exp(-math.log(2) * unused / HALF_LIFE_DAYS),
        diversity=weights.diversity * min(1.0, recall.queries / MOST_QUERIES),
        freshness=weights.freshness * max(0.0, 1 - age / FRESH_DAYS),
        spread=weights.spread * min(1.0, candidate.days / SPREAD_DAYS),
    )
    return Score(min(1.0, math.fsum(astuple(components))), components)
