"""Whole page or fragment: the one place that looks at the HX headers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
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


MANY = 20  # rows from which on a list can be filtered


def about(workspace: Workspace, *, tab: str = "files", **more: Any) -> dict[str, Any]:
    """What every page inside a workspace needs, and more."""
    return {"agent": workspace.agent, "tab": tab, "workspace": workspace, **more}


def to(request: TeamRequest, name: str, *args: Any, query: str = "") -> str:
    """The address of a page of this team."""
    return path_of(request.visit.team.slug, name, *args) + query


@lru_cache(4096)  # Django looks through its routes for each
def path_of(team: str, name: str, *args: Any) -> str:
    return reverse(f"web:{name}", args=[team, *args])


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


# Lists in pages, the page and every filter kept in the address.

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    items: list[Item]
    total: int
    is_total_known: bool
    first: int
    last: int
    number: int
    previous_url: str
    next_url: str
    rest_url: str  # all that comes behind, for whoever prints

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def is_split(self) -> bool:
        return bool(self.previous_url or self.next_url)


def page(
    request: HttpRequest,
    rows: Iterable[Item],
    *,
    size: int = 25,
    total: int | None = None,
    most: int = 0,
    at: int = 0,
    is_endless: bool = False,
    key: str = "page",
) -> Page[Item]:
    """The page that `?page=` (or `key`) asks for, else that of the row `at`; out of range is the
    nearest one. `total` if it is known. With `most`, no more rows than that are counted behind it.
    Of a list that `is_endless`, `?page=2-` is the second page and all behind it."""
    listed: Any = rows  # what can be sliced: a queryset or a sequence
    paginator = Paginator(listed, size)
    asked = request.GET.get(key, str(at // size + 1))
    has_rest, asked = is_endless and asked.endswith("-"), asked.removesuffix("-")
    counted = most + size * int(asked if asked.isdecimal() and len(asked) < 7 else 1)
    first = list(listed[: size + 1]) if is_endless and asked == "1" else None
    if first is not None and len(first) <= size:  # nothing is left to be counted
        total = len(first)
    elif most:
        total = listed[: counted + 1].count()
    if total is not None:
        vars(paginator)["count"] = total  # as its cached property would keep it
    shown = paginator.get_page(asked)
    items = list(shown.object_list) if first is None else first[:size]
    if has_rest and shown.has_next():
        items += listed[shown.end_index() :]
    return Page(
        items=items,
        total=min(paginator.count, counted) if most else paginator.count,
        is_total_known=not most or paginator.count <= counted,
        first=shown.start_index(),
        last=paginator.count if has_rest else shown.end_index(),
        number=shown.number,
        previous_url=_page_url(request, shown.number - 1, key) if shown.has_previous() else "",
        **_behind(request, shown.number + 1 if shown.has_next() and not has_rest else 0, key),
    )


def _behind(request: HttpRequest, number: int, key: str) -> dict[str, str]:
    urls = {"next_url": str(number), "rest_url": f"{number}-"}
    return {name: _page_url(request, page, key) if number else "" for name, page in urls.items()}


def _page_url(request: HttpRequest, number: int | str, key: str) -> str:
    query = request.GET.copy()
    query[key] = str(number)
    for name in ("edit", "line"):  # these stand on a page of their own
        query.pop(name, None)
    return f"?{query.urlencode()}"


LINES = 100  # of a long file or list at once


def to_line(query: str, line: int) -> str:
    """The address of a file, or its query, and the line on whichever page it stands."""
    asked = f"{'&' if '?' in query else '?'}line={line}" if line > LINES else ""
    return f"{query}{asked}#L{line}"


# What an address asks for, where a form would say too much.


def number_of(request: HttpRequest, name: str, default: int) -> int:
    """A plain number; anything else is the default."""
    return next(iter(numbers_of(request, name)), default)


def numbers_of(request: HttpRequest, name: str) -> list[int]:
    texts = request.GET.getlist(name)
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 9]
