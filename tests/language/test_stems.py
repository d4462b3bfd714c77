import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from memoryweb.language.tokens import stem

WORDS = [
    "".join(parts)
    for parts in product(
        ("organ", "relat", "hope", "run", "mis", "gener"),
        ("iz", "ion", "ful", "n", "at"),
        ("ational", "ing", "ness", "edly", "ement", "s"),
    )
]


@pytest.fixture
def busy_threads() -> Iterator[ThreadPoolExecutor]:
    """They take turns as often as can be."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with ThreadPoolExecutor(8) as threads:
        yield threads
    sys.setswitchinterval(interval)


def test_threads_at_once_get_the_stems_that_one_gets(busy_threads: ThreadPoolExecutor) -> None:
    alone = [stem(word) for word in WORDS]
    many = busy_threads.map(lambda _thread: [stem(word) for word in WORDS], range(40))
    assert all(stems == alone for stems in many)
