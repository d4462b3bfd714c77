"""What the query of an address may hold. The names of the lists that take it say the rest."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.core import signing
from django.db.models import Model, Q, QuerySet
from pydantic import Field

from memoryweb.api.exceptions import Invalid
from memoryweb.api.schemas import Camel, Instant, Items
from memoryweb.memory.models import AuthorKind


class Paging(Camel):
    cursor: str | None = Field(None, description="The `cursor` of the previous page.")
    limit: int = Field(50, ge=1, le=200, description="Items per page.")


class OwnerQuery(Camel):
    owner: str | None = Field(
        None,
        description="Whose memory: `shared`, `me`, an owner's id, or a name such as "
        "`slack:U012` or `api:helpdesk/42`. Required with an integration token.",
        examples=["shared"],
    )


class NamedRowQuery(Camel):
    owner: str | None = Field(
        None,
        description="Whose it has to be. Without it the id is enough.",
        examples=["shared"],
    )


class OwnerPaging(OwnerQuery, Paging):
    """`owner`, `cursor` and `limit`."""


class FileQuery(OwnerPaging):
    """`owner`, `at`, `cursor` and `limit`."""

    at: Instant | None = Field(
        None,
        description="Time travel: the files at this moment, sorted by name, with the names, sizes, "
        "hashes and revisions they had then.",
        examples=["2026-11-16T00:00:00Z"],
    )


class RevisionQuery(OwnerPaging):
    """`owner`, `authorKind`, `runId`, `cursor` and `limit`."""

    author_kind: AuthorKind | None = Field(
        None, description="Only revisions by this kind of author.", examples=["dream"]
    )
    run_id: UUID | None = Field(None, description="Only revisions this run wrote.")

    @property
    def columns(self) -> dict[str, Any]:
        asked = {"author_kind": self.author_kind, "run": self.run_id}
        return {name: value for name, value in asked.items() if value is not None}


# Lists: pages by key, so that rows added between two pages neither repeat nor vanish.

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
        said = "This cursor isn't valid. Leave it out to start from the first page."
        raise Invalid("cursor", said) from None
    return values
