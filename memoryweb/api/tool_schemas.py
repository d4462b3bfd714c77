"""What the tools take and answer."""

from typing import Literal

from pydantic import Field

from memoryweb.api.schemas import Camel, Flag, OwnerFields, Screened, Whole
from memoryweb.memory import section_writing
from memoryweb.memory.section_writing import Strategy


class Call(OwnerFields):
    conversation_id: str | None = Field(
        None,
        max_length=255,
        description="The current conversation. Recalls are only counted with it.",
    )


class Answer(Camel):
    agent_id: str


class ListFiles(Call):
    filename_prefix: str = Field("", max_length=256)


class ListedFile(Camel):
    filename: str
    enabled: bool
    file_size: int
    owner: str


class FileList(Answer):
    count: int
    files: list[ListedFile]


class FileCall(Call):
    filename: str = Field(max_length=512)


class FileRead(Answer):
    filename: str
    enabled: bool
    content: str
    sha256: str


class WriteFile(FileCall):
    content: str


class WroteFile(Answer, Screened):
    filename: str
    sha256: str
    changed: bool


class EditFile(FileCall):
    old_text: str = Field(min_length=1)
    new_text: str
    replace_all: Flag = False


class EditedFile(Answer, Screened):
    filename: str
    replacements: int


class Remember(Call):
    content: str = Field(min_length=1, max_length=8000)


class Remembered(Answer, Screened):
    filename: str
    line_number: int
    duplicate: bool


class SearchNotes(Call):
    query: str = Field(max_length=1000)
    limit: Whole = Field(5, ge=1, le=50)


class NoteHit(Camel):
    date: str
    filename: str
    line_number: int
    snippet: str


class NoteHits(Answer):
    query: str
    count: int
    entries: list[NoteHit]


class GetNote(Call):
    date: str = Field(max_length=10, examples=["today", "yesterday", "2026-11-20"])


class Note(Answer):
    date: str
    content: str


class SearchWorkspace(Call):
    query: str = Field(max_length=1000)
    scope: Literal["", "own", "shared"] = Field(
        "", description="`own` or `shared` memory only. Default: both."
    )
    limit: Whole = Field(10, ge=1, le=50)


class WorkspaceHit(Camel):
    filename: str
    line_number: int
    snippet: str
    score: float
    date: str | None
    owner: str


class WorkspaceHits(Answer):
    query: str
    count: int
    hits: list[WorkspaceHit]


class WriteMemory(FileCall):
    """`append` and `overwrite` take `content`; `replace_section` takes `heading` and `content`;
    `upsert_kv` takes `key`, `value` and, if it shall stand under one, `heading`."""

    strategy: Strategy
    content: str | None = Field(None, description="Markdown.")
    heading: str = Field(
        "",
        max_length=section_writing.HEADING,
        description="`Plans`, or `## Plans` to name the level. A new one comes at the end; of two "
        "with one name, neither is taken.",
        examples=["Plans"],
    )
    key: str = Field("", max_length=section_writing.KEY, examples=["Check-in"])
    value: str | None = Field(None, max_length=8000, examples=["from 15:00"])


class WroteMemory(Answer, Screened):
    filename: str
    strategy: Strategy
    sha256: str
    changed: bool
