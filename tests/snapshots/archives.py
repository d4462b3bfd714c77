"""Makes ZIP archives byte by byte, true ones and such as lie."""

import struct
import zlib
from dataclasses import dataclass, field, replace
from typing import Any

STORED, DEFLATED, BZIP2 = 0, 8, 12
UTF8, DESCRIPTOR, ENCRYPTED = 0x800, 0x8, 0x1
NOTE = "# 2026-11-20\n\n- 09:00 The ferry leaves at six.\n"


@dataclass(frozen=True)
class Part:
    """One entry. What stands in `lies` is said by both of its headers instead of the truth."""

    name: str | bytes = "MEMORY.md"
    data: bytes = b"# Memory\n\n- Tea is served at five.\n"
    method: int = DEFLATED
    flags: int = 0
    mode: int = 0o100644
    packed: bytes | None = None
    local_name: bytes | None = None
    extra: bytes = b""
    descriptor: bytes = b""
    behind: bytes = b""
    comment: bytes = b""
    lies: dict[str, int] = field(default_factory=dict)

    @property
    def raw_name(self) -> bytes:
        return self.name.encode() if isinstance(self.name, str) else self.name

    @property
    def body(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method != DEFLATED:
            return self.data
        deflater = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        return deflater.compress(self.data) + deflater.flush()

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Checksum, packed size and size."""
        told = {"crc": zlib.crc32(self.data), "packed": len(self.body), "size": len(self.data)}
        told |= self.lies
        return told["crc"], told["packed"], told["size"]

    def local(self) -> bytes:
        numbers = (0, 0, 0) if self.flags & DESCRIPTOR else self.numbers
        name = self.raw_name if self.local_name is None else self.local_name
        sizes = (len(name), len(self.extra))
        head = struct.pack(
            "<4s5H3L2H", b"PK\x03\x04", 20, self.flags, self.method, 0, 33, *numbers, *sizes
        )
        return head + name + self.extra + self.body + self.descriptor + self.behind

    def central(self, offset: int) -> bytes:
        name = self.raw_name
        tail = (len(name), len(self.extra), len(self.comment), 0, 0, self.mode << 16, offset)
        head = (b"PK\x01\x02", 0x0314, 20, self.flags, self.method, 0, 33)
        record = struct.pack("<4s6H3L5H2L", *head, *self.numbers, *tail)
        return record + name + self.extra + self.comment


def described(*, mark: bool = True, **lies: int) -> Part:
    """An entry whose numbers stand in a descriptor behind it, where `lies` are told."""
    part = Part(flags=DESCRIPTOR)
    numbers = replace(part, lies=lies).numbers
    return replace(part, descriptor=(b"PK\x07\x08" if mark else b"") + struct.pack("<3L", *numbers))


def zipped(*parts: Part, before: bytes = b"", comment: bytes = b"", **end: Any) -> bytes:
    """`before` moves every offset along. `end` overrides the fields of the end record."""
    out, offsets = before, []
    for part in parts:
        offsets.append(len(out))
        out += part.local()
    return closed(out, list(zip(parts, offsets, strict=True)), comment=comment, **end)


def closed(
    body: bytes, placed: list[tuple[Part, int]], *, comment: bytes = b"", **end: Any
) -> bytes:
    """Bytes of entries with a directory that says where they are."""
    directory = b"".join(part.central(offset) for part, offset in placed)
    told = {
        "disk": 0,
        "here": len(placed),
        "count": len(placed),
        "size": len(directory),
        "offset": len(body),
    } | end
    record = struct.pack(
        "<4s4H2LH",
        b"PK\x05\x06",
        told["disk"],
        told["disk"],
        told["here"],
        told["count"],
        told["size"],
        told["offset"],
        len(comment),
    )
    return body + directory + record + comment


def of(files: dict[str, str]) -> bytes:
    """An ordinary archive of these texts."""
    return zipped(*(Part(name, text.encode()) for name, text in files.items()))
