"""Cases of one test of which the gate tries some and `make soak` all."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest


def first_in_gate(count: int, cases: Sequence[object]) -> list[Any]:
    values = [case if isinstance(case, tuple) else (case,) for case in cases[count:]]
    rest = [pytest.param(*value, marks=pytest.mark.slow) for value in values]
    return [*cases[:count], *rest]


def leave_later_cases(items: Sequence[pytest.Item]) -> None:
    """Of a test that is marked `first_two` the gate tries two cases."""
    tried = Counter[str]()
    for item in items:
        if item.get_closest_marker("first_two") and not item.get_closest_marker("slow"):
            tried[test := item.nodeid.partition("[")[0]] += 1
            if tried[test] > 2:
                item.add_marker(pytest.mark.slow)
