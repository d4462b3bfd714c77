"""Marks at the end of a line: what of its sentence holds no longer, and since when. Pure.

`- I live in Altona and keep bees. <!-- until 2026-09-28: I live in Altona -->`. A mark is no part
of the sentence: whatever compares, counts or searches lines does so without it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

_MARK = re.compile(r"[ \t]*<!-- until (\d{4}-\d\d-\d\d): ((?:(?!<!--|-->).)+?) -->(?=[ \t]*\Z)")
_TOLD = re.compile(r" \(until \d{4}-\d\d-\d\d: ((?:(?! \(until ).)+?)\)(?: \([^()]*\))?\Z")
_OPENS = re.compile(r"<!--(?=\s*until\b)", re.IGNORECASE)
_SAYS = re.compile(r"[^\W_]")
MOST = 0.15  # of a file as it is given: marks and what they end


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

    @property
    def size(self) -> int:
        """Characters of the mark and of what it ends."""
        return len(self.mark) + 1 + len(self.words)


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


def untold(line: str) -> str:
    """What still holds of a line that a prompt was given."""
    ended: list[Ended] = []
    while found := _TOLD.search(line):
        ended.append(Ended(date.min, found[1]))
        line = line[: found.start()]
    return living(line, ended)


def escaped(text: str) -> str:
    """The same text, with no mark in it: what somebody only sent ends nothing."""
    return _OPENS.sub("&lt;!--", text)


def living(sentence: str, ended: Iterable[Ended], instead: str = " ") -> str:
    """What of the sentence still holds: without the words that ended."""
    rest, last = "", 0
    for start, end, _on in places(sentence, ended):
        rest += sentence[last:start] + (instead if start > last or not rest else "")
        last = end
    return " ".join((rest + sentence[last:]).split())


def places(sentence: str, ended: Iterable[Ended]) -> Iterator[tuple[int, int, date]]:
    """Where the words stand and until when they held; what stands in two is told once."""
    found = ((sentence.find(one.words), one) for one in ended)
    last = 0
    for at, one in sorted((at, one) for at, one in found if at >= 0):
        if (end := at + len(one.words)) > last:
            yield max(at, last), end, one.on
            last = end


def within(text: str, room: float) -> str:
    """A text of several lines whose marks, with what they end, take at most `room` characters.
    Beyond that only a page tells of what ended first: it stands here as an ellipsis."""
    lines = text.split("\n") if has_any(text) else []
    ended = {at: found for at, line in enumerate(lines) if (found := part(line)[1])}
    excess = sum(one.size for its in ended.values() for one in its) - room
    for at in sorted(ended, key=lambda at: ended[at]):
        if excess > 0:
            lines[at] = shortened(lines[at])
        excess -= sum(one.size for one in ended[at])
    return "\n".join(lines) if lines else text


def shortened(line: str) -> str:
    """What of it still holds, with an ellipsis for the rest; empty where that says nothing."""
    sentence, ended = part(line)
    rest = living(sentence, ended, "…")
    return sentence[: -len(sentence.lstrip())] + rest if _SAYS.search(rest) else ""


def has_any(text: str) -> bool:
    """Something in it is a mark, or looks like one."""
    return bool(_OPENS.search(text))


def sentence_of(line: str) -> str:
    """Without all that looks like a mark, whether or not its words stand there."""
    while found := _MARK.search(line):
        line = line[: found.start()]
    return line
