"""Signing in with the company's account, and connecting it with an account that is here already."""

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
from memoryweb.accounts.signins import record_unknown
from memoryweb.web.access import UserRequest

_KEPT = "company_sign_in"
_SECONDS = 600


@require_POST
@login_not_required
@rate_limit(action="company")  # type: ignore[untyped-decorator]
@reauthentication_required(enabled=lambda request: request.user.is_authenticated)  # type: ignore[untyped-decorator]
def leave(request: UserRequest) -> HttpResponse:
    """To the provider; who is signed in already comes back to connect the two."""
    back = _callback(request)
    known = getattr(request.user, "identity", None)
    if known and (known.is_current or not request.user.has_usable_password()):
        return redirect("profile")
    try:
        address, kept = oidc.begin(back)
    except oidc.SignInRefused as refused:
        return _refused(request, refused)
    more = {"next": get_next_redirect_url(request), "connects": _who(request)}
    request.session[_KEPT] = kept | more | {"until": timezone.now().timestamp() + _SECONDS}
    return redirect(address)


@require_GET
@never_cache
@login_not_required
def callback(request: UserRequest) -> HttpResponse:
    """Where the provider sends the person back to. What it says counts once."""
    back, kept = _callback(request), request.session.pop(_KEPT, {})
    connects = kept.get("connects", "")
    try:
        if timezone.now().timestamp() > kept.get("until", 0) or connects not in ("", _who(request)):
            raise oidc.SignInRefused("state")
        claims = oidc.finish(request.GET.dict(), kept, back)
        return _connected(request, claims) if connects else _in(request, claims, kept["next"])
    except oidc.SignInRefused as refused:
        return _refused(request, refused)


def _in(request: UserRequest, claims: oidc.Claims, next: str | None) -> HttpResponse:
    user = company.person_of(claims)
    if request.user.is_authenticated:
        get_adapter(request).logout(request)
    company.keep_claims(request.session, user, claims)
    record_authentication(request, user, "oidc")
    answer: HttpResponse = perform_login(request, Login(user=user, redirect_url=next))
    return answer


def _connected(request: UserRequest, claims: oidc.Claims) -> HttpResponse:
    company.connect(request.user, claims.subject)
    company.renew(request.user, claims)
    messages.success(request, _("{name} is connected.").format(name=settings.OIDC_NAME))
    return redirect("profile")


def _refused(request: UserRequest, refused: oidc.SignInRefused) -> HttpResponse:
    if refused.code != "state":  # which anybody can send as often as they like
        record_unknown(f"company_{refused.code}")
    return render(request, "account/company_refused.html", {"refused": refused}, status=403)


def _callback(request: UserRequest) -> str:
    if not settings.OIDC_ISSUER:
        raise Http404
    return request.build_absolute_uri(reverse("company_callback"))


def _who(request: UserRequest) -> str:
    return str(request.user.pk or "")
