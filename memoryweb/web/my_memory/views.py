"""My memory: what is kept about the person who looks, whatever their role."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import CodeRefused, OwnerRefused, TooManyTries
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.my_memory import contents
from memoryweb.web.my_memory.contents import Act
from memoryweb.web.my_memory.forms import CodeForm
from memoryweb.web.my_memory.viewers import member


@team_view("GET")
def mine(request: TeamRequest) -> HttpResponse:
    return _page(request, CodeForm())


def _act(act: Act) -> Callable[..., HttpResponseBase]:
    @team_view("POST")
    def view(request: TeamRequest) -> HttpResponseBase:
        return act(request, member(request))

    return view


ACTS = {name: _act(act) for name, act in contents.ACTS.items()}


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


def _page(request: TeamRequest, code_form: CodeForm, status: int = 200) -> HttpResponse:
    who = member(request)
    if code_form.errors:  # far down a long page
        code_form.fields["code"].widget.attrs["autofocus"] = True
    context: dict[str, Any] = contents.page_context(request, who) | {
        "waiting": contents.waiting(who, request.visit.waiting),
        "channels": [owner for owner in who.owners.values() if owner.source != "user"],
        "code_form": code_form,
    }
    return show(request, "my_memory/page.html", context, partials=contents.PARTIALS, status=status)
