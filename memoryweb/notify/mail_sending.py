"""Sends each person's mail of the day: claimed by one worker, tried again where the server surely
did not take it, and never sent twice. A worker that dies in between leaves that day without one."""

import smtplib
import socket
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django_q.tasks import async_task
from django_scopes import scopes_disabled

from memoryweb.notify import choosing, mail, news
from memoryweb.notify.models import MailNotice

SEND = "memoryweb.notify.mail_sending.send_due"
TURN_SECONDS = 60.0  # of one task; the tick calls the next
WAITS = tuple(timedelta(minutes=minutes) for minutes in (2, 10, 60, 4 * 60))
_APART = timedelta(hours=20)  # whoever moves to another zone has no second morning
# Whatever else goes wrong may have gone wrong after the server took it.
_NOT_TAKEN = (
    smtplib.SMTPConnectError,
    smtplib.SMTPHeloError,
    smtplib.SMTPAuthenticationError,
    smtplib.SMTPSenderRefused,
    smtplib.SMTPRecipientsRefused,
    smtplib.SMTPDataError,
    ConnectionRefusedError,
    socket.gaierror,
)


def is_set_up() -> bool:
    """Without a mail server, mail is printed for whoever runs the installation; notices are not."""
    return not str(settings.EMAIL_BACKEND).endswith(".console.EmailBackend")


def tick(now: datetime) -> None:
    """Once a minute."""
    if is_set_up() and MailNotice.objects.filter(due_at__lte=now).exists():
        async_task(SEND, save=False, group="notices")


def send_due() -> None:
    ends = time.monotonic() + TURN_SECONDS
    while time.monotonic() < ends:
        now = timezone.now()
        row = MailNotice.objects.filter(due_at__lte=now).order_by("due_at").first()
        if row is None:
            return
        if claimed := _claimed(row, now):
            with scopes_disabled():
                _send(claimed, now)


def _claimed(row: MailNotice, now: datetime) -> MailNotice | None:
    """For today. As it is by now: the person may have chosen otherwise meanwhile."""
    mine = MailNotice.objects.filter(pk=row.pk, due_at=row.due_at)
    if not mine.update(due_at=choosing.next_morning(row.user, now)):
        return None
    return MailNotice.objects.select_related("user").get(pk=row.pk)


def _send(row: MailNotice, now: datetime) -> None:
    is_early = row.sent_at is not None and now - row.sent_at < _APART
    if is_early or not (row.is_on and row.user.is_active):
        return
    found = news.of_all_teams(row, row.user, now)
    if not found:
        _keep(row, told_until=now, attempts=0, error="")
        return
    try:
        mail.message(row, found, now).send()
    except _NOT_TAKEN as error:
        _again(row, now, type(error).__name__)
    except (OSError, smtplib.SMTPException) as error:
        _keep(row, told_until=now, attempts=0, error=type(error).__name__[:32])
    else:
        _keep(row, told_until=now, sent_at=now, attempts=0, error="")


def _again(row: MailNotice, now: datetime, error: str) -> None:
    """Later today; after the last attempt with tomorrow's."""
    if row.attempts >= len(WAITS):
        _keep(row, attempts=0, error=error[:32])
        return
    due_at = now + WAITS[row.attempts]
    _keep(row, due_at=due_at, attempts=row.attempts + 1, error=error[:32])


def _keep(row: MailNotice, **values: object) -> None:
    """Unless the person has chosen otherwise while it was sent, when the next one is due."""
    mine = MailNotice.objects.filter(pk=row.pk)
    if "due_at" in values:
        mine = mine.filter(due_at=row.due_at)
    mine.update(**values)
