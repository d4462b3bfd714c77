"""Reads the entries of a ZIP archive, counting while it inflates (SPEC §10)."""

import re
import stat
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from django.utils.translation import gettext as _

from memoryweb.markdown.paths import fold
from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.zip_structure import DEFLATED, Member, members

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
