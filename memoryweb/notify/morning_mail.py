"""Sends each person's mail of the day: claimed by one worker, tried again where the server surely
did not take it, and never sent twice. A worker that dies in between leaves that day without one."""

import json
import smtplib
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from email.utils import parseaddr
from functools import partial
from html import escape
from time import monotonic
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_q.tasks import async_task
from django_scopes import scope, scopes_disabled

from memoryweb.accounts.members import current_memberships
from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.permissions import Permission, Role, can
from memoryweb.accounts.signins import record_act
from memoryweb.agents.models import Owner
from memoryweb.audit import checkpoints
from memoryweb.audit.checkpoints import Checkpoint
from memoryweb.dreaming.queries import done_in
from memoryweb.dreaming.story import Tally, counts
from memoryweb.memory.review import Inbox, reach_of
from memoryweb.memory.visible import outdated
from memoryweb.notify.models import Endpoint, MailNotice
from memoryweb.runs.models import Run

SEND = "memoryweb.notify.morning_mail.send_due"
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
    ends = monotonic() + TURN_SECONDS
    while monotonic() < ends:
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
    if not mine.update(due_at=next_morning(row.user, now)):
        return None
    return MailNotice.objects.select_related("user").get(pk=row.pk)


def _send(row: MailNotice, now: datetime) -> None:
    is_early = row.sent_at is not None and now - row.sent_at < _APART
    if is_early or not (row.is_on and row.user.is_active):
        return
    found = of_all_teams(row, row.user, now)
    if not found:
        _keep(row, told_until=now, attempts=0, error="")
        return
    try:
        _message(row, found, now).send()
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


# What a mail has to tell, by team: numbers alone. It lies in mailboxes where nothing can be
# forgotten, so no word of a memory is ever in one.


REMINDED = (25, 7)  # days; after 30 nobody decides any more


@dataclass(frozen=True)
class News:
    """Of one team, in what this person reads anyway: shared memory and their own."""

    team: Team
    learned: Mapping[str, Tally] = field(default_factory=dict)  # by the agent's name
    waits: int = 0
    new: int = 0  # of those that wait
    reminders: Mapping[int, int] = field(default_factory=dict)  # days → how many wait that long now
    failed: int = 0
    ending: int = 0  # of one's own, whose chosen last day is close
    head: Checkpoint | None = None  # of the audit log, signed since the last mail

    @property
    def is_any(self) -> bool:
        counted = self.learned or self.new or self.reminders or self.failed or self.ending
        return bool(counted or self.head)


def of_all_teams(row: MailNotice, user: User, now: datetime) -> list[News]:
    """As the person's memberships and roles are now, since the last mail."""
    found = []
    for membership in current_memberships(user.pk, now):
        with scope(team=membership.team):
            news = _news_of(row, membership, now)
        if news.is_any:
            found.append(news)
    return found


def _news_of(row: MailNotice, membership: Membership, now: datetime) -> News:
    team, since = membership.team, row.told_until
    own = list(Owner.objects.filter(team=team, person=membership.user).values_list("pk", flat=True))
    return News(
        team,
        learned=_learned(team, own, since, now) if row.learned else {},
        failed=_failed(team, own, since, now) if row.failed else 0,
        ending=_ending(membership.user, own, since, now) if row.learned else 0,
        head=_head(membership, since) if row.heads else None,
        **(_waiting(team, membership.role, own, since, now) if row.waits else {}),
    )


def _learned(team: Team, own: Sequence[UUID], since: datetime, now: datetime) -> dict[str, Tally]:
    ended = "report__run__finished_at"
    when = {f"{ended}__gt": since, f"{ended}__lte": now}
    done = done_in(team, _common("report__owner", own), **when)
    rows = done.values_list("report__agent", "report__agent__name").annotate(**counts())
    return {name: Tally(*did) for _agent, name, *did in rows.order_by("report__agent__name")}


def _ending(user: User, own: Sequence[UUID], since: datetime, now: datetime) -> int:
    """Each is told once, the day before its last one, or on it where no mail went then."""
    told, today = (moment.astimezone(user.zone).date() for moment in (since, now))
    first = max(today, told + timedelta(days=2))
    return outdated.ending(own, (first, today + timedelta(days=1))).count()


def _waiting(
    team: Team, role: str, own: Sequence[UUID], since: datetime, now: datetime
) -> dict[str, Any]:
    """Of what waits for so many days each mail tells once: it got so old since the last one."""
    rights = frozenset(one for one in Permission if can(role, one))
    waiting = Inbox(team, partial(reach_of, rights, own, ()))
    rows = waiting.rows()
    old = {
        days: rows.filter(
            since__gt=since - timedelta(days=days), since__lte=now - timedelta(days=days)
        ).count()
        for days in REMINDED
    }
    return {
        "waits": len(waiting),
        "new": rows.filter(since__gt=since, since__lte=now).count(),
        "reminders": {days: count for days, count in old.items() if count},
    }


def _failed(team: Team, own: Sequence[UUID], since: datetime, now: datetime) -> int:
    runs = Run.objects.filter(_common("owner", own), team=team, agent__archived_at=None)
    failed = runs.filter(status=Run.Status.FAILED, finished_at__gt=since, finished_at__lte=now)
    return failed.count()


def _head(membership: Membership, since: datetime) -> Checkpoint | None:
    """The newest, which vouches for those before it. Heads are dated in whole seconds."""
    newest = hears_heads(membership) and checkpoints.newest(membership.team_id)
    if not newest or not newest.is_ours:
        return None
    is_new = datetime.fromisoformat(newest.at) >= since.replace(microsecond=0)
    return newest if is_new else None


def hears_heads(membership: Membership) -> bool:
    return can(membership.role, Permission.SEE_AUDIT)


def _common(owner: str, own: Sequence[UUID]) -> Q:
    """Shared memory, the system's and one's own."""
    return Q(**{owner: None}) | Q(**{f"{owner}__in": own}) | Q(**{f"{owner}__source": "system"})


# The text of a mail, in the person's language and time.


def _message(row: MailNotice, found: Sequence[News], now: datetime) -> EmailMessage:
    user, stop = row.user, stop_link(row)
    zone = user.zone
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
        yield from (f"- {line}" for line in _sentences(news))
        yield f"{row.site}/t/{news.team.slug}/"
        if news.head:
            yield _(
                "Signed head of the audit log, event {n}. Keep it, and compare it at any time:"
            ).format(n=news.head.seq)
            yield f"{row.site}/t/{news.team.slug}/audit/verify/"
            yield json.dumps(news.head.told(), indent=1)  # lines that no mail program breaks
    yield "\n--"
    yield _("This mail contains no memory text.")
    yield _("You chose this mail on your profile: {url}").format(url=f"{row.site}/profile/")
    yield _("Stop it with one click: {url}").format(url=stop)


def _sentences(news: News) -> Iterator[str]:
    for name, did in news.learned.items():
        yield did.sentence(" ".join(name.split()))
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
    if news.ending:
        said = ngettext(
            "{n} statement about you is remembered until tomorrow. My memory has it.",
            "{n} statements about you are remembered until tomorrow. My memory has them.",
            news.ending,
        )
        yield said.format(n=news.ending)
    if news.failed:
        said = ngettext("{n} run failed.", "{n} runs failed.", news.failed)
        yield said.format(n=news.failed)


def channel_text(endpoint: Endpoint, since: datetime, now: datetime) -> str:
    """The numbers of shared memory, as Slack marks text up; empty where there is no news."""
    team, user = endpoint.team, endpoint.user or User()
    with scope(team=team):
        news = News(
            team,
            learned=_learned(team, (), since, now),
            failed=_failed(team, (), since, now),
            **_waiting(team, Role.ADMIN, (), since, now),
        )
    if not news.is_any:
        return ""
    home = f"{endpoint.site}/t/{team.slug}/"
    with translation.override(user.language or settings.LANGUAGE_CODE):
        lines = [f"*{team.name}*", *(f"• {line}" for line in _sentences(news))]
        links = f"<{home}|{_('Last night')}> · <{home}review/|{_('Review')}>"
    # Its own marks are for what is neither a name nor a number.
    return "\n".join([*(escape(line, quote=False) for line in lines), links])


# A person chooses what they hear by mail, or stops it all by the link in one.

KINDS = ("learned", "waits", "failed", "heads")
_STOP_SALT = "memoryweb.notices.stop"
_MORNING = time(8)


@transaction.atomic
def choose(*, user: User, site: str, language: str, **wanted: bool) -> None:
    """What happened until now is not told. Every team of the person is told that they changed
    something about themselves, not what."""
    now = timezone.now()
    row = MailNotice.objects.select_for_update().filter(user=user).first()
    if row is None:
        row = MailNotice(user=user, told_until=now)
    if not row.is_on:
        row.told_until = now
    for kind in KINDS:
        setattr(row, kind, bool(wanted.get(kind)))
    row.site, row.language, row.attempts, row.error = site, language, 0, ""
    row.due_at = next_morning(user, now) if row.is_on else None
    row.save()
    record_act(user, "profile.changed")


def chosen_by(user: User) -> MailNotice | None:
    return MailNotice.objects.filter(user=user).first()


@transaction.atomic
def stop(user: User) -> None:
    nothing = dict.fromkeys(KINDS, False)
    if MailNotice.objects.filter(user=user).update(**nothing, due_at=None):
        record_act(user, "profile.changed")


def stop_link(row: MailNotice) -> str:
    """Signed, so that it stops this person's mail and nobody else's."""
    return f"{row.site}/mail/stop/{signing.dumps(str(row.user_id), salt=_STOP_SALT)}/"


def person_of(link: str) -> User | None:
    try:
        found: Any = signing.loads(link, salt=_STOP_SALT)
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=found).first()


def next_morning(user: User, after: datetime) -> datetime:
    """Eight o'clock where the person is."""
    local = after.astimezone(user.zone)
    day = local.date() + timedelta(days=int(local.time() >= _MORNING))
    return datetime.combine(day, _MORNING, local.tzinfo)
