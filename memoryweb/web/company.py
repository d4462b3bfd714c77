"""Signing in with the company's account, and linking it with an account that is here already."""

from datetime import timedelta

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from allauth.decorators import rate_limit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from memoryweb.accounts import company, oidc
from memoryweb.accounts.backends import COMPANY
from memoryweb.accounts.signins import record_company_refusal
from memoryweb.web.access import UserRequest

_KEPT = "company_sign_in"
_LASTS = timedelta(minutes=10)


@require_POST
@login_not_required
@rate_limit(action="login")  # type: ignore[untyped-decorator]
def sign_in(request: UserRequest) -> HttpResponse:
    return _sent(request, next=get_next_redirect_url(request))


@require_POST
@reauthentication_required  # type: ignore[untyped-decorator]
def link(request: UserRequest) -> HttpResponse:
    return _sent(request, links=str(request.user.pk))


@require_POST
@reauthentication_required  # type: ignore[untyped-decorator]
def unlink(request: UserRequest) -> HttpResponse:
    if not request.user.has_usable_password():
        messages.error(
            request, _("You have no password here, so this is your only way to sign in.")
        )
        return redirect("profile")
    company.unlink(request.user)
    messages.success(request, _("{name} is no longer connected.").format(name=settings.OIDC_NAME))
    return redirect("profile")


@require_GET
@never_cache
@login_not_required
@rate_limit(action="login")  # type: ignore[untyped-decorator]
def callback(request: UserRequest) -> HttpResponse:
    """Where the provider sends the person back to. What it says counts once."""
    kept = request.session.pop(_KEPT, None)
    try:
        if kept is None or timezone.now().timestamp() > kept["until"]:
            raise oidc.SignInRefused("state")
        claims = oidc.finish(request.GET.dict(), kept, _callback(request))
        return _linked(request, claims, kept) if kept["links"] else _in(request, claims, kept)
    except oidc.SignInRefused as refused:
        return _refused(request, refused)


def _sent(request: UserRequest, *, next: str | None = None, links: str = "") -> HttpResponse:
    if not settings.OIDC_ISSUER:
        raise Http404
    try:
        address, kept = oidc.begin(_callback(request))
    except oidc.SignInRefused as refused:
        return _refused(request, refused)
    until = (timezone.now() + _LASTS).timestamp()
    request.session[_KEPT] = {**kept, "next": next, "links": links, "until": until}
    return redirect(address)


def _in(request: UserRequest, claims: oidc.Claims, kept: dict[str, str]) -> HttpResponse:
    user = company.person_of(claims)
    if user.is_active:
        company.renew(user, claims)
    if request.user.is_authenticated:
        get_adapter(request).logout(request)
    until = timezone.now() + timedelta(seconds=settings.OIDC_SECONDS)
    request.session[COMPANY] = until.timestamp()
    record_authentication(request, user, "oidc")
    answer: HttpResponse = perform_login(request, Login(user=user, redirect_url=kept["next"]))
    return answer


def _linked(request: UserRequest, claims: oidc.Claims, kept: dict[str, str]) -> HttpResponse:
    if str(request.user.pk) != kept["links"]:
        raise oidc.SignInRefused("state")
    company.link(request.user, claims.subject)
    company.renew(request.user, claims)
    messages.success(request, _("{name} is connected.").format(name=settings.OIDC_NAME))
    return redirect("profile")


def _refused(request: UserRequest, refused: oidc.SignInRefused) -> HttpResponse:
    if refused.code != "state":  # which anybody can send as often as they like
        record_company_refusal(refused.code)
    return render(request, "account/company_refused.html", {"refused": refused}, status=403)


def _callback(request: UserRequest) -> str:
    return request.build_absolute_uri(reverse("company_callback"))
