"""Moments as people say them, in the zone of the reader."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from memoryweb.web import wording

register = template.Library()
register.filter("happened", wording.happened_at)


@register.filter
def moment(value: datetime | None, zone: ZoneInfo | None = None) -> SafeString:
    """`today 02:01`, `20 Nov 02:01`; the exact time in the tooltip."""
    if value is None:
        return SafeString("")
    local = timezone.localtime(value, zone)
    today = timezone.localtime(timezone.now(), zone).date()
    shown = f"{day_name(local.date(), today)} {local:%H:%M}"
    full = f"{local:%Y-%m-%d %H:%M:%S %Z}"
    stamp = value.isoformat(timespec="seconds")
    return format_html('<time datetime="{}" title="{}">{}</time>', stamp, full, shown)


@register.filter
def clock(value: datetime | None) -> str:
    return f"{timezone.localtime(value):%H:%M:%S}" if value else ""


@register.filter
def day(value: date) -> str:
    return day_name(value, timezone.localtime().date())


def day_name(value: date, today: date) -> str:
    match (value - today).days:
        case 0:
            return _("today")
        case 1:
            return _("tomorrow")
        case -1:
            return _("yesterday")
    return date_format(value, _("j M") if value.year == today.year else _("j M Y"))
