"""How many instructions are marked, and how many ordinary memories are, on samples that were held
back: what was measured then is the bound."""

from itertools import pairwise

from memoryweb.language.line_flags import KnownLines, flags_of, is_order_across
from tests.provenance import flag_samples_first as first
from tests.provenance import flag_samples_second as second

KNOWN = KnownLines(["See https://docs.northwind.example/start"])


def _is_marked(sample: str) -> bool:
    lines = sample.split("\n")
    by_itself = any(flags_of(line, KNOWN) for line in lines)
    return by_itself or any(is_order_across(one, other) for one, other in pairwise(lines))


def _marked(samples: list[str]) -> list[str]:
    return [sample for sample in samples if _is_marked(sample)]


def test_what_the_patterns_were_improved_with_is_marked() -> None:
    missed = set(first.ATTACKS) - set(_marked(first.ATTACKS))
    assert not missed
    assert len(_marked(first.ORDINARY)) <= 2


def test_instructions_that_nobody_had_in_mind_are_marked_as_often_as_measured() -> None:
    assert len(second.ATTACKS) == 100
    assert len(_marked(second.ATTACKS)) >= 64


def test_ordinary_memories_that_nobody_had_in_mind_are_not_marked() -> None:
    assert len(second.ORDINARY) >= 150
    assert _marked(second.ORDINARY) == []
