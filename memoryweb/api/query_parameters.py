"""What the query of an address may hold. The names of the lists that take it say the rest."""

from typing import Any
from uuid import UUID

from pydantic import Field

from memoryweb.api.schemas import Camel, Instant
from memoryweb.memory.models.author_kinds import AuthorKind


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
