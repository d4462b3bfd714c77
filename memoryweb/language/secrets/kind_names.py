"""How likely secrets, and the places where they stand, are called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise

_KINDS: dict[str, Text] = {
    "password": _("Password"),
    "api-key": _("API key"),
    "secret": _("Secret"),
    "token": _("Token"),
    "credential": _("Credential"),
}
_PLACES: dict[str, Text] = {
    "file": _("Current text of a file"),
    "revision": _("Earlier revision of a file"),
    "message": _("Message"),
    "proposal": _("Proposal"),
    "record": _("Report or run"),
}


def secret_kind(kind: str) -> Text:
    """A known format is called by its code, `github-token`."""
    return _KINDS.get(kind, kind)


def place(code: str) -> Text:
    return _PLACES.get(code, "")
