"""What can be taken along: a whole memory, or its parts where one import cannot take it all."""

from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.snapshots.division import Part


def export_row(label: str, url: str, parts: tuple[Part, ...]) -> dict[str, Any]:
    """`pieces` is empty where the whole fits into one import."""
    pieces = [_piece(url, part) for part in parts] if len(parts) > 1 else []
    return {"label": label, "url": url, "pieces": pieces}


def _piece(url: str, part: Part) -> dict[str, str]:
    label = _("Part {number} of {of}").format(number=part.number, of=part.of)
    count = len(part.files)
    files = ngettext("{n} file", "{n} files", count).format(n=count)
    holds = " · ".join([_contents(part), files, filesizeformat(part.size)])
    return {"label": label, "holds": holds, "url": f"{url}&part={part.number}"}


def _contents(part: Part) -> str:
    if part.first is None or part.last is None:
        return _("Core files")
    said = _("Notes of {first} to {last}")
    if part.has_core:
        said = _("Core files, and notes of {first} to {last}")
    return said.format(first=part.first, last=part.last)
