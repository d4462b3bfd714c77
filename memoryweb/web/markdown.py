"""Markdown of users to safe HTML, block by block so that every line keeps its number.

The only place of the product that marks text as safe: markdown-it with HTML off, then nh3 with
an allow-list of our own, without images.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

import nh3
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memoryweb.language.invisible import Piece, pieces
from memoryweb.markdown import marks
from memoryweb.markdown.blocks import ready
from memoryweb.markdown.marks import Ended
from memoryweb.markdown.paths import HOME, of_link
from memoryweb.markdown.pins import pin_marks
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import matches
from memoryweb.memory.models.refusals import SearchRefused
from memoryweb.memory.search import SearchPlan

MAX_BYTES = 256 * 1024
MAX_LINES = 10_000

_ENTITY = re.compile(r"&[#\w]+;")
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "del": {"title"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto", "memory"}
_MEMORY = "memory:"
_MEMORY_LINK = re.compile(rf'<a href="({_MEMORY}[^"]*)"', re.IGNORECASE)
_IN_MEMORY = re.compile(rf"{HOME}(?:/(?:(?!\.\.)[^?#])*)?")
# More of these than a person writes take the parser seconds; such a text is shown as it is.
_MARKS = re.compile(r"[\[\]!*_`~<&\\]")
_MOST_MARKS = 20_000
# A tag of nh3's, whose attribute values may hold a `>`.
_TAG = re.compile(r'(<[^">]*(?:"[^"]*"[^">]*)*>)')

_MARKDOWN = ready(
    MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
)


@dataclass(frozen=True)
class Block:
    """Lines `start` to `end` (1-based, both included). `kind`: heading item text code pin unpin."""

    start: int
    end: int
    kind: str
    depth: int
    html: SafeString

    @property
    def lines(self) -> range:
        return range(self.start, self.end + 1)


@dataclass(frozen=True)
class RenderedFile:
    blocks: tuple[Block, ...]
    is_cut: bool


def render(text: str, home: str = "", query: str = "") -> RenderedFile:
    """A whole file as blocks. What is over the cap is left away, and said. `memory://` links lead
    below `home`, the address of a workspace's files, or nowhere."""
    cut = _cut(text)
    blocks = _rendered(cut)
    if marks.has_any(cut):
        blocks = tuple(replace(block, html=_dated(block.html)) for block in blocks)
    if any(_MEMORY in one.html.casefold() for one in blocks):
        blocks = tuple(replace(one, html=_linked(one.html, home, query)) for one in blocks)
    return RenderedFile(blocks, is_cut=cut != text)


@lru_cache(maxsize=64)
def _rendered(text: str) -> tuple[Block, ...]:
    return tuple(_blocks(text))


def render_text(text: str, home: str = "", query: str = "") -> SafeString:
    """A short text (a diary, a summary) as one piece."""
    return _linked(_safe(_html(_MARKDOWN.parse(_unsigned(_cut(text))))), home, query)


def _linked(html: SafeString, home: str, query: str = "") -> SafeString:
    """With `memory://` links to a workspace's files, and none to anything else of that scheme."""

    def led(found: re.Match[str]) -> str:
        is_path = home and _IN_MEMORY.fullmatch(found[1])
        path = of_link(found[1])  # as nh3 has escaped it
        return f'<a href="{escape(home)}{path}{escape(query)}"' if is_path else "<a"

    return SafeString(_MEMORY_LINK.sub(led, html))


def plain(text: str) -> SafeString:
    """Text as it is, with every invisible character as a token that can be seen."""
    found = pieces(text.replace("\r\n", "\n"))
    return SafeString("".join(_seen(piece) or escape(piece.text) for piece in found))


def highlighted(html: SafeString, find: Callable[[str], Iterable[tuple[int, int]]]) -> SafeString:
    """Clean HTML with <mark> around what `find` finds in its texts; its tags stay as they are."""
    parts = _TAG.split(html)
    parts[::2] = [_highlighted(text, find) for text in parts[::2]]
    return SafeString("".join(parts))


def _highlighted(text: str, find: Callable[[str], Iterable[tuple[int, int]]]) -> str:
    """Entities are no letters of a word, and nothing is put inside of one."""
    last, pieces = 0, []
    for start, end in find(_ENTITY.sub(lambda entity: " " * len(entity[0]), text)):
        pieces += [text[last:start], "<mark>", text[start:end], "</mark>"]
        last = end
    return "".join([*pieces, text[last:]])


def _cut(text: str) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) > MAX_BYTES:
        text = raw[:MAX_BYTES].decode("utf-8", "ignore").rsplit("\n", 1)[0]
    if text.count("\n") < MAX_LINES:
        return text
    return "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])


# What has ended is struck. In the source its words stand between signs that no text has, so that
# they come through the parser; the day is put in as the reader's language writes it.

_ENDED = '<del title="{0}">{1}</del><span class="sr"> ({0})</span>'
_FROM, _BEHIND, _TO = "\ufdd0", "\ufdd1", "\ufdd2"
_DEL = re.compile(f"{_FROM}([\\d-]{{10}}){_BEHIND}")
_DAY = re.compile(r'<del title="([\d-]{10})">(.*?)</del>', re.DOTALL)


def struck(text: str, ended: Iterable[Ended]) -> SafeString:
    """A statement with the words struck that hold no longer."""
    html, last = "", 0
    for start, end, on in marks.places(text, ended):
        html += plain(text[last:start]) + format_html(_ENDED, _until(on), plain(text[start:end]))
        last = end
    return SafeString(html + plain(text[last:]))


def struck_line(line: str) -> SafeString:
    """A line of a file the same way, in the place of its marks."""
    return struck(*marks.part(line))


def _signed(text: str) -> str:
    text = _unsigned(text)
    return "\n".join(map(_signed_line, text.split("\n"))) if marks.has_any(text) else text


def _unsigned(text: str) -> str:
    """Where somebody writes our sign, it is none."""
    return text.replace(_FROM, "\ufffd")


def _signed_line(line: str) -> str:
    sentence, ended = marks.part(line)
    for start, end, on in reversed([*marks.places(sentence, ended)]):
        words = f"{_FROM}{on}{_BEHIND}{sentence[start:end]}{_TO}"
        sentence = sentence[:start] + words + sentence[end:]
    return sentence


def _dated(html: SafeString) -> SafeString:
    def shown(found: re.Match[str]) -> str:
        return format_html(_ENDED, _until(date.fromisoformat(found[1])), SafeString(found[2]))

    return SafeString(_DAY.sub(shown, html))


def _until(on: date) -> str:
    return _("until {day}").format(day=date_format(on, _("j F Y")))


def _blocks(text: str) -> Iterator[Block]:
    if sum(1 for _mark in _MARKS.finditer(text)) > _MOST_MARKS:
        yield from _as_written(text)
        return
    for start, part in _unpinned(_signed(text)):
        if isinstance(part, Block):
            yield part
            continue
        tokens = _MARKDOWN.parse("\n".join(part))
        yield from _walk(tokens, offset=start)


def _as_written(text: str) -> Iterator[Block]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield Block(number, number, "text", 0, format_html("<p>{}</p>", plain(line)))


def _unpinned(text: str) -> Iterator[tuple[int, "Block | list[str]"]]:
    """Pin marks as blocks of their own, and the stretches between them."""
    marks = pin_marks(text)
    stretch: list[str] = []
    start = 0
    for at, line in enumerate(text.split("\n")):
        kind = marks.get(at + 1)
        if kind is None:
            stretch.append(line)
            continue
        if stretch:
            yield start, stretch
        yield at, Block(at + 1, at + 1, kind, 0, SafeString(""))
        stretch, start = [], at + 1
    if stretch:
        yield start, stretch


def _walk(tokens: Sequence[Token], offset: int) -> Iterator[Block]:
    """Headings, items and paragraphs one by one; a nested list item is a block of its own."""
    at, depth = 0, 0
    lists: list[Token] = []
    while at < len(tokens):
        token = tokens[at]
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            lists.append(token)
            depth += 1
            at += 1
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            lists.pop()
            depth -= 1
            at += 1
        elif token.type == "list_item_open":
            end = _own_end(tokens, at)
            yield _item(tokens[at:end], token, lists[-1], depth, offset)
            at = end
        elif token.type == "list_item_close":
            at += 1
        else:
            end = _close(tokens, at) + 1
            inside = tokens[at:end]
            yield _block(inside, _kind(token), max(depth, 0), offset)
            at = end


def _own_end(tokens: Sequence[Token], at: int) -> int:
    """Where an item's own text ends: at its first nested list, or at its close."""
    level = tokens[at].level
    for i in range(at + 1, len(tokens)):
        if tokens[i].level <= level:
            return i
        if tokens[i].level == level + 1 and tokens[i].type.endswith("_list_open"):
            return i
    return len(tokens)


def _close(tokens: Sequence[Token], at: int) -> int:
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    for i in range(at + 1, len(tokens)):
        if tokens[i].level == level and tokens[i].nesting == -1:
            return i
    return len(tokens) - 1


def _item(tokens: Sequence[Token], opener: Token, parent: Token, depth: int, offset: int) -> Block:
    inner = _html(tokens[1:])
    if parent.tag == "ol":
        number = opener.info if opener.info.isdigit() else "1"
        html = f'<ol start="{number}"><li>{inner}</li></ol>'
    else:
        html = f"<ul><li>{inner}</li></ul>"
    start = opener.map[0] if opener.map else 0
    ends = [t.map[1] for t in tokens[1:] if t.map]
    return Block(
        offset + start + 1,
        max(offset + max(ends, default=start + 1), offset + start + 1),
        "item",
        min(depth - 1, 3),
        _safe(html),
    )


def _block(tokens: Sequence[Token], kind: str, depth: int, offset: int) -> Block:
    start, end = tokens[0].map or (0, 1)
    return Block(
        offset + start + 1, offset + max(end, start + 1), kind, depth, _safe(_html(tokens))
    )


def _kind(token: Token) -> str:
    if token.type == "heading_open":
        return "heading"
    return "code" if token.type in {"fence", "code_block"} else "text"


def _html(tokens: Sequence[Token]) -> str:
    """One level down: the page has its own h1."""
    lowered = [_lower(token) for token in tokens]
    html = _MARKDOWN.renderer.render(lowered, _MARKDOWN.options, {})
    return str(html)


def _lower(token: Token) -> Token:
    if token.type in {"heading_open", "heading_close"}:
        return token.copy(tag=f"h{min(6, int(token.tag[1]) + 1)}")
    return token


def _safe(html: str) -> SafeString:
    clean = nh3.clean(
        _DEL.sub(r'<del title="\1">', html).replace(_TO, "</del>"),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener nofollow",
    )
    return mark_safe(_shown(clean))


def _shown(html: str) -> str:
    """Invisible characters as tokens in the text, and as their codes within a tag."""
    if len(pieces(html)) == 1:
        return html
    parts = _TAG.split(html)
    parts[::2] = ["".join(_seen(p) or p.text for p in pieces(text)) for text in parts[::2]]
    parts[1::2] = ["".join(p.code or p.text for p in pieces(tag)) for tag in parts[1::2]]
    return "".join(parts)


def _seen(piece: Piece) -> str:
    return _token(piece.name, piece.code) if piece.is_invisible else ""


@lru_cache(maxsize=512)
def _token(name: str, code: str) -> str:
    return format_html('<span class="invisible" title="{}">{}</span>', name, code)


# The words that a search found, marked in texts and in rendered Markdown.

LONGEST = 20_000  # characters of one block or message


def words_of(query: str) -> frozenset[str]:
    """The stems that a query looks for; none where it can't be read."""
    try:
        return frozenset(SearchPlan.of(query_syntax.parse(query[:1000]), (), "").words)
    except SearchRefused:
        return frozenset()


def marked_blocks(blocks: tuple[Block, ...], query: str) -> tuple[Block, ...]:
    words = words_of(query)
    if not words:
        return blocks
    return tuple(replace(block, html=marked_html(block.html, words)) for block in blocks)


def marked_html(html: SafeString, words: Collection[str]) -> SafeString:
    """A text that nobody wrote by hand stays unmarked: reading it word by word takes seconds."""
    if not words or len(html) > LONGEST:
        return html
    return highlighted(html, lambda text: matches(text, words))
