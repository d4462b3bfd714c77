"""Looking at files: the list, one file line by line, and why a line is there."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.agents.models import Reader
from memoryweb.markdown.file_kinds import MONTHS
from memoryweb.markdown.paths import fold, kind_of, of_link
from memoryweb.memory import forgetting
from memoryweb.memory.global_memory import global_text
from memoryweb.memory.lines.files import deleted, notes_by_month
from memoryweb.memory.lines.revisions import last_changed
from memoryweb.memory.models import File
from memoryweb.memory.prompt import times_given
from memoryweb.memory.statements.listing import fact_at
from memoryweb.memory.visible.history import history_at
from memoryweb.memory.visible.readable import ReadableFile, To, readable_file
from memoryweb.memory.visible.request_contents import without_away
from memoryweb.memory.visible.said_on import with_ends
from memoryweb.memory.writing import learned
from memoryweb.memory.writing.proposing import current_revision
from memoryweb.web import access, markdown
from memoryweb.web.files import lines
from memoryweb.web.files.forms import DeleteForm
from memoryweb.web.markdown import marked_blocks
from memoryweb.web.pages import LINES, Page, about, number_of, page, show, to, to_line, told_to
from memoryweb.web.wording import forgotten, writer_of

# A workspace as a tree: its files by kind, the daily notes by month.

SHOWN = 20
PAGE = 50
GROUPS: dict[str, str | Promise] = {
    "core": gettext_lazy("Core files"),
    "other": gettext_lazy("Other files"),
    "skills": gettext_lazy("Skills"),
    "structured": gettext_lazy("Structured"),
    "entries": gettext_lazy("Entries"),
    "past": gettext_lazy("Dreams and history"),
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

    @property
    def has_months(self) -> bool:
        """Of a history, which one page tells whole."""
        return any(one.folded_path.startswith(MONTHS.start) for one in self.files)


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

    @property
    def is_long(self) -> bool:
        """So that looking for a name is quicker than reading."""
        kinds = [*self.groups, self.notes] if self.notes else self.groups
        return bool(self.name) or sum(kind.count for kind in kinds) >= SHOWN


def tree(request: HttpRequest, workspace: access.Workspace) -> Tree:
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


def _named(request: HttpRequest, workspace: access.Workspace, name: str) -> Tree:
    found = workspace.files.present().filter(folded_path__contains=fold(name)).untexted()
    pages = page(request, found.order_by("-note_date", "folded_path"), size=PAGE)
    size = found.aggregate(size=Sum("size"))["size"]
    groups = (
        [Group("found", gettext_lazy("Found"), pages.items, pages.total, size)]
        if pages.total
        else []
    )
    return Tree(groups, [], None, pages, name)


def _by_kind(workspace: access.Workspace) -> dict[str, list[File]]:
    found: dict[str, list[File]] = defaultdict(list)
    others = workspace.files.present().filter(note_date=None).untexted()
    for file in others.order_by("sort_order", "folded_path"):
        found[kind_of(file.path).group].append(file)
    for key in ("other", "skills", "structured", "entries"):
        found[key].sort(key=lambda file: file.folded_path)
    found["past"].sort(key=lambda file: (file.path.count("/"), file.folded_path), reverse=True)
    return found


def _group(request: HttpRequest, key: str, files: list[File]) -> Group:
    more = _url(request, kind=key) if len(files) > SHOWN else ""
    return Group(key, GROUPS[key], files[:SHOWN], len(files), _size(files), more)


def _notes(
    request: HttpRequest, workspace: access.Workspace
) -> tuple[list[dict[str, Any]], Group | None]:
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
    shown = list(files.untexted().order_by("-note_date"))
    label = gettext_lazy("Daily notes")
    return months, Group(
        "notes", label, shown, sum(m.count for m in found), sum(m.size for m in found)
    )


def _name(month: date) -> str:
    is_this_year = month.year == timezone.localdate().year
    return date_format(month, str(gettext_lazy("F") if is_this_year else gettext_lazy("M Y")))


def _url(request: HttpRequest, **changed: str) -> str:
    query = request.GET.copy()
    for gone in ("kind", "month", "name", "page"):
        query.pop(gone, None)
    query.update(changed)
    return f"?{query.urlencode()}"


def _size(files: Sequence[File]) -> int:
    return sum(file.size for file in files)


@access.team_view("GET")
def global_file(
    request: access.TeamRequest, agent_id: UUID, path: str, number: int | None = None
) -> HttpResponse:
    agent = access.find_agent(request, agent_id)
    found = global_text(Reader(agent), path, number)
    if found is None:
        raise Http404
    rendered = markdown.render(found.content)
    context = {
        "agent": agent,
        "tab": "files",
        "file": found,
        "blocks": marked_blocks(rendered.blocks, request.GET.get("q", "")),
        "is_cut": rendered.is_cut,
    }
    return show(request, "files/global.html", context)


@access.team_view("GET")
def files(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id, read="files")
    return show_files(request, workspace)


def show_files(request: access.TeamRequest, workspace: access.Workspace) -> HttpResponse:
    """The page, or its tree alone after a change."""
    context = about(
        workspace,
        tree=tree(request, workspace),
        order=workspace.files.enabled_in_order().untexted(),
        query=f"?{request.GET.urlencode()}" if request.GET else "",
        deleted=page(request, deleted(workspace.files), size=10),
    )
    return show(request, "files/files.html", context, partials=("tree",))


@access.team_view("GET")
def file(request: access.TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id)
    if whole := history_at(of_link(path), workspace.files, To.PAGE):
        return _history(request, workspace, *whole)
    found = access.find_file(request, workspace, path)
    return show_file(request, workspace, found, saved=number_of(request, "saved", 0))


def _history(
    request: access.TeamRequest,
    workspace: access.Workspace,
    whole: File,
    text: str,
    months: list[File],
) -> HttpResponse:
    for one in months:
        access.note_read(request, workspace.owner, "file", one.pk)
    home = to(request, "agents_files", workspace.agent.pk)
    rendered = markdown.render(text, home, workspace.query)
    context = about(workspace, file=whole, blocks=rendered.blocks, is_cut=rendered.is_cut)
    return show(request, "files/history.html", context)


def show_file(
    request: access.TeamRequest,
    workspace: access.Workspace,
    found: File,
    *,
    editing: lines.Editing | None = None,
    saved: int = 0,
    status: int | None = None,
) -> HttpResponse:
    """`saved`: the revision whose lines are marked, while it is the current one."""
    written = current_revision(found)
    without_away(found, [written])
    context = about(
        workspace,
        file=found,
        file_url=to(request, "agents_file", workspace.agent.pk, found.path),
        **(
            lines.authored(request, found, found.revision)
            if lines.is_asked(request)
            else _text(request, workspace, found, editing, saved)
        ),
        revision=written,
        uses=times_given(found) if learned.is_learned(found.path) else None,
        may_forget=workspace.can_write and access.is_theirs(request, workspace),
    )
    return show(request, "files/file.html", context, partials=("text", "more"), status=status)


def _text(
    request: access.TeamRequest,
    workspace: access.Workspace,
    file: File,
    editing: lines.Editing | None,
    saved: int,
) -> dict[str, Any]:
    readable = readable_file(file, To.PAGE)
    home = to(request, "agents_files", workspace.agent.pk)
    rendered = markdown.render(with_ends(file, readable.text), home, workspace.query)
    blocks = lines.shown(file, readable, marked_blocks(rendered.blocks, request.GET.get("q", "")))
    if saved and saved == file.revision:
        changed, _at, _gone = last_changed(file)
        blocks = [replace(one, is_changed=bool(changed & {*one.block.lines})) for one in blocks]
    editing = (
        editing.among(blocks)
        if editing
        else lines.asked(request, workspace, file, readable.text, blocks)
    )
    wanted = number_of(request, "line", editing.at if editing else 0)
    marked = (n for n, one in enumerate(blocks) if one.is_changed or wanted in one.block.lines)
    shown = page(request, blocks, size=LINES, at=next(marked, 0), is_endless=True)
    return {
        "lines": shown.items,
        "page": shown,
        "standings": lines.standings(blocks),
        "is_cut": rendered.is_cut,
        "editing": editing,
    }


@access.team_view("GET")
def why(request: access.TeamRequest, agent_id: UUID, path: str, line: int) -> HttpResponse:
    workspace, found = access.find_workspace_file(request, agent_id, path)
    steps = lines.trace(request, found, line)
    if not steps:
        raise Http404
    fact, query = fact_at(found, line), workspace.query
    context = about(
        workspace,
        file=found,
        line=line,
        steps=steps,
        ends_here=_end(steps),
        fact_url=to(request, "agents_fact", agent_id, fact.pk, query=query) if fact else "",
    )
    return show(request, "files/why.html", context, partials=("why",))


def _end(steps: list[lines.Step]) -> str:
    """A sentence for a line that leads nowhere else."""
    if len(steps) > 1:
        return ""
    if steps[0].author:
        return _("No source: the author wrote this line directly.")
    return _("No source is recorded: this line came with the file.")


# Forgetting a line of a file: what would go with it, then yes or no; and taking that back.

_NAMED = 50  # places that a page names


@access.team_view("GET", "POST")
def forget_line(request: access.TeamRequest, agent_id: UUID, path: str, line: int) -> HttpResponse:
    """What is shared, an admin forgets; everybody else asks in Review."""
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    readable, is_own = readable_file(file, To.PAGE), access.is_theirs(request, workspace)
    numbers = _lines(readable, line)
    if not is_own and readable.hidden & {*numbers}:
        raise Http404
    if request.method == "POST":
        asked = _("An admin decides in Review whether it is erased.")
        said = _("Forgotten.") if is_own else asked
        act = partial(forgetting.forget_lines, is_theirs=is_own)
        return _act(request, workspace, file, numbers, act, said)
    found = forgetting.of_lines(file, numbers)
    shown = [one for one in found.meant if one.text][:_NAMED]
    context = about(
        workspace,
        file=file,
        line=line,
        goes=shown,
        more=len(found.meant) - len(shown),
        near=found.candidates,
        is_theirs=is_own,
    )
    return show(request, "files/forget.html", context)


@access.team_view("POST")
def unforget_line(
    request: access.TeamRequest, agent_id: UUID, path: str, line: int
) -> HttpResponse:
    workspace, file = access.find_workspace_file(request, agent_id, path, to_write=True)
    if not access.is_theirs(request, workspace):
        raise access.Refused("may_not_forget")
    said = _("It is remembered again.")
    numbers = _lines(readable_file(file, To.PAGE), line)
    return _act(request, workspace, file, numbers, forgetting.undo_of_lines, said)


def _act(
    request: access.TeamRequest,
    workspace: access.Workspace,
    file: File,
    numbers: range,
    act: Callable[..., object],
    said: str,
) -> HttpResponse:
    form = DeleteForm(request.POST)
    expected = form.cleaned_data["sha256"] if form.is_valid() else "-"
    with told_to(request):
        with request.visit.write() as tx:
            done = act(tx, file, numbers, expected=expected, writer=writer_of(request))
        messages.success(request, forgotten(done, said))
    query = to_line(workspace.query, numbers[0])
    return redirect(to(request, "agents_file", workspace.agent.pk, file.path, query=query))


def _lines(file: ReadableFile, line: int) -> range:
    """Of the block as the file's page shows it."""
    blocks = markdown.render(file.text).blocks
    found = next((block.lines for block in blocks if line in block.lines), None)
    if found is None:
        raise Http404
    return found
