"""What a model must answer to a dream: operations on statements (SPEC §5.4), with their limits."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from memoryweb.dreaming.operations import Does, Operation, Why
from memoryweb.llm.parsing import Text

MAX_OPERATIONS = 1_000
MAX_LINE_CHARACTERS = 4_000
MAX_DIARY_CHARACTERS = 8_000


def _list(value: object) -> object:
    """One id alone is as good as a list of one."""
    return [value] if isinstance(value, str) else value


Refs = Annotated[
    tuple[Annotated[Text, Field(max_length=100)], ...],
    BeforeValidator(_list),
    Field(max_length=100),
]


class OperationAnswer(BaseModel):
    """`old` are ids of statements, `sources` ids of note lines or statements, as they were given.
    A reason that isn't one of ours is no reason."""

    model_config = ConfigDict(frozen=True)

    op: Literal["add", "replace", "merge", "retire"]
    text: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)] = ""
    old: Refs = ()
    sources: Refs = ()
    why: Annotated[Text, Field(max_length=100)] = ""
    had_secret: SkipJsonSchema[bool] = False  # set when it is masked, before it is stored

    @property
    def operation(self) -> Operation:
        known: dict[str, Why] = {why.value: why for why in Why}
        text = " ".join(self.text.split()).removeprefix("- ")
        why = known.get(self.why.casefold(), Why.SUPERSEDED)
        return Operation(
            Does(self.op), text, self.old, self.sources, why, had_secret=self.had_secret
        )


class DreamAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    operations: tuple[OperationAnswer, ...] = Field(max_length=MAX_OPERATIONS)
    reason: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)] = ""
    diary: Annotated[Text, Field(max_length=MAX_DIARY_CHARACTERS)] = ""
