from dataclasses import replace
from datetime import date

import pytest

from scripts import memory_measures, sample_measures, sample_sets
from scripts.memory_people import load
from tests.soaking import first_in_gate


@pytest.mark.slow
@pytest.mark.django_db
def test_two_days_of_a_person_are_lived_and_judged() -> None:
    alex = load("alex")
    days = {date(2026, 3, 2), date(2026, 3, 3)}
    alex = replace(alex, messages=tuple(one for one in alex.messages if one.day in days))

    figures = memory_measures.run(alex, "model", nights=2)

    assert figures.lines
    assert len(figures.marks) == 40
    assert figures.marks["grams"] == "right"
    assert figures.marks["tenby"] == "missing"
    assert figures.takes_in
    assert not figures.troubles


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "by", "said", "counts"),
    first_in_gate(
        2,
        [
            ("changes.en.fit", "model", "I'm set up in my own little flat in Newport.", {}),
            ("everyday.fit", "rules", "start at Halden Optics", {"right": 2}),
            ("pairs.en.fit", "rules", "my daughter Anouk is 6", {"stands": 1}),
            ("hardpairs.en", "rules", "My sister Ada lives in Graz", {"two": 1}),
            ("silence.report", "rules", "", {"found": 1}),
        ],
    ),
)
def test_an_item_of_a_set_is_lived_and_judged(
    name: str, by: str, said: str, counts: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sample_sets.lines(name)[:1]
    monkeypatch.setattr(sample_sets, "lines", lambda _name: first)

    figures = sample_measures.run(name, by, padded=True)

    assert figures.counts["items"] == 1
    assert counts.items() <= figures.counts.items()
    assert said in "\n".join(figures.told[0].stands)
    assert (figures.use.tokens_in > 0) == (by == "model")
