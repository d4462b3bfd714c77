"""Dates in what people say: those that are given, and the relative ones where one reading is
possible. All languages in one table each, for none of them is taken for another's."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from operator import itemgetter

from memoryweb.language.extraction_rules.lasting import clause_at
from memoryweb.language.extraction_rules.model import needed

_MONTH_NAMES = (
    r"(?:jan(?:uary|uar)?|jänner|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni"
    r"|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
_MONTHS = rf"(?P<month>{_MONTH_NAMES})"
_MONTH_STARTS = {
    name: number
    for number, names in enumerate(
        [
            "jan jän",
            "feb",
            "mar mär",
            "apr",
            "may mai",
            "jun",
            "jul",
            "aug",
            "sep",
            "oct okt",
            "nov",
            "dec dez",
        ],
        start=1,
    )
    for name in names.split()
}
_YEAR = r"(?:,? ?(?P<year>(?:19|20)\d\d)(?!\d))?"
_ABSOLUTE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)",
        r"(?:(?P<year>(?:19|20)\d\d)年の?)?(?<!\d)(?P<month>\d{1,2})月の?(?P<day>\d{1,2})"
        r"(?:[日号號]|(?![\d点點時:]))",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? {_MONTHS}\b\.?{_YEAR}",
        rf"\b{_MONTHS}\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]){_YEAR}",
        r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?:(?P<year>(?:19|20)\d\d))?(?!\d)",
    )
)
# Words of their own, which are no date without a sign of one.
_MONTH_WORDS = frozenset({"may", "mar", "march"})
_DAY_WORDS = frozenset({"mon", "wed", "sat", "sun"})
_ANY_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_SIGN_BEFORE = re.compile(
    r"\b(?:on|by|until|till?|from|since|before|after|every|next|last|this|am|bis|ab|seit"
    rf"|{_ANY_DAY}(?: and)?)[ ,/&]+$",
    re.IGNORECASE,
)
_SIGN_AFTER = re.compile(
    rf"\s*(?:$|[,.;:!?)/&](?!\w)|/{_ANY_DAY}\b"
    r"|,? (?:and|or|to|-|–|the \d|\d{1,2}(?:st|nd|rd|th)\b"
    r"|\d{1,2}(?:[:.]\d\d| ?[ap]m)|morning|afternoon|evening|night))",
    re.IGNORECASE,
)
_HOUR_AFTER = re.compile(
    r",? (?:\d{1,2}(?:[:.]\d\d| ?[ap]m)|morning|afternoon|evening|night)", re.IGNORECASE
)
_DAY_ONLY = re.compile(
    r"\bthe (?P<day>\d{1,2})(?:st|nd|rd|th)\b"
    r"(?= (?:at|and|as|with|but|tho\w*|because|until|till|we|i)\b|$|[,.;!?)])"
    rf"|\bam (?P<tag>\d{{1,2}})\.(?! (?:{_MONTH_NAMES}))(?=\s[^\W\d]|$)",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till|til|through|thru|expires?|ends?|runs out|due|valid to|bis|läuft|endet)\b"
    r"|到期|为止|結束|结束|まで|期限|切れ",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|as of|starting|from|effective|ab|seit)\b|起|から", re.IGNORECASE)
_RANGE = re.compile(  # also before what `resolved` put behind its last day
    r"\d(?:st|nd|rd|th|\.)?(?: of)?(?: [^\W\d]+\.?)? ?(?:to|-|–|bis) ?(?:the |zum )?"
    r"(?:\d{1,2}(?:st|nd|rd|th|\.)?(?: of)?(?: [^\W\d]+\.?)? ?\()?$"
)
_CLAUSE = re.compile(r"[;.!?。！？]\s|[;。！？]")
_NEAR = 40  # characters between a date and "until", or another sign of it
_AHEAD = 92  # days within which a date without a year is taken for the coming one


def dates_in(text: str, said: date | None = None) -> list[date]:
    """Given with their year; with `said`, one without a year is the coming one."""
    return [day for _start, _end, day in _dates(text, said)]


def without_dates(text: str, days: Collection[date], said: date | None) -> str:
    """Without those that are one of these."""
    for start, end, day in sorted(_dates(text, said), reverse=True):
        text = f"{text[:start]} {text[end:]}" if day in days else text
    return text


@dataclass(frozen=True)
class Span:
    """Since when and until when something is said to hold; `days` are all that it names, each
    with where it stands."""

    start: date | None = None
    end: date | None = None
    days: tuple[tuple[int, int, date], ...] = ()


def span_of(text: str, said: date | None = None) -> Span:
    start = end = None
    found = tuple(_dates(text, said))
    for at, stop, day in found:
        around = text[max(0, at - _NEAR) : at], text[stop : stop + 12]
        before = _CLAUSE.split(around[0])[-1]
        if _UNTIL.search(before) or _RANGE.search(before) or _UNTIL.match(around[1].lstrip(" )）")):
            end = day
        elif _SINCE.search(before[-16:]) or re.match(r"[)） ]*(?:起|から)", around[1]):
            start = day
    return Span(start, end, found)


def _dates(text: str, said: date | None) -> Iterator[tuple[int, int, date]]:
    for pattern in _ABSOLUTE:
        for found in pattern.finditer(text):
            if _is_month(found) and (day := _day(found, said)):
                yield found.start(), found.end(), day

    if said is not None:
        for found in _DAY_ONLY.finditer(text):
            number = int(found["day"] or found["tag"])
            coming = (said + timedelta(days=n) for n in range(60))
            named = _NAMED_DAY.search(text, max(0, found.start() - 12), found.start())
            if day := next(
                (day for day in coming if day.day == number and _fits(day, named)), None
            ):
                yield found.start(), found.end(), day


_NAMED_DAY = re.compile(rf"\b({_ANY_DAY}),? $", re.IGNORECASE)


def _fits(day: date, named: re.Match[str] | None) -> bool:
    """ "Monday the 5th" is no Thursday."""
    return named is None or _WEEKDAYS[named[1][:3].lower()] == day.weekday()


def _is_month(found: re.Match[str]) -> bool:
    """Not "5 may come" or "march 10 miles"."""
    if found["month"] not in _MONTH_WORDS or re.search(r"\d(?:st|nd|rd|th)| of |\d{4}", found[0]):
        return True
    before, after = _around(found.string, *found.span())
    return bool(_SIGN_BEFORE.search(before) or re.match(r"\s*(?:$|[,.;:!?)])", after))


def _around(text: str, start: int, end: int) -> tuple[str, str]:
    return text[max(0, start - _NEAR) : start], text[end : end + _NEAR]


def _is_weekday(found: re.Match[str]) -> bool:
    """Not "the sun was out" or "we sat down"."""
    at, end = found.span("day")
    name = found.string[at : found.end()]
    if name.lower() not in _DAY_WORDS:
        return True
    before, after = _around(found.string, at, end)
    sign = _SIGN_BEFORE.search(before)
    is_told = bool(sign) and not re.search(r"\bthe (?:last|next) $", before, re.IGNORECASE)
    if name[0].isupper():
        return is_told or bool(_HOUR_AFTER.match(after) or re.match(r" at \d", after))
    is_told = is_told and not (name == "sun" and before.lower().endswith("this "))
    return bool((is_told and _SIGN_AFTER.match(after)) or _HOUR_AFTER.match(after))


def _day(found: re.Match[str], said: date | None) -> date | None:
    name = found["month"]
    month = int(name) if name.isdecimal() else _MONTH_STARTS[name[:3].lower()]
    try:
        if found["year"]:
            return date(int(found["year"]), month, int(found["day"]))
        if said is None:
            return None
        day = date(said.year, month, int(found["day"]))
        day = day if day >= said else date(said.year + 1, month, int(found["day"]))
    except ValueError:
        return None
    return day if (day - said).days <= _AHEAD else None


_WEEKDAYS = {
    **{name: n for n, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))},
    **{name: n for n, name in enumerate(("mon", "die", "mit", "don", "fre", "sam", "son"))},
    **{name: n for n, name in enumerate("一二三四五六日")},
    **{name: n for n, name in enumerate("月火水木金土")},
    "天": 6,
}
_NUMBERS = {
    **{name: n for n, name in enumerate("一二三四五六七八九十", start=1)},
    **{"两": 2, "兩": 2, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5},
    **{"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "einem": 1, "einer": 1, "zwei": 2},
    **{"drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8},
}
_COUNT = r"(?P<count>\d{1,3}|[a-zü]{1,6}|[一二三四五六七八九十两兩])"
_EN_DAY = rf"(?P<day>{_ANY_DAY})\b"
_DE_NAMES = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
_DE_DAY = rf"(?P<day>{_DE_NAMES})\b"
_Says = Callable[[re.Match[str], date, bool | None], str]


def resolved(text: str, said: date, *, ahead: bool | None = None) -> str:
    """The text with each relative date followed by the one it means, where only one can be meant.
    `ahead` tells whether a bare weekday lies before or after; None: nobody knows."""
    holds = text.lower().__contains__
    there = [rule for rule in _RELATIVE if any(map(holds, rule[0]))]
    for _needs, pattern, says in there:

        def put(found: re.Match[str], says: _Says = says) -> str:
            try:
                meant = says(found, said, ahead) if _is_meant(found, says) else ""
            except (ValueError, OverflowError, KeyError):  # outside the calendar, or no number
                meant = ""
            space = " " if found.group()[-1] < "\u3000" else ""
            return f"{found.group()}{space}({meant})" if meant else found.group()

        text = pattern.sub(put, text)
    return _years_given(text, said) if ahead else text


_PUT = re.compile(r"\((\d{4}-\d\d-\d\d)\)")
_WEEKEND = re.compile(r"\blast weekend\b|\bletzte[sn]? Wochenende\b|先週末", re.IGNORECASE)


def days_meant(text: str, said: date) -> list[date]:
    """What "tomorrow" or "last weekend" means, where only one day or weekend can be meant and the
    text itself doesn't tell it."""
    told = _PUT.findall(resolved(text, said))
    found = [date.fromisoformat(one) for one in told if one not in text]
    if _WEEKEND.search(text) and said.weekday() < 5:
        saturday = said - timedelta(days=said.weekday() + 2)
        found += [saturday, saturday + timedelta(days=1)]
    return found


def _is_meant(found: re.Match[str], says: _Says) -> bool:
    """Neither another word nor the day of a habit."""
    if "day" not in found.re.groupindex:
        return True
    if says is _bare and _is_one_of_several(found):
        return False
    clause = slice(*clause_at(found.string, *found.span()))
    return _is_weekday(found) and not (says is _bare and is_habit(found.string[clause]))


def _is_one_of_several(found: re.Match[str]) -> bool:
    """ "Tuesday and Thursday" is no day of this week."""
    least, most = max(0, found.start() - _NEAR), found.end() + _NEAR
    several = _DAYS.finditer(found.string, least, most)
    return any(one.start() <= found.start() < one.end() for one in several)


def _years_given(text: str, said: date) -> str:
    """A plan's date without a year is the coming one."""
    found = list(_dates(text, said))
    told = {day for day in {day for _start, _end, day in found} if f"{day}" in text}
    pieces, last = [], 0
    for start, end, day in sorted(found, key=itemgetter(1)):
        end -= text[start:end].endswith(".") and end == len(text)
        is_told = day in told or str(day)[:4] in text[start:end] or end == last
        if not is_told and not _GIVEN.match(text, end):
            space = " " if text[end - 1] < "\u3000" and not text.startswith(_KANJI, end) else ""
            pieces.append(f"{text[last:end]}{space}({day})")
            last = end
    return "".join([*pieces, text[last:]])


_DAYS = re.compile(
    rf"\b{_ANY_DAY}(?:(?:, |,? (?:and|&) | ?[/&] ?){_ANY_DAY})+\b"
    rf"|\b{_DE_NAMES}(?:(?:, |,? und | ?[/&] ?){_DE_NAMES})+\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"\s?[(（]\d{4}-")
_KANJI = tuple("到要我まはのにがだ日号")
_HABIT = re.compile(
    r"\b(?:every|each|always|never|usually|normally|daily|weekly|monthly|immer|nie|jede[nmrs]?"
    r"|meistens|täglich|wöchentlich|monatlich|werktags)\b"
    rf"|\b{_ANY_DAY}s? ?(?:to|through|thru|and|&|/|-|–) ?{_ANY_DAY}s?\b"
    rf"|\b{_DE_NAMES} (?:bis|und) {_DE_NAMES}\b"
    r"|\b(?:mo|di|mi|do|fr|sa|so)(?:-| bis )(?:di|mi|do|fr|sa|so)\b"
    r"|\b(?:once|twice|\d+ times|three times|four times) (?:a|per) (?:day|week|month|year)\b"
    r"|[月火水木金土日]曜?日?(?:から|と|・|、)[月火水木金土日]曜"
    r"|[周星期]+[一二三四五六日天](?:到|至|和|、)(?:[周星期]*)[一二三四五六日天]"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
    r"|\ban? (?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    rf"|\b{_DE_NAMES}s\b"
    r"|[毎每隔][週周月日天晚朝]|[毎每]个?星期|第[\d一二三四五][月火水木金土日]曜",
    re.IGNORECASE,
)


def is_habit(text: str) -> bool:
    """It happens again and again, so that no day is its last."""
    return bool(_HABIT.search(text))


def _shift(days: int) -> _Says:
    return lambda _found, said, _ahead: str(said + timedelta(days=days))


def _count(unit: int, sign: int) -> _Says:
    def says(found: re.Match[str], said: date, _ahead: bool | None) -> str:
        name = found["count"].lower()
        count = int(name) if name.isdecimal() else _NUMBERS[name]
        return str(said + timedelta(days=sign * count * unit))

    return says


def _month(step: int) -> _Says:
    def says(_found: re.Match[str], said: date, _ahead: bool | None) -> str:
        index = said.year * 12 + said.month - 1 + step
        return f"{index // 12}-{index % 12 + 1:02}"

    return says


def _year(step: int) -> _Says:
    return lambda _found, said, _ahead: str(said.year + step)


def _week(step: int) -> _Says:
    def says(_found: re.Match[str], said: date, _ahead: bool | None) -> str:
        monday = said - timedelta(days=said.weekday()) + timedelta(weeks=step)
        return f"{monday}/{monday + timedelta(days=6)}"

    return says


def _day_of_week(step: int) -> _Says:
    """ "下周三", "来週の火曜": counted by weeks, so that one day is meant."""

    def says(found: re.Match[str], said: date, _ahead: bool | None) -> str:
        monday = said - timedelta(days=said.weekday()) + timedelta(weeks=step)
        return str(monday + timedelta(days=_WEEKDAYS[found["day"]]))

    return says


def _month_end(found: re.Match[str], said: date, _ahead: bool | None) -> str:
    name = found["named"] or found["number"]
    month = int(name) if name.isdecimal() else _MONTH_STARTS[name[:3].lower()]
    year = said.year + (month < said.month)
    return str(date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1))


def _last(found: re.Match[str], said: date, _ahead: bool | None) -> str:
    back = (said.weekday() - _WEEKDAYS[found["day"][:3].lower()]) % 7 or 7
    return str(said - timedelta(days=back))


def _next(found: re.Match[str], said: date, _ahead: bool | None) -> str:
    """Only where "next Friday" can't mean this week's."""
    wanted = _WEEKDAYS[found["day"][:3].lower()]
    if wanted > said.weekday():
        return ""
    return str(said + timedelta(days=7 - said.weekday() + wanted))


_UNTIL_THEN = re.compile(r"\b(?:until|till|til|bis)(?: zum)? $", re.IGNORECASE)


def _bare(found: re.Match[str], said: date, ahead: bool | None) -> str:
    wanted = _WEEKDAYS[found["day"][:3].lower()]
    ahead = ahead or bool(_UNTIL_THEN.search(found.string, 0, found.start())) or ahead
    if ahead is None:
        return ""
    if ahead:
        return str(said + timedelta(days=(wanted - said.weekday()) % 7 or 7))
    return str(said - timedelta(days=(said.weekday() - wanted) % 7 or 7))


# No hour: "Wednesday 10:15" is dated by nothing else.
_A_DAY = r"\d{1,2}(?!\d|[:.]\d\d(?!\d)| ?(?:[ap]\.?m\b|uhr|h\b|o'?clock))"


def _rule(pattern: str, says: _Says) -> tuple[frozenset[str], re.Pattern[str], _Says]:
    """With the words of which a text must have one."""
    # Not what is dated already, also by the person's own words ("Tuesday, March 10").
    own = (
        rf"(?!\s?[(（]\d{{4}}-|s\b|['’]s|,? (?:(?:the|den|der) )?(?:{_A_DAY}|{_MONTH_NAMES})"
        r"|[,，、のに]?\d{1,2}月)"
    )
    return needed(pattern), re.compile(rf"(?:{pattern}){own}", re.IGNORECASE), says


_RELATIVE = (
    _rule(r"\bthe day before yesterday|\bvorgestern\b|(?<!大)前天|一昨日|おととい", _shift(-2)),
    _rule(
        r"(?<!before )\byesterday|\blast night|\bgestern(?: abend| früh)?\b|昨天|昨晚|昨夜"
        r"|(?<!一)昨日|きのう",
        _shift(-1),
    ),
    _rule(
        r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b"
        r"|\bheute?\b(?! in \w+ Wochen)|今天|今晚|今早|今日(?!は)|今夜|今朝",
        _shift(0),
    ),
    _rule(
        rf"\b(?:until|till|through|bis) (?:the )?(?:end of|ende) (?P<named>{_MONTH_NAMES})\b"
        r"|[到至]?(?P<number>\d{1,2})月(?:末まで|底(?:为止|之前))",
        _month_end,
    ),
    _rule(r"\bthe day after tomorrow|\bübermorgen\b|(?<!大)后天|明後日|あさって", _shift(2)),
    _rule(
        r"(?<!after )\b(?:tomm?orr?ow|tmrw?)\b(?! never)|明天|明日"
        r"|(?-i:(?<!guten )(?<!heute )(?<!gestern )(?<!am )(?<!jeden )(?<!diesen )"
        r"(?<!tag )(?<!och )\bmorgen\b)",
        _shift(1),
    ),
    _rule(rf"\b{_COUNT} days? ago", _count(1, -1)),
    _rule(rf"\bvor {_COUNT} Tag(?:en)?\b", _count(1, -1)),
    _rule(rf"{_COUNT}[天日]前", _count(1, -1)),
    _rule(rf"\bin {_COUNT} (?:days?|Tag(?:en)?)\b", _count(1, 1)),
    _rule(rf"{_COUNT}(?:天后|日後)", _count(1, 1)),
    _rule(rf"\bheute in {_COUNT} Wochen\b", _count(7, 1)),
    _rule(r"\blast month|\bletzte[nsr]? Monat|上个月|先月", _month(-1)),
    _rule(r"\bnext month|\bnächste[nsr]? Monat|下个月|来月", _month(1)),
    _rule(r"\blast year|\bletzte[sn]? Jahr|\bvoriges Jahr|去年|昨年", _year(-1)),
    _rule(r"\bnext year|\bnächste[sn]? Jahr|明年|来年", _year(1)),
    _rule(
        r"\blast week(?!end)|\bletzte Woche|上周(?![一二三四五六日天末])"
        r"|先週(?!の?[月火水木金土日末])",
        _week(-1),
    ),
    _rule(
        r"\bnext week(?!end)|\bnächster? Woche|下周(?![一二三四五六日天末])"
        r"|来週(?!の?[月火水木金土日末])",
        _week(1),
    ),
    _rule(
        r"(?<!from )(?<!of )(?<!since )\bthis week(?!end)|(?<!ab )(?<!seit )\bdiese Woche"
        r"|(?<!从)[这本]个?(?:周|星期)(?![一二三四五六日天末起])|今週(?!から|の?[月火水木金土日末])",
        _week(0),
    ),
    _rule(r"(?<!上)上(?:个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])", _day_of_week(-1)),
    _rule(r"(?<!下)下(?:个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])", _day_of_week(1)),
    _rule(r"[这本](?:个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])", _day_of_week(0)),
    _rule(r"先週の?(?P<day>[月火水木金土日])曜日?", _day_of_week(-1)),
    _rule(r"(?<!再)来週の?(?P<day>[月火水木金土日])曜日?", _day_of_week(1)),
    _rule(r"今週の?(?P<day>[月火水木金土日])曜日?", _day_of_week(0)),
    _rule(rf"\blast {_EN_DAY}", _last),
    _rule(rf"\b(?:letzte[nr]?|vorige[nr]?) {_DE_DAY}", _last),
    _rule(rf"\bnext {_EN_DAY}", _next),
    _rule(rf"\bnächste[nr]? {_DE_DAY}", _next),
    _rule(rf"(?<!last )(?<!next )(?<!every )(?<!each )(?<!-)\b{_EN_DAY}", _bare),
    _rule(rf"(?<!letzten )(?<!nächsten )(?<!jeden )(?<!jeder )\b{_DE_DAY}", _bare),
)
