"""The arithmetic of the chain: what an event's hash covers. Pure, and easily repeated elsewhere."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

VERSION = 1
GENESIS = bytes(32)


def canonical(fields: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys, no spaces, UTF-8; UUIDs in their written form."""
    return json.dumps(
        fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain
    ).encode()


def link(team_id: UUID, seq: int, previous: bytes, canonical: bytes) -> bytes:
    """SHA-256(version ‖ team ‖ seq ‖ previous ‖ canonical): 1, 16, 8, 32, n bytes; big-endian."""
    head = bytes([VERSION]) + team_id.bytes + seq.to_bytes(8, "big") + previous
    return hashlib.sha256(head + canonical).digest()


def commitment(salt: bytes, text: str) -> str:
    """What stands in an event for a text: proves it while the salt is kept, hides it after."""
    return hmac.new(salt, text.encode(), hashlib.sha256).hexdigest()


def _plain(value: object) -> str:
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in an audit event.")
