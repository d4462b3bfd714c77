"""The text of a mail, in the person's language and time."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.notify.choosing import stop_link, zone_of
from memoryweb.notify.models import MailNotice
from memoryweb.notify.news import News


def message(row: MailNotice, found: Sequence[News], now: datetime) -> EmailMessage:
    user, stop = row.user, stop_link(row)
    zone = zone_of(user)
    language = user.language or row.language or settings.LANGUAGE_CODE
    with translation.override(language), timezone.override(zone):
        subject, body = _("News of your agents' memory"), "\n".join(_lines(row, found, stop))
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    day = f"{now.astimezone(zone):%Y%m%d}"
    headers = {
        # RFC 8058: one click in the mail program, no sign-in.
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
        "Message-ID": f"<notice.{user.pk.hex}.{day}@{sender.rpartition('@')[2]}>",
    }
    return EmailMessage(subject, body, to=[user.email], headers=headers)


def _lines(row: MailNotice, found: Sequence[News], stop: str) -> Iterator[str]:
    since = date_format(timezone.localtime(row.told_until), "DATETIME_FORMAT")
    yield _("Hello {name},").format(name=row.user)
    yield ""
    yield _("since {time}:").format(time=since)
    for news in found:
        yield f"\n{news.team.name}"
        yield from (f"- {line}" for line in _of(news))
        yield f"{row.site}/t/{news.team.slug}/"
    yield "\n--"
    yield _("The words stay where they are kept: this mail has numbers alone.")
    yield _("You chose this mail on your profile: {url}").format(url=f"{row.site}/profile/")
    yield _("Stop it with one click: {url}").format(url=stop)


def _of(news: News) -> Iterator[str]:
    for name, n in news.learned.items():
        said = ngettext(
            "{agent} learned, changed or retired {n} statement.",
            "{agent} learned, changed or retired {n} statements.",
            n,
        )
        yield said.format(agent=" ".join(name.split()), n=n)
    if news.new or news.reminders:
        said = ngettext(
            "{n} item waits for your decision.", "{n} items wait for your decision.", news.waits
        )
        yield said.format(n=news.waits)
    for days, n in news.reminders.items():
        said = ngettext(
            "{n} of them has waited for {days} days.", "{n} of them have waited for {days} days.", n
        )
        yield said.format(n=n, days=days)
    if news.failed:
        said = ngettext("{n} run failed.", "{n} runs failed.", news.failed)
        yield said.format(n=news.failed)
