"""Where a page of results ended, as an opaque text that fits the same search only."""

from collections.abc import Collection
from dataclasses import astuple, dataclass

from django.core import signing
from django.utils.translation import gettext as _

from memoryweb.agents.readers import Reader
from memoryweb.memory.index.query_syntax import Query
from memoryweb.memory.models.refusals import SearchRefused


@dataclass(frozen=True)
class Cursor:
    """The last hit of a page: the file or conversation, the place in it, and its score then."""

    whole: int
    ordinal: int
    score: float


def stamp(reader: Reader, query: Query, kinds: Collection[str], scope: str) -> str:
    owner = reader.owner.pk if reader.owner else None
    return f"memoryweb.search {(reader.agent.pk, owner, query, sorted(kinds), scope)!r}"


def write(cursor: Cursor, stamp: str) -> str:
    return signing.dumps(astuple(cursor), salt=stamp)


def read(text: str, stamp: str) -> Cursor:
    """Raises SearchRefused."""
    try:
        return Cursor(*signing.loads(text, salt=stamp))
    except signing.BadSignature:
        raise SearchRefused(
            "bad_cursor", _("This page of results does not exist; start the search again.")
        ) from None
