"""A person's own profile, and the picture that their second factor is set up with."""

from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.totp.internal.auth import get_totp_secret
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from memoryweb.accounts.middleware import speak
from memoryweb.accounts.profiles import change_profile
from memoryweb.notify import choosing, mail_sending
from memoryweb.web.access import UserRequest
from memoryweb.web.htmx import show
from memoryweb.web.profile.mail import MailForm
from memoryweb.web.team.forms import ProfileForm


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
    notice = choosing.chosen_by(user)
    chosen = {kind: getattr(notice, kind, False) for kind in choosing.KINDS}
    context = {
        "form": form,
        "mail_form": MailForm(initial=chosen, auto_id="mail_%s"),
        "notice": notice,
        "can_mail": mail_sending.is_set_up(),
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
