from datetime import timedelta

from django.utils.translation import gettext as _


class OwnerUnknown(LookupError):
    """No owner of this team is called so."""


class OwnerAmbiguous(LookupError):
    """A bare `api:<endUserId>` that several integrations use; the message lists them."""

    code = "owner_ambiguous"


class OwnerRefused(ValueError):
    """An identity that no owner may have; the message says why."""


class CodeRefused(ValueError):
    """The same for a wrong, expired and used code, and for one of another team."""

    code = "code_refused"

    def __init__(self) -> None:
        super().__init__(_("This code or link is wrong, used or expired. Ask for a new one."))


class TooManyTries(ValueError):
    """Wrong codes of one person, or of a whole team."""

    def __init__(self, window: timedelta) -> None:
        self.window = window
        minutes = int(window.total_seconds() // 60)
        super().__init__(
            _("Too many wrong codes. Wait {n} minutes, then enter a new one.").format(n=minutes)
        )


class TooManyCodes(ValueError):
    """Asked for one owner, or by one integration, within a short time."""

    code = "too_many_codes"

    def __init__(self, window: timedelta) -> None:
        self.retry_after = window.total_seconds()
        super().__init__(_("Too many codes in a short time. Wait a few minutes."))
