"""Whole page or fragment: the one place that looks at the HX headers."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.core.tables import MemoryRefused
from memoryweb.web.access import TeamRequest, UserRequest, Workspace


def show(
    request: UserRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    partials: Collection[str] = (),
    status: int | None = None,
) -> HttpResponse:
    """The page, or the one of its `partials` that htmx asks for by HX-Target. With 422 where the
    form that was sent has errors."""
    if status is None:
        form = context.get("form")
        status = 422 if request.method == "POST" and form is not None and form.errors else 200
    if is_fragment(request, partials):
        template = f"{template}#{request.htmx.target}"
    return render(request, template, dict(context), status=status)


def done(
    request: TeamRequest,
    fragment: Callable[[TeamRequest], HttpResponse],
    url: str,
    *,
    partials: Collection[str],
) -> HttpResponse:
    """After a change: the fragment again for htmx, else a redirect to the page."""
    if is_fragment(request, partials):
        return fragment(request)
    return HttpResponseRedirect(url)


def next_url(request: UserRequest) -> str:
    """Where a form wants to go on; empty where that is no page of ours."""
    url = request.POST.get("next", "")
    is_ours = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if is_ours else ""


def is_fragment(request: UserRequest, partials: Collection[str]) -> bool:
    return bool(request.htmx) and request.htmx.target in partials


def about(workspace: Workspace, *, tab: str = "files", **more: Any) -> dict[str, Any]:
    """What every page inside a workspace needs, and more."""
    return {"agent": workspace.agent, "tab": tab, "workspace": workspace, **more}


def to(request: TeamRequest, name: str, *args: Any, query: str = "") -> str:
    """The address of a page of this team."""
    return reverse(f"web:{name}", args=[request.visit.team.slug, *args]) + query


# What the floors below refuse, told to the person. The block ends where it is refused.

_REFUSED = (AccountsRefused, MemoryRefused)


@contextmanager
def told_in(form: forms.Form, field: str | None = None) -> Iterator[None]:
    """In the form that asked."""
    try:
        yield
    except _REFUSED as refused:
        form.add_error(field, str(refused))


@contextmanager
def told_to(request: HttpRequest) -> Iterator[None]:
    """On the page that comes next."""
    try:
        yield
    except _REFUSED as refused:
        messages.error(request, str(refused))
