"""How the API writes: camelCase, ids as strings, times in ISO 8601 UTC with a Z."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Annotated, Any, Generic, Self, TypeVar
from uuid import UUID

from django.core import signing
from django.db.models import Model, Q, QuerySet
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictBool,
    WithJsonSchema,
    field_validator,
)
from pydantic.alias_generators import to_camel

from memoryweb.api.problems import Invalid
from memoryweb.markdown.marks import Ended
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.writing.write import WriteResult

Moment = Annotated[
    datetime,
    PlainSerializer(
        lambda value: value.astimezone(UTC).isoformat().replace("+00:00", "Z"), return_type=str
    ),
]


def _is_number(value: object) -> object:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("Send a number.")
    return value


def _is_written_out(value: object) -> object:
    if not re.match(r"\d{4}-\d\d-\d\d[Tt ]", str(value)):
        raise ValueError("Send a date and time with its zone, such as 2026-11-20T09:00:00Z.")
    return value


# Of bodies, which have kinds: pydantic would take 0, "yes" and seconds since 1970 as well.
Flag = StrictBool
Whole = Annotated[int, BeforeValidator(_is_number)]
Instant = Annotated[AwareDatetime, BeforeValidator(_is_written_out)]

Id = Annotated[str, BeforeValidator(str)]
Rounded = Annotated[float, AfterValidator(lambda value: round(value, 4))]
IdOrNull = Annotated[str | None, BeforeValidator(lambda value: str(value) if value else None)]

Item = TypeVar("Item")


def one_of(values: Iterable[str]) -> WithJsonSchema:
    """Describes a text of an answer as one of these; what is sent is not checked by it."""
    return WithJsonSchema({"type": "string", "enum": [str(value) for value in values]})


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    @classmethod
    def of(cls, row: object, **others: Any) -> Self:
        """From a row's attributes of the same names; `others` are those that it has otherwise."""
        wanted = cls.model_fields.keys() - others.keys()
        return cls(**{name: getattr(row, name) for name in wanted if hasattr(row, name)}, **others)


class EndedWords(Camel):
    """Words of a text that hold no longer; `until` is the first day on which they didn't."""

    words: str
    until: date


def ended_words(ended: Iterable[Ended]) -> list[EndedWords]:
    return [EndedWords(words=one.words, until=one.on) for one in ended]


class RequestBody(Camel):
    """What is sent. A name that means nothing is refused: a slip of the pen is no default."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)


class TypedBody(RequestBody):
    """What a person typed."""

    no_secrets: bool = Field(
        False,
        description="With a token that acts as its person: what looks like a password is none. "
        "Without it the answer is 400 `likely_secret`.",
    )

    def typed_by(self, writer: Writer) -> Writer:
        return replace(writer, no_secrets=self.no_secrets)


class MaskedOut(Camel):
    """A secret, or what looks like a password: `[secret: kind]` stands in its place."""

    kind: str = Field(examples=["password"])
    line: int = Field(description="Line number in the file or message, starting at 1.")


class WriteOutcome(Camel):
    """`masked` is there when something was masked, `proposal` when nothing was written yet."""

    masked: list[MaskedOut] = []
    proposal: str | None = Field(
        None,
        description="Set with 202: this changes a shared prompt file, so a person must accept the "
        "proposal with this id first. Until then the file stays as it is.",
    )


def screened(written: WriteResult) -> dict[str, Any]:
    """What `WriteOutcome` says of a write: nothing, where all was written as it is."""
    masked = [MaskedOut.of(one) for one in written.masked]
    proposal = str(written.proposal.pk) if written.proposal else ""
    told = {"masked": masked, "proposal": proposal}
    return {name: value for name, value in told.items() if value}


class Items(Camel, Generic[Item]):
    """A page of a list. Send `cursor` back to get the next one; null: this was the last."""

    items: list[Item]
    cursor: str | None = None


class FieldError(BaseModel):
    field: str
    message: str


class ProblemBody(BaseModel):
    """An error (RFC 9457). `code` is stable and meant for programs, `detail` for people."""

    model_config = ConfigDict(extra="allow", title="Problem")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldError] = []


class OwnerFields(RequestBody):
    """Who the call is about: one of `endUserId`, `channel` + `senderId`, or `owner`."""

    owner: str | None = None
    end_user_id: str | None = None
    channel: str | None = None
    sender_id: str | None = None
    room_id: str | None = None
    group: Flag = False

    @field_validator("end_user_id", "sender_id", "room_id", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise ValueError(
                "Send this id as a JSON string: as a number, ids of 64 bits lose digits."
            )
        return value


# What the query of an address may hold. The names of the lists that take it say the rest.


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
    plain = [value if isinstance(value, int | str) else _plain_text(value) for value in values]
    return signing.dumps(plain, salt=f"memoryweb.page {salt}")


def _plain_text(value: Any) -> str:
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


def _read(cursor: str, salt: str) -> list[Any]:
    try:
        values: list[Any] = signing.loads(cursor, salt=f"memoryweb.page {salt}")
    except signing.BadSignature:
        said = "This cursor isn't valid. Leave it out to start from the first page."
        raise Invalid("cursor", said) from None
    return values
