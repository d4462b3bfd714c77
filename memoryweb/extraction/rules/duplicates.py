"""Statements that say the same."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from rapidfuzz import fuzz

ALIKE = 90.0  # of 100: the same words in another order or with another filler

_PREFIX = re.compile(r"^[\s>#*+-]*(?:\d\d:\d\d\b)?[\s*]*")
_AS_OF = re.compile(r"\((?:around|as of) [^()]*\)")
_WORD = re.compile(r"[0-9]+|[^\W\d_]+")
_CJK = re.compile(r"[぀-ヿ㐀-鿿]")


class Seen:
    """Remembers statements; looks only at those that share a rare word, so it stays fast."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._keys: list[str] = []
        self._exact: dict[str, int] = {}
        self._by_word: dict[str, list[int]] = {}
        for line in lines:
            self.add(line)

    def add(self, line: str) -> int:
        key = _key(line)
        index = len(self._keys)
        self._keys.append(key)
        self._exact.setdefault(key, index)
        for word in _words(key):
            self._by_word.setdefault(word, []).append(index)
        return index

    def find(self, line: str) -> int | None:
        """The index of the first remembered line that says the same."""
        key = _key(line)
        if key in self._exact:
            return self._exact[key]
        words = _words(key)
        shared: Counter[int] = Counter()
        for word in sorted(words, key=lambda word: (len(self._by_word.get(word, ())), word))[
            : len(words) // 2 + 1
        ]:
            shared.update(self._by_word.get(word, ())[:200])
        for index, _ in sorted(shared.most_common(20), key=lambda item: item[0]):
            if _alike(key, self._keys[index]):
                return index
        return None


def _alike(key: str, other: str) -> bool:
    if set(re.findall(r"\d+", key)) != set(re.findall(r"\d+", other)):
        return False
    if _negations(key) != _negations(other):
        return False
    return fuzz.token_sort_ratio(key, other) >= ALIKE


def _negations(key: str) -> int:
    return len(re.findall(r"\b(?:not|never|no|\w+n t|without)\b|[不没無未]|ない|ません", key))


def _key(line: str) -> str:
    text = unicodedata.normalize("NFKC", _PREFIX.sub("", line, count=1)).casefold()
    text = _CJK.sub(lambda match: f" {match.group(0)} ", _AS_OF.sub(" ", text))
    return " ".join(_WORD.findall(text))


def _words(key: str) -> set[str]:
    return set(key.split())
