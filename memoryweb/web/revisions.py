"""A file's past: the list, one revision, two compared, one restored."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.dreaming.queries import did_of
from memoryweb.markdown.diff import counts, side_by_side
from memoryweb.memory import undoing
from memoryweb.memory.lines.revisions import (
    happened,
    history_of,
    last_changed,
    renames_of,
    writers_of,
)
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.visible.request_contents import without_away
from memoryweb.memory.writing import write as door
from memoryweb.web import markdown
from memoryweb.web.access import TeamRequest, find_workspace_file, team_view
from memoryweb.web.files import lines
from memoryweb.web.files.editor import undo_url
from memoryweb.web.form_fields import ChoiceField, PeriodForm
from memoryweb.web.markdown import marked_blocks
from memoryweb.web.pages import about, next_url, number_of, numbers_of, page, show, to, told_to
from memoryweb.web.wording import Author, Choice, author_of, writer_of


class HistoryForm(PeriodForm):
    """Which revisions of a file to show. The run comes with a link."""

    kind = ChoiceField(
        label=gettext_lazy("Written by"),
        required=False,
        choices=[("", gettext_lazy("Anybody")), *AuthorKind.choices],
    )
    person = ChoiceField(label=gettext_lazy("Person"), required=False)
    run = forms.UUIDField(required=False, widget=forms.HiddenInput)
    owner = forms.CharField(required=False, widget=forms.HiddenInput)
    field_order = ("kind", "person", "since", "until")


@team_view("GET")
def revisions(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = find_workspace_file(request, agent_id, path, deleted=True)
    people = [("", _("Anybody")), *((str(user.pk), str(user)) for user in writers_of(file))]
    form = HistoryForm(request.GET, person=people)
    rows, is_filtered = _filtered(history_of(file), form), bool({*form.changed_data} - {"owner"})
    # Revisions are numbered without a gap: a long history need not be counted.
    shown = (
        page(request, rows, most=250) if is_filtered else page(request, rows, total=file.revision)
    )
    context = about(
        workspace,
        file=file,
        form=form,
        is_filtered=is_filtered,
        page=shown,
        rows=_rows(request, file, shown.items, can_write=workspace.can_write),
    )
    return show(request, "files/revisions.html", context)


@team_view("GET")
def revision(request: TeamRequest, agent_id: UUID, path: str, number: int) -> HttpResponse:
    workspace, file = find_workspace_file(request, agent_id, path, deleted=True)
    found = get_object_or_404(history_of(file), number=number)
    without_away(file, [found])
    context = about(
        workspace,
        file=file,
        revision=found,
        author=author_of(request, found, file.agent),
        path_then=found.path if found.path != file.path else "",
        is_current=number == file.revision and file.deleted_at is None,
        **(
            lines.authored(request, file, number)
            if lines.is_asked(request)
            else _text(request, file, number)
        ),
    )
    return show(request, "files/revision.html", context, partials=("text",))


def _text(request: TeamRequest, file: File, number: int) -> dict[str, Any]:
    rendered = markdown.render(Look(To.PAGE, files=[file]).at(file, number))
    blocks = marked_blocks(rendered.blocks, request.GET.get("q", ""))
    return {"blocks": blocks, "is_cut": rendered.is_cut}


@team_view("GET")
def compare(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    workspace, file = find_workspace_file(request, agent_id, path, deleted=True)
    new = number_of(request, "to", file.revision)
    old = number_of(request, "from", max(0, new - 1))
    opened = numbers_of(request, "open")
    context_lines = None if "all" in request.GET.getlist("open") else 3
    look = Look(To.PAGE, files=[file])
    texts = (_content(look, file, number) for number in (old, new))
    rows = side_by_side(*texts, context=context_lines, opened=opened)
    context = about(
        workspace,
        file=file,
        old=old,
        new=new,
        page=page(request, rows, size=2000),
        counts=counts(rows),
        open_query=_query(request, old, new),
        is_whole=context_lines is None,
        focus=opened[-1] if opened else 0,
        sides=[(number, _side(request, file, number)) for number in (old, new)],
    )
    return show(request, "files/compare.html", context, partials=("diff",))


@team_view("POST")
def restore(request: TeamRequest, agent_id: UUID, path: str, number: int) -> HttpResponse:
    workspace, file = find_workspace_file(request, agent_id, path, deleted=True, to_write=True)
    found = get_object_or_404(file.revisions, number=number, is_deletion=False)
    with told_to(request):
        with request.visit.write() as tx:
            changed = door.restore(tx, file, found.number, writer=writer_of(request)).changed
        said = _("Revision {number} is current again.") if changed else _("Nothing to restore.")
        file.refresh_from_db(fields=["revision"])
        back = undo_url(request, workspace, file) if changed else ""
        messages.success(request, said.format(number=number), extra_tags=back)
        return redirect(to(request, "agents_file", agent_id, file.path, query=workspace.query))
    return redirect(to(request, "agents_revisions", agent_id, file.path, query=workspace.query))


@team_view("POST")
def undo(request: TeamRequest, agent_id: UUID, path: str, number: int) -> HttpResponse:
    """One's own last save, as long as nothing newer stands on it."""
    workspace, file = find_workspace_file(request, agent_id, path, deleted=True, to_write=True)
    with told_to(request):
        with request.visit.write() as tx:
            undone = undoing.undo(tx, file, number, writer=writer_of(request)).file
        said = _("Undone: {path} is as it was before.").format(path=file.path)
        messages.success(request, said)
        editor = to(request, "agents_edit", agent_id, file.path)
        if next_url(request).partition("?")[0] == editor:
            return redirect(editor + workspace.query)
        query = f"{workspace.query}{'&' if workspace.query else '?'}saved={undone.revision}"
        at = last_changed(undone)[1]
        return redirect(to(request, "agents_file", agent_id, file.path, query=f"{query}#L{at}"))
    where = "agents_revisions" if file.deleted_at else "agents_file"
    return redirect(to(request, where, agent_id, file.path, query=workspace.query))


def _filtered(rows: "QuerySet[Revision]", form: HistoryForm) -> "QuerySet[Revision]":
    rows = rows.filter(**form.lookups(kind="author_kind", person="user", run="run"))
    since, until = form.period()
    if since:
        rows = rows.alias(at=happened()).filter(at__gte=since)
    return rows.alias(at=happened()).filter(at__lt=until) if until else rows


def _rows(
    request: TeamRequest, file: File, found: Collection[Revision], *, can_write: bool
) -> list[dict[str, Any]]:
    """The newest two stand ready to be compared: `to_compare` is the side of each."""
    without_away(file, found)
    names = renames_of(file, [one.number for one in found])
    ready = dict(zip((one.number for one in found), ("to", "from"), strict=False))
    dreams = [one.run_id for one in found if one.run_id and file.path == "MEMORY.md"]
    did = did_of(dreams) if dreams else {}
    return [
        {
            "revision": one,
            "author": (author := author_of(request, one, file.agent)),
            "path_before": names.get(one.number, ""),
            "links": _links(request, one, author),
            "did": did[one.run_id].words if one.run_id in did else "",
            "to_compare": ready.get(one.number, ""),
            "can_restore": can_write and not one.is_deletion and _is_past(file, one),
            "from_label": _("Compare from revision {n}").format(n=one.number),
            "to_label": _("Compare to revision {n}").format(n=one.number),
        }
        for one in found
    ]


def _is_past(file: File, revision: Revision) -> bool:
    return revision.number != file.revision or file.deleted_at is not None


def _links(request: TeamRequest, revision: Revision, author: Author) -> list[Choice]:
    found = (
        (_("run"), author.run_url),
        (_("only this run"), _run_query(request, revision)),
        (_("conversation"), author.talk_url),
    )
    return [Choice(label, url, False) for label, url in found if url]


def _run_query(request: TeamRequest, revision: Revision) -> str:
    if revision.run_id is None:
        return ""
    query = QueryDict(mutable=True)
    if "owner" in request.GET:
        query["owner"] = request.GET["owner"]
    query["run"] = str(revision.run_id)
    return f"?{query.urlencode()}"


def _side(request: TeamRequest, file: File, number: int) -> Author | None:
    found = history_of(file).filter(number=number).first()
    return author_of(request, found, file.agent) if found else None


def _query(request: TeamRequest, old: int, new: int) -> str:
    """This comparison with what is opened so far, for a link that opens one gap more."""
    query = request.GET.copy()
    query["from"], query["to"] = str(old), str(new)
    query.setlist("open", list(dict.fromkeys(one for one in query.getlist("open") if one != "all")))
    return f"?{query.urlencode()}"


def _content(look: Look, file: File, number: int) -> str:
    """Revision 0 is the file before it was."""
    if number and not file.revisions.filter(number=number).exists():
        raise Http404
    return look.at(file, number)
