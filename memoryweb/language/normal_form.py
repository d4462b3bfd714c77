"""How a statement is read before it is compared: one line, folded text, content words."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from memoryweb.language import comparison_words
from memoryweb.language.note_line import without_time
from memoryweb.language.tokens import stem

_BULLET = re.compile(r"^\s*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)")
_AS_OF = re.compile(r"\s*\(as of [^()]{0,30}\)", re.IGNORECASE)  # a stamp, no content
_MAY = re.compile(r"\bmay (?=\d)")  # the month
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_APOSTROPHES = re.compile(r"(?<=\w)['’‘](?=\w)")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"-?\d+(?:[.:/-]\d+)*|[{_CJK}]|[^\W\d_{_CJK}][^\W_{_CJK}]*[+#]*|[%€$£¥]")
_CJK_NEGATION = re.compile(r"[不没沒無无未]|ない|なかった|ません|ではな|じゃな")
_CJK_CHARACTER = re.compile(rf"[{_CJK}]")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[^\W\d_]\w*")
# What is no letter, digit or sign: points and strokes are, between digits, and a minus before one.
_BETWEEN = re.compile(
    r"[^\w%+#€$£¥.:/-]|_|[.:/](?!\d)|(?<!\d)[.:/]|-(?!\d)|(?<=[^\d ])-",
)
_stem = lru_cache(maxsize=65_536)(stem)
_LIGHT_STEMS = frozenset(map(_stem, comparison_words.LIGHT))


@dataclass(frozen=True)
class Reading:
    """What of a statement counts when two are compared: `words` in their order, `heavy` those
    of them that carry the matter."""

    normal: str
    words: tuple[str, ...]
    heavy: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    moods: frozenset[str]
    negated: bool
    past: bool


@lru_cache(maxsize=16_384)
def clean(text: str) -> str:
    """One line without comments, bullet and the `HH:MM` that a journal line begins with."""
    line = " ".join(_COMMENT.sub(" ", text).split())
    bare = _BULLET.sub("", line, count=1)
    return without_time(bare) if bare != line else line


@lru_cache(maxsize=16_384)
def normalise(text: str) -> str:
    """Two statements with the same result say the same thing, letter for letter."""
    folded = _fold(_THOUSANDS.sub("", _APOSTROPHES.sub("", _fold(clean(text)))))
    spaced = _BETWEEN.sub(" " if folded.isascii() else _or_space, folded)
    return " ".join(spaced.split()) or " ".join(folded.split())


@lru_cache(maxsize=16_384)
def read(text: str) -> Reading:
    normal = normalise(_AS_OF.sub("", text))
    plain = [comparison_words.NUMBERS.get(token, token) for token in _TOKEN.findall(normal)]
    kept = [comparison_words.SAME_PERSON.get(token, token) for token in plain if _is_content(token)]
    words = tuple(_stem(token) if token.isascii() else token for token in kept)
    return Reading(
        normal=normal,
        words=words,
        heavy=frozenset(words) - _LIGHT_STEMS,
        numbers=frozenset(token for token in plain if token[-1].isdigit()),
        names=frozenset(_stem(normalise(name)) for name in _capitalised(text)),
        moods=frozenset(
            _stem(t) for t in _TOKEN.findall(_MAY.sub("", normal)) if t in comparison_words.MOODS
        ),
        negated=any(t in comparison_words.NEGATIONS for t in plain)
        or bool(_CJK_NEGATION.search(normal)),
        past=any(t in comparison_words.PAST or (t.endswith("ed") and len(t) > 4) for t in plain),
    )


def is_cjk(text: str) -> bool:
    return bool(_CJK_CHARACTER.search(text))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _or_space(found: re.Match[str]) -> str:
    """A mark belongs to its letter; all else between words says nothing."""
    return found[0] if unicodedata.category(found[0])[0] == "M" else " "


def _is_content(token: str) -> bool:
    return token not in comparison_words.FILLERS and token not in comparison_words.CJK_FILLERS


def _capitalised(text: str) -> list[str]:
    """Words that begin with a capital within a sentence: names, places, weekdays, months."""
    return [word for word in _CAPITAL.findall(clean(text)) if word[0].isupper()]
