"""Mail to people without an account, at addresses that nobody of the team sees: what goes wrong is
told without them."""

from smtplib import SMTPException

from django.core.mail import send_mail
from django.utils.translation import gettext as _
from django.utils.translation import override

from memoryweb.notify.morning_mail import is_set_up


class MailRefused(Exception):
    """Why it was not sent."""

    code = "mail_unavailable"


def check_set_up() -> None:
    """Raises MailRefused."""
    if not is_set_up():
        raise MailRefused(_("This installation has no mail server."))


def send_code(*, email: str, language: str, team: str, code: str) -> None:
    """Raises MailRefused."""
    with override(language):
        said = _(
            "Your code: {code}\n\nEnter it where you were asked for it, within 30 minutes. From "
            "then on {team} can mail you links to what its agents remember about you.\n\nDidn't "
            "ask for it? Then ignore this mail."
        )
        _send(email, _("Your code"), said.format(code=code, team=team))


def send_link(*, email: str, language: str, team: str, link: str) -> None:
    """Raises MailRefused."""
    with override(language):
        said = _(
            "With this link you see what the agents of {team} remember about you, and correct or "
            "forget it:\n\n{link}\n\nIt works once, within 24 hours. Nobody else needs it: don't "
            "pass it on."
        )
        _send(email, _("Your memory"), said.format(team=team, link=link))


def _send(to: str, subject: str, text: str) -> None:
    try:
        send_mail(subject, text, None, [to])
    except (OSError, SMTPException):
        said = _("The mail server didn't take the mail. Try again in a few minutes.")
        raise MailRefused(said) from None
