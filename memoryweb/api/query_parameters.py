"""What a question about files may narrow down by, and how an answer about the past is made."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from memoryweb.api.operations import ReachPaging
from memoryweb.api.schemas import Instant
from memoryweb.workspace.models import AuthorKind
from memoryweb.workspace.moments import Past


class FilesAsked(ReachPaging):
    """`owner`, `at`, `cursor` and `limit`."""

    at: Instant | None = Field(
        None,
        description="The workspace as it was at this moment, by name: names, sizes, hashes and "
        "revisions of then.",
        examples=["2026-11-16T00:00:00Z"],
    )


class RevisionsAsked(ReachPaging):
    """`owner`, `authorKind`, `runId`, `cursor` and `limit`."""

    author_kind: AuthorKind | None = Field(
        None, description="Only revisions by such an author.", examples=["dream"]
    )
    run_id: UUID | None = Field(None, description="Only what this run wrote.")

    @property
    def columns(self) -> dict[str, Any]:
        asked = {"author_kind": self.author_kind, "run": self.run_id}
        return {name: value for name, value in asked.items() if value is not None}


def of_then(past: Past) -> dict[str, str | int | datetime | None]:
    """The fields of a file that are others in its past."""
    return {
        "filename": past.path,
        "size": past.size,
        "sha256": past.sha256,
        "revision": past.number,
        "updated_at": past.written_at,
    }
