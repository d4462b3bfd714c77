"""A workspace as a tree: its files by kind, the daily notes by month."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.markdown.paths import fold, kind_of
from memoryweb.memory.lines.files import notes_by_month
from memoryweb.memory.models import File
from memoryweb.web.access import Workspace
from memoryweb.web.paging import Page, page

SHOWN = 20
PAGE = 50
GROUPS: dict[str, str | Promise] = {
    "core": _("Core files"),
    "other": _("Other files"),
    "skills": _("Skills"),
    "structured": _("Structured"),
    "entries": _("Entries"),
    "past": _("Dreams and history"),
}


@dataclass(frozen=True)
class Group:
    """Files of one kind. `more` leads to all of them where only the first are shown."""

    key: str
    label: str | Promise
    files: Sequence[File]
    count: int
    size: int
    more: str = ""


@dataclass(frozen=True)
class Tree:
    groups: list[Group]
    months: list[dict[str, Any]]
    notes: Group | None
    pages: "Page[File] | None" = None
    name: str = ""  # what was looked for

    @property
    def is_empty(self) -> bool:
        return not self.groups and not self.notes


def tree(request: HttpRequest, workspace: Workspace) -> Tree:
    """The whole workspace, what `?name=` finds, or all of the one kind that `?kind=` asks for."""
    if name := request.GET.get("name", "").strip().replace("\0", ""):
        return _named(request, workspace, name)
    by_kind = _by_kind(workspace)
    asked = request.GET.get("kind", "")
    if by_kind.get(asked):
        found = by_kind[asked]
        pages = page(request, found, size=PAGE)
        group = Group(asked, GROUPS[asked], pages.items, len(found), _size(found))
        return Tree([group], [], None, pages)
    groups = [_group(request, key, by_kind[key]) for key in GROUPS if by_kind[key]]
    months, notes = _notes(request, workspace)
    return Tree(groups, months, notes)


def _named(request: HttpRequest, workspace: Workspace, name: str) -> Tree:
    found = workspace.files.present().filter(folded_path__contains=fold(name)).defer("content")
    pages = page(request, found.order_by("-note_date", "folded_path"), size=PAGE)
    size = found.aggregate(size=Sum("size"))["size"]
    groups = [Group("found", _("Found"), pages.items, pages.total, size)] if pages.total else []
    return Tree(groups, [], None, pages, name)


def _by_kind(workspace: Workspace) -> dict[str, list[File]]:
    found: dict[str, list[File]] = defaultdict(list)
    others = workspace.files.present().filter(note_date=None).defer("content")
    for file in others.order_by("sort_order", "folded_path"):
        found[kind_of(file.path).group].append(file)
    for key in ("other", "skills", "structured", "entries"):
        found[key].sort(key=lambda file: file.folded_path)
    found["past"].sort(key=lambda file: (file.path.count("/"), file.folded_path), reverse=True)
    return found


def _group(request: HttpRequest, key: str, files: list[File]) -> Group:
    more = _url(request, kind=key) if len(files) > SHOWN else ""
    return Group(key, GROUPS[key], files[:SHOWN], len(files), _size(files), more)


def _notes(request: HttpRequest, workspace: Workspace) -> tuple[list[dict[str, Any]], Group | None]:
    """The months that have notes, and the notes of the one that is asked for or the newest."""
    found = notes_by_month(workspace.files.present())
    if not found:
        return [], None
    asked = request.GET.get("month", "")
    current = next((row for row in found if f"{row.month:%Y-%m}" == asked), found[0])
    months = [
        {
            "label": _name(row.month),
            "url": _url(request, month=f"{row.month:%Y-%m}"),
            "count": row.count,
            "is_current": row == current,
        }
        for row in found
    ]
    files = workspace.files.present().filter(
        note_date__year=current.month.year, note_date__month=current.month.month
    )
    shown = list(files.defer("content").order_by("-note_date"))
    label = _("Daily notes")
    return months, Group(
        "notes", label, shown, sum(m.count for m in found), sum(m.size for m in found)
    )


def _name(month: date) -> str:
    is_this_year = month.year == timezone.localdate().year
    return date_format(month, str(_("F") if is_this_year else _("M Y")))


def _url(request: HttpRequest, **changed: str) -> str:
    query = request.GET.copy()
    for gone in ("kind", "month", "name", "page"):
        query.pop(gone, None)
    query.update(changed)
    return f"?{query.urlencode()}"


def _size(files: Sequence[File]) -> int:
    return sum(file.size for file in files)
