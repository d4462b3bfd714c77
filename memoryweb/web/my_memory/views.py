"""My memory, whoever opens it: a member on their page, or somebody on a visit. One page, one
set of acts.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import Team
from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import CodeRefused, OwnerRefused, TooManyTries
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import SWITCHES, person_owner, set_paused
from memoryweb.audit.record import Actor, target
from memoryweb.memory import my_memory as door
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.my_memory import SentenceFilter
from memoryweb.memory.prompt import uses_of
from memoryweb.memory.review import Inbox, Kind, count_together, reach_of
from memoryweb.memory.statements.listing import lines_of
from memoryweb.memory.visible.readable import Look, To, cited
from memoryweb.web.access import TeamRequest, UserRequest, team_view
from memoryweb.web.form_fields import UntilForm
from memoryweb.web.my_memory import acts, rows
from memoryweb.web.my_memory.acts import Act, layout
from memoryweb.web.my_memory.rows import FindForm, Oneself
from memoryweb.web.pages import MANY, is_fragment, page, show, to

PARTIALS = ("pause",)
SIZE, RECENT, ENDED = 40, 6, 20


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        help_text=gettext_lazy(
            "Eight letters and digits, such as ABCD-EFGH. It works once, within ten minutes."
        ),
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "characters", "size": 12}
        ),
    )


def page_context(request: UserRequest, who: Oneself) -> dict[str, Any]:
    owner_ids = list(who.owners)
    kept = door.kept_about(who.team, owner_ids)
    form = FindForm(request.GET, agents=[one.agent for one in kept if one.files])
    wanted = form.wanted
    is_filtered, today = wanted != SentenceFilter(), timezone.localdate()
    listed: Any = door.statements(owner_ids, wanted, today)
    if form.of:
        listed = door.passages(who.team, owner_ids, wanted)
    shown = page(request, listed, size=SIZE, is_endless=True)
    is_first = shown.number == 1 and not form.of
    recent, ended = [], []
    if is_first:
        of_notes = SentenceFilter(wanted.query, ("notes",), wanted.agent_id)
        recent = list(door.passages(who.team, owner_ids, of_notes)[: RECENT + 1])
        ended = list(door.statements(owner_ids, wanted, today, ended=True)[:ENDED])
    lines = door.sentences([*(shown.items if form.of else ()), *recent[:RECENT]])
    made = rows.statements(who, [*(() if form.of else shown.items), *ended])
    count = 0 if form.of else len(shown)
    return layout(who) | {
        "form": form,
        "is_filtered": is_filtered,
        "can_find": is_filtered or shown.total > MANY,
        "page": shown,
        "rows": rows.lines(who, lines) if form.of else made[:count],
        "ended": made[count:],
        "recent": [] if form.of else rows.lines(who, lines),
        "has_more_notes": len(recent) > RECENT,
        "kinds": rows.KINDS,
        "kind_label": rows.KINDS.get(form.of, ""),
        "kept": kept,
        "first_agent": None if made or lines or not who.user else who.team.agents.live().first(),
        "here": request.get_full_path(),
        "questions": acts.questions_for(who),
        **rows.forget_requests(who),
        **rows.looks(who.team, who.owners.values(), but=who.actor),
    }


def statement(request: UserRequest, who: Oneself, fact_id: UUID) -> HttpResponse:
    """With what was said, when it was last used, and how long it is remembered; a member has the
    page that statements have."""
    fact = who.fact(fact_id)
    [row] = rows.statements(who, [fact])
    said = [one for one in cited((fact.pk,)) if one.message]
    look = Look(To.PAGE, messages=[one.message for one in said])
    own = (one for one in said if one.message.conversation.owner_id in who.owners)
    line = lines_of(fact.file).get(fact.fingerprint, 0) if fact.file else 0
    since = timezone.now() - rows.LOOKED_BACK
    used = uses_of(fact, line, Q(injection__owner__in=who.owners), since)
    more = {
        "row": row,
        "said": [(look.quote(one), one.said_at or one.message.timestamp) for one in own],
        "last_used": used[0].at if used else None,
        "until": UntilForm(initial={"day": fact.valid_to}),
        "is_told": True,
    }
    return show(request, "my_memory/sentence.html", layout(who) | more)


def waiting(who: Oneself, everywhere: Inbox) -> int:
    """How much a member has to decide about their own memory in Review."""
    kinds = [kind for kind in Kind if kind != Kind.FORGET]  # on this very page
    found = Inbox(who.team, partial(reach_of, (), who.owners, ()), kinds=kinds)
    count_together(found, everywhere)
    return sum(found.counts.values())


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
        return _("Memory is paused. Nothing about you is noted or used.")
    if not me.keeping:
        return _("Nothing new about you is noted.")
    if not me.using:
        return _("Agents are given nothing about you.")
    return _("Memory is on again.")


def export(request: UserRequest, who: Oneself) -> StreamingHttpResponse:
    """One's own owner is made with the event that it was exported, or not at all."""
    with write_transaction(who.team):
        return download(who.team, _saved(who), by=who.actor)


ACTS: Mapping[str, tuple[str, Act]] = {
    **{
        f"fact_{name}": (f"statements/<uuid:fact_id>/{where}", act)
        for name, (where, act) in acts.ON_STATEMENTS.items()
    },
    **{
        f"line_{name}": (f"{acts.LINE}{where}", act) for name, (where, act) in acts.ON_LINES.items()
    },
    "undo": ("undo/", acts.undo),
    "pause": ("pause/", pause),
    "resume": ("resume/", resume),
    "export": ("export/", export),
    "forget_all": ("forget-everything/", acts.forget_all),
    **{name: (f"{name}/", act) for name, act in acts.ON_REQUESTS.items()},
}


def download(
    team: Team, owners: Sequence[Owner], *, by: Actor, grant: UUID | None = None
) -> StreamingHttpResponse:
    """Everything about these owners in one download, an event first."""
    looked = rows.looks(team, owners, but=None if grant else by)
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


# My memory: what is kept about the person who looks, whatever their role.


@team_view("GET")
def mine(request: TeamRequest) -> HttpResponse:
    return _page(request, CodeForm())


def _member(act: Act) -> Callable[..., HttpResponseBase]:
    @team_view("POST")
    def view(request: TeamRequest, /, **place: Any) -> HttpResponseBase:
        return act(request, rows.member(request), **place)

    return view


MEMBER_ACTS = {name: (where, _member(act)) for name, (where, act) in ACTS.items()}


@team_view("POST")
def link(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    form = CodeForm(request.POST)
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
    messages.success(request, said.format(owner=owner.name))
    return redirect(to(request, "mine") + "#linked")


@team_view("POST")
def unlink(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    visit = request.visit
    owner = visit.mine.get(owner_id)
    if owner is None or owner.source == "user":
        raise Http404
    one_time_codes.unlink(owner=owner, user=request.user, by=visit.actor)
    said = _("{owner} is no longer linked to you. Its memory stays with that chat or app.")
    messages.success(request, said.format(owner=owner.name))
    return redirect(to(request, "mine") + "#linked")


def _page(request: TeamRequest, code_form: CodeForm, status: int = 200) -> HttpResponse:
    who = rows.member(request)
    if code_form.errors:  # far down a long page
        code_form.fields["code"].widget.attrs["autofocus"] = True
    context: dict[str, Any] = page_context(request, who) | {
        "waiting": waiting(who, request.visit.waiting),
        "channels": [owner for owner in who.owners.values() if owner.source != "user"],
        "code_form": code_form,
    }
    return show(request, "my_memory/page.html", context, partials=PARTIALS, status=status)
