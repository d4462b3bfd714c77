"""Links that open something for whoever has them.

The code stands behind the #, which browsers send to nobody: it is in no server's or proxy's log.
A script takes it into the form; without one it is pasted.
"""

from collections.abc import Callable

from django import forms
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memoryweb.agents import one_time_codes
from memoryweb.agents.models import Owner, OwnerAddress
from memoryweb.agents.one_time_codes import Purpose, mail_address
from memoryweb.audit.record import Actor
from memoryweb.notify import owner_mail
from memoryweb.web.access import UserRequest


class EntranceForm(forms.Form):
    code = forms.CharField(
        label=_("Link or code"),
        max_length=2000,
        help_text=_("Paste the whole link, or the part after its #."),
        error_messages={"required": _("Paste the link you got. It contains the code.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        return code.rpartition("#")[2].strip()


def link_to(request: UserRequest, name: str, code: str) -> str:
    return request.build_absolute_uri(f"{reverse(name)}#{code}")


def mail_memory_link(request: UserRequest, owner: Owner, address: OwnerAddress, by: Actor) -> None:
    """A link to My memory, to the address that they confirmed. Raises MailRefused, TooManyCodes."""
    owner_mail.check_set_up()
    integration, purpose = address.integration, Purpose.VISIT
    issued = one_time_codes.issue(owner=owner, integration=integration, purpose=purpose, by=by)
    owner_mail.send_link(
        email=mail_address(address),
        language=address.language,
        team=owner.team.name,
        link=link_to(request, "visit", issued.secret),
    )


def entrance(
    request: UserRequest, template: str, enter: Callable[[str], HttpResponse]
) -> HttpResponse:
    """A look, such as a preview of the link, uses nothing up: the button does."""
    form = EntranceForm(request.POST or None)
    if form.is_valid():
        return enter(form.cleaned_data["code"])
    return render(request, template, {"form": form}, status=422 if form.is_bound else 200)


def inside(name: str) -> HttpResponseRedirect:
    """With a fragment of its own, or the code stayed in the address of who has no script."""
    return HttpResponseRedirect(reverse(name) + "#main")
