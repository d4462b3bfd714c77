"""How much a candidate weighs, from 0 to 1."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta

from memoryweb.dreaming.candidates import Candidate
from memoryweb.language.normal_form import normalise, read
from memoryweb.language.words import VAGUE

HALF_LIFE_DAYS = 7
FRESH_DAYS = 30
SPREAD_DAYS = 7


@dataclass(frozen=True)
class Parts:
    """The weights, which sum to 1, or what each part adds to a total, its weight already in it."""

    recall: float = 0.30
    recency: float = 0.25
    diversity: float = 0.20
    freshness: float = 0.15
    spread: float = 0.10


@dataclass(frozen=True)
class Scored:
    total: float
    components: Parts


def score(
    candidates: Sequence[Candidate], now: datetime, weights: Parts | None = None
) -> dict[str, Scored]:
    """Candidate key → score.

    0.30·recalls/max + 0.25·e^(−ln2·days since last recall or mention/7)
    + 0.20·distinct queries/max + 0.15·freshness (1 → 0 over 30 days)
    + 0.10·distinct days mentioned/7. Where nothing was recalled, recall and diversity drop out
    and the other weights scale to 1.
    """
    most = max((c.recall.count for c in candidates), default=0)
    widest = max((c.recall.queries for c in candidates), default=0)
    used = _scaled(weights or Parts(), recalled=most > 0)
    return {c.key: _scored(c, now, used, most, widest) for c in candidates}


def specificity(text: str) -> int:
    """How much of a statement somebody could look up: dates, figures, names; less for feelings."""
    reading = read(text)
    vague = len(VAGUE & set(normalise(text).split()))
    return 2 * len(reading.numbers | reading.names) + len(reading.heavy) - 3 * vague


def age_in_days(written: date, now: datetime) -> int:
    """Whole days since that UTC date ended: 0 on the date and in the night after it, wherever
    the agent lives. A note is known by its date only, so an hour would be made up."""
    ended = datetime.combine(written + timedelta(days=1), datetime.min.time(), UTC)
    return max(0, (now - ended).days)


def _scaled(weights: Parts, *, recalled: bool) -> Parts:
    if recalled:
        return weights
    rest = weights.recency + weights.freshness + weights.spread
    if rest <= 0:
        return Parts(0, 0, 0, 0, 0)
    return Parts(0, weights.recency / rest, 0, weights.freshness / rest, weights.spread / rest)


def _scored(candidate: Candidate, now: datetime, weights: Parts, most: int, widest: int) -> Scored:
    age = age_in_days(candidate.last_date, now)
    recall = candidate.recall
    unused = min(age, max(0, (now - recall.last).days)) if recall.last else age
    components = Parts(
        recall=weights.recall * _share(recall.count, most),
        recency=weights.recency * math.exp(-math.log(2) * unused / HALF_LIFE_DAYS),
        diversity=weights.diversity * _share(recall.queries, widest),
        freshness=weights.freshness * max(0.0, 1 - age / FRESH_DAYS),
        spread=weights.spread * min(1.0, candidate.days / SPREAD_DAYS),
    )
    return Scored(min(1.0, math.fsum(astuple(components))), components)


def _share(part: int, most: int) -> float:
    return part / most if most else 0.0
