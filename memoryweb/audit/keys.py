"""The keys of this installation, and whether those configured now are those of the database.

Each text of which only a keyed hash is kept, its *print*, each sealed model key and the end of each
chain depend on the secret key, checkpoints on another. No key stands in the database; which ones it
was written with does, sealed under the secret key itself.

After a change of the key nobody has the texts to make their prints anew. The old prints are
wrapped: HMAC under the new key of the old print. So each goes through all keys, the oldest first.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import DatabaseError, OperationalError
from django.utils.crypto import salted_hmac
from django.utils.encoding import force_bytes
from django.utils.translation import gettext as _

from memoryweb.audit.models import ChainHead, Keys
from memoryweb.core.kept_texts import kept_text

_CHECKPOINTS = b"memoryweb audit checkpoint 1\n"
_RING = b"memoryweb keys 1\n"
_SEALED = b"memoryweb model key 1\n"
_NONCE_BYTES = 12


class KeysRefused(Exception):
    """Says what is wrong with the keys, and what to do."""


@dataclass(frozen=True)
class Ring:
    """The secret keys, oldest first, and the public keys (hex) of checkpoints that count."""

    secrets: tuple[str, ...]
    signers: tuple[str, ...]


def ring() -> Ring:
    """Raises KeysRefused. Asks the database once a process."""
    return _kept(settings.SECRET_KEY)


def newest() -> int:
    """Its place in the ring."""
    return len(ring().secrets) - 1


@cache
def lost_at() -> datetime | None:
    """When the key before was lost, while people are to be told."""
    return Keys.objects.values_list("lost_at", flat=True).first()


def forget() -> None:
    """The next one who asks reads them anew."""
    _kept.cache_clear()
    lost_at.cache_clear()


def print_of(salt: str, said: str | bytes, algorithm: str = "sha256") -> str:
    """Tells whether two texts are one, without a way back to them. Stays what it is for a text when
    the key changes, if its column is a `KeyedCharField`."""
    made = first_print_of(salt, said, algorithm)
    for secret in ring().secrets[1:]:
        made = wrapped(made, secret)
    return made


def first_print_of(salt: str, said: str | bytes, algorithm: str = "sha256") -> str:
    """By the first key alone: for audit events, which nobody can wrap."""
    first = ring().secrets[0]
    if not salt:
        return hmac.digest(first.encode(), force_bytes(said), algorithm).hex()
    return salted_hmac(salt, said, secret=first, algorithm=algorithm).hexdigest()


def wrapped(made: str, secret: str) -> str:
    """A print as it is under the next key."""
    by = salted_hmac("memoryweb.print", made, secret=secret, algorithm="sha256")
    return by.hexdigest()[: len(made)]


def check() -> None:
    """Raises KeysRefused where the database was written with other keys than those configured."""
    row = _row()
    if row is not None and public_key() not in _opened(row).signers:
        raise KeysRefused(
            _(
                "The checkpoints of this database's audit log are signed with another key. Put back"
                " the old one: set MEMORYWEB_CHECKPOINT_SECRET, or copy the file checkpoint-key to"
                " {home}. If it is gone, or each host has its own, “manage.py change_secret_key”"
                " takes over this one beside the others."
            ).format(home=settings.SHARED)
        )


def check_start() -> None:
    """The same, and raises KeysRefused where this host keeps its checkpoints elsewhere than those
    that were started before."""
    check()
    if (row := _row()) is None:
        return
    with suppress(OSError):  # another's folder may not even be ours to read
        here = kept_text(Path(settings.CHECKPOINTS) / "folder-print")
        if not row.folder:
            with suppress(OperationalError):  # while somebody writes for long: the next start does
                Keys.objects.filter(pk=row.pk, folder="").update(folder=here)
            row.refresh_from_db(fields=["folder"])
        if row.folder in {"", here}:
            return
    raise KeysRefused(
        _(
            "{folder} is not the folder that holds the checkpoints of this database. All hosts"
            " share one: mount it here, or set MEMORYWEB_SHARED or MEMORYWEB_CHECKPOINTS to it."
            " If it is gone, “Several hosts” in docs/operations.md tells what to do."
        ).format(folder=settings.CHECKPOINTS)
    )


def forget_folder() -> None:
    """The next host that starts may keep its checkpoints wherever it does."""
    Keys.objects.update(folder="")


def _row() -> Keys | None:
    try:
        return Keys.objects.first()
    except DatabaseError:
        return None  # it does not answer, or is older: that has sentences of its own


def open_ring(row: Keys, secret: str) -> Ring | None:
    """None: it was sealed under another key."""
    sealed = bytes(row.sealed)
    try:
        plain = cipher(secret, _RING).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
    except (InvalidTag, ValueError):
        return None
    return Ring(**{name: tuple(keys) for name, keys in json.loads(plain).items()})


def seal_ring(made: Ring) -> bytes:
    """Under the newest of its secret keys."""
    nonce = os.urandom(_NONCE_BYTES)
    plain = json.dumps(asdict(made)).encode()
    return nonce + cipher(made.secrets[-1], _RING).encrypt(nonce, plain, None)


def seal_of(head: ChainHead, secret: str = "") -> bytes:
    """Nobody without the key can make it for another end of the chain, or another count."""
    said = f"{head.team_id} {head.seq} {bytes(head.hash).hex()} {head.checkpoints}"
    secret = secret or ring().secrets[-1]
    return salted_hmac("memoryweb.audit.head", said, secret=secret, algorithm="sha256").digest()


def is_sealed(head: ChainHead, secret: str = "") -> bool:
    """It is as memoryweb wrote it. A chain that has not begun has nothing to seal."""
    is_new = not head.seq and not head.checkpoints and not head.seal
    return is_new or hmac.compare_digest(bytes(head.seal), seal_of(head, secret))


def signer() -> Ed25519PrivateKey:
    return _signer(settings.CHECKPOINT_SECRET)


def public_key() -> str:
    return signer().public_key().public_bytes_raw().hex()


def have_signed(key: str, signature: str, said: bytes) -> bool:
    """It was a key of this installation."""
    return has_signed(key, signature, said) and key in ring().signers


def has_signed(key: str, signature: str, said: bytes) -> bool:
    """All in hex, but what was said."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), said)
    except (InvalidSignature, ValueError):
        return False
    return True


@cache
def cipher(secret: str, purpose: bytes) -> AESGCM:
    return AESGCM(_derived(secret, purpose))


# Secrets of others as the database holds them, such as keys of model endpoints: nobody reads them
# there, and each opens only for what it was sealed for.


def seal(secret: str, bound_to: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    sealed = cipher(settings.SECRET_KEY, _SEALED).encrypt(nonce, secret.encode(), bound_to.encode())
    return nonce + sealed


def unseal(sealed: bytes, bound_to: str, key: str = "") -> str | None:
    """None where the installation's secret key, or what it was sealed for, is another one now."""
    nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    opener = cipher(key or settings.SECRET_KEY, _SEALED)
    try:
        return opener.decrypt(nonce, rest, bound_to.encode()).decode()
    except (InvalidTag, ValueError):
        return None


@cache
def _kept(secret: str) -> Ring:
    row = Keys.objects.first()
    return Ring((secret,), (public_key(),)) if row is None else _opened(row)


def _opened(row: Keys) -> Ring:
    found = open_ring(row, settings.SECRET_KEY)
    if found is None:
        raise KeysRefused(
            _(
                "This database was written with another secret key. With this one, erased text"
                " could come back. Put back the old one: set MEMORYWEB_SECRET_KEY, or copy the file"
                " secret-key to {home}. To change the key, run “manage.py change_secret_key”."
            ).format(home=settings.SHARED)
        )
    return found


@cache
def _signer(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(_derived(secret, _CHECKPOINTS))


def _derived(secret: str, purpose: bytes) -> bytes:
    """RFC 5869 stretches a kept secret to the 32 bytes of a key."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())


# The arithmetic of the chain: what an event's hash covers. Pure, and easily repeated elsewhere.

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
