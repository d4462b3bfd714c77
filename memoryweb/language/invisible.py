"""Characters that change a text without being seen: bidi controls, zero widths, tags, and
letters that are drawn like others. Pure.

What a script needs is no secret: joiners inside an emoji or between letters that join, one
variation selector after the character it varies, the tags of a flag.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_SUSPECTS = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
# Cyrillic, Greek and Armenian letters that are drawn like Latin ones (Unicode TR39).
_LOOKALIKES = str.maketrans(
    "ɑɡıᎪᎠАВЕКМНОРСТУХІЅЈԌԚԜаеорсухіѕјԁһԛԝӏѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρινυγօսոհցզ",
    "agiADABEKMHOPCTYXISJGQWaeopcyxisjdhqwlvABEZHIKMNOPTYXoavpivuyounhgq",
)
_BLANKS = "\u115f\u1160\u3164\u2800"  # letters and signs that nobody sees
_ZWNJ, _ZWJ, _EMOJI_STYLE = "\u200c", "\u200d", "\ufe0f"
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
# Arabic to Sinhala, and Tibetan to Mongolian: where letters join or are told not to.
_JOINING = ((0x0600, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x18AF), (0xFB50, 0xFDFF))
_OLD_NAMES = {
    0x00: "NULL",
    0x08: "BACKSPACE",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
}


@dataclass(frozen=True)
class Piece:
    """A stretch that is seen as it is, or one character that is not, maybe many times."""

    text: str
    is_invisible: bool

    @property
    def code(self) -> str:
        """`U+200B`, `U+200B ×3`."""
        if not self.is_invisible:
            return ""
        times = f" ×{len(self.text)}" if len(self.text) > 1 else ""
        return f"U+{ord(self.text[0]):04X}{times}"

    @property
    def name(self) -> str:
        if not self.is_invisible:
            return ""
        code = ord(self.text[0])
        return unicodedata.name(self.text[0], "") or _OLD_NAMES.get(code, "CONTROL CHARACTER")


def skeleton(text: str) -> str:
    """What two names must not share: as they are read by somebody who looks at them."""
    drawn = unicodedata.normalize("NFKC", text).translate(_LOOKALIKES)
    seen = (c for c in drawn if unicodedata.category(c) != "Cf" and c not in _BLANKS)
    return "".join(seen).casefold()


def pieces(text: str) -> list[Piece]:
    """The whole text in order; one piece where all of it is seen."""
    found = list(_pieces(text))
    return found or [Piece("", is_invisible=False)]


def has_invisible(text: str) -> bool:
    return any(piece.is_invisible for piece in _pieces(text))


def _pieces(text: str) -> Iterator[Piece]:
    start = 0
    flags = {at for match in _FLAG.finditer(text) for at in range(*match.span())}
    for match in _SUSPECTS.finditer(text):
        at = match.start()
        if at < start or at in flags or _is_needed(text, at):
            continue
        if at > start:
            yield Piece(text[start:at], is_invisible=False)
        start = _end_of_run(text, at)
        yield Piece(text[at:start], is_invisible=True)
    if start < len(text):
        yield Piece(text[start:], is_invisible=False)


def _end_of_run(text: str, at: int) -> int:
    end = at + 1
    while end < len(text) and text[end] == text[at]:
        end += 1
    return end


def _is_needed(text: str, at: int) -> bool:
    char = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if "\ufe00" <= char <= "\ufe0f":
        return bool(before) and not before.isspace() and not _SUSPECTS.match(before)
    if char == _ZWJ and _is_emoji(after) and (_is_emoji(before) or before == _EMOJI_STYLE):
        return True
    if char in (_ZWJ, _ZWNJ):
        return _joins(before) and (_joins(after) or not after.strip())
    return False


def _is_emoji(char: str) -> bool:
    return bool(char) and (
        unicodedata.category(char) == "So" or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def _joins(char: str) -> bool:
    return bool(char) and any(first <= ord(char) <= last for first, last in _JOINING)
