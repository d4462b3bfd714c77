"""Text of users on a page that is no Markdown: what cannot be seen is shown."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from memoryweb.markdown.diff import Span
from memoryweb.web import markdown
from memoryweb.web.statements import Piece

register = template.Library()
register.filter("visible", markdown.plain)

_SHAPES = {"del": "<del>{}</del>", "ins": "<ins>{}</ins>"}
_TAGS = {"old": "del", "new": "ins"}


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
    words = [(markdown.plain(piece.text), _TAGS.get(piece.kind)) for piece in pieces]
    shown = ((_marked(text, tag) if tag else text,) for text, tag in words)
    return format_html_join("", "{}", shown)


def _marked(text: str, tag: str) -> SafeString:
    return format_html_join("", _SHAPES[tag], ((text,),))
