"""Pages about statements: the list, one statement, and what is decided about one or many."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.agents.models import Reader, reading
from memoryweb.language.ending_parts import claims_of
from memoryweb.markdown.marks import marked
from memoryweb.memory import facts as memory_facts
from memoryweb.memory import forgetting, prompt
from memoryweb.memory.models import Fact, ForgetRequest, SourceClass
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.statements.listing import (
    counted,
    for_all_teams,
    headings,
    marks_of,
    narrowed,
    trust_counts,
    weighed,
)
from memoryweb.memory.statements.trust import Band
from memoryweb.memory.statements.validity import today
from memoryweb.memory.still_true import still_true
from memoryweb.memory.visible.hidden import hiding_of, is_hidden, remembered
from memoryweb.memory.visible.readable import To, readable_facts, statement
from memoryweb.web import access, wording
from memoryweb.web.facts import rows
from memoryweb.web.facts.acts import ACTS, Act, EditForm, possible
from memoryweb.web.files.editor import undo_url
from memoryweb.web.form_fields import ChoiceField, Choices, FilterForm, UntilForm
from memoryweb.web.pages import LINES, about, done, next_url, page, show, to, told_in, told_to
from memoryweb.web.wording import fact_url, forgotten, owner_name, writer_of

_LOOKUPS = {
    "q": "words",
    "kind": "kind",
    "about": "heading",
    "source": "source",
    "trust": "trusted",
}
_LIVING = (Fact.State.ACTIVE, Fact.State.DISPUTED, Fact.State.PENDING)


class FactsForm(FilterForm):
    q = forms.CharField(label=gettext_lazy("Words"), required=False, max_length=200)
    state = ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[
            ("", gettext_lazy("Holds now")),
            *Fact.State.choices,
            ("all", gettext_lazy("All")),
        ],
    )
    kind = ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=[("", gettext_lazy("All kinds")), *wording.FACT_KINDS.items()],
    )
    about = ChoiceField(label=gettext_lazy("Subject"), required=False)
    source = ChoiceField(
        label=gettext_lazy("Who said it"),
        required=False,
        choices=[("", gettext_lazy("Anybody")), *SourceClass.choices],
    )
    trust = ChoiceField(
        label=gettext_lazy("Trust"),
        required=False,
        choices=[("", gettext_lazy("Any")), *Band.choices],
    )
    owner = forms.CharField(required=False, widget=forms.HiddenInput)

    def narrowing(self) -> dict[str, Any]:
        """For `facts.listing.narrowed`."""
        state = self.asked.get("state", "")
        states = {"": _LIVING, "all": ()}.get(state, (state,))
        return {"states": states, **self.lookups(**_LOOKUPS)}


_PAGE, _PARTIALS = "facts/fact.html", ("statement",)


@access.team_view("GET")
def facts(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id, read="facts")
    form = FactsForm(request.GET, about=_headings(workspace))
    with reading(Reader(workspace.agent)):
        listed = remembered(_listed(workspace))
        weighty = weighed(listed) if "trust" in form.asked else listed
        found = narrowed(
            counted(weighty), request.visit.now, workspace.agent.zone, **form.narrowing()
        )
        found = found.select_related("agent", "file__agent", "file__owner", "confirmed_by")
        found = found.order_by("-changed_at", "-pk")
        shown = page(request, found, size=LINES, is_endless=True)
        told = rows.rows_of(request, shown.items, beside=workspace.agent)
        is_filtered = bool(form.asked.keys() - {"owner"})
        has_bar = is_filtered or shown.total >= rows.FEW
        counts = (
            trust_counts(weighed(listed), request.visit.now, workspace.agent.zone)
            if has_bar
            else {}
        )
    context = about(
        workspace,
        tab="facts",
        form=form,
        is_filtered=is_filtered,
        trust=rows.trust_bar(counts),
        page=shown,
        rows=told,
        here=request.get_full_path(),
    )
    return show(request, "facts/facts.html", context, partials=("more",))


def _headings(workspace: access.Workspace) -> Choices:
    """Under which statements of this memory stand."""
    yield "", _("All subjects")
    for name in headings(workspace.agent, workspace.owner_id):
        yield name, name


@access.team_view("GET")
def fact(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id)
    return _show(request, workspace, fact_id)


def _act_of(name: str) -> access.View[UUID, UUID]:
    act = ACTS[name]

    @access.team_view("POST")
    def view(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
        return _act(request, agent_id, fact_id, act)

    return view


confirm, unconfirm, not_true, restore = map(
    _act_of, ("confirm", "unconfirm", "not_true", "restore")
)


@access.team_view("POST")
def recall(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    said = _("Each of these conversations is told once, with its next message.")
    return _act(request, agent_id, fact_id, Act(prompt.send, said, ""))


@access.team_view("POST")
def still_holds(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    """All that has ended of it, or the `words` that were sent."""
    workspace, found = _changeable(request, agent_id, fact_id)
    words = request.POST.get("words", "")
    with told_to(request):
        with request.visit.write() as tx:
            written = still_true(tx, found, writer=writer_of(request), words=words)
        back = undo_url(request, workspace, written.file) if written else ""
        messages.success(request, _("It still holds. Agents are told so again."), extra_tags=back)
    url = next_url(request) or fact_url(request, found)
    return done(request, lambda one: _show(one, workspace, fact_id), url, partials=_PARTIALS)


@access.team_view("GET", "POST")
def forget(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    """What is shared, an admin forgets; everybody else asks in Review. A look counts what goes."""
    if request.method == "GET":
        return _dry_run(request, agent_id, fact_id)
    is_own = access.is_theirs(request, access.find_workspace(request, agent_id))
    do = partial(forgetting.forget_fact, is_theirs=is_own, keep=request.POST.getlist("keep"))
    asked = Act(do, _("An admin decides in Review whether it is erased."), "")
    return _act(request, agent_id, fact_id, replace(ACTS["forget"], do=do) if is_own else asked)


@access.team_view("POST")
def unforget(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    if not access.is_theirs(request, access.find_workspace(request, agent_id)):
        raise access.Refused("may_not_forget")
    return _act(request, agent_id, fact_id, ACTS["unforget"])


@access.team_view("POST")
def edit(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    workspace, found = _changeable(request, agent_id, fact_id)
    form, visit = EditForm(request.POST), request.visit
    if form.is_valid():
        with told_in(form, "text"), visit.write() as tx:
            said = form.cleaned_data["text"]
            by = writer_of(request)
            written = memory_facts.edit(tx, found, said, writer=by, is_line=True)
    if form.errors:
        return _show(request, workspace, fact_id, form)
    back = undo_url(request, workspace, written.file) if written.changed else ""
    messages.success(request, _("Saved. Dreams won't change it."), extra_tags=back)
    found.refresh_from_db(fields=["superseded_by"])
    return redirect(next_url(request) or fact_url(request, found.superseded_by or found))


@access.team_view("POST")
def until(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    workspace, found = _changeable(request, agent_id, fact_id)
    form = UntilForm(request.POST)
    if form.is_valid():
        with told_in(form, "day"), request.visit.write() as tx:
            day = form.cleaned_data["day"]
            memory_facts.remember_until(tx, found, day, writer=writer_of(request))
    if form.errors:
        return _show(request, workspace, fact_id, until=form)
    messages.success(request, wording.remembered(form.cleaned_data["day"]))
    return redirect(next_url(request) or fact_url(request, found))


def _dry_run(request: access.TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    workspace, found = _changeable(request, agent_id, fact_id)
    meant = forgetting.of_facts(Memory(found.agent, found.owner), [found]).meant
    context = about(
        workspace,
        tab="facts",
        fact=(said := statement(found, To.PAGE)),
        claims=[] if said.is_hidden else claims_of(said.text),
        goes=rows.goes(meant),
        is_theirs=access.is_theirs(request, workspace),
    )
    return show(request, "facts/forget.html", context, partials=("goes",))


def _act(request: access.TeamRequest, agent_id: UUID, fact_id: UUID, act: Act) -> HttpResponse:
    workspace, found = _changeable(request, agent_id, fact_id)
    with told_to(request):
        with request.visit.write() as tx:
            made = act.do(tx, found, writer=writer_of(request))
        place = to(request, "agents_fact", agent_id, fact_id)
        back = f"{place}{act.back}{workspace.query}" if act.undo else ""
        messages.success(request, forgotten(made, act.said), extra_tags=back)
    url = next_url(request) or fact_url(request, found)
    return done(request, lambda one: _show(one, workspace, fact_id), url, partials=_PARTIALS)


def _changeable(
    request: access.TeamRequest, agent_id: UUID, fact_id: UUID
) -> tuple[access.Workspace, Any]:
    workspace = access.find_workspace(request, agent_id)
    found = _find(request, workspace, fact_id)
    workspace.require_write()
    return workspace, found


def _of(workspace: access.Workspace) -> Any:
    return counted(workspace.agent.facts.of(*workspace.memory.key))


def _listed(workspace: access.Workspace) -> Q:
    """Beside what is shared what holds for all teams, which is only read here."""
    own = Q(agent=workspace.agent, owner=workspace.owner_id)
    if workspace.owner_id is not None:
        return own
    return own | for_all_teams()


def _find(request: access.TeamRequest, workspace: access.Workspace, fact_id: UUID) -> Any:
    shown = ("file__agent", "file__owner", "owner", "confirmed_by", "contradiction")
    found = _of(workspace).select_related(*shown).annotate(is_hidden=is_hidden())
    fact = get_object_or_404(found, pk=fact_id)
    access.note_read(request, workspace.owner, "fact", fact_id)
    return fact


def _hiding(fact: Any) -> ForgetRequest | None:
    """Whoever asked."""
    return hiding_of([fact.pk]).get(fact.pk) if fact.is_hidden else None


def _show(
    request: access.TeamRequest,
    workspace: access.Workspace,
    fact_id: UUID,
    form: EditForm | None = None,
    until: UntilForm | None = None,
) -> HttpResponse:
    fact = _find(request, workspace, fact_id)
    [row] = rows.rows_of(request, [fact])
    values, asked = rows.values_shown(request, fact), forgetting.hiding_of(fact)
    is_own = access.is_theirs(request, workspace)
    [grounds] = rows.grounds_of(request, fact)
    may = workspace.can_write and not (asked or row["is_hidden"])
    is_mine = fact.is_written and any(one.get("is_mine") for one in grounds)
    context = about(
        workspace,
        tab="facts",
        row=row,
        fact=fact,
        is_mine=is_mine,
        whose=owner_name(request.visit, fact.owner),
        notes=rows.notes_of(request, fact),
        grounds=grounds,
        noted=rows.noted(request, fact, row["line"]),
        values=values,
        surroundings=rows.surroundings(fact, row["line"]),
        used=rows.used(request, fact, row["line"]),
        recall=workspace.can_write and rows.recall(request, fact, values),
        life=rows.life(values, today(request.visit.now, fact.agent.zone)),
        seen=rows.seen_by(request, fact),
        at=to(request, "agents_fact", fact.agent_id, fact.pk),
        can=may and possible(fact, row["state"], is_own_word=is_mine),
        forgetting=next(iter(asked), None) or _hiding(fact),
        test_url=may and _test_url(request, workspace, fact, row["state"]),
        is_theirs=is_own,
        can_undo=is_own and bool(asked),
        form=form or EditForm(initial={"text": marked(row["text"], marks_of(fact))}),
        until=until or UntilForm(initial={"day": fact.valid_to}),
    )
    return show(request, _PAGE, context, partials=_PARTIALS, status=422 if form or until else 200)


def _test_url(
    request: access.TeamRequest, workspace: access.Workspace, fact: Fact, state: str
) -> str:
    """Where a test is made of what answers something, or was a wrong answer."""
    is_answer = state in _LIVING or fact.why == Fact.Why.REWORDED
    url = to(request, "agents_test_fact", fact.agent_id, fact.pk, query=workspace.query)
    return url if is_answer else ""


# One decision about several statements of a memory, one after the other.


class ManyForm(forms.Form):
    act = forms.ChoiceField(choices=[(name, name) for name in ("confirm", "not_true", "forget")])
    sure = forms.BooleanField(required=False)


@access.team_view("POST")
def many(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = access.find_workspace(request, agent_id, to_write=True)
    url = next_url(request) or to(request, "agents_facts", agent_id, query=workspace.query)
    found = workspace.agent.facts.of(*workspace.memory.key)
    found = found.annotate(is_hidden=is_hidden())
    form = ManyForm(request.POST)
    ticked = _picked(request)
    picked = list(found.filter(pk__in=ticked).select_related("agent", "owner"))
    picked.sort(key=lambda fact: ticked.index(fact.pk))
    if not picked or not form.is_valid():
        messages.warning(request, _("Tick statements first."))
        return redirect(url)
    act, is_own = form.cleaned_data["act"], access.is_theirs(request, workspace)
    if act == "forget" and not form.cleaned_data["sure"]:
        shown = list(readable_facts(picked, To.PAGE))
        context = about(workspace, tab="facts", picked=shown, is_theirs=is_own, back=url)
        return show(request, "facts/forget_many.html", context)
    count = _do(request, _acts(is_own=is_own)[act], picked)
    if count:
        messages.success(request, _done(act, count, is_own=is_own))
    return redirect(url)


def _picked(request: access.TeamRequest) -> list[UUID]:
    """What is no id is passed over."""
    found = []
    for text in request.POST.getlist("pick")[:LINES]:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found


def _acts(*, is_own: bool) -> dict[str, Callable[..., object]]:
    return {
        "confirm": memory_facts.confirm,
        "not_true": memory_facts.not_true,
        "forget": partial(forgetting.forget_fact, is_theirs=is_own),
    }


def _do(request: access.TeamRequest, act: Callable[..., object], picked: list[Any]) -> int:
    """How many it was done to, up to the one at which it was refused."""
    visit, count = request.visit, 0
    with told_to(request):
        for fact in picked:
            # Each by itself: whoever else writes needn't wait for all of them.
            with visit.write() as tx:
                act(tx, fact, writer=writer_of(request))
            count += 1
    return count


def _done(act: str, n: int, *, is_own: bool) -> str:
    if act == "confirm":
        said = ngettext("{n} statement confirmed.", "{n} statements confirmed.", n)
    elif act == "not_true":
        said = ngettext(
            "{n} statement marked as not true.", "{n} statements marked as not true.", n
        )
    elif is_own:
        said = ngettext(
            "{n} statement forgotten. It is erased in 10 minutes.",
            "{n} statements forgotten. They are erased in 10 minutes.",
            n,
        )
    else:
        said = _("An admin decides in Review.")
    return said.format(n=n)
