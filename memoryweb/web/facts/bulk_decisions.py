"""One decision about several statements of a memory, one after the other."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.memory import facts as memory_facts
from memoryweb.memory import forgetting
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.web.access import TeamRequest, find_workspace, require_write, team_view
from memoryweb.web.display_names import writer_of
from memoryweb.web.files.forgetting import is_theirs
from memoryweb.web.htmx import about, next_url, show, to
from memoryweb.web.refusals import told_to

_MOST = 40  # a page of them


class ManyForm(forms.Form):
    act = forms.ChoiceField(choices=[(name, name) for name in ("confirm", "not_true", "forget")])
    sure = forms.BooleanField(required=False)


@team_view("POST")
def many(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    require_write(request, workspace)
    url = next_url(request) or to(request, "agents_facts", agent_id, query=workspace.query)
    found = workspace.agent.facts.of(workspace.agent.pk, workspace.owner_id)
    form = ManyForm(request.POST)
    picked = list(found.filter(pk__in=_picked(request)).select_related("agent", "owner"))
    if not picked or not form.is_valid():
        messages.warning(request, _("Tick statements first."))
        return redirect(url)
    act, is_own = form.cleaned_data["act"], is_theirs(request, workspace)
    if act == "forget" and not form.cleaned_data["sure"]:
        context = about(workspace, tab="facts", picked=picked, is_theirs=is_own, back=url)
        return show(request, "facts/forget_many.html", context)
    count = _do(request, _acts(is_own=is_own)[act], picked)
    if count:
        messages.success(request, _done(act, count, is_own=is_own))
    return redirect(url)


def _picked(request: TeamRequest) -> list[UUID]:
    """What is no id is passed over."""
    found = []
    for text in request.POST.getlist("pick")[:_MOST]:
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


def _do(request: TeamRequest, act: Callable[..., object], picked: list[Any]) -> int:
    """How many it was done to, up to the one at which it was refused."""
    visit, count = request.visit, 0
    with told_to(request):
        for fact in picked:
            # Each by itself: whoever else writes needn't wait for all of them.
            with write_transaction(visit.team, actor=visit.actor) as work:
                act(work, fact, writer=writer_of(request))
            count += 1
    return count


def _done(act: str, n: int, *, is_own: bool) -> str:
    if act == "confirm":
        said = ngettext("{n} statement confirmed.", "{n} statements confirmed.", n)
    elif act == "not_true":
        said = ngettext("{n} statement removed.", "{n} statements removed.", n)
    elif is_own:
        said = ngettext(
            "{n} statement hidden. It will be erased in a while.",
            "{n} statements hidden. They will be erased in a while.",
            n,
        )
    else:
        said = _("An admin decides in Review.")
    return said.format(n=n)
