"""What a model must answer to a dream: SPEC §5.4's JSON, with its limits."""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from memoryweb.llm.parsing import Text

MAX_CITATIONS = 1_000
MAX_LINE_CHARACTERS = 4_000
MAX_DIARY_CHARACTERS = 8_000
MAX_MEMORY_CHARACTERS = 200_000

_SOURCE = re.compile(r"(?P<path>[^#\n]{1,256})#L(?P<first>\d{1,6})(?:-L?(?P<last>\d{1,6}))?")


@dataclass(frozen=True)
class Cited:
    """Lines `first` to `last` of a note, both included, counted from 1."""

    path: str
    first: int
    last: int


class Citation(BaseModel):
    """`text` is the line of the new MEMORY.md; some models give its number as `line` instead."""

    model_config = ConfigDict(frozen=True)

    text: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)] = ""
    line: int | None = Field(default=None, ge=1, le=100_000)
    source: Annotated[Text, Field(max_length=300)]

    @property
    def cited(self) -> Cited | None:
        """None when the source is not written as `path#Lx-Ly`: such a citation proves nothing."""
        match = _SOURCE.fullmatch(self.source.strip())
        if match is None:
            return None
        first = int(match["first"])
        last = int(match["last"] or first)
        return Cited(match["path"], first, last) if 1 <= first <= last else None


class DreamAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    should_update: StrictBool
    reason: Annotated[Text, Field(max_length=MAX_LINE_CHARACTERS)]
    memory_content: Annotated[Text, Field(max_length=MAX_MEMORY_CHARACTERS)]
    diary: Annotated[Text, Field(max_length=MAX_DIARY_CHARACTERS)] = ""
    citations: tuple[Citation, ...] = Field(default=(), max_length=MAX_CITATIONS)
