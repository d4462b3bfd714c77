"""How many tokens a text will be, roughly, without a tokenizer (SPEC §3)."""

import re
from collections.abc import Iterable

PER_MESSAGE = 4
SAFE = 1.6  # what an endpoint counts for one of ours in German; others are learned

# Han with its radicals, strokes and punctuation, kana, Hangul, half- and full-width forms.
_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3130-\u318f\u31c0-\u31ff\u3200-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U0001aff0-\U0001b16f"
    "\U00020000-\U0003ffff]"
)


def estimate(text: str) -> int:
    """CJK one a character; ASCII a quarter, other two thirds of a token a character, rounded up."""
    if text.isascii():
        return -(-len(text) // 4)
    cjk = len(_CJK.findall(text))
    ascii_ = len(text.encode("ascii", "ignore"))
    other = len(text) - cjk - ascii_
    return cjk - (-ascii_ // 4) - (-2 * other // 3)


def estimate_messages(texts: Iterable[str]) -> int:
    return sum(PER_MESSAGE + estimate(text) for text in texts)


def fitting(text: str, limit: int) -> int:
    """How many characters of a text, from its start, are at most `limit` tokens."""
    text = text[: max(limit, 0) * 4]  # a token has four characters at most
    if estimate(text) <= limit:
        return len(text)
    fits, over = 0, len(text)
    while over - fits > 1:
        middle = (fits + over) // 2
        if estimate(text[:middle]) <= limit:
            fits = middle
        else:
            over = middle
    return fits
