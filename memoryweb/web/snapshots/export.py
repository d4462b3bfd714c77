"""What can be taken along: a whole memory, or its parts where one import cannot take it all."""

from dataclasses import dataclass

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.snapshots.parts import Part


@dataclass(frozen=True)
class Piece:
    label: str
    holds: str
    url: str


@dataclass(frozen=True)
class Departure:
    """`pieces` is empty where the whole fits into one import."""

    label: str
    url: str
    pieces: tuple[Piece, ...]


def departure(label: str, url: str, parts: tuple[Part, ...]) -> Departure:
    if len(parts) == 1:
        return Departure(label, url, ())
    return Departure(label, url, tuple(_piece(url, part) for part in parts))


def _piece(url: str, part: Part) -> Piece:
    label = _("Part {number} of {of}").format(number=part.number, of=part.of)
    count = len(part.files)
    files = ngettext("{n} file", "{n} files", count).format(n=count)
    holds = " · ".join([_contents(part), files, filesizeformat(part.size)])
    return Piece(label, holds, f"{url}&part={part.number}")


def _contents(part: Part) -> str:
    if part.first is None or part.last is None:
        return _("Core files")
    said = _("Notes of {first} to {last}")
    if part.has_core:
        said = _("Core files, and notes of {first} to {last}")
    return said.format(first=part.first, last=part.last)
