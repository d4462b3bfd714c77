"""Keys of model endpoints as the database holds them: nobody reads them there.

What they are sealed with is made of the installation's secret key, which no database holds. A
sealed key opens only for the team and the address that it was sealed for.
"""

import os
from functools import cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_PURPOSE = b"memoryweb model key 1\n"
_NONCE_BYTES = 12


def seal(key: str, bound_to: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + _cipher(settings.SECRET_KEY).encrypt(nonce, key.encode(), bound_to.encode())


def unseal(sealed: bytes, bound_to: str) -> str | None:
    """None where the installation's secret key, the team or the address is another one now."""
    nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    try:
        return _cipher(settings.SECRET_KEY).decrypt(nonce, rest, bound_to.encode()).decode()
    except (InvalidTag, ValueError):
        return None


@cache
def _cipher(secret: str) -> AESGCM:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE)
    return AESGCM(derived.derive(secret.encode()))
