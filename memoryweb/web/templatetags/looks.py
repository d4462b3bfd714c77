"""How things look on a page: moments as people say them, agents, small pictures, and text of
users that is no Markdown."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django import template
from django.template import Context, Node
from django.template.base import Parser, Token
from django.templatetags.i18n import TranslateNode, do_translate
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from memoryweb.language.secrets import credentials
from memoryweb.markdown.diff import Span
from memoryweb.web import markdown, wording
from memoryweb.web.statements import Piece

register = template.Library()
register.filter("happened", wording.happened_at)
register.filter("chip", wording.of_run)
register.filter("reason", wording.reason)
register.filter("why", wording.why)
register.filter("trigger", wording.trigger_name)
register.filter("owner_title", wording.owner_title)
register.filter("secret_kind", wording.secret_kind)
register.filter("secret_place", credentials.place)


@register.filter
def money(micros: int) -> float:
    return micros / 1_000_000


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
def later(value: datetime, by: timedelta) -> datetime:
    return value + by


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


# Text of users that is no Markdown: what cannot be seen is shown.

register.filter("visible", markdown.plain)
register.filter("struck", markdown.struck)
register.filter("as_line", markdown.struck_line)

_SHAPES = {"del": "<del>{}</del>", "ins": "<ins>{}</ins>", "mark": "<mark>{}</mark>"}
_TAGS = {"old": "del", "new": "ins", "read": "mark"}


@register.filter
def marking(spans: Iterable[Span], tag: str) -> SafeString:
    """The words of a line, those that changed within `del` or `ins`."""
    words = [(markdown.plain(span.text), span.marked) for span in spans]
    return format_html_join(
        "",
        "{}",
        ((_marked(text, tag) if is_marked and tag else text,) for text, is_marked in words),
    )


@register.filter
def told(pieces: Iterable[Piece]) -> SafeString:
    """One sentence, with nothing between its words that is not in it."""
    return format_html_join("", "{}", ((_piece(piece),) for piece in pieces))


def _piece(piece: Piece) -> SafeString:
    if piece.ended:
        return markdown.struck(piece.text, [piece.ended])
    text, tag = markdown.plain(piece.text), _TAGS.get(piece.kind)
    return _marked(text, tag) if tag else text


def _marked(text: str, tag: str) -> SafeString:
    return format_html_join("", _SHAPES[tag], ((text,),))


# What a template says in words alone is translated once a language.


class _Words(Node):
    def __init__(self, node: TranslateNode) -> None:
        self.node, self.said = node, dict[str, str]()

    def render(self, context: Context) -> str:
        language = get_language() or ""
        if language not in self.said:
            self.said[language] = self.node.render(context)
        return self.said[language]


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    node = do_translate(parser, token)
    is_fixed = not node.asvar and not node.filter_expression.filters
    return _Words(node) if is_fixed and node.filter_expression.var.literal else node


# The small pictures beside words, each one path on 16 by 16.

_PATHS = {
    "moon": "M13.5 10A6 6 0 0 1 6 2.5 6 6 0 1 0 13.5 10Z",
    "search": "M2.7 7a4.3 4.3 0 1 0 8.6 0a4.3 4.3 0 1 0-8.6 0zM10.3 10.3l3.4 3.4",
    "agent": (
        "M4.5 5h7a2 2 0 0 1 2 2v4.5a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-4.5a2 2 0 0 1 2-2zM8 "
        "5V2.5M6 8.7v1.1M10 8.7v1.1"
    ),
    "person": (
        "M5.3 5.2a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0-5.4 0zM2.8 13.5c.6-2.7 2.6-4 5.2-4s4.6 1.3 "
        "5.2 4"
    ),
    "people": (
        "M3.7 5.5a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0zM1.8 13c.4-2.3 2-3.5 4.2-3.5s3.8 1.2 "
        "4.2 3.5 M10.5 3.4a2.3 2.3 0 0 1 0 4.2M12 9.8c1.3.5 2 1.6 2.2 3.2"
    ),
    "list": "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
    "tray": "M2.5 9.5 4.5 3.5h7l2 6v3.5h-11zM2.5 9.5h3l1 1.5h3l1-1.5h3",
    "add": "M8 3.5v9M3.5 8h9",
    "change": "M3 5.7h9.3L9.8 3.2M13 10.3H3.7l2.5 2.5",
    "retire": "M3.5 8h9",
    "unlike": "M3 6h10M3 10h10M10.3 3.2 5.7 12.8",
    "page": "M4 2.5h5.5l2.5 2.5v8.5H4zM8 7v4M6 9h4",
    "flag": "M4 14V2.5M4 3.2h8.2l-2 2.9 2 2.9H4",
    "key": "M3 10.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0zM7.3 8.7l5.2-5.2M10.5 5.5l2 2",
    "lock": (
        "M5 7.2h6a1.5 1.5 0 0 1 1.5 1.5v3.3a1.5 1.5 0 0 1-1.5 1.5h-6a1.5 1.5 0 0 "
        "1-1.5-1.5v-3.3a1.5 1.5 0 0 1 1.5-1.5zM5.5 7.2V5a2.5 2.5 0 0 1 5 0v2.2"
    ),
    "left": "M10 3.5 5.5 8l4.5 4.5",
    "right": "M6 3.5 10.5 8 6 12.5",
    "more": "M3 8h.01M8 8h.01M13 8h.01",
    "gear": (
        "M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M8.5 4.5a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 "
        "0-3.4 0zM4 11.5a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z"
    ),
    "clock": "M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0zM8 4.8V8l2.2 1.5",
    "tick": "M2.8 8.5 6.2 12l7-7.8",
    "pen": "M3 13l.6-2.9 7.3-7.3 2.3 2.3-7.3 7.3zM9.5 4.2l2.3 2.3",
    "cross": "M4 4l8 8M12 4l-8 8",
    "eraser": "M6 13.5l-3.2-3.2 6.8-6.8 4 4-6 6zM5.8 7.3l4 4M6 13.5h7.5",
    "link": (
        "M6.5 9.5 9.5 6.5M7.3 4.7l1.5-1.5a2.8 2.8 0 0 1 4 4l-1.5 1.5 M8.7 11.3l-1.5 1.5a2.8 "
        "2.8 0 0 1-4-4l1.5-1.5"
    ),
    "ask": "M5.7 6a2.3 2.3 0 1 1 3.2 2.1c-.6.3-.9.7-.9 1.4M8 12.3h.01",
    "talk": "M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2z",
}
_ICONS = {
    name: format_html(
        '<svg class="ic" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>', path
    )
    for name, path in _PATHS.items()
}


@register.simple_tag
def icon(name: str) -> SafeString:
    return _ICONS[name]
