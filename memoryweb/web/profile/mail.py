"""What a person hears by mail: chosen on their profile, stopped by the link in a mail."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from memoryweb.notify import choosing
from memoryweb.web.access import UserRequest


class MailForm(forms.Form):
    learned = forms.BooleanField(
        label=gettext_lazy("What your agents learned, changed or retired"), required=False
    )
    waits = forms.BooleanField(label=gettext_lazy("What waits for your decision"), required=False)
    failed = forms.BooleanField(label=gettext_lazy("What failed"), required=False)


@require_POST
def choose(request: UserRequest) -> HttpResponse:
    form = MailForm(request.POST)
    if form.is_valid():
        site = request.build_absolute_uri("/").rstrip("/")
        language = get_language() or ""
        choosing.choose(user=request.user, site=site, language=language, **form.cleaned_data)
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
    user = choosing.person_of(link)
    if user is None:
        raise Http404
    if request.method == "POST":
        choosing.stop(user)
    return render(request, "profile/mail_stop.html", {"is_done": request.method == "POST"})
