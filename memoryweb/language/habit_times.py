"""Weekdays and times of day in a habit, in English, German, Chinese and Japanese. Pure."""

import re
from dataclasses import dataclass
from functools import lru_cache

_HALF = r"(?:上午|早上|下午|晚上|中午|午前|午後|朝|夜)?の?"
_DIGITS = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_GERMAN_DAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
_ONE_DAY = re.compile(
    r"\b(?P<en>mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?days?\b"
    rf"|\b(?P<de>{'|'.join(_GERMAN_DAYS)})s?\b"
    r"|(?:周|星期|礼拜|週|禮拜)(?P<zh>[一二三四五六日天])|(?P<ja>[月火水木金土日])曜",
    re.IGNORECASE,
)
_ONE_TIME = re.compile(
    rf"(?P<half>{_HALF})(?P<hour>{_DIGITS})(?:[:点點時时](?P<minute>半|{_DIGITS})?)"
    r"(?: ?(?P<after>[ap]m))?|(?P<only>\d{1,2}) ?(?:(?P<twelve>[ap]m)|uhr\b)"
    r"|(?P<named>noon|midnight|正午)",
    re.IGNORECASE,
)
_NUMERALS = {numeral: value for value, numeral in enumerate("一二三四五六七八九", start=1)}
_NUMERALS["两"] = 2


@dataclass(frozen=True)
class When:
    """`days` count from Monday as 0, `times` are minutes of the day."""

    days: frozenset[int]
    times: frozenset[int]

    @property
    def is_empty(self) -> bool:
        return not self.days and not self.times

    def clashes(self, other: "When") -> bool:
        """Both name days, or times, and neither names all that the other does."""
        return _differ(self.days, other.days) or _differ(self.times, other.times)

    def tells(self, other: "When") -> bool:
        return other.days <= self.days and other.times <= self.times


@lru_cache(maxsize=8_192)
def when_in(text: str) -> When:
    days = {_day(found) for found in _ONE_DAY.finditer(text)}
    return When(frozenset(days), frozenset(_minutes(found) for found in _ONE_TIME.finditer(text)))


def _differ(one: frozenset[int], other: frozenset[int]) -> bool:
    return bool(one and other) and not (one <= other or other <= one)


def _day(found: re.Match[str]) -> int:
    if found["en"]:
        return _DAYS.index(found["en"].lower())
    if found["de"]:
        return _GERMAN_DAYS.index(found["de"].lower())
    return "一二三四五六日".index(found["zh"].replace("天", "日")) if found["zh"] else (
        "月火水木金土日".index(found["ja"])
    )  # fmt: skip


def _minutes(found: re.Match[str]) -> int:
    if found["named"]:
        return 0 if found["named"].lower() == "midnight" else 720
    hour = number_of(found["hour"] or found["only"])
    half = (found["half"] or "").rstrip("の")
    suffix = (found["after"] or found["twelve"] or "").lower()
    if hour < 12 and (suffix == "pm" or half in {"下午", "晚上", "午後", "夜"}):
        hour += 12
    elif hour == 12 and (suffix == "am" or half == "午前"):
        hour = 0
    minute = found["minute"]
    return 60 * hour + (30 if minute == "半" else number_of(minute) if minute else 0)


def number_of(text: str) -> int:
    """Of digits, or of 十 and what stands around it."""
    if text.isdecimal():
        return int(text)
    tens, _, ones = text.rpartition("十")
    ten = (10 * _NUMERALS.get(tens, 1)) if "十" in text else 0
    return ten + _NUMERALS.get(ones[-1:], 0)
