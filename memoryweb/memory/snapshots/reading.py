"""Reads the entries of a ZIP archive, counting while it inflates (SPEC §10)."""

import re
import stat
import struct
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from memoryweb.markdown.paths import fold
from memoryweb.memory.models.refusals import ArchiveRefused

# The structures of a ZIP archive (PKWARE APPNOTE 6.3.9), taken only where they fit without a gap.
# One archive, from the first byte to the last: local entries one after another, then the central
# directory, then its end. Whatever a second reader could understand in another way is refused.

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


MAX_ENTRY = 1024 * 1024
MAX_TOTAL = 16 * 1024 * 1024
MAX_STREAM = 512 * 1024 * 1024
_CHUNK = 256 * 1024
_DRIVE = re.compile(r"[A-Za-z]:")
_LONGEST_NAME = 1024


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    data: bytes


class Archive:
    """An archive of which every header has been checked, and nothing inflated. Raises
    ArchiveRefused."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        members_ = members(raw)
        names = _names(members_)
        for member, name in zip(members_, names, strict=True):
            _check_kind(member, name)
        self._members = dict(zip(names, members_, strict=True))

    @property
    def names(self) -> list[str]:
        """Of its files, in the order of its directory."""
        return [name for name in self._members if not name.endswith("/")]

    def entries(self, wanted: Callable[[str], bool] = lambda _name: True) -> list[Entry]:
        """These files, never more than 16 MiB of them: an archive of some kilobytes can announce,
        or hold, more than the machine has."""
        found = {name: one for name, one in self._members.items() if wanted(name)}
        _check_announced(list(found.values()))
        view, left = memoryview(self._raw), MAX_TOTAL
        entries = []
        for name, member in found.items():
            data = _inflated(view[member.start : member.end], member, name, left)
            left -= len(data)
            if not name.endswith("/"):
                entries.append(Entry(name, data))
        return entries

    def chunks(self, name: str) -> Iterator[bytes]:
        """One large file, piece by piece, for a reader that stops early where it is no use."""
        member = self._members[name]
        packed = memoryview(self._raw)[member.start : member.end]
        pieces = _deflating(packed, name) if member.method == DEFLATED else iter([bytes(packed)])
        size = crc = 0
        for piece in pieces:
            size, crc = size + len(piece), zlib.crc32(piece, crc)
            if size > MAX_STREAM:
                said = _("“{name}” holds more than 512 MiB.")
                _refuse("entry_too_large", said.format(name=name[:100]))
            yield piece
        if size != member.size:
            _refuse_length(name)
        if crc != member.crc:
            _refuse_crc(name)


def read(raw: bytes) -> list[Entry]:
    """The files of an archive in the order of its directory. Raises ArchiveRefused."""
    return Archive(raw).entries()


def _names(found: list[Member]) -> list[str]:
    names = [_name(member.raw_name) for member in found]
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(fold(name.rstrip("/")), name)
        if other is not name:
            said = _("“{one}” and “{two}” are one name.").format(one=other, two=name)
            _refuse("duplicate_name", said)
    return names


def _name(raw: bytes) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        _refuse("bad_name", _("The archive has a name that is not UTF-8."))
    if not name or len(name) > _LONGEST_NAME:
        _refuse("bad_name", _("The archive has an entry without a name, or with one too long."))
    if not name.isprintable() and any(unicodedata.category(c) == "Cc" for c in name):
        _refuse("bad_name", _("The archive has a name with a control character."))
    if name.startswith(("/", "\\")) or _DRIVE.match(name):
        said = _("“{name}” is an absolute path. Pack the files with relative names.")
        _refuse("absolute_name", said.format(name=name[:100]))
    segments = name.removesuffix("/").split("/")
    if "\\" in name or not {"", ".", ".."}.isdisjoint(segments):
        said = _("“{name}” leads out of its folder, or has a part that is empty, “.” or “\\”.")
        _refuse("traversing_name", said.format(name=name[:100]))
    return name


def _check_kind(member: Member, name: str) -> None:
    kind = stat.S_IFMT(member.mode)
    if kind == stat.S_IFLNK:
        _refuse("symlink", _("“{name}” is a symbolic link.").format(name=name[:100]))
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        _refuse("symlink", _("“{name}” is not an ordinary file.").format(name=name[:100]))
    if name.endswith("/") and member.size:
        _refuse("inconsistent", _("The folder “{name}” has a content.").format(name=name[:100]))


def _check_announced(found: list[Member]) -> None:
    if any(member.size > MAX_ENTRY for member in found):
        _refuse_entry()
    if sum(member.size for member in found) > MAX_TOTAL:
        _refuse_total()


def _inflated(packed: memoryview, member: Member, name: str, left: int) -> bytes:
    data = _deflated(packed, name, left) if member.method == DEFLATED else bytes(packed)
    if len(data) > MAX_ENTRY:
        _refuse_entry()
    if len(data) > left:
        _refuse_total()
    if len(data) != member.size:
        _refuse_length(name)
    if zlib.crc32(data) != member.crc:
        _refuse_crc(name)
    return data


def _deflating(packed: memoryview, name: str) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    rest = bytes(packed)
    while not inflater.eof:
        try:
            piece = inflater.decompress(rest, _CHUNK)
        except zlib.error:
            _refuse("damaged", _("“{name}” cannot be inflated.").format(name=name[:100]))
        if not piece and not inflater.eof and not inflater.unconsumed_tail:
            _refuse("damaged", _("“{name}” cannot be inflated.").format(name=name[:100]))
        rest = inflater.unconsumed_tail
        yield piece
    if inflater.unused_data:
        _refuse("data_between", _("There are data in the archive that belong to no entry."))


def _deflated(packed: memoryview, name: str, left: int) -> bytes:
    """Stops one byte after what may still come, whatever the headers said."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    most = min(MAX_ENTRY, left)
    try:
        data = inflater.decompress(packed, most + 1)
    except zlib.error:
        _refuse("damaged", _("“{name}” cannot be inflated.").format(name=name[:100]))
    if len(data) > most:
        return data
    if inflater.unused_data:
        _refuse("data_between", _("There are data in the archive that belong to no entry."))
    if not inflater.eof:
        _refuse("damaged", _("“{name}” cannot be inflated.").format(name=name[:100]))
    return data


def _refuse(code: str, message: str) -> NoReturn:
    raise ArchiveRefused(code, message)


def _refuse_length(name: str) -> NoReturn:
    said = _("“{name}” is not as long as the archive says.").format(name=name[:100])
    _refuse("inconsistent", said)


def _refuse_crc(name: str) -> NoReturn:
    _refuse("crc", _("“{name}” is damaged: its checksum is wrong.").format(name=name[:100]))


def _refuse_entry() -> NoReturn:
    _refuse("entry_too_large", _("A file in the archive is larger than 1 MiB."))


def _refuse_total() -> NoReturn:
    _refuse("total_too_large", _("The files in the archive are larger than 16 MiB together."))
