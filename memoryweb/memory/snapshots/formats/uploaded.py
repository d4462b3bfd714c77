"""A file as it was sent: an archive, or one JSON document."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.json_values import document
from memoryweb.memory.snapshots.reading import MAX_TOTAL, Archive
from memoryweb.memory.snapshots.zip_structure import MAX_UPLOAD


@dataclass(frozen=True)
class Sent:
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
