"""How long a search takes, beside FTS5's own ranking and beside other agents' memory.

    python -m scripts.bench_search [BLOCKS OF OTHERS]
    python scripts/postgres.py python -m scripts.bench_search 1000000

Of files and of messages, few and many; then 20,000 blocks of files with others' blocks beside them
(100,000 without an argument). Two installations, one with the others and one without, take turns
query by query, so that a busy machine is as busy for both.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from itertools import product
from statistics import median, quantiles

import psycopg

from scripts.installation import fresh_installation

BLOCKS, OTHERS = 20_000, 100_000
SIZES = (10_000, 50_000)
QUERIES, ROUNDS = 60, 5
SERVE = "--serve"

Ask = Callable[[str, int], float]


def main() -> int:
    if sys.argv[1:2] == [SERVE]:
        kind, blocks, others = sys.argv[2], *map(int, sys.argv[3:5])
        with fresh_installation():
            # Models can be imported only now.
            import_module("scripts.search_measures").serve(kind, blocks, others, QUERIES)
        return 0
    others = int(sys.argv[1]) if len(sys.argv) > 1 else OTHERS
    url = os.environ.get("MEMORYWEB_DATABASE_URL", "")
    is_sqlite = not url.startswith("postgres")
    print(
        f"Database: {'sqlite' if is_sqlite else 'postgresql'}. {QUERIES} queries of 2 to 5 words."
    )
    for kind, blocks in product(("files", "messages"), SIZES) if is_sqlite else ():
        with _installation(kind, blocks, 0, url) as ask:
            _compare(
                "FTS5's own bm25() over the same rows",
                partial(ask, "bm25"),
                f"{blocks:,} blocks of {kind}",
                partial(ask, "search"),
            )
    with ExitStack() as stack:
        alone = stack.enter_context(_installation("files", BLOCKS, 0, url))
        beside = stack.enter_context(_installation("files", BLOCKS, others, url and _second(url)))
        _compare(
            f"{BLOCKS:,} blocks alone",
            partial(alone, "search"),
            f"the same beside {others:,} of others",
            partial(beside, "search"),
        )
    return 0


def _compare(
    name: str, first: Callable[[int], float], other: str, second: Callable[[int], float]
) -> None:
    """In pairs, each query of both once before anything counts."""
    for query in range(QUERIES):
        first(query), second(query)
    pairs = []
    for turn in range(ROUNDS):
        order = random.Random(turn).sample(range(QUERIES), QUERIES)
        for query in order:
            if (turn + query) % 2:
                pairs.append((first(query), second(query)))
            else:
                taken = second(query)
                pairs.append((first(query), taken))
    one, two = ([pair[at] for pair in pairs] for at in (0, 1))
    _report(name, one)
    _report(other, two)
    print(f"{'':<44}{median(two) / median(one):7.2f} times")


def _report(name: str, taken: list[float]) -> None:
    low, middle, high = (1000 * part for part in quantiles(taken, n=4))
    print(f"{name:<44}{middle:7.2f} ms   (quartiles {low:.2f} and {high:.2f})")


@contextmanager
def _installation(kind: str, blocks: int, others: int, url: str) -> Iterator[Ask]:
    """A process of its own that answers how long a query took it."""
    numbers = map(str, (blocks, others))
    command = [sys.executable, "-m", "scripts.bench_search", SERVE, kind, *numbers]
    environment = os.environ | ({"MEMORYWEB_DATABASE_URL": url} if url else {})
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        inside, outside = process.stdin, process.stdout
        print(outside.readline().rstrip())

        def ask(what: str, query: int) -> float:
            print(what, query, file=inside, flush=True)
            return float(outside.readline())

        yield ask
        inside.close()


def _second(url: str) -> str:
    """A second, empty database beside that one."""
    server, _slash, _name = url.rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE memoryweb_beside")
    return f"{server}/memoryweb_beside"


if __name__ == "__main__":
    sys.exit(main())
