"""Marks at the end of a line: what of its sentence holds no longer, and since when. Pure.

`- I live in Altona and keep bees. <!-- until 2026-09-28: I live in Altona -->`. A mark is no part
of the sentence: whatever compares, counts or searches lines does so without it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

_MARK = re.compile(r"[ \t]*<!-- until (\d{4}-\d\d-\d\d): ((?:(?!<!--|-->).)+?) -->(?=[ \t]*\Z)")
_OPENS = re.compile(r"<!--(?=\s*until\b)", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Ended:
    """`words` stand in the sentence, letter for letter; `on` is the first day they didn't hold."""

    on: date
    words: str

    @property
    def mark(self) -> str:
        return f"<!-- until {self.on.isoformat()}: {self.words} -->"

    @property
    def told(self) -> str:
        """As a prompt says it."""
        return f"(until {self.on.isoformat()}: {self.words})"


def part(line: str) -> tuple[str, tuple[Ended, ...]]:
    """A line without its marks, and these by date. What looks like one and isn't (no such day, or
    words that stand nowhere in the line) stays text."""
    if "<!--" not in line:
        return line, ()
    ended: list[Ended] = []
    rest = line
    while found := _MARK.search(rest):
        try:
            on = date.fromisoformat(found[1])
        except ValueError:
            break
        ended.append(Ended(on, found[2]))
        rest = rest[: found.start()]
    sentence = rest.rstrip() if ended else line
    if any(one.words not in sentence for one in ended):
        return line, ()
    return sentence, tuple(sorted(set(ended)))


def marked(sentence: str, ended: Iterable[Ended]) -> str:
    """The line with these marks, behind any that it has."""
    bare, there = part(sentence)
    return " ".join([bare, *(one.mark for one in sorted({*there, *ended}))])


def can_mark(sentence: str, words: str) -> bool:
    """The words stand in the sentence, and a comment can hold them."""
    is_plain = not any(sign in words for sign in ("<!--", "-->", "\n"))
    return bool(words) and words == words.strip() and is_plain and words in sentence


def without(text: str) -> str:
    """A text of several lines without any marks."""
    return "\n".join(part(line)[0] for line in text.split("\n"))


def ended_in(text: str) -> tuple[Ended, ...]:
    """The marks of all its lines, by date."""
    return tuple(sorted({one for line in text.split("\n") for one in part(line)[1]}))


def told(text: str) -> str:
    """A text of several lines, with marks as prompts say them."""
    return "\n".join(_told(line) for line in text.split("\n"))


def _told(line: str) -> str:
    sentence, ended = part(line)
    return " ".join([sentence, *(one.told for one in ended)])


def escaped(text: str) -> str:
    """The same text, with no mark in it: what somebody only sent ends nothing."""
    return _OPENS.sub("&lt;!--", text)


def living(sentence: str, ended: Iterable[Ended]) -> str:
    """What of the sentence still holds: ended words left out, each once."""
    rest = sentence
    for one in ended:
        rest = rest.replace(one.words, " ", 1)
    return " ".join(rest.split())


def has_any(text: str) -> bool:
    """Something in it is a mark, or looks like one."""
    return bool(_OPENS.search(text))


def sentence_of(line: str) -> str:
    """Without all that looks like a mark, whether or not its words stand there."""
    while found := _MARK.search(line):
        line = line[: found.start()]
    return line
