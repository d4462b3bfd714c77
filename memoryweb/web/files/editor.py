"""The editor of a file: the page, the editor alone, or what a save changes around the text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, groupby
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_htmx.http import reswap, retarget

from memoryweb.llm.tokens import estimate
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
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.pins import pinned_lines
from memoryweb.markdown.side_by_side import sides
from memoryweb.memory.lines.files import content_with, file_that_was, number_with
from memoryweb.memory.lines.origins import lines_of_people
from memoryweb.memory.lines.revisions import last_changed
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import AssignmentsFound, FileMissing, MemoryRefused, Stale
from memoryweb.memory.statements.bullets import read_ahead
from memoryweb.memory.visible.readable import Look, To, readable_file
from memoryweb.memory.visible.request_contents import without_away
from memoryweb.memory.writing import write as door
from memoryweb.memory.writing.write import WriteResult
from memoryweb.web.access import TeamRequest, Workspace, find_workspace_file, team_view
from memoryweb.web.files.forms import EditForm, MergeForm, NewFileForm
from memoryweb.web.pages import about, done, is_fragment, show, to
from memoryweb.web.wording import author_name, writer_of

# What the editor is told about a text: how much of it enters the prompt, and which lines stay.

_TOLD = 12  # ranges that a sentence names


@dataclass(frozen=True)
class Editor:
    """`draft` names the text in the browser's store. Ranges read `3-6 9`."""

    draft: str
    characters: int
    tokens: int
    limit: int | None = None
    pinned: str = ""
    persons: str = ""
    changed: str = ""

    @property
    def over(self) -> int:
        return max(0, self.characters - self.limit) if self.limit else 0

    @property
    def counted(self) -> str:
        said = _("{characters} characters, about {tokens} tokens")
        return said.format(characters=intcomma(self.characters), tokens=intcomma(self.tokens))

    @property
    def pinned_told(self) -> str:
        return _ranges_in_words(self.pinned)

    @property
    def persons_told(self) -> str:
        return _ranges_in_words(self.persons)


def editor_of(file: File, text: str, user_id: object, *, changed: Iterable[int] = ()) -> Editor:
    """Lines are marked while the text in the editor is the file's own."""
    is_own = text == readable_file(file, To.PAGE).text
    return Editor(
        draft=draft_name(user_id, file),
        characters=len(text),
        tokens=estimate(text),
        limit=kind_of(file.path).limit,
        pinned=_ranges(pinned_lines(text)),
        persons=_ranges(lines_of_people([file])[file.pk]) if is_own else "",
        changed=_ranges(changed),
    )


def draft_name(user_id: object, file: File) -> str:
    return f"{user_id}:{file.pk}"


def editor_of_new(agent_id: UUID, workspace: str, text: str, user_id: object) -> Editor:
    return Editor(f"{user_id}:new:{agent_id}:{workspace}", len(text), estimate(text))


def _ranges(lines: Iterable[int]) -> str:
    at = count()
    runs = [list(run) for _key, run in groupby(sorted(lines), key=lambda line: line - next(at))]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _ranges_in_words(ranges: str) -> str:
    """`3–6, 9`, cut where there are many."""
    parts = ranges.replace("-", "–").split()
    return ", ".join(parts[:_TOLD]) + (" …" if len(parts) > _TOLD else "")


# What a person saves in the browser: one way for the editor, a new file, a merge and a line; and
# how it is told, with an Undo.


def save_text(
    request: TeamRequest,
    workspace: Workspace,
    path: str,
    *,
    content: str,
    reason: str,
    expected: str,
) -> WriteResult:
    """Raises what `files.write` raises."""
    read_ahead(content, path)
    with request.visit.write() as tx:
        return door.write(
            tx,
            workspace.owned(request).memory.at(path),
            content,
            writer=writer_of(request),
            expected=expected,
            reason=reason,
        )


def tell_saved(request: TeamRequest, workspace: Workspace, written: WriteResult) -> str:
    """With an Undo. Returns the file's page, at the first line that changed."""
    file = written.file
    address = to(request, "agents_file", workspace.agent.pk, file.path, query=workspace.query)
    if not written.changed:
        messages.success(request, _("There was nothing to save: the text is the same."))
        return f"{address}{'&' if workspace.query else '?'}saved=0"
    said = _("{path} was saved as revision {number}.")
    lines, at, gone = last_changed(file)
    told = said.format(path=file.path, number=file.revision)
    undo = undo_url(request, workspace, file) if file.revision > 1 else ""
    if file.revision > 1:
        told = f"{told} {_counted(len(lines), gone)}"
    messages.success(request, told, extra_tags=undo)
    return f"{address}{'&' if workspace.query else '?'}saved={file.revision}#L{at}"


def undo_url(request: TeamRequest, workspace: Workspace, file: File) -> str:
    """Takes the file's last revision back."""
    place = (workspace.agent.pk, file.path, file.revision)
    return to(request, "agents_undo_save", *place, query=workspace.query)


def _counted(lines: int, gone: int) -> str:
    if lines or not gone:
        return ngettext("{n} line changed.", "{n} lines changed.", lines).format(n=lines)
    return ngettext("{n} line was removed.", "{n} lines were removed.", gone).format(n=gone)


PARTS = ("saved", "editing")


def show_editor(
    request: TeamRequest,
    workspace: Workspace,
    file: File,
    form: EditForm | None = None,
    *,
    written: WriteResult | None = None,
) -> HttpResponse:
    """After a save with what was `written`: the text in the browser stays as it is."""
    if form is None or not form.is_bound:
        form = EditForm(
            initial={"content": readable_file(file, To.PAGE).text, "sha256": file.sha256}
        )
        if written is None:
            form.begin_at("content")
    changed = last_changed(file)[0] if written and written.changed else ()
    text = form["content"].value() or ""
    editor = editor_of(file, text, request.user.pk, changed=changed)
    context = about(workspace, file=file, form=form, editor=editor, is_saved=written is not None)
    return show(request, "files/edit.html", context, partials=PARTS)


def show_instead(
    request: TeamRequest, template: str, context: dict[str, Any], *, status: int
) -> HttpResponse:
    """A page of its own, which takes the editor's place where htmx asked for a part of that."""
    if not is_fragment(request, PARTS):
        return show(request, template, context, status=status)
    shown = render(request, f"{template}#editing", context, status=status)
    return reswap(retarget(shown, "#editing"), "outerHTML")


# When somebody was faster: both texts and what they began as, brought together by choices.

# Two texts brought together, as the page of a conflict shows them: hunk by hunk.

_AROUND = 3  # unchanged lines shown around a change
_NAMED_PLACES = 10  # open places that a sentence names


def _hunks_shown(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> list[dict[str, Any]]:
    numbers = {at: number for number, at in enumerate(conflicts(hunks), start=1)}
    return [
        _unchanged(at, hunk, is_last=at == len(hunks) - 1)
        if hunk.kind == Kind.SAME
        else _place(at, hunk, decisions.get(at), numbers.get(at, 0))
        for at, hunk in enumerate(hunks)
    ]


def _still_open(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> str:
    """Which places nobody has chosen for, as a sentence; empty where there is none."""
    numbers = [n for n, at in enumerate(conflicts(hunks), start=1) if at not in decisions]
    if not numbers:
        return ""
    named = ", ".join(str(number) for number in numbers[:_NAMED_PLACES])
    said = ngettext(
        "Nothing is saved yet: choose what place {places} becomes.",
        "Nothing is saved yet: choose what places {places} become.",
        len(numbers),
    )
    return said.format(places=named + (", …" if len(numbers) > _NAMED_PLACES else ""))


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
    is_other = (kind, choice) in {
        (Kind.THEIRS, Choice.MINE),
        (Kind.MINE, Choice.THEIRS),
    }
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
    head = lines[:_AROUND] if at else ()
    rest = lines[len(head) :]
    tail = () if is_last else rest[-_AROUND:]
    return {"kind": "same", "head": head, "tail": tail, "hidden": len(rest) - len(tail)}


_NAMED_SAVES = 6  # who was faster


@team_view("POST")
def merge_texts(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = find_workspace_file(request, agent_id, path, deleted=True, to_write=True)
    form = MergeForm(request.POST)
    if not form.is_valid():
        return _show(request, workspace, file, form, [], {})
    hunks = _hunks(file, form)
    decisions = form.decisions(hunks)
    if left := _still_open(hunks, decisions):
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
        places=_hunks_shown(hunks, decisions),
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
    named = list(told[:_NAMED_SAVES])
    without_away(file, named)
    saves = [(revision, author_name(revision)) for revision in named]
    return {"saves": saves, "opened": opened, "more": max(0, since.count() - _NAMED_SAVES)}
