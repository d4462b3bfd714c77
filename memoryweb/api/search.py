"""Search over what an agent remembers (SPEC §7)."""

from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Owner, Reader
from memoryweb.api import acting_owner
from memoryweb.api.auth import Request, Right
from memoryweb.api.context import HitOut, conversation_of, found_at
from memoryweb.api.problems import Invalid
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, OwnerQuery, one_of
from memoryweb.memory import prompt
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import Hit
from memoryweb.memory.lines.files import numbers_of
from memoryweb.memory.models import Scope as FileScope
from memoryweb.memory.models import SourceClass
from memoryweb.memory.search import search
from memoryweb.memory.visible import placeholders

router = Router(tags=["Search"])

KINDS = ("file", "message", "fact", "entry")


class SearchQuery(OwnerQuery):
    q: str = Field(
        max_length=1000,
        description='Words, "quoted phrases" and filters: `path:`, `owner:`, `before:`, `after:` '
        "(dates), `at:` (a date or a moment: as it was then).",
        examples=["high floor"],
    )
    limit: int = Field(10, ge=1, le=50, description="Hits per page.")
    kinds: str = Field(
        "file,message",
        description="Of `file` (with the entries), `message`, `fact` (statements that stand in no "
        "file), `entry` (those alone).",
    )
    cursor: str = Field("", max_length=200, description="The `cursor` of the previous page.")
    conversation_id: str | None = Field(
        None,
        alias="conversationId",
        max_length=255,
        description="The conversation the hits are for; they count as recalled there. Flagged lines"
        " are left out of hits for a conversation or an integration.",
    )


class SearchHit(HitOut):
    kind: Literal["file", "message", "fact", "entry"]
    revision: int | None = Field(
        description="The file's current revision, or with `at:` the one at that moment."
    )
    entry_id: int | None = Field(None, description="Of a named entry, whose kind is `entry`.")
    scope: Annotated[str, one_of(FileScope)]
    source: Annotated[str, one_of(SourceClass)] = Field(
        description="Who said it. If several did, the least trusted of them."
    )
    snippet: str
    marks: list[tuple[int, int]] = Field(description="Start and end of each match in the snippet.")


class SearchResults(Camel):
    query: str
    total: int
    cursor: str | None
    hits: list[SearchHit]
    notice: str | None = Field(
        None, description="Why only words were searched, where an embedding endpoint is set up."
    )


@router.operation("GET", "/agents/{agent_id}/workspace/search", Right.READ)
def search_workspace(request: Request, agent_id: str, asked: Query[SearchQuery]) -> SearchResults:
    """Search files, messages and statements, best first."""
    caller = request.auth
    agent = caller.agent(agent_id)
    owner = acting_owner.asked(caller, asked.owner, default="me")
    kinds = _kinds(asked.kinds)
    # Nothing is kept yet about an owner who was never met: nobody's memory but the shared.
    reader = Reader(agent, None if owner and owner._state.adding else owner)
    conversation = conversation_of(agent, owner, asked.conversation_id)
    query = query_syntax.parse(asked.q)
    if conversation and conversation.ephemeral:
        reader = Reader(agent)
    is_given = conversation is not None or caller.user is None
    found = search(reader, query, limit=asked.limit, kinds=kinds, cursor=asked.cursor)
    hits = found.hits
    if is_given:
        hits = tuple(placeholders.allowed(hits, then=query.at is not None))
        prompt.found(
            reader,
            asked.q,
            hits,
            conversation=conversation,
            token=caller.token,
            at=timezone.now(),
        )
    numbers = numbers_of(one.file for one in hits if one.file)
    return SearchResults(
        query=asked.q,
        total=found.total - len(found.hits) + len(hits),
        cursor=found.cursor or None,
        hits=[_hit(one, owner, numbers) for one in hits],
        notice=found.notice or None,
    )


def _kinds(text: str) -> list[str]:
    kinds = [kind.strip() for kind in text.split(",")]
    for kind in kinds:
        if kind not in KINDS:
            raise Invalid("kinds", f"There is no kind “{kind[:40]}”; take {', '.join(KINDS)}.")
    return kinds


def _hit(hit: Hit, owner: Owner | None, numbers: Mapping[UUID, int]) -> SearchHit:
    scope = hit.file.scope if hit.file else FileScope.PERSONAL
    number = numbers.get(hit.file.pk) if hit.file else None
    return SearchHit(
        **found_at(hit) | ({"kind": "entry", "entry_id": number} if number else {}),
        revision=hit.revision,
        owner=acting_owner.shown(owner if hit.owner_id else None, scope),
        scope=scope,
        source=hit.source,
        snippet=hit.snippet,
        marks=list(hit.marks),
    )
