"""Text as search tokens, the same on every database (SPEC §7). Pure.

NFKC and case-folded; Latin and digits by word with Snowball English stems; runs of Han, kana
and Hangul as overlapping windows of two characters (a single character as itself).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock

import snowballstemmer

# English stems by Snowball, from any thread.

_STEMMER = snowballstemmer.stemmer("english")
_ONE_AT_A_TIME = Lock()  # it keeps the word that it is at


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    if word.isdecimal():
        return word
    with _ONE_AT_A_TIME:
        stemmed: str = _STEMMER.stemWord(word)
    return stemmed


# Of all that stands in a passage's tokens; rows of another version are stale (`reindex`).
VERSION = 6

_CJK = (
    r"\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
CJK = re.compile(rf"[{_CJK}]")
_RUN = re.compile(rf"([{_CJK}]+)|([^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*)")


def tokens(text: str) -> list[str]:
    return list(_tokens(unicodedata.normalize("NFKC", text).casefold()))


def _tokens(text: str) -> Iterator[str]:
    for cjk, word in _RUN.findall(text):
        if word:
            yield _stem(word.replace("’", "'"))
        elif len(cjk) == 1:
            yield cjk
        else:
            yield from (cjk[at : at + 2] for at in range(len(cjk) - 1))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # Longer "words" are keys or base64: stemming them costs time and finds nothing.
    stemmed = stem(word) if len(word) <= 40 else word[:40]
    return stemmed.replace("'", "")
