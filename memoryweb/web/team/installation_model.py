"""The model of the whole installation, for a superuser of a server that listens on this machine
alone. What the operator's settings say comes first."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from memoryweb.accounts.teams import system_team_id
from memoryweb.llm import choices, local_models
from memoryweb.llm.choices import Own
from memoryweb.llm.endpoint import PUBLIC_BASE_URLS, is_loopback
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.models import INSTALLATION, TeamModel
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.form_fields import WordsField
from memoryweb.web.pages import next_url, show, to

_SERVICES = {"openai": "OpenAI", "anthropic": "Anthropic"}
_ADDRESSES = PUBLIC_BASE_URLS | local_models.ADDRESSES


class ServiceForm(forms.Form):
    service = forms.ChoiceField(
        label=gettext_lazy("Service"),
        choices=[(name, name) for name in _ADDRESSES],
    )
    model = WordsField(label=gettext_lazy("Model"), max_length=120)
    key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("Stored encrypted and never shown again."),
    )

    def __init__(self, said: Any = None) -> None:
        super().__init__(said)
        self.fields["service"].widget.choices = [*_SERVICES.items()]

    @property
    def own(self) -> Own:
        said = self.cleaned_data
        provider = said["service"] if said["service"] in _SERVICES else "openai"
        return Own(provider, _ADDRESSES[said["service"]], said["model"], said["key"])


def may_set_up(request: TeamRequest) -> bool:
    is_here = is_loopback(request.META.get("SERVER_NAME", ""))
    return request.user.is_superuser and is_here and not settings.MODEL_PROVIDER


@team_view("GET", "POST")
@sensitive_post_parameters("key")
def installation(request: TeamRequest) -> HttpResponse:
    """`find`: asks what runs here before it shows the page."""
    if not may_set_up(request):
        raise Http404
    is_looking = "find" in request.POST
    if "remove" in request.POST:
        choices.remove_own(**_whose(request))
        messages.success(request, _("The model and its key were removed."))
        return redirect(request.path)
    form = ServiceForm(None if is_looking else request.POST or None)
    if form.is_valid():
        try:
            choices.set_own(own=form.own, **_whose(request))
        except ModelError as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Saved. All teams can use it now."))
            return redirect(next_url(request) or to(request, "settings_model"))
    context = {
        "tab": "model",
        "form": form,
        "row": choices.of(INSTALLATION, TeamModel),
        "is_looking": is_looking,
        "found": list(local_models.running()) if is_looking else (),
        "next": request.POST.get("next", request.GET.get("next", "")),
    }
    return show(request, "settings/installation_model.html", context)


def _whose(request: TeamRequest) -> dict[str, Any]:
    by, chain = request.visit.actor, system_team_id()
    return {"team_id": INSTALLATION, "table": TeamModel, "by": by, "chain": chain}
