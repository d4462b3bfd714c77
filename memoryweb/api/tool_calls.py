"""What a tool is, and what every one takes and answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from memoryweb.api.auth import Right
from memoryweb.api.schemas import Camel, OwnerFields, WriteOutcome, screened
from memoryweb.memory.writing.write import WriteResult


class Call(OwnerFields):
    conversation_id: str | None = Field(
        None,
        max_length=255,
        description="The current conversation. Recalls are only counted with it.",
    )


class Answer(Camel):
    agent_id: str


class WroteFile(Answer, WriteOutcome):
    filename: str
    sha256: str
    changed: bool


def wrote(written: WriteResult) -> dict[str, Any]:
    """The fields of a `WroteFile`."""
    file = {"filename": written.file.path, "sha256": written.file.sha256}
    return {**file, "changed": written.changed, **screened(written)}


@dataclass(frozen=True)
class Tool:
    """`run` is given who acts and the arguments, where the tool writes also the transaction (or,
    where it `begins` its own, what opens one) and the writer; it returns the fields of the answer.
    Its docstring says what the tool does.

    Of what writes: `adds` alone and takes nothing away; `repeats` as one, done twice.
    """

    name: str
    answer: type[Camel]
    run: Callable[..., dict[str, Any]]
    writes: bool = False
    begins: bool = False
    adds: bool = False
    repeats: bool = False

    @property
    def takes(self) -> type[Call]:
        asked: type[Call] = self.run.__annotations__["asked"]
        return asked

    @property
    def right(self) -> Right:
        return Right.WRITE_OWN if self.writes else Right.READ
