"""Cases of one test of which the gate tries some and `make soak` all."""

from collections.abc import Sequence
from typing import Any

import pytest


def first_in_gate(count: int, cases: Sequence[object]) -> list[Any]:
    values = [case if isinstance(case, tuple) else (case,) for case in cases[count:]]
    rest = [pytest.param(*value, marks=pytest.mark.slow) for value in values]
    return [*cases[:count], *rest]
