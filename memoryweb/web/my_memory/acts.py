"""What somebody does about their own memory: statements, lines, and what they asked to forget."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Concatenate
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.memory import facts, forgetting, questions
from memoryweb.memory import my_memory as door
from memoryweb.memory.forgetting import NothingToUndo
from memoryweb.memory.models import Fact, File, ForgetRequest
from memoryweb.memory.models.refusals import MemoryRefused, Stale
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.my_memory import Spot
from memoryweb.memory.visible.readable import To
from memoryweb.memory.visible.request_contents import waiting_of
from memoryweb.web import wording
from memoryweb.web.access import UserRequest
from memoryweb.web.facts.acts import ACTS, EditForm
from memoryweb.web.form_fields import UntilForm
from memoryweb.web.my_memory import rows
from memoryweb.web.my_memory.rows import Oneself, Row
from memoryweb.web.pages import next_url, show, told_to
from memoryweb.web.provenance import saves_in, saves_text
from memoryweb.web.wording import Text

LINE = "lines/<uuid:file_id>/<int:start>/<int:end>/<slug:sha256>/"
Act = Callable[Concatenate[UserRequest, Oneself, ...], HttpResponseBase]


def answered(request: UserRequest, who: Oneself, row: Row) -> HttpResponse:
    """The row in its place, with what was done; or the page it stands on, which says so."""
    if request.htmx:
        return show(request, "my_memory/_row.html", {"row": row, "who": who})
    messages.success(request, row.told or _("Undone."), extra_tags=row.undo)
    return redirect(next_url(request) or who.urls["page"])


def refused(request: UserRequest, who: Oneself, row: Row, said: object) -> HttpResponse:
    """The row with the form open, and in it what was written."""
    form = EditForm(request.POST if "text" in request.POST else {"text": row.text})
    form.add_error(None, str(said))
    row = replace(row, form=form)
    name = "_row" if request.htmx else "sentence"
    return show(request, f"my_memory/{name}.html", layout(who) | {"row": row}, status=422)


def layout(who: Oneself) -> dict[str, Any]:
    """What every template of these pages needs."""
    name = "base.html" if who.is_member else "visits/base.html"
    return {"layout": name, "who": who, "urls": who.urls, "me": who.me}


def _of_statement(name: str) -> Act:
    act = ACTS[name]

    def view(request: UserRequest, who: Oneself, fact_id: UUID) -> HttpResponse:
        fact = who.fact(fact_id)
        try:
            with who.write() as tx:
                made = act.do(tx, fact, writer=who.writer)
        except MemoryRefused as found:
            return refused(request, who, _now(who, fact), found)
        row = _now(who, fact)
        if act.undo:
            row = replace(row, told=wording.forgotten(made, act.said), undo=row.at + act.back)
        return answered(request, who, row)

    return view


def _now(who: Oneself, fact: Fact) -> Row:
    [row] = rows.statements(who, [who.fact(fact.pk)])
    return row


def edit(request: UserRequest, who: Oneself, fact_id: UUID) -> HttpResponse:
    fact, form = who.fact(fact_id), EditForm(request.POST)
    if not form.is_valid():
        return refused(request, who, _now(who, fact), form.errors["text"][0])
    try:
        with who.write() as tx:
            said = form.cleaned_data["text"]
            made = facts.edit(tx, fact, said, writer=who.writer)
    except MemoryRefused as found:
        return refused(request, who, _now(who, fact), found)
    fact.refresh_from_db(fields=["superseded_by"])
    row = _now(who, fact.superseded_by or fact)
    return answered(request, who, _saved(who, row, [made]))


def until(request: UserRequest, who: Oneself, fact_id: UUID) -> HttpResponse:
    fact, form = who.fact(fact_id), UntilForm(request.POST)
    if not form.is_valid():
        raise Http404
    try:
        with who.write() as tx:
            facts.remember_until(tx, fact, form.cleaned_data["day"], writer=who.writer)
    except MemoryRefused as found:
        return refused(request, who, _now(who, fact), found)
    told = wording.remembered(form.cleaned_data["day"])
    return answered(request, who, replace(_now(who, fact), told=told))


def _saved(who: Oneself, row: Row, made: list[Any], told: str = "") -> Row:
    saves = saves_text((one.file.pk, one.file.revision) for one in made if one.changed)
    undo = f"{who.urls['undo']}?undo={saves}" if saves else ""
    return replace(row, told=told or _("You changed this."), undo=undo)


# Lines that are no statements: the same acts, each found as it stood on the page.


def _of_line(act: Callable[..., Row]) -> Act:
    def view(
        request: UserRequest, who: Oneself, file_id: UUID, start: int, end: int, sha256: str
    ) -> HttpResponse:
        file, spot = who.file(file_id), Spot(start, end, sha256)
        row = _line(who, file, spot)
        try:
            with who.write() as tx:
                row = act(request, who, tx, file, door.place(file, spot), row)
        except MemoryRefused as found:
            return refused(request, who, row, found)
        return answered(request, who, row)

    return view


def _line(who: Oneself, file: File, spot: Spot) -> Row:
    there = door.moved(file, spot)
    return rows.line(who, there) if there else rows.gone(file)


def _learn(
    _request: UserRequest, who: Oneself, tx: Transaction, file: File, spot: Spot, row: Row
) -> Row:
    made = door.learn(tx, file, spot, writer=who.writer)
    return _saved(who, row, [made], _("You said this is right. It is a statement now."))


def _reword(
    request: UserRequest, who: Oneself, tx: Transaction, file: File, spot: Spot, _row: Row
) -> Row:
    made = door.reword(tx, file, spot, request.POST.get("text", ""), writer=who.writer)
    now = who.file(file.pk)
    return _saved(who, _line(who, now, Spot(spot.first, spot.first, now.sha256)), [made])


def _remove(
    _request: UserRequest, who: Oneself, tx: Transaction, file: File, spot: Spot, row: Row
) -> Row:
    """With the notes that it stands on, so that no dream writes it again."""
    made = door.remove(tx, file, spot, writer=who.writer, sources_of=who.owners)
    return _saved(who, replace(row, is_gone=True, can=frozenset()), made, _("Marked as not true."))


def _forget(
    _request: UserRequest, who: Oneself, tx: Transaction, file: File, spot: Spot, _row: Row
) -> Row:
    numbers, by = range(spot.first, spot.last + 1), who.writer
    made = forgetting.forget_lines(
        tx, file, numbers, expected=spot.sha256, writer=by, is_theirs=True
    )
    act, row = ACTS["forget"], _line(who, file, spot)
    row = replace(row, text="", is_gone=True, can=frozenset(), undo=row.at + act.back)
    return replace(row, told=wording.forgotten(made, act.said))


def _unforget(
    _request: UserRequest, who: Oneself, tx: Transaction, file: File, spot: Spot, _row: Row
) -> Row:
    numbers, by = range(spot.first, spot.last + 1), who.writer
    forgetting.undo_of_lines(tx, file, numbers, expected=spot.sha256, writer=by)
    return _line(who, file, spot)


def undo(request: UserRequest, who: Oneself) -> HttpResponse:
    """All of a change or nothing of it."""
    saves = saves_in(request.GET.get("undo", ""))
    files = [(who.file(file_id), number) for file_id, number in saves]
    if not files:
        raise Http404
    with told_to(request):
        try:
            with who.write() as tx:
                for file, number in sorted(files, key=lambda place: str(place[0].pk)):
                    door.undo(tx, file, number, writer=who.writer)
            messages.success(request, _("Undone."))
        except Stale:
            messages.error(request, _("The file has changed since, so this can't be undone here."))
    return redirect(next_url(request) or who.urls["page"])


ON_STATEMENTS: Mapping[str, tuple[str, Act]] = {
    **{name: (act.where, _of_statement(name)) for name, act in ACTS.items()},
    "edit": ("edit/", edit),
    "until": ("until/", until),
}
ON_LINES: Mapping[str, tuple[str, Act]] = {
    "confirm": ("confirm/", _of_line(_learn)),
    "edit": ("edit/", _of_line(_reword)),
    "not_true": ("not-true/", _of_line(_remove)),
    "forget": ("forget/", _of_line(_forget)),
    "unforget": ("forget/undo/", _of_line(_unforget)),
}


# What they asked to forget, and what they are asked.


def _decided(decide: Callable[..., object], said: Text, *, picks: bool = False) -> Act:
    def act(request: UserRequest, who: Oneself) -> HttpResponse:
        known = {one.pk: one for one in waiting_of(who.owners.keys())}
        wanted = [_key(text) for text in request.POST.getlist("request")]
        if not wanted:
            raise Http404
        more: dict[str, Any] = {}
        if picks:
            wait = settings.FORGET_UNDO_SECONDS
            more = {"picked": request.POST.getlist("pick"), "seconds": wait}
        with told_to(request):
            for one in [_one(known, key, who) for key in wanted]:
                # Each by itself: whoever else writes needn't wait for all of them.
                with who.write() as tx:
                    decide(tx, one, who.user, **more)
            messages.success(request, str(said))
        return redirect(who.urls["page"] + "#asked")

    return act


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404 from error


def _one(known: Mapping[UUID, ForgetRequest], key: UUID, who: Oneself) -> ForgetRequest:
    """One's own, or the same 404 as for one that nobody has; one that was decided says so."""
    if key in known:
        return known[key]
    if not any(one.pk == key for one in waiting_of(who.owners.keys(), is_decided=True)):
        raise Http404
    raise NothingToUndo


ON_REQUESTS: Mapping[str, Act] = {
    "bring_back": _decided(forgetting.undo, gettext_lazy("It is back. Agents may use it again.")),
    "keep": _decided(forgetting.keep, gettext_lazy("Kept. Nothing was forgotten.")),
    "erase": _decided(forgetting.erase, gettext_lazy("It is being erased. This can't be undone.")),
    "forget": _decided(
        forgetting.erase, gettext_lazy("Hidden from agents. You can still undo it."), picks=True
    ),
}


def forget_all(request: UserRequest, who: Oneself) -> HttpResponse:
    """At every agent, with the conversations; a visit ends with it."""
    said = _("It is being erased. Until that is done, memory is paused. Afterwards it is on again.")
    with told_to(request):
        with who.write() as tx:
            for owner in who.owners.values():
                forgetting.erase_owner(tx, owner, who.user)
        if not who.is_member:
            return show(request, "visits/over.html", {"said": said})
        messages.success(request, said)
    return redirect(who.urls["page"])


# What somebody without an account is asked on their page: whether it is still true.

_SAID = {
    "IGNORE": gettext_lazy("Confirmed."),
    "KEEP_B": gettext_lazy("Removed. Agents no longer use it."),
}


def questions_for(who: Oneself) -> list[dict[str, object]]:
    """A member has them in Review."""
    found = [] if who.is_member else questions.waiting_for(who.owners.values())
    told = [{"id": one.pk, "said": questions.told_of(one, To.PAGE)} for one in found]
    return [one for one in told if one["said"]]


def answer(request: UserRequest, who: Oneself) -> HttpResponse:
    """One's own, or the same 404 as for one that nobody has."""
    decision = request.POST.get("decision", "")
    found = {str(one.pk): one for one in questions.waiting_for(who.owners.values())}
    asked = found.get(request.POST.get("question", ""))
    if asked is None or decision not in _SAID:
        raise Http404
    with told_to(request):
        with who.write() as tx:
            facts.resolve(tx, asked, decision, writer=who.writer)
        messages.success(request, str(_SAID[decision]))
    return redirect(who.urls["page"] + "#questions")
