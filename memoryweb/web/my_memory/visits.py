"""A single-use link to My memory, for people without an account. It opens one owner's memory in
one browser for half an hour, and nothing of the team."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_scopes import scope

from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import CodeRefused, TooManyCodes
from memoryweb.agents.models import OneTimeCode
from memoryweb.agents.one_time_codes import VISIT_LASTS
from memoryweb.memory.models.refusals import AssignmentsFound
from memoryweb.notify.owner_mail import MailRefused
from memoryweb.web import one_time_links
from memoryweb.web.access import UserRequest, ask
from memoryweb.web.my_memory import views
from memoryweb.web.my_memory.acts import Act, answer
from memoryweb.web.my_memory.rows import Oneself, guest
from memoryweb.web.pages import show

COOKIE, _SALT = "memoryweb_visit", "memoryweb.visit"
Response = TypeVar("Response", bound=HttpResponseBase)


@require_http_methods(["GET", "POST"])
@login_not_required
def entrance(request: UserRequest) -> HttpResponse:
    def enter(code: str) -> HttpResponse:
        try:
            return _entered(request, one_time_codes.redeem_visit(code))
        except CodeRefused as refused:
            return render(request, "visits/over.html", {"said": str(refused)}, status=404)

    return _private(one_time_links.entrance(request, "visits/entrance.html", enter))


def _entered(request: UserRequest, code: OneTimeCode) -> HttpResponse:
    response = one_time_links.inside("visit_page")
    response.set_cookie(
        COOKIE,
        signing.dumps(str(code.pk), salt=_SALT),
        max_age=VISIT_LASTS,
        path=reverse("visit_page"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _visit(view: Act) -> Callable[..., HttpResponseBase]:
    """Enter the scope of the visit that this browser holds; the same page for any that is over."""

    @login_not_required
    @wraps(view)
    def inner(request: UserRequest, **place: Any) -> HttpResponseBase:
        code = _held(request)
        if code is None:
            said = _("This visit has ended. Ask for a new link where you got the last one.")
            return _private(render(request, "visits/over.html", {"said": said}, status=404))
        with scope(team=code.team):
            try:
                return _private(view(request, guest(request, code), **place))
            except AssignmentsFound as found:
                return _private(ask(request, found, layout="visits/base.html"))

    return inner


@require_GET
@_visit
def page(request: UserRequest, who: Oneself) -> HttpResponse:
    can_mail = one_time_codes.confirmed_address(who.me) is not None
    context = views.page_context(request, who) | {"can_mail": can_mail}
    return show(request, "my_memory/page.html", context, partials=views.PARTIALS)


statement = require_GET(_visit(views.statement))


def new_link(request: UserRequest, who: Oneself) -> HttpResponse:
    """To the address that they confirmed; this visit goes on."""
    address = one_time_codes.confirmed_address(who.me)
    if address is None:
        raise Http404
    try:
        one_time_links.mail_memory_link(request, who.me, address, who.actor)
    except (MailRefused, TooManyCodes) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("The link was mailed. It works once, within 24 hours."))
    return redirect(who.urls["page"])


_OF_VISITS: Mapping[str, tuple[str, Act]] = {
    "answer": ("answer/", answer),
    "new_link": ("new-link/", new_link),
}
ACTS = {
    name: (where, require_POST(_visit(act)))
    for name, (where, act) in {**views.ACTS, **_OF_VISITS}.items()
}


@require_POST
@login_not_required
def leave(request: UserRequest) -> HttpResponse:
    code = _held(request)
    if code is not None:
        with scope(team=code.team):
            one_time_codes.close_visit(code)
    said = _("Your visit has ended. Your memory stays as you left it.")
    response = render(request, "visits/over.html", {"said": said})
    response.delete_cookie(COOKIE, path=reverse("visit_page"))
    return _private(response)


def _held(request: UserRequest) -> OneTimeCode | None:
    try:
        code_id = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=VISIT_LASTS)
    except signing.BadSignature:
        return None
    return one_time_codes.open_visit(code_id)


def _private(response: Response) -> Response:
    """Kept nowhere, and no address of a visit is told to anybody."""
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response
