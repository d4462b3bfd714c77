"""Messages cut into sentences, in English, Chinese and Japanese."""

import re
from dataclasses import dataclass

_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|a\.m|p\.m|approx|no|inc|ltd|jr|sr|dept|est"
    r"|u\.s|u\.k)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_END = re.compile(r"(?:[.!?…]+[\"')\]]*(?=\s|$)|[。！？…]+[」』”）]*)")
_CJK = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]")
_KANA = re.compile(r"[぀-ヿ]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Sentence:
    text: str
    is_question: bool
    language: str  # en, zh or ja


def split(text: str) -> list[Sentence]:
    found: list[Sentence] = []
    for line in text.split("\n"):
        for part in _parts(line):
            if _LETTER.search(part):
                asks = bool(re.search(r"[?？][\"')\]」』\s]*!*$", part))
                found.append(Sentence(part, asks, language(part)))
    return found


def language(text: str) -> str:
    """By script: kana say Japanese, Han without kana Chinese, anything else is read as English."""
    if not _CJK.search(text):
        return "en"
    if _KANA.search(text):
        return "ja"
    return "zh" if len(_CJK.findall(text)) * 3 >= len(re.findall(r"[A-Za-z]+", text)) else "en"


def _parts(line: str) -> list[str]:
    parts, start = [], 0
    for match in _END.finditer(line):
        piece = line[start : match.end()]
        if _ABBREVIATION.search(piece.rstrip()) and _goes_on(line[match.end() :]):
            continue
        parts.append(piece.strip())
        start = match.end()
    parts.append(line[start:].strip())
    return [part for part in parts if part]


def _goes_on(rest: str) -> bool:
    return bool(re.match(r"\s*[a-z0-9A-Z]", rest))
