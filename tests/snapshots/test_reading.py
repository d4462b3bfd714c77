"""Every archive that must not be read, made here byte by byte (SPEC §10)."""

import bz2
import io
import os
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.reading import Entry, read
from tests.snapshots.archives import (
    BZIP2,
    DESCRIPTOR,
    ENCRYPTED,
    NOTE,
    STORED,
    UTF8,
    Part,
    closed,
    described,
    of,
    zipped,
)
from tests.tables import every_row

MIB = 1024 * 1024
ONE = Part()
TWO = Part("SOUL.md", b"Calm.\n")


def refusal(raw: bytes) -> str:
    with pytest.raises(ArchiveRefused) as refused:
        read(raw)
    assert str(refused.value).endswith(".")
    return refused.value.code


def test_an_ordinary_archive_is_read() -> None:
    files = {"AGENTS.md": "Be kind.\n", "memory/2026-11-20.md": NOTE, "leer.txt": "", "日.md": "茶"}
    assert read(of(files)) == [Entry(name, text.encode()) for name, text in files.items()]


def test_what_other_programs_write_is_read() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("memory")
        archive.writestr("memory/2026-11-20.md", NOTE)
        archive.writestr(zipfile.ZipInfo("MEMORY.md"), b"stored")
    assert [entry.name for entry in read(made.getvalue())] == ["memory/2026-11-20.md", "MEMORY.md"]


def test_a_stream_with_true_descriptors_is_read() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(Unseekable(made), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SOUL.md", "Calm.\n")
        archive.writestr("MEMORY.md", "Tea.\n")
    assert [entry.data for entry in read(made.getvalue())] == [b"Calm.\n", b"Tea.\n"]


@pytest.mark.parametrize("mark", [True, False])
def test_a_true_descriptor_is_read_with_its_mark_or_without(mark: bool) -> None:
    assert read(zipped(described(mark=mark), TWO))[0].data == ONE.data


def test_an_empty_archive_is_no_fault() -> None:
    assert read(zipped()) == []


def test_the_same_name_once_more_is_no_fault() -> None:
    assert read(zipped(replace(ONE, extra=also_named(ONE.raw_name))))[0].name == "MEMORY.md"


def also_named(name: bytes) -> bytes:
    """Info-ZIP's Unicode path: readers that know it take this name instead."""
    return struct.pack("<2HBL", 0x7075, 5 + len(name), 1, zlib.crc32(ONE.raw_name)) + name


REFUSED: dict[str, Callable[[], tuple[str, bytes]]] = {
    "no archive": lambda: ("not_zip", b"# Memory\n\n- Tea.\n"),
    "nothing": lambda: ("not_zip", b""),
    "cut off": lambda: ("damaged", of({"MEMORY.md": "Tea.\n"})[:-30]),
    "a byte over 16 MiB": lambda: ("too_large", bytes(16 * MIB + 1)),
    "501 entries": lambda: (
        "too_many_entries",
        zipped(*(Part(f"{number}.md", b"") for number in range(501))),
    ),
    "an entry of a byte over 1 MiB": lambda: (
        "entry_too_large",
        zipped(Part(data=bytes(MIB + 1))),
    ),
    "an entry that says it is small": lambda: (
        "entry_too_large",
        zipped(Part(data=bytes(50 * MIB), lies={"size": 10})),
    ),
    "16 MiB and a byte in all": lambda: (
        "total_too_large",
        zipped(*(Part(f"{number}.md", bytes(MIB)) for number in range(16)), Part("a.md", b"a")),
    ),
    "16 MiB and more that say they are small": lambda: (
        "total_too_large",
        zipped(
            *(Part(f"{n}.md", bytes(MIB), lies={"size": 9} if n > 15 else {}) for n in range(17))
        ),
    ),
    "bzip2": lambda: ("method", zipped(Part(method=BZIP2, packed=bz2.compress(b"Tea.\n")))),
    "an unknown method": lambda: ("method", zipped(Part(method=97, packed=b"Tea.\n"))),
    "encrypted": lambda: ("encrypted", zipped(Part(flags=ENCRYPTED, packed=os.urandom(40)))),
    "strongly encrypted": lambda: ("encrypted", zipped(Part(flags=ENCRYPTED | 0x40))),
    "encrypted by WinZip": lambda: (
        "encrypted",
        zipped(Part(extra=struct.pack("<2H7s", 0x9901, 7, b"\2\0AE\3\x08\0"))),
    ),
    "two of one name": lambda: ("duplicate_name", zipped(ONE, ONE)),
    "two that differ in case": lambda: ("duplicate_name", zipped(ONE, Part("memory.MD"))),
    "two that differ in width": lambda: ("duplicate_name", zipped(ONE, Part("ＭEMORY.md"))),
    "a folder and a file of one name": lambda: (
        "duplicate_name",
        zipped(Part("a.md/", b""), Part("a.md")),
    ),
    "two entries at one place": lambda: (
        "overlapping",
        closed(ONE.local(), [(ONE, 0), (replace(ONE, name="MEMORY.mx", local_name=b""), 0)]),
    ),
    "an absolute name": lambda: ("absolute_name", zipped(Part("/etc/x.md"))),
    "a drive": lambda: ("absolute_name", zipped(Part("C:\\x.md"))),
    "a share": lambda: ("absolute_name", zipped(Part("\\\\host\\x.md"))),
    "a way up": lambda: ("traversing_name", zipped(Part("../x.md"))),
    "a way up in between": lambda: ("traversing_name", zipped(Part("memory/../../x.md"))),
    "a way up with backslashes": lambda: ("traversing_name", zipped(Part("a\\..\\x.md"))),
    "a dot": lambda: ("traversing_name", zipped(Part("./a.md"))),
    "an empty part": lambda: ("traversing_name", zipped(Part("a//b.md"))),
    "a name that is no UTF-8": lambda: ("bad_name", zipped(Part(b"caf\xe9.md"))),
    "a name with NUL": lambda: ("bad_name", zipped(Part("a\0.md"))),
    "no name": lambda: ("bad_name", zipped(Part(""))),
    "a symbolic link": lambda: ("symlink", zipped(Part(mode=0o120777, data=b"/etc/passwd"))),
    "a device": lambda: ("symlink", zipped(Part(mode=0o020644))),
    "a folder with a content": lambda: ("inconsistent", zipped(Part("a.md/"))),
    "bytes in front": lambda: ("data_before", b"#!/bin/sh\n" + zipped(ONE)),
    "bytes in front that the offsets know of": lambda: (
        "data_before",
        zipped(ONE, before=b"#!/bin/sh\n"),
    ),
    "bytes behind": lambda: ("data_after", zipped(ONE) + b"more"),
    "bytes between": lambda: ("data_between", zipped(replace(ONE, behind=b"hidden"), TWO)),
    "bytes before the directory": lambda: ("data_between", zipped(ONE, replace(TWO, behind=b"x"))),
    "bytes behind a deflated stream": lambda: (
        "data_between",
        zipped(replace(ONE, packed=ONE.body + b"hidden")),
    ),
    "bytes in the directory": lambda: (
        "data_between",
        zipped(ONE, TWO, count=1, here=1),
    ),
    "two archives in one": lambda: ("data_before", zipped(ONE) + zipped(TWO)),
    "two archives, the second one knowing": lambda: (
        "data_before",
        zipped(TWO, before=zipped(ONE)),
    ),
    "a comment": lambda: ("data_after", zipped(ONE, comment=b"f" * 40)),
    "a comment of an entry": lambda: ("data_between", zipped(replace(ONE, comment=b"f" * 40), TWO)),
    "an archive in the comment": lambda: ("two_archives", zipped(ONE, comment=zipped(TWO))),
    "a wrong checksum": lambda: ("crc", zipped(replace(ONE, lies={"crc": 7}))),
    "a wrong checksum of what is stored": lambda: (
        "crc",
        zipped(replace(ONE, method=STORED, lies={"crc": 7})),
    ),
    "no deflated stream": lambda: ("damaged", zipped(replace(ONE, packed=b"\xff" * 9))),
    "half a deflated stream": lambda: ("damaged", zipped(replace(ONE, packed=ONE.body[:-5]))),
    "shorter than it says": lambda: ("inconsistent", zipped(replace(ONE, lies={"size": 99}))),
    "longer than it says": lambda: ("inconsistent", zipped(replace(ONE, lies={"size": 3}))),
    "packed larger than the file": lambda: (
        "damaged",
        zipped(replace(ONE, lies={"packed": 10**6})),
    ),
    "another name inside": lambda: ("inconsistent", zipped(replace(ONE, local_name=b"SOULxx.md"))),
    "a descriptor with another checksum": lambda: ("descriptor", zipped(described(crc=7))),
    "a descriptor with another size": lambda: ("descriptor", zipped(described(size=3))),
    "a descriptor with another packed size": lambda: ("descriptor", zipped(described(packed=3))),
    "a descriptor that is missing": lambda: ("descriptor", zipped(Part(flags=DESCRIPTOR), TWO)),
    "a descriptor with more behind": lambda: (
        "data_between",
        zipped(replace(described(), behind=b"more")),
    ),
    "a part of several": lambda: ("multi_disk", zipped(ONE, disk=1)),
    "more entries elsewhere": lambda: ("multi_disk", zipped(ONE, count=2)),
    "ZIP64 by its count": lambda: ("zip64", zipped(ONE, count=0xFFFF, here=0xFFFF)),
    "ZIP64 by its place": lambda: ("zip64", zipped(ONE, offset=0xFFFFFFFF)),
    "ZIP64 by an entry": lambda: (
        "zip64",
        zipped(replace(ONE, extra=struct.pack("<2HQ", 1, 8, 5))),
    ),
    "an extra field cut off": lambda: ("damaged", zipped(replace(ONE, extra=b"\1\2\3"))),
    "another name in an extra field": lambda: (
        "inconsistent",
        zipped(replace(ONE, extra=also_named(b"SOUL.md"))),
    ),
    "an unknown feature": lambda: ("damaged", zipped(replace(ONE, flags=UTF8 | 0x20))),
    "more entries than there are": lambda: ("damaged", zipped(ONE, count=9, here=9)),
}


@every_row(REFUSED.values())
def test_it_is_refused_with_its_reason(make: Callable[[], tuple[str, bytes]]) -> None:
    code, raw = make()
    assert refusal(raw) == code


def test_200_overlapping_entries_are_refused_before_they_inflate_to_200_mb() -> None:
    raw = quoting(200)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert sum(info.file_size for info in archive.infolist()) > 190 * MIB
    assert len(raw) < 100_000
    assert _peak(lambda: refusal(raw)) < MIB
    assert refusal(raw) == "overlapping"


def quoting(count: int) -> bytes:
    """Each entry's stream quotes the header of the next and goes on in it (D. Fifield, 2019)."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    size = MIB - 64 * count
    packed = deflater.compress(bytes(size)) + deflater.flush()
    part = Part(f"{count:03}.m", bytes(size), packed=packed)
    body, placed = part.local(), [(part, 0)]
    for number in range(count - 1, 0, -1):
        head = placed[-1][0]
        quoted = body[: len(head.local()) - len(head.body)]
        stream = struct.pack("<B2H", 0, len(quoted), len(quoted) ^ 0xFFFF) + body
        part = Part(f"{number:03}.m", quoted + head.data, packed=stream)
        body = part.local()
        placed = [(one, at + len(body) - len(stream) + 5) for one, at in placed] + [(part, 0)]
    return closed(body, placed)


def test_a_tiny_bzip2_of_50_mb_is_refused_unread() -> None:
    packed = bz2.compress(bytes(50 * MIB))
    raw = zipped(Part(method=BZIP2, packed=packed, lies={"size": 50 * MIB}))
    assert len(packed) < 200
    assert _peak(lambda: refusal(raw)) < MIB
    assert refusal(raw) == "method"


def test_a_lying_bomb_inflates_no_further_than_its_limit() -> None:
    deflater = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = b"".join(deflater.compress(bytes(MIB)) for _ in range(200)) + deflater.flush()
    raw = zipped(Part(data=b"small", packed=packed))
    assert _peak(lambda: refusal(raw)) < 4 * MIB
    assert refusal(raw) == "entry_too_large"


class Unseekable(io.RawIOBase):
    """As zipfile sees a pipe: it can't go back, so it writes descriptors."""

    def __init__(self, out: io.BytesIO) -> None:
        self.out = out

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def write(self, data: bytes) -> int:  # type: ignore[override]
        return self.out.write(data)


def _peak(act: Callable[[], object]) -> int:
    """Bytes of Python's memory at once."""
    tracemalloc.start()
    act()
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
