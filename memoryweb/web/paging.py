"""Lists in pages, the page and every filter kept in the address."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

Item = TypeVar("Item")
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Item]):
    items: list[Item]
    total: int
    is_total_known: bool
    first: int
    last: int
    number: int
    previous_url: str
    next_url: str

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def is_split(self) -> bool:
        return bool(self.previous_url or self.next_url)


@overload
def page(
    request: HttpRequest,
    rows: "QuerySet[Row]",
    *,
    size: int = 25,
    total: int | None = None,
    most: int = 0,
) -> "Page[Row]": ...


@overload
def page(
    request: HttpRequest,
    rows: Sequence[Item],
    *,
    size: int = 25,
    total: int | None = None,
    most: int = 0,
) -> "Page[Item]": ...


def page(
    request: HttpRequest, rows: Any, *, size: int = 25, total: int | None = None, most: int = 0
) -> "Page[Any]":
    """The page that `?page=` asks for; out of range is the nearest one. `total` if it is known.

    With `most`, no more rows than that are counted behind the page.
    """
    paginator = Paginator(rows, size)
    asked = request.GET.get("page", "")
    counted = most + size * int(asked if asked.isdecimal() and len(asked) < 7 else 1)
    if most:
        total = rows[: counted + 1].count()
    if total is not None:
        vars(paginator)["count"] = total  # as its cached property would keep it
    shown = paginator.get_page(asked)
    return Page(
        items=list(shown.object_list),
        total=min(paginator.count, counted) if most else paginator.count,
        is_total_known=not most or paginator.count <= counted,
        first=shown.start_index(),
        last=shown.end_index(),
        number=shown.number,
        previous_url=_url(request, shown.number - 1) if shown.has_previous() else "",
        next_url=_url(request, shown.number + 1) if shown.has_next() else "",
    )


def _url(request: HttpRequest, number: int) -> str:
    query = request.GET.copy()
    query["page"] = str(number)
    return f"?{query.urlencode()}"


# What an address asks for, where a form would say too much.


def number_of(request: HttpRequest, name: str, default: int) -> int:
    """A plain number; anything else is the default."""
    return next(iter(numbers_of(request, name)), default)


def numbers_of(request: HttpRequest, name: str) -> list[int]:
    texts = request.GET.getlist(name)
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 9]
