"""When somebody was faster: both texts and what they began as, brought together by choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memoryweb.memory.exceptions import FileMissing, MemoryRefused, Stale
from memoryweb.web.access import Shelf, TeamRequest, find_file, find_shelf, require_write, team_view
from memoryweb.web.forms.files import EditForm, MergeForm, NewFileForm
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import author_name
from memoryweb.web.saving import save_text, saved
from memoryweb.workspace.merge import Choice, Decision, Hunk, Kind, conflicts, merge, resolved
from memoryweb.workspace.models import File
from memoryweb.workspace.opened import content_with, file_that_was

CONTEXT = 3  # unchanged lines shown around a change


@dataclass(frozen=True)
class Part:
    """A hunk as it is shown. `hidden` lines of an unchanged one are left away."""

    at: int
    hunk: Hunk
    chosen: str
    by_hand: str
    head: Sequence[str] = ()
    tail: Sequence[str] = ()
    hidden: int = 0
    number: int = 0


@require_POST
@team_view()
def merge_texts(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path, deleted=True)
    require_write(request, shelf)
    form = MergeForm(request.POST)
    if not form.is_valid():
        return _show(request, shelf, file, form, [], {}, status=422)
    hunks = _hunks(file, form)
    decisions = form.decisions(hunks)
    if len(decisions) < len(conflicts(hunks)):
        form.add_error(None, _("Choose for every place that both of you changed."))
        return _show(request, shelf, file, form, hunks, decisions, status=422)
    return _save(request, shelf, file, form, hunks, decisions)


def show_conflict(
    request: TeamRequest, shelf: Shelf, current: File, *, base: str, content: str, reason: str
) -> HttpResponse:
    """Nothing is saved yet, and nothing is lost."""
    said = {"content": content, "reason": reason, "sha256": current.sha256, "base": base}
    form = MergeForm(said)
    form.is_valid()
    return _show(request, shelf, current, form, _hunks(current, form), {}, status=409)


def show_gone(
    request: TeamRequest, shelf: Shelf, file: File, path: str, form: EditForm
) -> HttpResponse:
    """The file was deleted or renamed: the text waits in a form that saves it after all."""
    said = {name: form.cleaned_data[name] for name in ("content", "reason")}
    is_deleted = file.deleted_at is not None
    again = (
        NewFileForm(initial=said | {"path": path})
        if is_deleted
        else EditForm(initial=said | {"sha256": form.cleaned_data["sha256"]})
    )
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": file,
        "path": path,
        "is_deleted": is_deleted,
        "form": again,
    }
    return show(request, "files/gone.html", context, status=409)


def _save(
    request: TeamRequest,
    shelf: Shelf,
    file: File,
    form: MergeForm,
    hunks: Sequence[Hunk],
    decisions: Mapping[int, Decision],
) -> HttpResponse:
    text, reason = resolved(hunks, decisions), form.cleaned_data["reason"]
    shown = form.cleaned_data["sha256"]
    try:
        written = save_text(
            request,
            shelf,
            file.path,
            content=text,
            reason=reason,
            expected=shown,
            no_secrets=form.cleaned_data["no_secrets"],
        )
    except (Stale, FileMissing) as moved_on:
        if isinstance(moved_on, Stale) and moved_on.file.deleted_at is None:
            return show_conflict(
                request, shelf, moved_on.file, base=shown, content=text, reason=reason
            )
        again = EditForm({"content": text, "reason": reason, "sha256": shown})
        again.is_valid()
        was = file_that_was(shelf.files, file.path, shown)
        return show_gone(request, shelf, was or file, file.path, again)
    except MemoryRefused as refused:
        form.refuse(refused)
        return _show(request, shelf, file, form, hunks, decisions, status=422)
    messages.success(request, saved(written))
    url = to(request, "agents_file", shelf.agent.pk, file.path, query=f"{shelf.query}#saved")
    return redirect(url)


def _hunks(file: File, form: MergeForm) -> list[Hunk]:
    """The ancestor is found by its hash; without it, nothing counts as taken away."""
    theirs = content_with(file, form.cleaned_data["sha256"])
    base = content_with(file, form.cleaned_data["base"])
    return merge(base, file.content if theirs is None else theirs, form.cleaned_data["content"])


def _show(
    request: TeamRequest,
    shelf: Shelf,
    file: File,
    form: MergeForm,
    hunks: Sequence[Hunk],
    decisions: Mapping[int, Decision],
    *,
    status: int,
) -> HttpResponse:
    latest = file.revisions.select_related("user", "run", "integration").get(number=file.revision)
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": file,
        "form": form,
        "parts": _parts(hunks, decisions),
        "conflicts": len(conflicts(hunks)),
        "choices": [
            (Choice.THEIRS, _("Take theirs")),
            (Choice.MINE, _("Take mine")),
            (Choice.BOTH, _("Keep both, theirs first")),
            (Choice.HAND, _("Edit by hand")),
        ],
        "latest": latest,
        "author": author_name(latest),
    }
    return show(request, "files/conflict.html", context, status=status)


def _parts(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> list[Part]:
    parts = []
    for at, hunk in enumerate(hunks):
        if hunk.kind == Kind.SAME:
            parts.append(_unchanged(at, hunk, is_last=at == len(hunks) - 1))
            continue
        decision = decisions.get(at, Decision(Choice.HAND, "\n".join(hunk.merged)))
        chosen = str(decision.choice) if at in decisions else ""
        by_hand = decision.text if decision.choice == Choice.HAND else "\n".join(hunk.merged)
        number = sum(other < at for other in conflicts(hunks)) + 1
        parts.append(Part(at, hunk, chosen, by_hand, number=number))
    return parts


def _unchanged(at: int, hunk: Hunk, *, is_last: bool) -> Part:
    """Its first lines follow a change, its last ones lead to the next."""
    lines = hunk.mine
    head = lines[:CONTEXT] if at else ()
    rest = lines[len(head) :]
    tail = () if is_last else rest[-CONTEXT:]
    return Part(at, hunk, "", "", head, tail, hidden=len(rest) - len(tail))
