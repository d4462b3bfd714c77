"""What lines of memory say about a person, judged by strings set down beforehand. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

from scripts.memory_people import Groups, Said, Thing


class Mark(StrEnum):
    RIGHT = "right"
    MISSING = "missing"
    STALE = "stale"  # an old value stands as if it were current
    CLAIMED = "claimed"  # a joke, a mere thought, or what is somebody else's


def judge(things: Iterable[Thing], lines: Sequence[str]) -> dict[str, Mark]:
    folded = [line.casefold() for line in lines]
    return {thing.id: _mark(thing, folded) for thing in things}


def serves(thing: Thing, line: str) -> bool:
    """The line states the thing."""
    return _meets(thing.right, line.casefold())


def bears_on(thing: Thing, line: str) -> bool:
    """Whether the line is there can change what is judged about the thing."""
    return _meets((*thing.right, *thing.stale, *thing.absent), line.casefold())


def _mark(thing: Thing, lines: Sequence[str]) -> Mark:
    if any(_meets(thing.absent, line) for line in lines):
        return Mark.CLAIMED
    if any(_is_stale(thing, line) for line in lines):
        return Mark.STALE
    if thing.right and not any(_meets(thing.right, line) for line in lines):
        return Mark.MISSING
    return Mark.RIGHT


def _is_stale(thing: Thing, line: str) -> bool:
    return _meets(thing.stale, line) and not any(word in line for word in thing.past)


def _meets(groups: Groups, line: str) -> bool:
    return any(all(text in line for text in group) for group in groups)


_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for number, name in enumerate(names.split(), start=1)
}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday " + (
    "montag dienstag mittwoch donnerstag freitag samstag sonntag"
)
_MONTH = rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_YEAR = r"(?P<year>\d{4})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)",
        rf"(?:{_YEAR}年)?(?P<month>\d{{1,2}})月(?P<day>\d{{1,2}})日",
        rf"(?<!\d)(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}?(?!\d)",
        rf"\b{_DAY}\.? (?:of )?{_MONTH}\b(?:,? {_YEAR})?",
        rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR})?",
    )
]
_MONTHS_ALONE = re.compile(
    rf"(?<![\d-]){_YEAR}(?:-(?P<month>0[1-9]|1[0-2])(?![\d-])|年(?P<named>0?[1-9]|1[0-2])月)"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<![^\s\"'(„“])[A-ZÀ-Þ][A-Za-zÀ-ÿ’'-]+")
_SENTENCE = re.compile(r"(?:^|[.!?:;–—(„“\"]\s*)(?:\W*)$")


def unsaid(line: str, said: Sequence[Said]) -> list[str]:
    """Numbers and capitalised Latin names of the line that the person never used."""
    text = _without_dates(line)
    known = " ".join(one.content for one in said)
    numbers = {_plain(number) for number in _NUMBER.findall(known)}
    numbers |= _years(said)
    found = [one for one in _NUMBER.findall(text) if _plain(one) not in numbers]
    return [*found, *_unsaid_names(text, known.casefold())]


def unsaid_dates(line: str, said: Sequence[Said]) -> list[str]:
    """Dates and years of the line that no message names and on which none was sent: computed from
    "in three weeks" or "last year", or made up; a reader decides."""
    known = {year for one in said for year in _NUMBER.findall(one.content)}
    near = _years(said) - known - {str(one.day.year) for one in said}
    years = [one for one in _NUMBER.findall(_without_dates(line)) if one in near]
    days = {(month, day) for one in said for month, day, _text in _dates(one.content)}
    days |= {(one.day.month, one.day.day) for one in said}
    months = {month for month, _day in days}
    alone = [
        one[0]
        for one in _MONTHS_ALONE.finditer(_without_days(line))
        if int(one["month"] or one["named"]) not in months
    ]
    return [
        *years,
        *(text for month, day, text in _dates(line) if (month, day) not in days),
        *alone,
    ]


def _years(said: Sequence[Said]) -> set[str]:
    """Those of the messages, the one before and the one after."""
    return {str(one.day.year + ahead) for one in said for ahead in (-1, 0, 1)}


def _unsaid_names(text: str, known: str) -> Iterator[str]:
    for match in _NAME.finditer(text):
        name = match[0].casefold().removesuffix("'s").removesuffix("’s")
        starts = _SENTENCE.search(text[: match.start()])
        if not starts and name not in known and name not in _CALENDAR:
            yield match[0]


_CALENDAR: Collection[str] = {*_MONTHS, *_DAYS.split()}


def _dates(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts: Mapping[str, str | None] = match.groupdict()
            name = parts.get("name")
            month = _MONTHS[name.casefold()] if name else int(parts["month"] or 0)
            if _is_date(month, day := int(parts["day"] or 0)):
                yield month, day, match[0]


def _is_date(month: int, day: int) -> bool:
    try:
        date(2024, month, day)
    except ValueError:
        return False
    return True


def _without_dates(text: str) -> str:
    """Nor a month that "(2026-06)" or "2026年6月" names."""
    return _MONTHS_ALONE.sub(lambda found: f" {found['year']} ", _without_days(text))


def _without_days(text: str) -> str:
    for _month, _day, found in list(_dates(text)):
        text = text.replace(found, " ")
    return text


def _plain(number: str) -> str:
    """`1,386`, `1.386` and `1386` are one number."""
    return re.sub(r"[.,:]", "", number).lstrip("0")
