"""The dates that texts name, as the index calls them: a day is `20231107`, its month `202311`, the
day of any year `x1107`; and a month by its name, as people ask. Pure."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path

from memoryweb.language.extraction_rules.relative_dates import resolved
from memoryweb.language.tokens import tokens

# That a passage tells some time, or some number.
TIME, NUMBER = 1, 2

_NAMES = (Path(__file__).parent / "english" / "months.txt").read_text(encoding="utf-8").splitlines()
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YEAR}-(?P<number>\d\d)(?:-(?P<day>\d\d))?(?!\d)",
        rf"{_YEAR}年(?P<number>\d{{1,2}})月(?:(?P<day>\d{{1,2}})日)?",
        rf"\b{_DAY}(?: of)? {_MONTH},?(?: {_YEAR})?",
        rf"\b{_MONTH} {_DAY}\b,?(?: {_YEAR})?",
        rf"\b{_MONTH},? {_YEAR}",
    )
]
_TIMES = re.compile(
    r"\b(?:(?:19|20)\d\d|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:week|month|year|day)s? ago"
    r"|(?:last|next|this|past) (?:week(?:end)?|night|month|year|spring|summer|autumn|fall|winter)"
    r"|weekends?|since|recently|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|seit"
    rf"|{'|'.join(name for name in _MONTHS if len(name) > 3)})\b"
    r"|\d[年月日号點点時时]|曜日|星期|周[一二三四五六日末]|去年|今年|明年|来年",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|couple|first|second"
    r"|third|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|einmal|zweimal)\b"
    r"|[一二三四五六七八九十百千两兩][个個只本人年月回次歳岁匹]|[一二三四五六七八九]つ",
    re.IGNORECASE,
)
# Quick to try: without a number no date is written out.
_DIGIT = re.compile(r"\d")
_READ = 8_000  # characters of a passage that are read for dates


def told(text: str, day: date, *, is_said: bool) -> tuple[list[str], int]:
    """What a passage of that day tells of times: its own, those written out, and, of what was said
    on that day, “yesterday” and “last Friday”; and that it tells some time or number at all."""
    text = text[:_READ]
    given = resolved(text, day) if is_said else text
    dates = taken_apart(given)[0]
    names = [name for one in (f"{day:%Y%m%d}", *dates) for name in _names(one)]
    time = TIME if dates or given != text or _TIMES.search(text) else 0
    return list(dict.fromkeys(names)), time | (NUMBER if _NUMBERS.search(text) else 0)


def taken_apart(text: str) -> tuple[list[str], str]:
    """The most exact names of the dates in a text, and the text without them."""
    found: dict[str, None] = {}

    def take(match: re.Match[str]) -> str:
        parts = match.groupdict()
        month = int(parts.get("number") or _MONTHS[parts["month"].casefold()])
        day = f"{int(parts['day']):02}" if parts.get("day") else ""
        found[f"{parts.get('year') or 'x'}{month:02}{day}"] = None
        return " "

    for pattern in _DATES if _DIGIT.search(text) else ():
        text = pattern.sub(take, text)
    return list(found), text


def _names(name: str) -> Iterator[str]:
    """A day is in its month, and is a day of any year."""
    yield name
    if len(name) == 8:
        yield name[:6]
        yield f"x{name[4:]}"
    yield from _month_names().get(name[-4:-2] if len(name) in {5, 8} else name[-2:], ())


@cache
def _month_names() -> dict[str, list[str]]:
    return {f"{at:02}": tokens(names)[:1] for at, names in enumerate(_NAMES, start=1)}
