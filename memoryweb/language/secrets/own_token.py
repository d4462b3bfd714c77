"""The shape of our bearer tokens: `mwp_`, 32 random base62 characters, and their CRC32 in
six more. The checksum lets a mistyped or invented token be refused, and a leaked one be recognised,
without asking the database. Pure.
"""

import re
import secrets
import string
import zlib

PREFIX = "mwp_"
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{38}}", re.ASCII)


def generate() -> str:
    body = PREFIX + "".join(secrets.choice(_ALPHABET) for _turn in range(32))
    return body + _checksum(body)


def is_well_formed(secret: str) -> bool:
    return bool(_SHAPE.fullmatch(secret)) and _checksum(secret[:-6]) == secret[-6:]


def _checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), ""
    for _turn in range(6):
        number, digit = divmod(number, 62)
        digits = _ALPHABET[digit] + digits
    return digits
