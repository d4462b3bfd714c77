"""Text of users on a page that is no Markdown: what cannot be seen is shown."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from memoryweb.markdown.diff import Span
from memoryweb.web import markdown

register = template.Library()
register.filter("visible", markdown.plain)

_SHAPES = {"del": "<del>{}</del>", "ins": "<ins>{}</ins>"}


@register.filter
def marking(spans: Iterable[Span], tag: str) -> SafeString:
    """The words of a line, those that changed within `del` or `ins`."""
    words = [(markdown.plain(span.text), span.marked) for span in spans]
    return format_html_join(
        "",
        "{}",
        ((_marked(text, tag) if is_marked and tag else text,) for text, is_marked in words),
    )


def _marked(text: str, tag: str) -> SafeString:
    return format_html_join("", _SHAPES[tag], ((text,),))
