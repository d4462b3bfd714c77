"""Lists: pages by key, so that rows added between two pages neither repeat nor vanish."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from memoryweb.api.exceptions import Invalid
from memoryweb.api.query_parameters import Paging
from memoryweb.api.schemas import Items

AnyModel = TypeVar("AnyModel", bound=Model)
Item = TypeVar("Item")
Row = TypeVar("Row")


def page(
    queryset: QuerySet[AnyModel],
    order: Sequence[str],
    asked: Paging,
    shown: Callable[[AnyModel], Item],
) -> Items[Item]:
    """One page in `order` (`-field` descends), which must end in a unique field without nulls."""
    salt = f"{queryset.model.__name__} {' '.join(order)}"
    if asked.cursor:
        queryset = queryset.filter(_after(order, _read(asked.cursor, salt)))
    rows = list(queryset.order_by(*order)[: asked.limit + 1])
    more = len(rows) > asked.limit
    rows = rows[: asked.limit]
    last = [getattr(rows[-1], name.lstrip("-")) for name in order] if more else []
    return Items(items=[shown(row) for row in rows], cursor=_written(last, salt) if more else None)


def page_by(
    rows: Sequence[Row], key: Callable[[Row], str], asked: Paging, shown: Callable[[Row], Item]
) -> Items[Item]:
    """One page of rows that are no rows of a table. `key` is unique."""
    ordered, salt = sorted(rows, key=key), "by key"
    if asked.cursor:
        (last,) = _read(asked.cursor, salt)
        ordered = [row for row in ordered if key(row) > last]
    found = ordered[: asked.limit]
    more = len(ordered) > len(found)
    cursor = _written([key(found[-1])], salt) if more else None
    return Items(items=[shown(row) for row in found], cursor=cursor)


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows behind the cursor's: (a, b) > (x, y) is a > x, or a = x and b > y."""
    condition = Q()
    equal = Q()
    for name, value in zip(order, values, strict=True):
        field = name.lstrip("-")
        step = "lt" if name.startswith("-") else "gt"
        condition |= equal & Q(**{f"{field}__{step}": value})
        equal &= Q(**{field: value})
    return condition


def _written(values: Sequence[Any], salt: str) -> str:
    """Signed, so that what comes back is what this list has given."""
    plain = [value if isinstance(value, int | str) else _text(value) for value in values]
    return signing.dumps(plain, salt=f"memoryweb.page {salt}")


def _text(value: Any) -> str:
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


def _read(cursor: str, salt: str) -> list[Any]:
    try:
        values: list[Any] = signing.loads(cursor, salt=f"memoryweb.page {salt}")
    except signing.BadSignature:
        said = _("This cursor isn't valid. Leave it out to start from the first page.")
        raise Invalid("cursor", said) from None
    return values
