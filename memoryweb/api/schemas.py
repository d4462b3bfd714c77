"""How the API writes: camelCase, ids as strings, times in ISO 8601 UTC with a Z."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Self, TypeVar

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


class Screened(Camel):
    """`masked` is there when something was masked, `proposal` when nothing was written yet."""

    masked: list[MaskedOut] = []
    proposal: str | None = Field(
        None,
        description="Set with 202: this changes a shared prompt file, so a person must accept the "
        "proposal with this id first. Until then the file stays as it is.",
    )


def screened(written: WriteResult) -> dict[str, Any]:
    """What `Screened` says of a write: nothing, where all was written as it is."""
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
