"""Short JSON that repeats itself from row to row, in a third of its room."""

import zlib
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    Bytes = models.BinaryField[bytes, bytes]
else:
    Bytes = models.BinaryField

_PACKED = b"\x01"  # no JSON begins so
_WINDOW = -11  # 2 kB, without a checksum: the chain is one
# What rows are told by. It is part of what is stored: another text would need another first byte.
_KNOWN = (
    b'.requested.deleted.restored.renamed.opened.resolved.changed"fact."forget."snapshot."team.'
    b'"token."user."contradiction.","labels":{"path":","role":"admin","count":,"messages":,'
    b'"added":,"retired":,"reworded":,"kind":"extraction"{"action":"conversation.received",'
    b'"action":"file.written","action":"fact.changed","action":"run.finished","actor_id":"",'
    b'"actor_kind":"user","actor_kind":"token","actor_kind":"system","actor_role":"",'
    b'"agent_id":"","at_us":179,"before_revision":null,"details":{"author":"extraction",'
    b'"author":"dream","size":"attempts":1,"kind":"dream"},"ip":"","labels":{},"model":"",'
    b'"on_behalf_of":null,"on_behalf_of":"","outcome":"succeeded","outcome":"ok",'
    b'"reason_code":"","request_id":"","run_id":null,"run_id":"","target_id":"",'
    b'"target_kind":"conversation","target_kind":"run","target_kind":"file",'
    b'"target_revision":null,"token_id":null,"token_id":"","user_agent":""}'
)


def packed(text: bytes) -> bytes:
    made = zlib.compressobj(6, zlib.DEFLATED, _WINDOW, zdict=_KNOWN)
    return _PACKED + made.compress(text) + made.flush()


def unpacked(stored: bytes) -> bytes:
    """Also of rows that are stored as they are; what was tampered with reads as what it is."""
    if not stored.startswith(_PACKED):
        return stored
    try:
        return zlib.decompressobj(_WINDOW, zdict=_KNOWN).decompress(stored[1:])
    except zlib.error:
        return stored


class PackedField(Bytes):
    def deconstruct(self) -> Any:
        """To migrations a column of bytes."""
        name, _path, args, named = super().deconstruct()
        return name, "django.db.models.BinaryField", args, named

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        stored = value if value is None else packed(bytes(value))
        return super().get_db_prep_value(stored, connection, prepared)

    def from_db_value(
        self, value: Any, _expression: object, _connection: BaseDatabaseWrapper
    ) -> bytes | None:
        return value if value is None else unpacked(bytes(value))
