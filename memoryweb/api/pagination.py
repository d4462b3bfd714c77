"""Lists: pages by key, so that rows added between two pages neither repeat nor vanish."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
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
    if asked.cursor:
        queryset = queryset.filter(_after(queryset.model, order, asked.cursor))
    rows = list(queryset.order_by(*order)[: asked.limit + 1])
    more = len(rows) > asked.limit
    rows = rows[: asked.limit]
    cursor = _encoded([getattr(rows[-1], name.lstrip("-")) for name in order]) if more else None
    return Items(items=[shown(row) for row in rows], cursor=cursor)


def page_by(
    rows: Sequence[Row], key: Callable[[Row], str], asked: Paging, shown: Callable[[Row], Item]
) -> Items[Item]:
    """One page of rows that are no rows of a table. `key` is unique."""
    ordered = sorted(rows, key=key)
    if asked.cursor:
        last = str(_values(asked.cursor, 1)[0])
        ordered = [row for row in ordered if key(row) > last]
    more = len(ordered) > asked.limit
    found = ordered[: asked.limit]
    cursor = _encoded([key(found[-1])]) if more else None
    return Items(items=[shown(row) for row in found], cursor=cursor)


def _encoded(values: Sequence[Any]) -> str:
    raw = json.dumps(values, cls=_Encoder, separators=(",", ":"))
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


class _Encoder(DjangoJSONEncoder):
    """Keeps microseconds, which Django's own cuts to milliseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if hasattr(o, "isoformat") else super().default(o)


def _after(model: type[Model], order: Sequence[str], cursor: str) -> Q:
    """Rows behind the cursor's: (a, b) > (x, y) is a > x, or a = x and b > y."""
    values = _decode(model, order, cursor)
    condition = Q()
    equal = Q()
    for name, value in zip(order, values, strict=True):
        field = name.lstrip("-")
        step = "lt" if name.startswith("-") else "gt"
        condition |= equal & Q(**{f"{field}__{step}": value})
        equal &= Q(**{field: value})
    return condition


def _decode(model: type[Model], order: Sequence[str], cursor: str) -> list[Any]:
    values = _values(cursor, len(order))
    try:
        return [
            _value(model, name.lstrip("-"), value)
            for name, value in zip(order, values, strict=True)
        ]
    except (ValueError, TypeError, ValidationError):
        raise _foreign() from None


def _values(cursor: str, count: int) -> list[Any]:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        values = json.loads(raw)
    except (ValueError, TypeError, RecursionError):
        raise _foreign() from None
    if not isinstance(values, list) or len(values) != count:
        raise _foreign()
    return values


def _foreign() -> Invalid:
    return Invalid(
        "cursor", _("This cursor isn't valid. Leave it out to start from the first page.")
    )


def _value(model: type[Model], field: str, value: Any) -> Any:
    converted = model._meta.get_field(field).to_python(value)  # type: ignore[union-attr]
    if converted is None or "\x00" in str(converted):
        raise ValueError(field)
    return converted
