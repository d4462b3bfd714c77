import math
from dataclasses import astuple, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.dreaming.candidates import Parts, Recall, age_in_days, gather, score
from tests.dreaming.notes import NIGHT, candidate, mention, recall


def test_the_formula() -> None:
    """Worked by hand: 4 of 10 recalls, 2 days since the last one, 3 of 5 queries, last mentioned
    9 days ago, on 2 days."""
    some = candidate(
        "Ships on Thursdays",
        mention("Ships on Thursdays", 26, month=2),
        mention("Ships on Thursdays", 28, month=2),
        recall=recall(queries=3, count=4, last=NIGHT - timedelta(days=2, hours=3)),
    )
    parts = score([some], NIGHT)[some.key].components
    assert parts.recall == pytest.approx(0.30 * 4 / 10)
    assert parts.recency == pytest.approx(0.25 * math.exp(-math.log(2) * 2 / 7))
    assert parts.diversity == pytest.approx(0.20 * 3 / 5)
    assert parts.freshness == pytest.approx(0.15 * (1 - 9 / 30))
    assert parts.spread == pytest.approx(0.10 * 2 / 7)
    assert score([some], NIGHT)[some.key].total == pytest.approx(0.5786552, abs=1e-6)


def test_without_recalls_the_other_parts_alone_count() -> None:
    """5 days old, mentioned on one day: 0.25·e^(−ln2·5/7) + 0.15·25/30 + 0.10/7"""
    only = candidate("Tom bakes bread", mention("Tom bakes bread", 4))
    scored = score([only], NIGHT)[only.key]
    assert (scored.components.recall, scored.components.diversity) == (0, 0)
    assert scored.total == pytest.approx(0.2916624, abs=1e-6)


def test_that_something_else_was_recalled_lowers_nothing() -> None:
    some = candidate("Tom bakes bread", recall=recall(queries=2, count=3, last=NIGHT))
    more = candidate("Ships on Thursdays", recall=recall(queries=9, count=90, last=NIGHT))
    assert score([some, more], NIGHT)[some.key] == score([some], NIGHT)[some.key]


def test_a_fresh_statement_passes_its_first_night_beside_a_recalled_one() -> None:
    fresh = candidate("Tom bakes bread")
    recalled = candidate("Ships on Thursdays", recall=recall(queries=2, count=3, last=NIGHT))
    assert score([fresh, recalled], NIGHT)[fresh.key].total == pytest.approx(0.4142857, abs=1e-6)


@pytest.mark.parametrize(
    ("now", "age"),
    [
        (datetime(2026, 3, 9, 12, tzinfo=UTC), 0),
        (datetime(2026, 3, 10, 14, tzinfo=UTC), 0),
        (datetime(2026, 3, 11, 0, tzinfo=UTC), 1),
        (datetime(2026, 3, 8, 0, tzinfo=UTC), 0),
        (datetime(2026, 4, 9, 2, tzinfo=UTC), 30),
    ],
)
def test_age_counts_whole_days_since_the_date_ended(now: datetime, age: int) -> None:
    assert age_in_days(date(2026, 3, 9), now) == age


def test_nothing_scores_nothing() -> None:
    assert score([], NIGHT) == {}


def test_weights_are_settings() -> None:
    only = candidate("Tom bakes bread")
    weights = Parts(recall=0, recency=0, diversity=0, freshness=1, spread=0)
    assert score([only], NIGHT, weights)[only.key].total == 1


recalls = st.builds(
    recall,
    queries=st.integers(1, 20),
    count=st.integers(0, 50),
    last=st.none()
    | st.datetimes(datetime(2026, 1, 1), datetime(2026, 4, 1), timezones=st.just(UTC)),
)


@given(st.lists(st.tuples(st.integers(1, 28), st.sampled_from(["a b", "c d", "e f"]), recalls)))
def test_scores_and_parts_stay_between_0_and_1(rows: list[tuple[int, str, Recall]]) -> None:
    mentions = [mention(text, day, line) for line, (day, text, _) in enumerate(rows)]
    held = {(m.file_id, m.line): row[2] for m, row in zip(mentions, rows, strict=True)}
    for scored in score(gather(mentions, held), NIGHT).values():
        assert 0 <= scored.total <= 1
        assert all(0 <= part <= 1 for part in astuple(scored.components))
        assert scored.total == pytest.approx(math.fsum(astuple(scored.components)))


def test_a_recall_makes_a_statement_recent_again() -> None:
    old = candidate("Tom bakes bread", mention("Tom bakes bread", 4))
    recalled = replace(old, recall=recall(queries=1, count=1, last=NIGHT))
    assert score([recalled], NIGHT)[old.key].components.recency == pytest.approx(0.25)
