"""Memory tests of one memory: the list, a new one, one in one click, and what they find now."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.memory import memory_tests
from memoryweb.memory.memory_tests import LONGEST, MOST
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, team_view
from memoryweb.web.form_fields import DayInput
from memoryweb.web.pages import about, page, show, to, told_in, told_to
from memoryweb.web.wording import writer_of


class MemoryTestForm(forms.Form):
    question = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=LONGEST,
        help_text=gettext_lazy("What somebody asks the agent, such as “Where do we meet?”"),
    )
    must = forms.CharField(
        label=gettext_lazy("What the answer must hold"), max_length=LONGEST, required=False
    )
    must_not = forms.CharField(
        label=gettext_lazy("What it must not hold"), max_length=LONGEST, required=False
    )
    as_of = forms.DateField(
        label=gettext_lazy("As of"),
        required=False,
        widget=DayInput,
        help_text=gettext_lazy("Empty: as memory is now."),
    )


@team_view("GET", "POST")
def tests(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """A POST runs them."""
    workspace = find_workspace(request, agent_id, read="tests")
    return _list(request, workspace, MemoryTestForm(), is_run=request.method == "POST")


@team_view("POST")
def add(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, to_write=True)
    form = MemoryTestForm(request.POST)
    if form.is_valid():
        with told_in(form):
            _make(request, workspace, form.cleaned_data)
    return _list(request, workspace, form) if form.errors else _to_list(request, workspace)


@team_view("POST")
def about_fact(request: TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, to_write=True)
    its = workspace.agent.facts.of(*workspace.memory.key)
    return _of(request, workspace, memory_tests.about_fact(get_object_or_404(its, pk=fact_id)))


@team_view("POST")
def about_contradiction(
    request: TeamRequest, agent_id: UUID, contradiction_id: UUID
) -> HttpResponse:
    workspace = find_workspace(request, agent_id, to_write=True)
    its = workspace.agent.contradictions.filter(owner=workspace.owner_id)
    found = get_object_or_404(its, pk=contradiction_id)
    return _of(request, workspace, memory_tests.about_contradiction(found))


@team_view("POST")
def delete(request: TeamRequest, agent_id: UUID, test_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, to_write=True)
    with request.visit.write() as tx:
        if not memory_tests.remove(tx, workspace.memory, test_id):
            raise Http404
    messages.success(request, _("The test was deleted."))
    return _to_list(request, workspace)


def _of(request: TeamRequest, workspace: Workspace, asked: dict[str, Any]) -> HttpResponse:
    with told_to(request):
        _make(request, workspace, asked)
    return _to_list(request, workspace)


def _make(request: TeamRequest, workspace: Workspace, asked: dict[str, Any]) -> None:
    with request.visit.write() as tx:
        memory = workspace.owned(request).memory
        made = memory_tests.add(tx, memory, **asked, writer=writer_of(request))
    back = to(request, "agents_test_delete", workspace.agent.pk, made.pk, query=workspace.query)
    messages.success(request, _("Dreams now keep to this test."), extra_tags=back)


def _to_list(request: TeamRequest, workspace: Workspace) -> HttpResponse:
    return redirect(to(request, "agents_tests", workspace.agent.pk, query=workspace.query))


def _list(
    request: TeamRequest, workspace: Workspace, form: MemoryTestForm, *, is_run: bool = False
) -> HttpResponse:
    """Where they were run, all on one page, and what failed first."""
    found = (memory_tests.run if is_run else memory_tests.listed)(workspace.memory)
    found.sort(key=lambda one: bool(one.passed))
    passed = sum(bool(one.passed) for one in found)
    shown = page(request, found, size=MOST if is_run else 25)
    context = about(workspace, tab="tests", page=shown, form=form, is_run=is_run)
    context |= {"passed": passed, "failed": len(found) - passed}
    return show(request, "facts/tests.html", context)
