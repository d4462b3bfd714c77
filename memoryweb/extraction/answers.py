"""What a model must answer to an extraction: SPEC §4's JSON, with its limits."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictStr

from memoryweb.llm.parsing import Text, clean

MAX_LINES = 200
MAX_LINE_CHARACTERS = 2_000
MAX_DAILY_CHARACTERS = 50_000
MAX_FILE_CHARACTERS = 200_000


def _id(value: object) -> object:
    """Ids are strings, but a model that was given "12" may well answer 12."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else clean(value)


MessageId = Annotated[StrictStr, BeforeValidator(_id), Field(max_length=255)]


class ExtractedLine(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)

    text: Annotated[Text, Field(min_length=1, max_length=MAX_LINE_CHARACTERS)]
    message_ids: tuple[MessageId, ...] = Field(alias="messageIds", default=(), max_length=100)
    durable: StrictBool = False


class ExtractionAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    should_update: StrictBool
    reason: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)]
    daily_entry: Annotated[Text, Field(max_length=MAX_DAILY_CHARACTERS)] = ""
    memory_update: Annotated[Text, Field(max_length=MAX_FILE_CHARACTERS)] = ""
    profile_update: Annotated[Text, Field(max_length=MAX_FILE_CHARACTERS)] = ""
    lines: tuple[ExtractedLine, ...] = Field(default=(), max_length=MAX_LINES)
