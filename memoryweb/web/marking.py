"""The words that a search found, marked in texts and in rendered Markdown."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memoryweb.memory import querying
from memoryweb.memory.exceptions import SearchRefused
from memoryweb.memory.hits import Mark, matches
from memoryweb.memory.matching import Asked
from memoryweb.web.markdown import Block

_TAG = re.compile(r"(<[^<>]*>)")
_ENTITY = re.compile(r"&[#\w]+;")


def words_of(query: str) -> frozenset[str]:
    """The stems that a query looks for; none where it can't be read."""
    try:
        return frozenset(Asked.of(querying.parse(query[:1000]), (), "").words)
    except SearchRefused:
        return frozenset()


def marked_blocks(blocks: tuple[Block, ...], query: str) -> tuple[Block, ...]:
    words = words_of(query)
    if not words:
        return blocks
    return tuple(replace(block, html=marked_html(block.html, words)) for block in blocks)


def marked(text: str, marks: Iterable[Mark]) -> SafeString:
    last = 0
    pieces = []
    for start, end in marks:
        pieces.append((text[last:start], text[start:end]))
        last = end
    html = format_html_join("", "{}<mark>{}</mark>", pieces)
    return format_html("{}{}", html, text[last:])


def marked_html(html: SafeString, words: Collection[str]) -> SafeString:
    """Clean HTML with the words in its texts marked; its tags stay as they are."""
    pieces = _TAG.split(html)
    for at in range(0, len(pieces), 2):
        if pieces[at].strip():
            pieces[at] = _marked(pieces[at], words)
    return SafeString("".join(pieces))


def _marked(piece: str, words: Collection[str]) -> str:
    """Entities stand for no letters of a word, and nothing is put inside of one."""
    text = _ENTITY.sub(lambda entity: " " * len(entity[0]), piece)
    last, pieces = 0, []
    for start, end in matches(text, words):
        pieces += [piece[last:start], "<mark>", piece[start:end], "</mark>"]
        last = end
    return "".join([*pieces, piece[last:]])
