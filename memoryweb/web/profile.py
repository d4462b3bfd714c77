"""A person's own profile, and the picture that their second factor is set up with."""

from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.decorators import rate_limit
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.totp.internal.auth import get_totp_secret
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryweb.accounts import addresses
from memoryweb.accounts.backends import speak
from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.members import change_profile, current_memberships, set_zone
from memoryweb.accounts.models import User
from memoryweb.notify import morning_mail
from memoryweb.web.access import UserRequest
from memoryweb.web.form_fields import zone_choices
from memoryweb.web.pages import show
from memoryweb.web.team.forms import AddressForm, ProfileForm

# What a person hears by mail: chosen on their profile, stopped by the link in a mail.


class MailForm(forms.Form):
    learned = forms.BooleanField(
        label=gettext_lazy("What your agents learned, changed or ended"), required=False
    )
    waits = forms.BooleanField(label=gettext_lazy("What waits for your decision"), required=False)
    failed = forms.BooleanField(label=gettext_lazy("What failed"), required=False)
    heads = forms.BooleanField(
        label=gettext_lazy("The audit log's newest signed head, to keep elsewhere"), required=False
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not any(map(morning_mail.hears_heads, current_memberships(user.pk, timezone.now()))):
            del self.fields["heads"]


@require_POST
def zone(request: UserRequest) -> HttpResponse:
    """The browser's, of a person who has chosen none."""
    name = request.POST.get("time_zone", "")
    if is_known := name in dict(zone_choices()):
        set_zone(user=request.user, time_zone=name)
    return HttpResponse(status=204 if is_known else 422)


@require_POST
def choose(request: UserRequest) -> HttpResponse:
    form = MailForm(request.user, request.POST)
    if form.is_valid():
        site = request.build_absolute_uri("/").rstrip("/")
        language = get_language() or ""
        morning_mail.choose(user=request.user, site=site, language=language, **form.cleaned_data)
        is_on = any(form.cleaned_data.values())
        said = _("You get at most one mail a day, at eight in the morning.")
        messages.success(request, said if is_on else _("You get no mail about memory."))
    return redirect("profile")


@require_http_methods(["GET", "POST"])
@never_cache
@csrf_exempt
@login_not_required
def stop(request: HttpRequest, link: str) -> HttpResponse:
    """A look changes nothing: programs that check mail for viruses follow links. The button does,
    and so does the mail program's own (RFC 8058), which has no session and no token of a form."""
    user = morning_mail.person_of(link)
    if user is None:
        raise Http404
    if request.method == "POST":
        morning_mail.stop(user)
    return render(request, "profile/mail_stop.html", {"is_done": request.method == "POST"})


@require_http_methods(["GET", "POST"])
def profile(request: UserRequest) -> HttpResponse:
    user = request.user
    initial = {name: getattr(user, name) for name in ProfileForm.base_fields}
    form = ProfileForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        change_profile(user=user, **form.cleaned_data)
        speak(request, user)
        messages.success(request, _("Your profile was saved."))
        return redirect("profile")
    notice = morning_mail.chosen_by(user)
    chosen = {kind: getattr(notice, kind, False) for kind in morning_mail.KINDS}
    context = {
        "form": form,
        "mail_form": MailForm(user, initial=chosen, auto_id="mail_%s"),
        "notice": notice,
        "can_mail": morning_mail.is_set_up(),
    }
    return show(request, "profile/profile.html", context)


@require_GET
@never_cache
def totp_qr(request: UserRequest) -> HttpResponse:
    """The secret that the activation page is about to confirm, as a picture."""
    if "mfa.totp.secret" not in request.session:
        raise Http404
    adapter = get_mfa_adapter()
    url = adapter.build_totp_url(request.user, get_totp_secret())
    return HttpResponse(adapter.build_totp_svg(url), content_type="image/svg+xml")


# A person changes the address that they sign in with: by a link mailed to the new one.

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
