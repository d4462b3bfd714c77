"""Many rows of a file at once, in plain statements of limited size."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

from django.db.models import Case, F, QuerySet, Value, When

T = TypeVar("T")
# Stretches of lines that one statement moves: the database looks at each for every row.
_STRETCHES = 500


def batches(items: Iterable[T], size: int = 5_000) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def remove(rows: QuerySet[Any], keys: Iterable[int]) -> None:
    for some in batches(keys):
        rows.filter(pk__in=some).delete()


def shift(rows: QuerySet[Any], columns: Sequence[str], by: Mapping[int, tuple[int, ...]]) -> None:
    """Add to the columns, of which the first is `line`, what `by` says for the row's line.

    Lines go through negative numbers, so that none comes upon one that is still to be moved.
    """
    stretches = []
    for amounts, stretch in groupby(sorted(by.items()), key=itemgetter(1)):
        lines = [line for line, _amounts in stretch]
        if any(amounts):
            stretches.append((lines[0], lines[-1], amounts))
    for some in batches(stretches, _STRETCHES):
        added = {
            name: F(name)
            + Case(
                *(When(line__range=(a, b), then=Value(amounts[at])) for a, b, amounts in some),
                default=Value(0),
            )
            for at, name in enumerate(columns)
        }
        added["line"] = -added["line"]
        rows.filter(line__range=(some[0][0], some[-1][1])).update(**added)
    if stretches:
        rows.filter(line__lt=0).update(line=-F("line"))
