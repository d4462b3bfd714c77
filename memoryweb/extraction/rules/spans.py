"""Several dates said as one: "on 25 and 26 December 2026", "from Monday to Thursday"."""

import re
from datetime import date, timedelta

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_JOINT = r"(?:,? and |,? or | & |, | to | until | till | through |\s?[-–]\s?)"
_DAYS_FIRST = re.compile(
    rf"\b(?P<days>(?:{_DAY}{_JOINT})+)(?P<last>{_DAY})(?P<month>(?: of)? {_MONTH}"
    r",? (?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(
    rf"\b(?P<prep>on|from) (?P<first>{_WEEKDAY})(?P<joint>,? (?:and|or|to|until|till|through) )"
    rf"(?P<last>{_WEEKDAY})",
    re.IGNORECASE,
)

_WEEKDAYS_TWICE = re.compile(
    rf"(?<=\bon )({_WEEKDAY}(?:,| and| or)) on (?={_WEEKDAY})", re.IGNORECASE
)


def spelled_out(text: str) -> str:
    """Each date written with its own month, each weekday with its own preposition."""
    text = _DAYS_FIRST.sub(_with_month_after, text)
    return _WEEKDAYS.sub(_with_preposition, text)


def tidied(text: str) -> str:
    """ "on 2024-05-01 and on 2024-05-02" → "on 2024-05-01 and 2024-05-02"."""
    text = re.sub(r"(?<=\d)(,| and| or) on (?=\d{4}-\d\d-\d\d)", r"\1 ", text)
    return _WEEKDAYS_TWICE.sub(r"\1 ", text)


def in_order(text: str) -> str:
    """A range of weekdays that were dated each by itself, its end put behind its start."""

    def put(match: re.Match[str]) -> str:
        start, end = date.fromisoformat(match["start"]), date.fromisoformat(match["end"])
        if not 0 < (start - end).days < 7:
            return match.group(0)
        return f"{match['lead']}{start}{match['joint']}{end + timedelta(days=7)}"

    return _RANGE.sub(put, text)


_RANGE = re.compile(
    r"(?P<lead>from |between )(?P<start>\d{4}-\d\d-\d\d)(?P<joint> (?:to|until|till|through|and) "
    r")(?P<end>\d{4}-\d\d-\d\d)"
)


def _with_month_after(match: re.Match[str]) -> str:
    days = re.sub(rf"({_DAY})(?={_JOINT})", rf"\1{match['month']}", match["days"])
    lead, last = _dashes(days), match["last"]
    return f"{lead}{last}{match['month']}"


def _dashes(days: str) -> str:
    return re.sub(r"\s?[-–]\s?", " to ", days)


def _with_preposition(match: re.Match[str]) -> str:
    joint = match["joint"]
    again = "on " if re.search(r"and|or", joint) else ""
    return f"{match['prep']} {match['first']}{joint}{again}{match['last']}"
