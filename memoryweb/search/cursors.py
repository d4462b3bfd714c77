"""Where a page of results ended, as an opaque text that fits the same search only."""

import base64
import hashlib
import struct
from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from memoryweb.agents.readers import Reader
from memoryweb.search.exceptions import SearchRefused
from memoryweb.search.query_syntax import Query

_LAYOUT = struct.Struct(">8sqqd")


@dataclass(frozen=True)
class Cursor:
    """The last hit of a page: the file or conversation, the place in it, and its score then."""

    whole: int
    ordinal: int
    score: float


def stamp(reader: Reader, query: Query, kinds: Collection[str], scope: str) -> bytes:
    owner = reader.owner.pk if reader.owner else None
    asked = repr((reader.agent.pk, owner, query, sorted(kinds), scope))
    return hashlib.sha256(asked.encode(errors="surrogatepass")).digest()[:8]


def write(cursor: Cursor, stamp: bytes) -> str:
    packed = _LAYOUT.pack(stamp, cursor.whole, cursor.ordinal, cursor.score)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def read(text: str, stamp: bytes) -> Cursor:
    """Raises SearchRefused."""
    try:
        packed = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
        known, whole, ordinal, score = _LAYOUT.unpack(packed)
    except (ValueError, struct.error):
        known = b""
    if known != stamp:
        raise SearchRefused(
            "bad_cursor", _("This page of results does not exist; start the search again.")
        )
    return Cursor(whole, ordinal, score)
