"""A person changes the address that they sign in with: by a link mailed to the new one."""

from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.decorators import rate_limit
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memoryweb.accounts import addresses
from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.web.access import UserRequest
from memoryweb.web.team.forms import AddressForm

_CONSOLE = "django.core.mail.backends.console.EmailBackend"


@require_http_methods(["GET", "POST"])
@never_cache
@rate_limit(action="manage_email")  # type: ignore[untyped-decorator]
def address(request: UserRequest) -> HttpResponse:
    form = AddressForm(request.POST or None, user=request.user)
    can_mail = settings.EMAIL_BACKEND != _CONSOLE
    if can_mail and form.is_valid():
        email = form.cleaned_data["email"]
        _mail_link(request, email)
        # The same for a taken address: who has an account here is nobody's to find out.
        messages.success(
            request, _("If {email} is free, a link is on its way.").format(email=email)
        )
        return redirect("profile")
    context = {"form": form, "can_mail": can_mail}
    return render(request, "profile/address.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
@never_cache
def confirm(request: UserRequest) -> HttpResponse:
    """A look changes nothing: programs that read mail follow its links."""
    code = request.POST.get("code") or request.GET.get("code", "")
    before = request.user.email
    try:
        email = addresses.read_code(request.user, code)
        if request.method == "GET":
            context = {"email": email, "code": code}
            return render(request, "profile/address_confirm.html", context)
        addresses.change_address(user=request.user, email=email)
    except AccountsRefused as refused:
        messages.error(request, str(refused))
        return redirect("profile_address")
    get_adapter(request).send_mail("account/email/address_changed", before, {"new": email})
    messages.success(request, _("You sign in with {email} from now on.").format(email=email))
    return redirect("profile")


def _mail_link(request: UserRequest, email: str) -> None:
    if not addresses.is_free(email):
        return
    query = urlencode({"code": addresses.make_code(request.user, email)})
    link = request.build_absolute_uri(f"{reverse('profile_address_confirm')}?{query}")
    get_adapter(request).send_mail("account/email/address_change", email, {"link": link})
