"""What a query asks the index for: its words without the stop words, their irregular forms, and
the dates it names. Pure."""

import re
from datetime import date
from functools import cache

from memoryweb.language.tokens import tokens

MOST_TERMS = 32

# One word of the query with the stems that say the same.
Term = tuple[str, ...]

_STOP = """
a an the and or but if nor of at by for with about to from in on into is are was were be been being
am do does did done have has had having i me my mine we us our ours you your yours he him his she
her hers it its they them their theirs what which who whom whose this that these those would could
should can will shall may might must how when where why s t not as so than too very just there here
"""
# A stemmer follows rules; these forms follow none.
_IRREGULAR = """
go went gone|run ran|buy bought|see saw seen|take took taken|give gave given|make made|come came
get got gotten|find found|think thought|tell told|feel felt|leave left|keep kept|begin began begun
bring brought|write wrote written|sit sat|stand stood|lose lost|meet met|pay paid|say said
speak spoke spoken|spend spent|win won|teach taught|sell sold|send sent|build built|lend lent
break broke broken|choose chose chosen|drive drove driven|eat ate eaten|fall fell fallen
fly flew flown|forget forgot forgotten|forgive forgave forgiven|grow grew grown|know knew known
ride rode ridden|rise rose risen|sing sang sung|sleep slept|swim swam swum|wear wore worn
wake woke woken|draw drew drawn|catch caught|hold held|hear heard|learn learnt|understand understood
fight fought|become became|drink drank drunk|hide hid hidden|hang hung|lead led|mean meant
feed fed|flee fled|freeze froze frozen|light lit|seek sought|shake shook shaken|shoot shot
steal stole stolen|strike struck|swear swore sworn|tear tore torn|throw threw thrown|bind bound
bite bit bitten|blow blew blown|breed bred|deal dealt|dig dug|dream dreamt|shine shone|stick stuck
child children|foot feet|tooth teeth|man men|woman women|person people|mouse mice|goose geese
knife knives|wife wives|life lives|leaf leaves|shelf shelves|half halves|wolf wolves
"""
_NAMES_OF_MONTHS = """
january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep
october oct|november nov|december dec
"""
_MONTHS = {
    name: number
    for number, names in enumerate(_NAMES_OF_MONTHS.strip().replace("|", "\n").split("\n"), start=1)
    for name in names.split()
}
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

# Quick to try: without a number no date is written out.
_MAYBE = re.compile(r"\d")


def terms_of(text: str) -> list[Term]:
    """At most 32. Stop words count only where there is nothing else; a date is one term."""
    dates, rest = _taken_apart(text)
    words = list(dict.fromkeys(tokens(rest)))
    telling = [word for word in words if word not in _stop_words()]
    if not telling and not dates:
        telling = words
    found = dict.fromkeys([(date,) for date in dates] + [_with_forms(word) for word in telling])
    return list(found)[:MOST_TERMS]


def dates_in(text: str) -> list[str]:
    """Every name of the dates that a text writes out, as the index calls them."""
    if not _MAYBE.search(text):
        return []
    names = (name for found in _taken_apart(text)[0] for name in _wider(found))
    return list(dict.fromkeys(names))


def names_of(day: date) -> list[str]:
    """How the index calls a day, its month, and the day of any year."""
    return [f"{day:%Y%m%d}", f"{day:%Y%m}", f"{day:x%m%d}"]


def _with_forms(word: str) -> Term:
    return _forms().get(word, (word,))


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(tokens(_STOP))


@cache
def _forms() -> dict[str, Term]:
    forms: dict[str, Term] = {}
    for line in _IRREGULAR.replace("|", "\n").split("\n"):
        same = tuple(dict.fromkeys(tokens(line)))
        forms |= dict.fromkeys(same, same)
    return forms


def _taken_apart(text: str) -> tuple[list[str], str]:
    """The most exact names of the dates in a text, and the text without them."""
    found: dict[str, None] = {}

    def take(match: re.Match[str]) -> str:
        parts = match.groupdict()
        month = int(parts.get("number") or _MONTHS[parts["month"].casefold()])
        day = f"{int(parts['day']):02}" if parts.get("day") else ""
        found[f"{parts.get('year') or 'x'}{month:02}{day}"] = None
        return " "

    for pattern in _DATES:
        text = pattern.sub(take, text)
    return list(found), text


def _wider(name: str) -> list[str]:
    """A day is in its month, and is a day of any year."""
    return [name, name[:6], f"x{name[4:]}"] if len(name) == 8 else [name]
