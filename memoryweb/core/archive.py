"""A backup as one file: a tar whose first member is a signed list of the others, with their
checksums; encrypted under a passphrase, if there is one.

Encrypted it is `MAGIC`, a salt of 16 bytes, and pieces of 1 MiB under AES-256-GCM by a key that
scrypt makes of the passphrase. A piece's nonce counts it and says whether it is the last one, so
that none can be left out, repeated or cut off.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

MAGIC = b"memoryweb backup 1\n"
MANIFEST, SIGNATURE = "manifest.json", "signature.json"
_SALT_BYTES, _TAG_BYTES, _PIECE = 16, 16, 1 << 20

Sign = Callable[[bytes], Mapping[str, str]]
Manifest = dict[str, Any]


class BackupRefused(Exception):
    """It is no backup, not a whole one, or not the one that was made."""


def pack(
    path: Path, files: Mapping[str, Path], said: Manifest, sign: Sign, passphrase: bytes
) -> None:
    """All or nothing: whatever is raised, nothing stands at `path`."""
    sums = {
        name: {"sha256": _sha256(one), "bytes": one.stat().st_size} for name, one in files.items()
    }
    manifest = json.dumps({**said, "files": sums}, indent=1).encode()
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as stream:
            out: Any = _Sealing(stream, passphrase) if passphrase else stream
            first = {MANIFEST: manifest, SIGNATURE: json.dumps(sign(manifest)).encode()}
            with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as tar:
                for name, data in first.items():
                    member = tarfile.TarInfo(name)
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
                for name, file in files.items():
                    tar.add(file, name)
            if isinstance(out, _Sealing):
                out.finish()
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            raise FileExistsError(path)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def unpack(
    path: Path, folder: Path, check: Callable[[bytes, Mapping[str, str]], None], passphrase: bytes
) -> Manifest:
    """What was packed lies in the folder. `check` gets the list and what `sign` had made of it.
    Raises BackupRefused."""
    with path.open("rb") as stream:
        is_sealed = stream.read(len(MAGIC)) == MAGIC
        stream.seek(0)
        if is_sealed != bool(passphrase):
            said = "is encrypted: give its passphrase" if is_sealed else "is not encrypted"
            raise BackupRefused(f"{path} {said} (--passphrase-file).")
        try:
            source: Any = _Opening(stream, passphrase) if is_sealed else stream
            with tarfile.open(fileobj=source, mode="r|") as tar:
                return _unpacked(tar, folder, check)
        except (tarfile.TarError, ValueError, KeyError, EOFError) as error:
            said = f"{path} is no whole backup of memoryweb: {error}."
            raise BackupRefused(said) from None


def _unpacked(
    tar: tarfile.TarFile, folder: Path, check: Callable[[bytes, Mapping[str, str]], None]
) -> Manifest:
    manifest, signature = (_next(tar, name).read() for name in (MANIFEST, SIGNATURE))
    check(manifest, json.loads(signature))
    said: Manifest = json.loads(manifest)
    for name, told in said["files"].items():
        data, target = _next(tar, name), folder / Path(name).name
        with target.open("xb") as out:
            while piece := data.read(_PIECE):
                out.write(piece)
        if (_sha256(target), target.stat().st_size) != (told["sha256"], told["bytes"]):
            raise ValueError(f"{name} is not as it was written")
    return said


def _next(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    member = tar.next()
    data = tar.extractfile(member) if member and member.name == name else None
    if data is None:
        raise ValueError(f"{name} is missing")
    return data


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _cipher(passphrase: bytes, salt: bytes) -> AESGCM:
    return AESGCM(Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase))


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


class _Sealing:
    def __init__(self, out: IO[bytes], passphrase: bytes) -> None:
        salt = os.urandom(_SALT_BYTES)
        self._out, self._cipher = out, _cipher(passphrase, salt)
        self._waiting, self._number = bytearray(), 0
        out.write(MAGIC + salt)

    def write(self, data: bytes) -> int:
        self._waiting += data
        while len(self._waiting) > _PIECE:
            self._seal(bytes(self._waiting[:_PIECE]), is_last=False)
            del self._waiting[:_PIECE]
        return len(data)

    def finish(self) -> None:
        self._seal(bytes(self._waiting), is_last=True)

    def _seal(self, piece: bytes, *, is_last: bool) -> None:
        nonce = _nonce(self._number, is_last=is_last)
        self._out.write(self._cipher.encrypt(nonce, piece, MAGIC))
        self._number += 1


class _Opening:
    def __init__(self, source: IO[bytes], passphrase: bytes) -> None:
        source.read(len(MAGIC))
        self._source, self._cipher = source, _cipher(passphrase, source.read(_SALT_BYTES))
        self._plain, self._number = bytearray(), 0
        self._next = source.read(_PIECE + _TAG_BYTES)

    def read(self, size: int) -> bytes:
        while len(self._plain) < size and self._next:
            piece, self._next = self._next, self._source.read(_PIECE + _TAG_BYTES)
            nonce = _nonce(self._number, is_last=not self._next)
            try:
                self._plain += self._cipher.decrypt(nonce, piece, MAGIC)
            except InvalidTag:
                why = "the passphrase is another one, or it was changed or cut off"
                raise ValueError(why) from None
            self._number += 1
        taken = bytes(self._plain[:size])
        del self._plain[:size]
        return taken
