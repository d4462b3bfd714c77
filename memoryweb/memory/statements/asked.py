"""Which words of an older statement a question is about."""

from memoryweb.language.ending import parts_of, remains
from memoryweb.language.ending_words import heavy_in
from memoryweb.markdown.marks import can_mark
from memoryweb.memory.models import Fact


def part_asked(older: Fact, newer: Fact) -> str:
    """The one clause that the newer one speaks of, where the rest says something of value, too;
    else all of it. What has ended is no part of it."""
    text, shared = older.raw_text, heavy_in(newer.raw_text)
    gone = [one.words for one in older.ended]
    parts = (text[first:last].strip(" ,;.") for first, last in parts_of(text))
    parts = (one for one in parts if not any(words in one for words in gone))
    about = [one for one in parts if heavy_in(one) & shared]
    is_one = len(about) == 1 and can_mark(text, about[0])
    return about[0] if is_one and remains(text, (*gone, about[0])) else text
