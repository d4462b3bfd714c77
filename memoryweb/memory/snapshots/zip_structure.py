"""The structures of a ZIP archive (PKWARE APPNOTE 6.3.9), taken only where they fit without a gap.

One archive, from the first byte to the last: local entries one after another, then the central
directory, then its end. Whatever a second reader could understand in another way is refused.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from memoryweb.memory.models.refusals import ArchiveRefused

MAX_UPLOAD = 16 * 1024 * 1024
MAX_ENTRIES = 500
STORED, DEFLATED = 0, 8

_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_DESCRIPTOR = struct.Struct("<3L")
_END_MARK, _CENTRAL_MARK, _LOCAL_MARK = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_DESCRIPTOR_MARK, _ZIP64_MARK = b"PK\x07\x08", b"PK\x06\x07"
_MAX_COMMENT = 0xFFFF
_16, _32 = 0xFFFF, 0xFFFFFFFF

_ENCRYPTED = 0x1 | 0x40 | 0x2000  # encrypted, strongly encrypted, directory masked
_HAS_DESCRIPTOR = 0x8
_KNOWN_FLAGS = 0x2 | 0x4 | _HAS_DESCRIPTOR | 0x800  # effort of deflate, descriptor, UTF-8
_ZIP64_EXTRA, _NAME_EXTRA, _AES_EXTRA = 0x0001, 0x7075, 0x9901
_NAME_AT = 5  # of the other name in its extra field, behind a version and a checksum


@dataclass(slots=True)
class Member:
    """One entry as the central directory has it; `start` is where its data begin."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    offset: int
    start: int = 0

    @property
    def end(self) -> int:
        return self.start + self.packed


def members(raw: bytes) -> list[Member]:
    """Every entry in the order of the directory, none of its data read. Raises ArchiveRefused."""
    if len(raw) > MAX_UPLOAD:
        _refuse("too_large", _("The archive is larger than 16 MiB."))
    end, count, directory = _end(raw)
    found = list(_directory(raw, directory, end, count))
    if len({member.offset for member in found}) < len(found):
        _refuse_overlap()
    for member in found:
        member.start = _start(raw, member)
    _check_tiled(raw, found, directory)
    return found


def _end(raw: bytes) -> tuple[int, int, int]:
    """Where the end record stands, how many entries it tells of, where the directory starts."""
    at = _end_position(raw)
    _mark, disk, first_disk, here, count, size, offset, comment = _unpack(_END, raw, at)
    if comment:
        _refuse("data_after", _("The archive has a comment; pack it without one."))
    if raw[max(0, at - 20) :].startswith(_ZIP64_MARK):
        _refuse_zip64()
    if (disk, first_disk, here) != (0, 0, count):
        _refuse("multi_disk", _("The archive is one part of several; send it as one file."))
    if _16 == count or _32 in (size, offset):
        _refuse_zip64()
    if count > MAX_ENTRIES:
        _refuse("too_many_entries", _("The archive has more than 500 entries."))
    if offset + size < at:
        _refuse("data_before", _("There are data before the archive's first entry."))
    if offset + size > at:
        _refuse_damaged()
    return at, count, offset


def _end_position(raw: bytes) -> int:
    """The one end record that is followed by its comment and nothing else."""
    first = max(0, len(raw) - _END.size - _MAX_COMMENT)
    marks, at = [], raw.find(_END_MARK, first)
    while at >= 0:
        marks.append(at)
        at = raw.find(_END_MARK, at + 1)
    fitting = [
        at
        for at in marks
        if at + _END.size <= len(raw)
        and at + _END.size + int.from_bytes(raw[at + 20 : at + 22], "little") == len(raw)
    ]
    if len(fitting) > 1 or (fitting and fitting[0] != marks[-1]):
        _refuse("two_archives", _("The file holds more than one archive."))
    if fitting:
        return fitting[0]
    if raw.rfind(_END_MARK) >= 0:
        _refuse("data_after", _("There are data after the end of the archive."))
    if raw.startswith(_LOCAL_MARK):
        _refuse_damaged()
    raise ArchiveRefused("not_zip", _("This is not a ZIP archive."))


def _directory(raw: bytes, at: int, end: int, count: int) -> Iterator[Member]:
    for _number in range(count):
        fields = _unpack(_CENTRAL, raw, at)
        (mark, _made, _needed, flags, method, _time, _date, crc, packed, size) = fields[:10]
        (names, extras, comments, disk, _internal, external, offset) = fields[10:]
        name = raw[at + _CENTRAL.size : at + _CENTRAL.size + names]
        extra_at = at + _CENTRAL.size + names
        at = extra_at + extras
        if mark != _CENTRAL_MARK or at > end:
            _refuse_damaged()
        if comments:
            _refuse("data_between", _("An entry of the archive has a comment; pack it without."))
        if disk:
            _refuse("multi_disk", _("The archive is one part of several; send it as one file."))
        if _32 in (packed, size, offset):
            _refuse_zip64()
        _check_flags(flags, method)
        _check_extras(raw[extra_at : extra_at + extras], name)
        yield Member(name, flags, method, crc, packed, size, external >> 16, offset)
    if at != end:
        _refuse("data_between", _("There are data in the archive that belong to no entry."))


def _start(raw: bytes, member: Member) -> int:
    """Where its data begin, once its local header has said the same of it."""
    fields = _unpack(_LOCAL, raw, member.offset)
    mark, _needed, flags, method, _time, _date, crc, packed, size, names, extras = fields
    name_at = member.offset + _LOCAL.size
    start: int = name_at + names + extras
    if mark != _LOCAL_MARK or start + member.packed > len(raw):
        _refuse_damaged()
    _check_flags(flags, method)
    _check_extras(raw[name_at + names : start], member.raw_name)
    told = (raw[name_at : name_at + names], flags & ~0x6, method)
    if told != (member.raw_name, member.flags & ~0x6, member.method):
        _refuse_unlike(member.raw_name)
    numbers = (crc, packed, size)
    is_later = bool(flags & _HAS_DESCRIPTOR) and numbers == (0, 0, 0)
    if not is_later and numbers != (member.crc, member.packed, member.size):
        _refuse_unlike(member.raw_name)
    return start


def _check_tiled(raw: bytes, found: list[Member], directory: int) -> None:
    """Each entry begins where the one before it ends, and the directory where the last does."""
    placed = sorted(found, key=lambda member: member.offset)
    starts = [member.offset for member in placed] + [directory]
    if starts[0] != 0:
        _refuse("data_before", _("There are data before the archive's first entry."))
    for member, following in zip(placed, starts[1:], strict=True):
        left = following - member.end
        if left < 0:
            _refuse_overlap()
        if member.flags & _HAS_DESCRIPTOR:
            left -= _descriptor(raw, member, left)
        if left:
            _refuse("data_between", _("There are data in the archive that belong to no entry."))


def _descriptor(raw: bytes, member: Member, room: int) -> int:
    """The length of a data descriptor that tells the truth, with or without its mark."""
    marked = raw[member.end : member.end + 4] == _DESCRIPTOR_MARK and room >= 16
    length = 16 if marked else 12
    if room < length:
        _refuse_descriptor()
    told = _DESCRIPTOR.unpack_from(raw, member.end + length - 12)
    if told != (member.crc, member.packed, member.size):
        _refuse_descriptor()
    return length


def _check_flags(flags: int, method: int) -> None:
    if flags & _ENCRYPTED:
        _refuse("encrypted", _("The archive is encrypted. Send it without a password."))
    if method not in {STORED, DEFLATED}:
        _refuse("method", _("The archive uses a compression other than stored or deflate."))
    if flags & ~_KNOWN_FLAGS:
        _refuse("damaged", _("The archive uses a feature of ZIP that is not read here."))


def _check_extras(extra: bytes, name: bytes) -> None:
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, at)
        if kind == _NAME_EXTRA and extra[at + 4 + _NAME_AT : at + 4 + size] != name:
            _refuse_unlike(name)
        if kind == _ZIP64_EXTRA:
            _refuse_zip64()
        if kind == _AES_EXTRA:
            _refuse("encrypted", _("The archive is encrypted. Send it without a password."))
        at += 4 + size
    if at != len(extra):
        _refuse_damaged()


def _unpack(shape: struct.Struct, raw: bytes, at: int) -> tuple[Any, ...]:
    if at + shape.size > len(raw):
        _refuse_damaged()
    return shape.unpack_from(raw, at)


def _refuse(code: str, message: str) -> NoReturn:
    raise ArchiveRefused(code, message)


def _refuse_damaged() -> NoReturn:
    _refuse("damaged", _("The archive is damaged or cut off."))


def _refuse_zip64() -> NoReturn:
    _refuse("zip64", _("The archive is in the ZIP64 format, which a snapshot never needs."))


def _refuse_overlap() -> NoReturn:
    _refuse("overlapping", _("Two entries of the archive overlap."))


def _refuse_descriptor() -> NoReturn:
    _refuse("descriptor", _("A data descriptor does not tell the truth about its entry."))


def _refuse_unlike(raw_name: bytes) -> NoReturn:
    name = raw_name.decode("utf-8", "replace")
    said = _("“{name}” is described in two different ways.").format(name=name[:100])
    _refuse("inconsistent", said)
