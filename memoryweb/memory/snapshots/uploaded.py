"""A file as it was sent: an archive, or one JSON document."""

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn

from django.utils.translation import gettext as _

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.reading import MAX_TOTAL, MAX_UPLOAD, Archive

# The values of a JSON array one after the other, however long it is. Pure.

MAX_VALUE = 32 * 1024 * 1024  # characters of one value
_BLANK = " \t\r\n"


def values(chunks: Iterable[bytes]) -> Iterator[object]:
    """Raises ArchiveRefused, where it comes to what is no JSON: whoever takes values one by one
    goes through all of them before it uses any."""
    text = _Text(chunks)
    if text.next() != "[":
        _refuse(_("The file is not a JSON list."))
    text.at += 1
    mark = text.next()
    while mark != "]":
        yield text.value()
        mark = text.next()
        if mark == "]":
            break
        text.at += 1
        if mark != "," or text.next() == "]":
            _refuse(_("The file is not JSON."))
    text.at += 1
    text.end()


def document(data: bytes) -> object:
    """A whole document. Raises ArchiveRefused."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        _refuse(_("The file is not JSON."))


class _Text:
    """What was read and not yet used, from `at` on."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = JSONDecoder()
        self.buffer, self.at = "", 0

    def next(self) -> str:
        """The next character that isn't blank."""
        if not (mark := self._peek()):
            _refuse(_("The file is cut off."))
        return mark

    def end(self) -> None:
        """Behind the list; until then nobody knows whether the file is whole."""
        if self._peek():
            _refuse(_("The file is not JSON."))

    def _peek(self) -> str:
        while True:
            while self.at < len(self.buffer) and self.buffer[self.at] in _BLANK:
                self.at += 1
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self._fill(1):
                return ""

    def value(self) -> object:
        """Tried again each time that twice as much is there, so that no text is read often."""
        wanted = 0
        while True:
            try:
                value, end = self._json.raw_decode(self.buffer, self.at)
            except JSONDecodeError:
                end = 0
            except (ValueError, RecursionError):
                _refuse(_("The file is not JSON."))
            if 0 < end < len(self.buffer):  # at the very end a number could go on
                self.at = end
                return value
            wanted = max(2 * (len(self.buffer) - self.at), wanted, 64 * 1024)
            if wanted > 2 * MAX_VALUE:
                _refuse(_("One entry of the file is larger than 32 MiB."))
            if not self._fill(wanted):
                _refuse(_("The file is not JSON."))

    def _fill(self, wanted: int) -> bool:
        """Whether there was more; so many characters then, if the file has them."""
        pieces, size = [self.buffer[self.at :]], len(self.buffer) - self.at
        for chunk in self._chunks:
            try:
                pieces.append(self._decoder.decode(chunk))
            except UnicodeDecodeError:
                _refuse(_("The file is not UTF-8."))
            size += len(pieces[-1])
            if size >= wanted:
                break
        self.buffer, self.at = "".join(pieces), 0
        return len(pieces) > 1


def _refuse(message: str) -> NoReturn:
    raise ArchiveRefused("not_json", message)


@dataclass(frozen=True)
class UploadBytes:
    """`document_name` stands for the file itself where it is no archive."""

    raw: bytes
    document_name = ""

    def __post_init__(self) -> None:
        if len(self.raw) > MAX_UPLOAD:
            raise ArchiveRefused("too_large", _("The archive is larger than 16 MiB."))

    @property
    def is_json(self) -> bool:
        return self._first in {b"[", b"{"}

    @property
    def is_list(self) -> bool:
        return self._first == b"["

    @cached_property
    def _first(self) -> bytes:
        return self.raw[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]

    @cached_property
    def archive(self) -> Archive:
        """Raises ArchiveRefused."""
        return Archive(self.raw)

    @cached_property
    def names(self) -> list[str]:
        """Of an archive's files; none of a document."""
        return [] if self.is_json else self.archive.names

    @cached_property
    def document(self) -> object:
        """Of what is one JSON document, all of it."""
        return document(self.raw)

    def chunks(self, name: str) -> Iterator[bytes]:
        """The file of that name in the archive, or the document."""
        return iter([self.raw]) if self.is_json else self.archive.chunks(name)

    def whole(self, name: str) -> bytes:
        found = bytearray()
        for chunk in self.chunks(name):
            found += chunk
            if len(found) > MAX_TOTAL:
                said = _("The files in the archive are larger than 16 MiB together.")
                raise ArchiveRefused("total_too_large", said)
        return bytes(found)
