"""A backup as one file: a tar whose first member is a signed list of the others, with their
checksums; encrypted under a passphrase, if there is one.

Encrypted it is `MAGIC`, a salt of 16 bytes, and pieces of 1 MiB under AES-256-GCM by a key that
scrypt makes of the passphrase. A piece's nonce counts it and says whether it is the last one, so
that none can be left out, repeated or cut off.
"""

import errno
import hashlib
import io
import json
import os
import shutil
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
Check = Callable[[bytes, Mapping[str, str]], None]
Cipher = Callable[[bytes, bytes, bytes], bytes]
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
    first = {MANIFEST: manifest, SIGNATURE: json.dumps(sign(manifest)).encode()}
    plain, part = (path.with_name(f"{path.name}.{ending}") for ending in ("tar", "part"))
    try:
        with tarfile.open(plain, "w", format=tarfile.PAX_FORMAT) as tar:
            for name, data in first.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
            for name, file in files.items():
                tar.add(file, name)
        made = _sealed(plain, part, passphrase) if passphrase else plain
        with made.open("rb") as stream:
            os.fsync(stream.fileno())
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        made.rename(path)
    finally:
        plain.unlink(missing_ok=True)
        part.unlink(missing_ok=True)


def unpack(path: Path, folder: Path, check: Check, passphrase: bytes) -> Manifest:
    """What was packed lies in the folder. `check` gets the list and what `sign` had made of it.
    Raises BackupRefused."""
    with path.open("rb") as stream:
        is_sealed = stream.read(len(MAGIC)) == MAGIC
    if is_sealed != bool(passphrase):
        said = "is encrypted: give its passphrase" if is_sealed else "is not encrypted"
        raise BackupRefused(f"{path} {said} (--passphrase-file).")
    plain = _opened(path, folder / "tar", passphrase) if is_sealed else path
    try:
        with tarfile.open(plain, "r:") as tar:
            return _unpacked(tar, folder, check)
    except (tarfile.TarError, ValueError, KeyError, EOFError) as error:
        raise BackupRefused(f"{path} is no whole backup of memoryweb: {error}.") from None
    finally:
        (folder / "tar").unlink(missing_ok=True)


def _unpacked(tar: tarfile.TarFile, folder: Path, check: Check) -> Manifest:
    manifest, signature = (_next(tar, name).read() for name in (MANIFEST, SIGNATURE))
    check(manifest, json.loads(signature))
    said: Manifest = json.loads(manifest)
    for name, told in said["files"].items():
        data, target = _next(tar, name), folder / Path(name).name
        with target.open("xb") as out:
            shutil.copyfileobj(data, out)
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


def _sealed(plain: Path, target: Path, passphrase: bytes) -> Path:
    salt = os.urandom(_SALT_BYTES)
    with plain.open("rb") as source, target.open("wb") as out:
        out.write(MAGIC + salt)
        _by_pieces(source, out, _cipher(passphrase, salt).encrypt, _PIECE)
    return target


def _opened(sealed: Path, target: Path, passphrase: bytes) -> Path:
    with sealed.open("rb") as source, target.open("wb") as out:
        salt = source.read(len(MAGIC) + _SALT_BYTES)[len(MAGIC) :]
        try:
            _by_pieces(source, out, _cipher(passphrase, salt).decrypt, _PIECE + _TAG_BYTES)
        except InvalidTag:
            why = "the passphrase is another one, or it was changed or cut off"
            raise BackupRefused(f"{sealed} can't be opened: {why}.") from None
    return target


def _by_pieces(source: IO[bytes], out: IO[bytes], act: Cipher, size: int) -> None:
    piece, number = source.read(size), 0
    while True:
        following = source.read(size)
        nonce = number.to_bytes(11, "big") + bytes([not following])
        out.write(act(nonce, piece, MAGIC))
        if not following:
            return
        piece, number = following, number + 1


def _cipher(passphrase: bytes, salt: bytes) -> AESGCM:
    return AESGCM(Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase))
