"""The values of a JSON array one after the other, however long it is. Pure."""

import codecs
import json
from collections.abc import Iterable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn

from django.utils.translation import gettext as _

from memoryweb.memory.models.refusals import ArchiveRefused

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
