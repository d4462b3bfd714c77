"""Keys of model endpoints as the database holds them: nobody reads them there.

What they are sealed with is made of the installation's secret key, which no database holds. A
sealed key opens only for the team and the address that it was sealed for.
"""

import os

from cryptography.exceptions import InvalidTag
from django.conf import settings

from memoryweb.audit import keys

_PURPOSE = b"memoryweb model key 1\n"
_NONCE_BYTES = 12


def seal(key: str, bound_to: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    cipher = keys.cipher(settings.SECRET_KEY, _PURPOSE)
    return nonce + cipher.encrypt(nonce, key.encode(), bound_to.encode())


def unseal(sealed: bytes, bound_to: str, secret: str = "") -> str | None:
    """None where the installation's secret key, the team or the address is another one now."""
    nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    cipher = keys.cipher(secret or settings.SECRET_KEY, _PURPOSE)
    try:
        return cipher.decrypt(nonce, rest, bound_to.encode()).decode()
    except (InvalidTag, ValueError):
        return None
