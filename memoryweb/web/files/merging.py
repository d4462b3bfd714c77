"""When somebody was faster: both texts and what they began as, brought together by choices."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.markdown.merge import (
    Choice,
    Decision,
    Hunk,
    Kind,
    choices,
    conflicts,
    merge,
    resolved,
    text_of,
)
from memoryweb.markdown.side_by_side import sides
from memoryweb.memory.lines.files import content_with, file_that_was, number_with
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import AssignmentsFound, FileMissing, MemoryRefused, Stale
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.visible.request_contents import without_away
from memoryweb.web.access import (
    TeamRequest,
    Workspace,
    find_file,
    find_workspace,
    team_view,
)
from memoryweb.web.files.editor import (
    PARTS,
    draft_name,
    editor_of,
    editor_of_new,
    save_text,
    show_editor,
    show_instead,
    tell_saved,
)
from memoryweb.web.files.forms import EditForm, MergeForm, NewFileForm
from memoryweb.web.htmx import about, done
from memoryweb.web.wording import author_name

# Two texts brought together, as the page of a conflict shows them: hunk by hunk.

CONTEXT = 3  # unchanged lines shown around a change
NAMED_PLACES = 10  # open places that a sentence names


def shown(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> list[dict[str, Any]]:
    numbers = {at: number for number, at in enumerate(conflicts(hunks), start=1)}
    return [
        _unchanged(at, hunk, is_last=at == len(hunks) - 1)
        if hunk.kind == Kind.SAME
        else _place(at, hunk, decisions.get(at), numbers.get(at, 0))
        for at, hunk in enumerate(hunks)
    ]


def still_open(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> str:
    """Which places nobody has chosen for, as a sentence; empty where there is none."""
    numbers = [n for n, at in enumerate(conflicts(hunks), start=1) if at not in decisions]
    if not numbers:
        return ""
    named = ", ".join(str(number) for number in numbers[:NAMED_PLACES])
    said = ngettext(
        "Nothing is saved yet: choose what place {places} becomes.",
        "Nothing is saved yet: choose what places {places} become.",
        len(numbers),
    )
    return said.format(places=named + (", …" if len(numbers) > NAMED_PLACES else ""))


def _place(at: int, hunk: Hunk, decision: Decision | None, number: int) -> dict[str, Any]:
    """A hunk to choose for. `number` counts conflicts; what fits is chosen already."""
    offered = choices(hunk)
    chosen = decision.choice if decision else None if number else offered[0]
    is_by_hand = decision is not None and decision.choice == Choice.HAND
    return {
        "at": at,
        "kind": hunk.kind,
        "sides": sides(hunk),
        "choices": [(choice, _label(hunk.kind, choice)) for choice in offered],
        "chosen": str(chosen) if chosen else "",
        "texts": [(one, text_of(hunk, Decision(one))) for one in offered if one != Choice.HAND],
        "by_hand": decision.text if decision and is_by_hand else "\n".join(hunk.merged),
        "number": number,
    }


def _label(kind: Kind, choice: Choice) -> str:
    is_other = (kind, choice) in {(Kind.THEIRS, Choice.MINE), (Kind.MINE, Choice.THEIRS)}
    if is_other:
        return _("Keep it as it was")
    return {
        Choice.THEIRS: _("Take theirs"),
        Choice.MINE: _("Take mine") if kind != Kind.BOTH else _("Take it"),
        Choice.BOTH: _("Keep both, theirs first"),
        Choice.BOTH_MINE_FIRST: _("Keep both, mine first"),
        Choice.HAND: _("Edit by hand"),
    }[choice]


def _unchanged(at: int, hunk: Hunk, *, is_last: bool) -> dict[str, Any]:
    """Its first lines follow a change, its last ones lead to the next."""
    lines = hunk.mine
    head = lines[:CONTEXT] if at else ()
    rest = lines[len(head) :]
    tail = () if is_last else rest[-CONTEXT:]
    return {"kind": "same", "head": head, "tail": tail, "hidden": len(rest) - len(tail)}


NAMED_SAVES = 6  # who was faster


@team_view("POST")
def merge_texts(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    file = find_file(request, workspace, path, deleted=True, to_write=True)
    form = MergeForm(request.POST)
    if not form.is_valid():
        return _show(request, workspace, file, form, [], {})
    hunks = _hunks(file, form)
    decisions = form.decisions(hunks)
    if left := still_open(hunks, decisions):
        form.add_error(None, left)
        return _show(request, workspace, file, form, hunks, decisions)
    again = partial(_show, request, workspace, file, form, hunks, decisions)
    return save_or_show(request, workspace, file, form, again, content=resolved(hunks, decisions))


def save_or_show(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: EditForm,
    again: Callable[[], HttpResponse],
    *,
    content: str | None = None,
) -> HttpResponse:
    """Save the form's text, or what became of it, and go to the file (with htmx: on in the editor);
    else show what stands in the way: `again` the form itself."""
    said = form.said if content is None else form.said | {"content": content}
    opened = form.cleaned_data["sha256"]
    try:
        written = save_text(request, workspace, file.path, expected=opened, **said)
    except (Stale, FileMissing) as moved_on:
        if isinstance(moved_on, Stale) and moved_on.file.deleted_at is None:
            return _show_conflict(request, workspace, moved_on.file, said | {"base": opened})
        was = file_that_was(workspace.files, file.path, opened)
        waiting = EditForm(said | {"sha256": opened})
        waiting.is_valid()
        return show_gone(request, workspace, was or file, file.path, waiting)
    except (AssignmentsFound, MemoryRefused) as refused:
        form.refuse(refused)
        return again()
    return done(
        request,
        lambda one: show_editor(one, workspace, written.file, written=written),
        tell_saved(request, workspace, written),
        partials=PARTS,
    )


def _show_conflict(
    request: TeamRequest, workspace: Workspace, current: File, said: dict[str, str]
) -> HttpResponse:
    """Nothing is saved yet, and nothing is lost."""
    form = MergeForm(said | {"sha256": current.sha256})
    form.is_valid()
    return _show(request, workspace, current, form, _hunks(current, form), {}, status=409)


def show_gone(
    request: TeamRequest, workspace: Workspace, file: File, path: str, form: EditForm
) -> HttpResponse:
    """The file was deleted or renamed: the text waits in a form that saves it after all."""
    said = form.said
    is_deleted = file.deleted_at is not None
    text, person = said["content"], request.user.pk
    again = (
        NewFileForm(initial=said | {"path": path})
        if is_deleted
        else EditForm(initial=said | {"sha256": form.cleaned_data["sha256"]})
    )
    context = about(
        workspace,
        file=file,
        path=path,
        is_deleted=is_deleted,
        editor=editor_of_new(workspace.agent.pk, workspace.value, text, person)
        if is_deleted
        else editor_of(file, text, person),
        form=again,
    )
    return show_instead(request, "files/gone.html", context, status=409)


def _hunks(file: File, form: MergeForm) -> list[Hunk]:
    """The ancestor is found by its hash; without it, nothing counts as taken away."""
    theirs = content_with(file, form.cleaned_data["sha256"])
    base = content_with(file, form.cleaned_data["base"])
    look = Look(To.PAGE, files=[file])
    before = None if base is None else look.then(file, base)
    after = look.file(file).text if theirs is None else look.then(file, theirs)
    return merge(before, after, form.cleaned_data["content"])


def _show(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: MergeForm,
    hunks: Sequence[Hunk],
    decisions: Mapping[int, Decision],
    *,
    status: int = 422,
) -> HttpResponse:
    context = about(
        workspace,
        file=file,
        form=form,
        places=shown(hunks, decisions),
        conflicts=len(conflicts(hunks)),
        left=sum(at not in decisions for at in conflicts(hunks)),
        faster=_faster(file, form),
        draft=draft_name(request.user.pk, file),
    )
    return show_instead(request, "files/conflict.html", context, status=status)


def _faster(file: File, form: MergeForm) -> dict[str, Any]:
    """Everybody who saved after the text that both began with, the last one first; without it, that
    one. `more` are not shown."""
    opened = number_with(file, form.data.get("base", ""))
    since = file.revisions.filter(number__gt=file.revision - 1 if opened is None else opened)
    told = since.select_related("user", "run", "integration", "token").order_by("-number")
    named = list(told[:NAMED_SAVES])
    without_away(file, named)
    saves = [(revision, author_name(revision)) for revision in named]
    return {"saves": saves, "opened": opened, "more": max(0, since.count() - NAMED_SAVES)}
