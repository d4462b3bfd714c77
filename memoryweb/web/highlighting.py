"""The words that a search found, marked in texts and in rendered Markdown."""

from collections.abc import Collection
from dataclasses import replace

from django.utils.safestring import SafeString

from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import matches
from memoryweb.memory.models.refusals import SearchRefused
from memoryweb.memory.search import Asked
from memoryweb.web.markdown import Block, highlighted

LONGEST = 20_000  # characters of one block or message


def words_of(query: str) -> frozenset[str]:
    """The stems that a query looks for; none where it can't be read."""
    try:
        return frozenset(Asked.of(query_syntax.parse(query[:1000]), (), "").words)
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
