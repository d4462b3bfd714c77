"""My memory, whoever opens it: a member on their page, or somebody on a visit. One page, one
set of acts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.models import Team
from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import CodeRefused, OwnerRefused, TooManyTries
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import SWITCHES, person_owner, set_paused
from memoryweb.audit.record import Actor, target
from memoryweb.memory import my_memory as door
from memoryweb.memory.models import File, Passage
from memoryweb.memory.models.refusals import AssignmentsFound, FileMissing, MemoryRefused, Stale
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.review import Inbox, Kind, count_together, reach_of
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, UserRequest, team_view
from memoryweb.web.my_memory import asks, rows
from memoryweb.web.my_memory.rows import Oneself
from memoryweb.web.pages import Page, is_fragment, page, show, to
from memoryweb.web.provenance import saves_in, saves_text

PARTIALS = ("pause",)
SIZE, RECENT = 40, 6
Act = Callable[[UserRequest, Oneself], HttpResponseBase]
_Listed = tuple[Page[Any], Sequence[Passage], Sequence[Passage]]  # what stands, and recent notes


def layout(who: Oneself) -> dict[str, Any]:
    """What every template of these pages needs."""
    name = "base.html" if who.is_member else "visits/base.html"
    return {"layout": name, "who": who, "urls": who.urls, "me": who.me}


def page_context(request: UserRequest, who: Oneself) -> dict[str, Any]:
    owner_ids = list(who.owners)
    kept = door.kept_about(who.team, owner_ids)
    form = rows.MineForm(request.GET, agents=[one.agent for one in kept if one.files])
    is_filtered = form.wanted != door.SentenceFilter()
    listed = _found if is_filtered else _standing
    shown, first, recent = listed(request, who, form, kept)
    is_first = not is_filtered and shown.number == 1
    has_wishes = is_first and any(one.instructions for one in kept)
    wishes = door.wish_passages(who.team, owner_ids) if has_wishes else []
    wished = {(row.file_id, row.line) for row in wishes}
    rest = [row for row in (*first, *recent[:RECENT]) if (row.file_id, row.line) not in wished]
    back = request.GET.urlencode()
    made = rows.rows_of(who, door.sentences([*wishes, *rest]), back)
    places = {(row.file_id, row.line) for row in first} - wished
    later = [row for row in made if row["sentence"].place not in places | wished]
    return layout(who) | {
        "form": form,
        "is_filtered": is_filtered,
        "page": shown,
        "groups": rows.groups(who, [row for row in made if row["sentence"].place in places]),
        "recent": rows.groups(who, later),
        "wishes": [row for row in made if row["sentence"].place in wished],
        "has_more_notes": len(recent) > RECENT,
        "kept": [_by_agent(who, one) for one in kept],
        "questions": asks.questions_for(who),
        "undo": _undoable(request, who),
        "ending": wording.ending(sum(one.ending for one in kept)),
        **rows.forget_requests(who),
        **rows.looks(who.team, owner_ids, but=who.actor),
    }


def _found(request: UserRequest, who: Oneself, form: rows.MineForm, _kept: object) -> _Listed:
    shown = page(request, door.passages(who.team, [*who.owners], form.wanted), size=SIZE)
    return shown, shown.items, []


def _standing(
    request: UserRequest, who: Oneself, _form: object, kept: Sequence[door.Kept]
) -> _Listed:
    """Both lists in one statement; how many there are is known."""
    shown = page(request, range(sum(one.standing for one in kept)), size=SIZE)
    of = partial(door.passages, who.team, [*who.owners])
    standing = of(door.SentenceFilter(kinds=door.STANDING))[max(0, shown.first - 1) : shown.last]
    notes = of(door.SentenceFilter(kinds=("notes",)))[: RECENT + 1 if shown.number == 1 else 0]
    which = Q(pk__in=standing.values("pk")) | Q(pk__in=notes.values("pk"))
    lists: tuple[list[Passage], list[Passage]] = [], []
    found: Any = of(door.SentenceFilter()).filter(which)
    for row in found:
        lists[row.is_note].append(row)
    return shown, *lists


def sentence(request: UserRequest, who: Oneself) -> HttpResponse:
    """One of them with all about it. It is looked for as it stood on the page."""
    form = rows.LookForm(request.GET)
    file = who.file(_file_id(form))
    if not form.is_valid():
        raise Http404
    spot, row = form.spot, None
    if spot.sha256 in {"", file.sha256}:
        places = door.passages(who.team, [*who.owners], door.SentenceFilter())
        found = door.sentences(places.filter(file=file, line=spot.first))
        if not found:
            raise Http404
        one = door.in_full(found[0], who.owners)
        row = rows.row_in_full(who, one, form.cleaned_data["back"])
    more = {"row": row, "back": form.cleaned_data["back"], "page_url": _back(who, form)}
    return show(request, "my_memory/told.html", layout(who) | more, status=200 if row else 409)


def waiting(who: Oneself, everywhere: Inbox) -> list[dict[str, str]]:
    """What a member has to decide about their own memory, with the page to do it on."""
    kinds = [kind for kind in Kind if kind != Kind.FORGET]  # on this very page
    found = Inbox(who.team, partial(reach_of, (), who.owners, ()), kinds=kinds)
    count_together(found, everywhere)
    page = who.to("review")
    return [
        {"label": _waiting(Kind(kind), count), "url": f"{page}?kind={kind}"}
        for kind, count in sorted(found.counts.items())
    ]


def reword(request: UserRequest, who: Oneself) -> HttpResponse:
    form = rows.RewordForm(request.POST)
    file = who.file(_file_id(form))
    if not form.is_valid():
        raise Http404
    try:
        with write_transaction(who.team, actor=who.actor) as tx:
            writer = replace(who.writer, no_secrets=form.cleaned_data["no_secrets"])
            written = door.reword(tx, file, form.spot, form.cleaned_data["text"], writer=writer)
    except (Stale, door.SentenceGone):
        return _conflict(request, who, file, form)
    except (AssignmentsFound, MemoryRefused) as refused:
        form.refuse(refused)
        return _sentence(request, who, file, form)
    said = (
        _("Saved in {path}. Dreams won't change it.") if written.changed else _("Nothing changed.")
    )
    messages.success(request, said.format(path=file.path))
    return redirect(_back(who, form) + f"#{rows.anchor_of(file.pk, form.spot.first)}")


def until(request: UserRequest, who: Oneself) -> HttpResponse:
    form = rows.OwnUntilForm(request.POST)
    file = who.file(_file_id(form))
    if not form.is_valid():
        raise Http404
    day = form.cleaned_data["day"]
    act = partial(door.remember_until, day=day)
    return _decided(request, who, file, form, act, wording.remembered(day))


def still_true(request: UserRequest, who: Oneself) -> HttpResponse:
    form = rows.SpotForm(request.POST)
    file = who.file(_file_id(form))
    if not form.is_valid():
        raise Http404
    told = _("It still holds. Agents are told so again.")
    return _decided(request, who, file, form, door.still_holds, told)


def _decided(
    request: UserRequest,
    who: Oneself,
    file: File,
    form: rows.SpotForm,
    act: Callable[..., object],
    done: str,
) -> HttpResponse:
    try:
        with write_transaction(who.team, actor=who.actor) as tx:
            act(tx, file, form.spot, writer=who.writer)
    except Stale:
        said = _("{path} changed while you had it open. Nothing was saved. Try again.")
        messages.error(request, said.format(path=file.path))
    except MemoryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, done)
    return redirect(_back(who, form) + f"#{rows.anchor_of(file.pk, form.spot.first)}")


def remove(request: UserRequest, who: Oneself) -> HttpResponse:
    form = rows.RemoveForm(request.POST)
    file = who.file(_file_id(form))
    if not form.is_valid():
        raise Http404
    sources = list(who.owners) if form.cleaned_data["sources"] else []
    try:
        with write_transaction(who.team, actor=who.actor) as tx:
            done = door.remove(tx, file, form.spot, writer=who.writer, sources_of=sources)
    except (Stale, door.SentenceGone):
        said = _(
            "{path} changed while you had it open. Nothing was removed. Check it and try again."
        )
        messages.error(request, said.format(path=file.path))
        return redirect(_back(who, form))
    except MemoryRefused as refused:
        messages.error(request, str(refused))
        return redirect(_back(who, form))
    messages.success(request, _removed(file, len(done) - 1))
    saves = ((one.file.pk, one.file.revision) for one in done if one.changed)
    return redirect(_back(who, form, undo=saves_text(saves)))


def undo(request: UserRequest, who: Oneself) -> HttpResponse:
    """All of a removal or nothing of it."""
    saves = saves_in(request.POST.get("undo", ""))
    files = [(who.file(file_id), number) for file_id, number in saves]
    if not files:
        raise Http404
    try:
        with write_transaction(who.team, actor=who.actor) as tx:
            for file, number in sorted(files, key=lambda place: str(place[0].pk)):
                door.undo(tx, file, number, writer=who.writer)
    except (Stale, FileMissing):
        messages.error(request, _("The file has changed since, so this can't be undone here."))
    except MemoryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("The sentence is back."))
    return redirect(who.urls["page"])


def pause(request: UserRequest, who: Oneself) -> HttpResponse:
    return _set_paused(request, who, paused=True)


def resume(request: UserRequest, who: Oneself) -> HttpResponse:
    return _set_paused(request, who, paused=False)


def _set_paused(request: UserRequest, who: Oneself, *, paused: bool) -> HttpResponse:
    """Of keeping or using, where one of them is named; else of both."""
    named = request.POST.get("what", "")
    what = (named,) if named in SWITCHES else SWITCHES
    with write_transaction(who.team):
        for owner in _saved(who):
            set_paused(owner=owner, paused=paused, by=who.actor, what=what)
            for name in what:
                setattr(who.me, name, not paused)
    messages.success(request, _pause_told(who.me))
    if is_fragment(request, PARTIALS):
        return show(request, "my_memory/page.html", layout(who), partials=PARTIALS)
    return redirect(who.urls["page"])


def _pause_told(me: Owner) -> str:
    if me.paused:
        return _("Memory is paused. Nothing about you is kept or used until you resume it.")
    if not me.keeping:
        return _("Nothing new about you is kept until you say so.")
    if not me.using:
        return _("Agents are given nothing about you until you say so.")
    return _("Memory is on again.")


def export(request: UserRequest, who: Oneself) -> StreamingHttpResponse:
    """One's own owner is made with the event that it was exported, or not at all."""
    with write_transaction(who.team):
        return download(who.team, _saved(who), by=who.actor)


ACTS: Mapping[str, Act] = {
    "reword": reword,
    "until": until,
    "still_true": still_true,
    "remove": remove,
    "undo": undo,
    "pause": pause,
    "resume": resume,
    "export": export,
    "answer": asks.answer,
    **rows.FORGET_ACTS,
}


def download(
    team: Team, owners: Sequence[Owner], *, by: Actor, grant: UUID | None = None
) -> StreamingHttpResponse:
    """Everything about these owners in one download, an event first."""
    looked = rows.looks(team, [owner.pk for owner in owners], but=None if grant else by)
    with write_transaction(team, actor=by) as tx:
        for owner in owners:
            tx.record(
                "personal.exported",
                **target(owner),
                on_behalf_of=owner.pk,
                details={"grant": str(grant)} if grant else {},
            )
    parts = door.export(team, owners, looked)
    response = StreamingHttpResponse(parts, content_type="application/zip")
    name = f"memory-{team.slug}-{timezone.now():%Y-%m-%d}.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response


def _saved(who: Oneself) -> list[Owner]:
    """All of one's owners; one's own exists from now on."""
    owners = list(who.owners.values())
    if who.user and who.me._state.adding:
        owners.append(person_owner(who.team, who.user))
    return owners


def _conflict(
    request: UserRequest, who: Oneself, seen: File, form: rows.RewordForm
) -> HttpResponse:
    """Somebody was faster: what it said, what it says now, and the person's own words to save."""
    file = who.file(seen.pk)
    sentence, before = door.moved(file, form.spot)
    if sentence:
        form = rows.RewordForm(
            initial={
                "file": file.pk,
                "first": sentence.block.line,
                "last": sentence.block.end,
                "sha256": file.sha256,
                "text": form.cleaned_data["text"],
                "back": form.cleaned_data["back"],
            }
        )
    more = {"conflict": True, "before": before, "sentence": sentence}
    return _sentence(request, who, file, form, status=409, **more)


def _sentence(
    request: UserRequest,
    who: Oneself,
    file: File,
    form: rows.RewordForm,
    status: int | None = None,
    **more: Any,
) -> HttpResponse:
    if not form.is_asking:
        del form.fields["no_secrets"]
    context = layout(who) | {"file": file, "form": form, **more}
    return show(request, "my_memory/sentence.html", context, status=status)


def _by_agent(who: Oneself, kept: door.Kept) -> dict[str, Any]:
    agent_id = kept.agent.pk
    return {
        "kept": kept,
        "files_url": who.to("agents_files", agent_id, query="?owner=me"),
        "talks_url": who.to("agents_conversations", agent_id, query="?whose=mine"),
        "snapshot_url": who.to("agents_snapshot_export", agent_id, query="?owner=me"),
    }


def _waiting(kind: Kind, count: int) -> str:
    said = {
        Kind.PROPOSAL: ngettext(
            "{n} change to your memory was proposed.",
            "{n} changes to your memory were proposed.",
            count,
        ),
        Kind.FLAG: ngettext(
            "{n} line about you is flagged: keep it or remove it.",
            "{n} lines about you are flagged: keep or remove each.",
            count,
        ),
        Kind.CROWDED: ngettext(
            "{n} memory of yours has little room for anything new.",
            "{n} memories of yours have little room for anything new.",
            count,
        ),
        Kind.CONTRADICTION: ngettext(
            "{n} statement about you may not be true any more.",
            "{n} statements about you may not be true any more.",
            count,
        ),
    }
    return said[kind].format(n=count)


def _removed(file: File, sources: int) -> str:
    said = [_("Removed from {path}.").format(path=file.path)]
    if sources:
        more = ngettext(
            "It was also removed from the note it came from.",
            "It was also removed from the {n} notes it came from.",
            sources,
        )
        said.append(more.format(n=sources))
    said.append(_("Agents no longer use it. It stays in the file's history."))
    return " ".join(said)


def _file_id(form: rows.SpotForm) -> UUID:
    """Looked for before anything else is said, so that a foreign id reads like no id at all."""
    form.is_valid()
    found = form.cleaned_data.get("file")
    if not isinstance(found, UUID):
        raise Http404
    return found


def _back(who: Oneself, form: rows.SpotForm, **more: str) -> str:
    """The page as it was filtered; only its own filters are taken from the form."""
    asked = QueryDict(form.cleaned_data.get("back", ""))
    kept = {name: asked[name] for name in ("q", "kind", "agent", "page") if asked.get(name)}
    query = urlencode(kept | more)
    return who.urls["page"] + (f"?{query}" if query else "")


def _undoable(request: UserRequest, who: Oneself) -> Mapping[str, Any]:
    """What the address says was just removed, as long as it can be brought back."""
    value = request.GET.get("undo", "")
    try:
        files = [(who.file(file_id), number) for file_id, number in saves_in(value)]
    except Http404:
        return {}
    is_possible = bool(files) and all(file.revision == number for file, number in files)
    return {"value": value} if is_possible else {}


# My memory: what is kept about the person who looks, whatever their role.


@team_view("GET")
def mine(request: TeamRequest) -> HttpResponse:
    return _page(request, rows.CodeForm())


@team_view("GET")
def mine_sentence(request: TeamRequest) -> HttpResponse:
    return sentence(request, rows.member(request))


def _act(act: Act) -> Callable[..., HttpResponseBase]:
    @team_view("POST")
    def view(request: TeamRequest) -> HttpResponseBase:
        return act(request, rows.member(request))

    return view


MEMBER_ACTS = {name: _act(act) for name, act in ACTS.items() if name != "answer"}


@team_view("POST")
def link(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    form = rows.CodeForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        owner = one_time_codes.redeem_link(
            team=visit.team, user=request.user, code=form.cleaned_data["code"], by=visit.actor
        )
    except (CodeRefused, OwnerRefused, TooManyTries) as refused:
        form.add_error("code", str(refused))
        return _page(request, form, status=422)
    said = _("{owner} is now linked to you. Its memory is on this page, too.")
    messages.success(request, said.format(owner=owner.shown_as))
    return redirect(to(request, "mine") + "#linked")


@team_view("POST")
def unlink(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    visit = request.visit
    owner = visit.mine.get(owner_id)
    if owner is None or owner.source == "user":
        raise Http404
    one_time_codes.unlink(owner=owner, user=request.user, by=visit.actor)
    said = _("{owner} is no longer linked to you. Its memory stays with that chat or app.")
    messages.success(request, said.format(owner=owner.shown_as))
    return redirect(to(request, "mine") + "#linked")


def _page(request: TeamRequest, code_form: rows.CodeForm, status: int = 200) -> HttpResponse:
    who = rows.member(request)
    if code_form.errors:  # far down a long page
        code_form.fields["code"].widget.attrs["autofocus"] = True
    context: dict[str, Any] = page_context(request, who) | {
        "waiting": waiting(who, request.visit.waiting),
        "channels": [owner for owner in who.owners.values() if owner.source != "user"],
        "code_form": code_form,
    }
    return show(request, "my_memory/page.html", context, partials=PARTIALS, status=status)
