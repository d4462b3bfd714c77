"""A person chooses what they hear by mail, or stops it all by the link in one."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core import signing
from django.db import transaction
from django.utils import timezone

from memoryweb.accounts.models import User
from memoryweb.accounts.signins import record_act
from memoryweb.notify.models import MailNotice

KINDS = ("learned", "waits", "failed")
_SALT = "memoryweb.notices.stop"
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
    return f"{row.site}/mail/stop/{signing.dumps(str(row.user_id), salt=_SALT)}/"


def person_of(link: str) -> User | None:
    try:
        found: Any = signing.loads(link, salt=_SALT)
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=found).first()


def next_morning(user: User, after: datetime) -> datetime:
    """Eight o'clock where the person is."""
    local = after.astimezone(zone_of(user))
    day = local.date() + timedelta(days=int(local.time() >= _MORNING))
    return datetime.combine(day, _MORNING, local.tzinfo)


def zone_of(user: User) -> ZoneInfo:
    try:
        return user.zone
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
