"""Relative English dates made absolute, counted from the UTC date of the message.

A month, or a month and day, without a year stays as it was said: any year would be a guess.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

import dateparser

from memoryweb.extraction.rules import recurring, spans, tense
from memoryweb.extraction.rules.verbs import words_of

_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
)
_NUMBERS = {word: number for number, word in enumerate(_COUNTED.split())} | {
    "a": 1,
    "an": 1,
    "another": 1,
    "twenty": 20,
    "thirty": 30,
}

_DAY = (
    r"(?P<day>mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
    r"\b(?!')\.?"
)
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_COUNT = (
    r"(?P<count>\d{1,3}|(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|fifteen|twenty|thirty))"
)
_UNIT = r"(?P<unit>day|week|weekend|month|year|decade)s?"
_VAGUE = r"(?:a few|few|several|some|a couple(?: of)?|couple(?: of)?|many)"
_WHICH = r"(?P<which>last|this past|this|past|next|the coming|this coming|coming)"


@dataclass(frozen=True)
class Dated:
    text: str
    found: bool  # the text now names a date, a week, a month or a year
    exact: bool  # a phrase was replaced, so the date is that of what happened


_Say = Callable[[re.Match[str], date, bool | None], str | None]


def resolve(text: str, at: datetime, *, future: bool | None = None) -> Dated:
    """`future` says which way a bare "Friday" looks; without it, its verb does."""
    if not _MAY_DATE.search(text):
        return Dated(text, found=False, exact=False)
    today = at.date()
    replaced = 0
    text = spans.spelled_out(text)
    for pattern, say in _RULES:

        def put(match: re.Match[str], say: _Say = say) -> str:
            nonlocal replaced
            said = _said(match, say, today, future)
            replaced += said is not None
            return match.group(0) if said is None else said

        text = pattern.sub(put, text)
    text = re.sub(r"^(?:[Ii]n|[Oo]n) (the week(?:end)? of \S+ (?:was|is|has)\b)", r"The \1", text)
    text = spans.in_order(spans.tidied(text.replace("The the", "The")))
    return Dated(text, bool(replaced or _ABSOLUTE.search(text)), bool(replaced))


# No word of time, no work.
_MAY_DATE = re.compile(
    r"\d|day|week|month|year|night|morning|afternoon|evening|\bago\b|tomorrow|tonight|decade"
    r"|\b(?:jan"
    r"|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|fall"
    r"|autumn|winter)",
    re.IGNORECASE,
)


def _said(match: re.Match[str], say: _Say, today: date, future: bool | None) -> str | None:
    if _comes_again(match):
        return None
    prep = (match.groupdict().get("prep") or "").lower()
    is_noun = prep == "till" and bool(_TILL.search(match.string[: match.start()]))
    prep = "" if is_noun else prep
    if future is None:
        future = tense.looks_ahead(match.string, match.start(), match.end(), prep)
    try:
        said = say(match, today, future)
    except (ValueError, OverflowError):  # outside the calendar
        return None
    if said and prep in _KEPT_PREPOSITIONS:
        return re.sub(r"^(?:on|in)\b", prep, said)
    return f"till {said}" if said and is_noun else said


def _comes_again(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    if groups.get("which") or not groups.get("day"):
        return False
    return recurring.is_habit(match.string, match.start(), match.end())


# "a second till next month": the thing that stands in a shop, not the preposition.
_TILL = re.compile(
    r"\b(?:an?|the|my|our|your|their|this|that|each|every|another|new|one|two|three)(?: [\w-]+)? $",
    re.IGNORECASE,
)
_KEPT_PREPOSITIONS = words_of("for from since by until till before after to")
_ABSOLUTE = re.compile(
    r"\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b|\b\d{1,2}(?:st|nd|rd|th)? (?:of )?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December) \d{1,2}(?:st|nd|rd|th)?\b"
    r"|\b(?:in|by|before|until|since|from|after|of|early|late|mid)[ -](?:January|February"
    r"|March|April|May|June|July|August|September|October|November|December)\b"
)


def week_of(day: date) -> str:
    return f"in the week of {day - timedelta(days=day.weekday())}"


def month_of(day: date, months: int = 0) -> str:
    index = day.year * 12 + day.month - 1 + months
    return f"{date(index // 12, index % 12 + 1, 1):%B %Y}"


def weekend_of(day: date, weeks: int) -> str:
    saturday = day - timedelta(days=day.weekday()) + timedelta(days=5, weeks=weeks)
    return f"on the weekend of {saturday}"


def _shift(days: int) -> _Say:
    return lambda match, today, future: f"on {today + timedelta(days=days)}"


def _weekday(match: re.Match[str], today: date, future: bool | None) -> str:
    wanted = _WEEKDAYS[match["day"][:3].lower()]
    which = (match.groupdict().get("which") or "").lower()
    back = (today.weekday() - wanted) % 7 or 7
    ahead = (wanted - today.weekday()) % 7 or 7
    if not which and future is None:
        return f"on {today + timedelta(days=ahead if ahead < back else -back)}"
    if which in {"last", "this past", "past"} or (not which and not future):
        return f"on {today - timedelta(days=back)}"
    if which == "next":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=1)
        return f"on {monday + timedelta(days=wanted)}"
    if which == "this" and future is False:
        return f"on {today - timedelta(days=(today.weekday() - wanted) % 7)}"
    return f"on {today + timedelta(days=ahead)}"


def _period(match: re.Match[str], today: date, future: bool | None) -> str:
    which, unit = match["which"].lower(), match["unit"].lower()
    step = {"last": -1, "past": -1, "this past": -1, "this": 0}.get(which, 1)
    if unit == "week":
        return week_of(today + timedelta(weeks=step))
    if unit == "weekend":
        if step == -1 or (step == 0 and future is False and today.weekday() < 5):
            return weekend_of(today, -1 if today.weekday() < 6 else 0)
        return weekend_of(today, max(step, 0))
    if unit == "month":
        return "in " + month_of(today, step)
    return f"in {today.year + step}"


def _season(match: re.Match[str], today: date, future: bool | None) -> str:
    which, season = match["which"].lower(), match["season"].lower()
    starts = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}[season]
    year = today.year
    if which in {"last", "past", "this past"}:
        year -= 0 if today.month > starts + 2 else 1
    elif which != "this":
        year += 0 if today.month < starts else 1
    return f"in {season} {year}"


def _ago(match: re.Match[str], today: date, future: bool | None) -> str | None:
    count, unit = _number(match["count"]), match["unit"].lower()
    if unit == "weekend":
        return weekend_of(today, -count)
    if unit == "decade":
        count, unit = count * 10, "year"
    said = _in_unit(_parsed(f"{count} {unit}s ago", today), unit)
    return re.sub(r"^(?:in the|in|on)", "around", said) if said and match["about"] else said


def _ahead(match: re.Match[str], today: date, future: bool | None) -> str | None:
    count, unit = _number(match["count"]), match["unit"].lower()
    if unit in {"weekend", "decade"} or future is False:
        return None
    return _in_unit(_parsed(f"in {count} {unit}s", today), unit)


def _in_unit(then: date | None, unit: str) -> str | None:
    if then is None:
        return None
    if unit == "day":
        return f"on {then}"
    if unit == "week":
        return week_of(then)
    return f"in {then:%B %Y}" if unit == "month" else f"in {then.year}"


def _vague(match: re.Match[str], today: date, future: bool | None) -> str:
    unit = match["unit"].lower()
    before = {"month": month_of(today), "year": str(today.year), "decade": str(today.year)}.get(
        unit, str(today)
    )
    amount = re.sub(r"^(?=couple)", "a ", match["amount"].lower())
    return f"{amount} {unit}s before {before}"


def _month_day(match: re.Match[str], today: date, future: bool | None) -> str:
    month = _MONTHS.index(match["month"][:3].lower()) + 1
    return f"on {date(int(match['year']), month, int(match['dom']))}"


def _month_only(match: re.Match[str], today: date, future: bool | None) -> str:
    month = _MONTHS.index(match["month"][:3].lower()) + 1
    which, year = match["which"].lower(), today.year
    if which in {"last", "past", "this past"}:
        year -= month >= today.month
    elif which != "this":
        year += month <= today.month
    return f"in {date(year, month, 1):%B %Y}"


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]


@lru_cache(maxsize=512)
def _parsed(phrase: str, today: date) -> date | None:
    base = datetime(today.year, today.month, today.day, 12)
    found = dateparser.parse(phrase, languages=["en"], settings={"RELATIVE_BASE": base})
    return found.date() if found else None


def _rule(pattern: str, say: _Say) -> tuple[re.Pattern[str], _Say]:
    return re.compile(pattern, re.IGNORECASE), say


_PREP = r"(?:(?P<prep>on|over|during|in|for|from|since|by|until|till|before|after|to) )?"
_ON = r"\b" + _PREP
_RULES: tuple[tuple[re.Pattern[str], _Say], ...] = (
    _rule(r"\bthe day before yesterday\b", _shift(-2)),
    _rule(r"\bthe day after tomorrow\b", _shift(2)),
    _rule(
        r"\b(?:(?P<prep>since|by|until|for|before|from|after) )?(?:yesterday(?: (?:morning"
        r"|afternoon|evening|night))?|last night)\b(?!')",
        _shift(-1),
    ),
    _rule(
        r"\b(?:(?P<prep>since|by|until|for|before|from|after) )?tomorrow(?: (?:morning"
        r"|afternoon|evening|night))?\b(?!')",
        _shift(1),
    ),
    _rule(
        r"\b(?:today(?!')|tonight|this (?:morning|afternoon|evening)|earlier today)\b", _shift(0)
    ),
    _rule(
        rf"\b(?P<about>(?:about|around|roughly|almost|nearly|over|more than) )?{_COUNT} "
        rf"{_UNIT} ago\b",
        _ago,
    ),
    _rule(rf"\b(?P<amount>{_VAGUE}) {_UNIT} (?:ago|back)\b", _vague),
    _rule(rf"\bin {_COUNT} {_UNIT}\b(?!'s? time)", _ahead),
    _rule(rf"\b{_COUNT} {_UNIT} from now\b", _ahead),
    _rule(r"\bthe other (?P<unit>day|week)\b", lambda m, t, f: f"a few days before {t}"),
    _rule(rf"{_ON}(?:the )?(?:{_WHICH} )(?P<unit>week|weekend|month|year)\b(?!')", _period),
    _rule(
        r"\bover the weekend\b",
        lambda m, t, f: weekend_of(t, 0 if f or t.weekday() == 6 else -1),
    ),
    _rule(rf"{_ON}{_WHICH} (?P<season>spring|summer|fall|autumn|winter)\b", _season),
    _rule(rf"{_ON}{_WHICH} {_DAY}(?:,? (?:morning|afternoon|evening|night))?", _weekday),
    _rule(
        rf"\b(?P<prep>on|by|until|till|before|after|since|for|from|to) {_DAY}(?:,? "
        rf"(?:morning|afternoon|evening|night))?(?! and (?:mon|tue|wed|thu|fri|sat|sun))",
        _weekday,
    ),
    _rule(
        rf"(?<=\bis )(?<!day is )(?<!window is ){_DAY}(?! and |,? not\b|,? or\b)",
        lambda m, t, f: _weekday(m, t, True),
    ),
    _rule(
        rf"{_ON}(?:the )?(?P<dom>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? "
        rf"(?P<year>(?:19|20)\d\d)(?!\d)",
        _month_day,
    ),
    _rule(
        rf"{_ON}{_MONTH} (?:the )?(?P<dom>\d{{1,2}})(?:st|nd|rd|th)?,? "
        rf"(?P<year>(?:19|20)\d\d)(?!\d)",
        _month_day,
    ),
    _rule(rf"\b(?:in )?{_WHICH} {_MONTH}(?! \d)", _month_only),
)
