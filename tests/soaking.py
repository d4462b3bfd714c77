"""Cases of one test of which the gate tries some and `make soak` all."""

from collections.abc import Sequence
from typing import Any

import pytest


def first_in_gate(count: int, cases: Sequence[object]) -> list[Any]:
    rest = [pytest.param(case, marks=pytest.mark.slow) for case in cases[count:]]
    return [*cases[:count], *rest]
