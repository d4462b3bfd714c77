"""Values of one slot in two sentences: days, times, levels, amounts, and where to reach
somebody. Pure."""

import re
from functools import lru_cache

_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b\w+@(?=\s)")
_PLACE = re.compile(
    r"\b\d+\w? [A-Z][a-z]+(?: [A-Z][a-z]+)+"
    r"|\b[A-ZÄÖÜ]\w*(?:weg|straße|strasse|str\.|gasse|platz|allee|ring|markt) \d+"
    r"|\b(?:Am|An der|Im|Zum|Zur) [A-ZÄÖÜ]\w+ \d+|[^\s、は]{2,6}[区市町村][^\s、。]{0,8}\d[\d-]*"
)
_HANDLE = re.compile(r"(?<!\w)@[\w.]+\w")
_TEL = re.compile(r"(?<![\w.])\+?\d[\d ()/.-]{5,}\d(?!\w)")
_DAYS = r"montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
_SHORT = r"(?-i:Mo|Di|Mi|Do|Fr|Sa|So)"
_DAY = re.compile(
    r"(?:\b(?:on|am)\s)?\b(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)"
    r"(?:day|sday|nesday|rsday|urday)?s?\b"
    rf"|(?:\bam\s)?\b(?:{_DAYS})(?:s|abends?)?\b|\b{_SHORT}\b(?=[/,+&]| und {_SHORT}\b)"
    r"|[月火水木金土日]曜日?|(?<![一-鿿\d])[月火水木金土日]{2,}(?![一-鿿])|(?:周"
    r"|星期)[一二三四五六日]",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|o[ck]t|nov|de[cz])\w*"
_DATE = re.compile(
    r"(?:\b(?:on the|on|am|den|for the|vom|the)\s)?"
    rf"(?:\b[0-3]?\d(?:st|nd|rd|th)(?: of)?(?: {_MONTH})?\b"
    rf"|\b{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}\.(?: ?{_MONTH}"
    rf"| ?\d{{1,2}}\.)?(?!\d)"
    rf"|\b\d{{1,2}} {_MONTH}\b)(?:,? (?:19|20)\d\d\b)?"
    rf"|(?:\d{{1,2}}月)?\d{{1,2}}[日号](?!間)|\d{{1,2}}月\d{{1,2}}(?!\d)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:\b(?:at|um)\s)?\b\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|uhr|o'clock)\b"
    r"|(?:\b(?:at|um)\s)\d{1,2}(?::\d\d)?\b|\b\d{1,2}:\d\d\b"
    r"|(?:午前|午後)?\d{1,2}時(?!間)(?:半|\d{1,2}分)?",
    re.IGNORECASE,
)
LEVEL = re.compile(
    r"\b[abc][12](?:ish)?(?![A-Za-z\d])|\b(?:hsk|topik|grade|level|stufe|band) ?\d\b"
    r"|\bn[1-5](?![A-Za-z\d])|(?<=\D)\d級",
    re.IGNORECASE,
)
_SIZE = re.compile(r"(?<![A-Za-z])X{0,2}[SML](?=サイズ)")
_DENIED = re.compile(
    r"\b(?:not|nicht|statt|instead of)\s+(?:at |on |am |um |the )*\S+|\S+(?:じゃなくて|ではなく)",
    re.I,
)
_INSTEAD = re.compile(
    r"\b(?:from|instead|not|\w+n't|von|vom|statt|nicht)\b|から|じゃなく|ではなく", re.I
)
_LEAD = re.compile(r"^(?:on the|on|am|den|for the|vom|the|at|um)\s", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?P<sign>[£$€¥]|週)?\s?(?P<n>\d+(?:[.,]\d+)*)(?P<man>万(?P<sen>\d+千)?)?\s?"
    r"(?P<unit>mg|ml|µg|kg|km|k|euros?|eur|€|£|pounds?|quid|dollars?|円|%|hours?|hrs?|h"
    r"|stunden|std"
    r"|days?|tage?|times|mal|時間|回|錠|tablets?|tabletten|people|guests|gäste|personen|人"
    r"|名|kilos?|キロ|ミリ"
    r"|点|日)?(?![A-Za-zÀ-ÿ\d:])",
    re.IGNORECASE,
)  # fmt: skip
_BEFORE = re.compile(r"[A-Za-zÀ-ÿ'-]+ $")
_MEANT = re.compile(r" ?\(\d{4}-\d\d-\d\d\)")  # the day that words mean, put behind them
_UNITS = {
    unit: kind
    for kind, units in {
        "": "€ £ $ ¥ euro euros eur pound pounds quid dollars 円",
        "hours": "hour hours h hr hrs stunden std 時間",
        "people": "people guests gäste personen 人 名",
        "kg": "kg kilo kilos キロ",
        "mg": "mg ミリ",
        "days": "day days tag tage",
    }.items()
    for unit in units.split()
}
_IN_WORDS = {
    word: str(n)
    for n, words in enumerate(
        ("one einen", "two zwei", "three drei", "four vier", "five fünf", "six sechs"), start=1
    )
    for word in words.split()
}
_COUNTED = re.compile(
    rf"\b({'|'.join(_IN_WORDS)})(?= (?:days?|times|hours|tage?|mal|stunden)\b)", re.I
)


def reached_at(older: str, newer: str) -> str:
    """An address or a number in the older text of which the newer one gives another."""
    texts = _MEANT.sub("", older), _MEANT.sub("", newer)
    for pattern in (_MAIL, _TEL, _HANDLE, _PLACE):
        one, other = map(pattern.search, texts)
        if one and other and _plain(one[0]) != _plain(other[0]):
            return older
    return ""


def _plain(text: str) -> str:
    return text.casefold() if "@" in text else re.sub(r"\D", "", text)


def slot(older: str, newer: str, *, is_mended: bool = False) -> str:
    """The words of a day, time or level in the older text of which the newer one gives another."""
    newer = _MEANT.sub("", newer)
    if is_mended:
        newer = _DENIED.sub(" ", newer)
    for pattern in (_DATE, _DAY, _TIME, LEVEL, _SIZE):
        told, old = _values(pattern, newer), _values(pattern, older)
        if old and told - old and (not old & told or _INSTEAD.search(newer)):
            found = [*pattern.finditer(older)]
            return older[found[0].start() : found[-1].end()].strip()
    return ""


@lru_cache(maxsize=65_536)
def _values(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(_bare(it[0]) for it in pattern.finditer(text))


def _bare(text: str) -> str:
    bare = _LEAD.sub("", text.casefold()).strip(" .")
    days = re.match(
        r"(mon|tue|wed|thu|fri|sat|sun|[月火水木金土日]曜|\d{1,2}(?=st|nd|rd|th|\.? \D))", bare
    )
    return days[1] if days else bare.removesuffix("abends").removesuffix("s")


def tells_value(text: str) -> bool:
    """It names a day, a time, a level, an amount with its unit, or where to reach somebody."""
    found = any(it.search(text) for it in (_DATE, _DAY, _TIME, LEVEL, _MAIL, _TEL, _HANDLE, _PLACE))
    return found or bool(re.search(r"\d{2}", text))


@lru_cache(maxsize=16_384)
def amounts(text: str) -> tuple[tuple[str, float, str], ...]:
    """Its numbers, each with what it counts and in its words."""
    text = _COUNTED.sub(lambda it: _IN_WORDS[it[1].lower()], text)
    found = []
    text = _MEANT.sub("", text)
    for it in _AMOUNT.finditer(text):
        unit = (it["unit"] or it["sign"] or "").lower()
        before = None if unit else _BEFORE.search(text[: it.start() + 1])
        if value := _value(it):
            words = f"{before[0].rstrip() if before else ''} {it[0].strip()}".strip()
            found.append((_UNITS.get(unit, unit), value, words))
    return tuple(found)


def _value(it: re.Match[str]) -> float:
    plain = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", it["n"]).replace(",", ".")
    if plain.count(".") > 1:
        return 0.0
    value = float(plain)
    if it["man"]:
        value = value * 10_000 + (int(it["sen"][:-1]) * 1_000 if it["sen"] else 0)
    return value
