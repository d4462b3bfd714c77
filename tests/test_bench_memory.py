from dataclasses import replace
from datetime import date

import pytest

from scripts import memory_measures
from scripts.memory_people import load


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
