"""Which words of an older statement a question is about."""

from memoryweb.language.ending import remains
from memoryweb.language.ending_signs import news_of
from memoryweb.markdown.marks import can_mark, living
from memoryweb.memory.models import Fact


def part_asked(older: Fact, newer: Fact) -> str:
    """The one clause that the newer one is news of, where the rest says something of value, too;
    else all of it. What has ended is no part of it."""
    text, gone = older.raw_text, [one.words for one in older.ended]
    clause = news_of(newer.raw_text, living(text, older.ended))[1].strip(" ,;.")
    is_part = bool(clause) and can_mark(text, clause) and remains(text, (*gone, clause))
    return clause if is_part else text
