"""What the query of an address may hold. The names of the lists that take it say the rest."""

from typing import Any
from uuid import UUID

from pydantic import Field

from memoryweb.api.pagination import DEFAULT_LIMIT, MAX_LIMIT
from memoryweb.api.schemas import Camel, Instant
from memoryweb.workspace.models import AuthorKind


class Paging(Camel):
    cursor: str | None = Field(None, description="`cursor` of the page before.")
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="Rows a page.")


class OwnerQuery(Camel):
    owner: str | None = Field(
        None,
        description="Whose memory: an owner's id, `me`, `shared`, or a shown form such as "
        "`slack:U012`, `api:helpdesk/42`. An integration's token must send it.",
        examples=["shared"],
    )


class OwnerPaging(OwnerQuery, Paging):
    """`owner`, `cursor` and `limit`."""


class FileQuery(OwnerPaging):
    """`owner`, `at`, `cursor` and `limit`."""

    at: Instant | None = Field(
        None,
        description="The workspace as it was at this moment, by name: names, sizes, hashes and "
        "revisions of then.",
        examples=["2026-11-16T00:00:00Z"],
    )


class RevisionQuery(OwnerPaging):
    """`owner`, `authorKind`, `runId`, `cursor` and `limit`."""

    author_kind: AuthorKind | None = Field(
        None, description="Only revisions by such an author.", examples=["dream"]
    )
    run_id: UUID | None = Field(None, description="Only what this run wrote.")

    @property
    def columns(self) -> dict[str, Any]:
        asked = {"author_kind": self.author_kind, "run": self.run_id}
        return {name: value for name, value in asked.items() if value is not None}
