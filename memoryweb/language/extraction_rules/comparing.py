"""What one claim says against another: that it is over, moved, or has another value."""

import re
from datetime import date

from memoryweb.language.extraction_rules.model import Act, Claim, Kind
from memoryweb.language.extraction_rules.reading import all_of, claim_of
from memoryweb.language.habit_times import when_in
from memoryweb.language.normal_form import Reading, is_cjk, normalise, read

_LONGEST_WORD = 12  # characters of a value alone ("Carla, not Clara")
_NO_PLANS = frozenset(
    {Kind.IDENTITY, Kind.HEALTH, Kind.RELATION, Kind.PREFERENCE, Kind.INSTRUCTION}
)
# That a plan was for Friday or for April does not say which plan.
_WHEN_WORDS = frozenset(
    word
    for text in (
        "trip visit plan today tomorrow weekend week month year next last Monday Tuesday Wednesday"
        " Thursday Friday Saturday Sunday January February March April May June July August"
        " September October November December",
        "am im Wochenende Woche Monat Jahr Montag Dienstag Mittwoch Donnerstag Freitag Samstag"
        " Sonntag Januar Jänner Februar März Mai Juni Juli Oktober Dezember",
    )
    for word in read(text).words
)


_DWELLING = re.compile(
    r"^(?:(?:i|we)(?:'m| am|'re| are)? (?:rent|renting|live in|living in) (?:an?|the) "
    r"[^.]*\b(?:flat|apartment|studio|house|room)\b"
    r"|(?:my|our) (?:flat|apartment|house) (?:is|has)\b"
    r"|(?:ich|wir) wohnen? (?:[^.]*\b(?:stock|zimmer\w*|wg|altbau)\b|zur (?:unter)?miete)"
    r"|(?:meine|unsere) (?:wohnung|wg) (?:ist|liegt|hat)\b"
    r"|(?:今の)?(?:家|部屋|うち)は[^。]*\d[SL]*D?K)",
    re.IGNORECASE,
)
_SOUGHT = re.compile(
    r"^(?:(?:i|we)(?:'m| am|'re| are) looking for (?:an?|the) [^.]*\b(?:flat|apartment|house)\b"
    r"|(?:ich|wir) suchen? (?:gerade |noch |jetzt )*eine? [^.]*(?:wohnung|haus|zimmer)\b"
    r"|[^。]*(?:\d[SL]*D?K|部屋|物件|マンション)[^。]*探して)",
    re.IGNORECASE,
)


def takes_back(newer: Claim, older: str, said: date | None = None) -> bool:
    """The newer claim says that what an older statement tells is no longer so: another value of
    its key, or it names what is over ("the trip to Rome is off", "it's 68, not 74")."""
    claim = claim_of(older, said)
    if newer.key is not None and newer.key == claim.key:
        return clash(newer, claim)
    if newer.act is Act.CHANGES and newer.key is not None and _is_changed(newer, claim, older):
        return True
    told = read(older)
    whose = set(read(newer.subject).words)
    if newer.act in {Act.STATES, Act.ASKS} or not whose <= {*told.words, *told.names}:
        return False
    thing = newer.attribute.removeprefix("when ")
    is_moved = newer.act is Act.CHANGES and thing != newer.attribute and _tells_of(thing, older)
    if is_moved and claim.subject == newer.subject and when_in(newer.value).clashes(when_in(older)):
        return True
    if (
        newer.act is Act.CORRECTS
        and newer.old
        and _is_what_was_wrong(newer.old, newer, claim, told)
    ):
        return True
    if not newer.old:
        return newer.act is Act.CORRECTS and _shares_most(newer.value, older)
    if newer.act is Act.CANCELS:  # "the meeting is off" is no word on who hates meetings
        return claim.kind not in _NO_PLANS and any(
            _tells_of(thing, older, is_plan=True) for thing in newer.old.split("; ")
        )
    if newer.act is Act.CORRECTS and not read(newer.old).heavy - read(newer.old).numbers:
        return _tells_of(f"{newer.old} {_unit(newer.value)}", older)
    is_told = any(_tells_of(thing, older) for thing in newer.old.split("; "))
    return is_told and (newer.act is Act.ENDS or _is_of_thing(newer, older))


def _is_changed(newer: Claim, claim: Claim, older: str) -> bool:
    """The older statement tells another value beside what it claims, or of a dwelling that a move
    leaves."""
    is_move = newer.attribute == "home" and claim.subject == newer.subject
    if is_move and _is_left_behind(newer.value, older):
        return True
    beside = [one for one in all_of(older) if one.key == newer.key] if claim.key is None else []
    return any(is_other_value(newer.attribute, newer.value, one.value) for one in beside)


def _is_left_behind(place: str, older: str) -> bool:
    """A dwelling that they had or looked for; not one in the place that they moved to."""
    if _SOUGHT.search(older):
        return True
    return bool(_DWELLING.search(older)) and not read(place).heavy & set(read(older).words)


def _is_what_was_wrong(old: str, newer: Claim, claim: Claim, told: Reading) -> bool:
    """It has the wrong value of that thing, or tells every name and number of what was wrong, if
    there are several: "it was 1904 and not 1902 that the Lindqvists sailed"."""
    wrong = read(old)
    marks = {*wrong.numbers, *wrong.names}
    if len(marks) > 1 and marks <= {*told.words, *told.names, *told.numbers}:
        return True
    is_same = claim.attribute and newer.attribute.endswith(
        ("の" + claim.attribute, claim.attribute)
    )
    return bool(is_same) and normalise(claim.value) == normalise(old)


def _is_of_thing(newer: Claim, older: str) -> bool:
    """What else the older statement says is the newer one's matter too, where that names one:
    "Ines likes tea, not coffee" is no word on Tom's coffee."""
    old = set(read(newer.old).words)
    named = set(read(f"{newer.subject} {newer.attribute} {newer.value}").words) - old
    rest = set(read(older).words) - old
    is_word = " " not in newer.value and len(newer.value) <= _LONGEST_WORD
    is_bare = is_word or (newer.act is Act.CORRECTS and len(named) < 2)
    is_bare = is_bare or not when_in(newer.value).is_empty
    return (is_bare and not newer.attribute) or len(rest & named) * 2 > len(rest)


def _shares_most(one: str, other: str) -> bool:
    """Two sentences that differ in little: a correction in its new wording."""
    first, second = set(read(one).words), set(read(other).words)
    return len(first) > 2 and len(first & second) * 2 >= len(first | second)


def _unit(value: str) -> str:
    """What a number counts: "74" alone is anybody's."""
    words = [word for word in value.split() if not word[0].isdigit()]
    return words[-1] if words else ""


def clash(one: Claim, two: Claim) -> bool:
    """Other values of one key. A name in another script may be the same one (横浜 is Yokohama),
    unless a change is told."""
    if one.key is None or one.key != two.key:
        return False
    is_change = Act.CHANGES in {one.act, two.act} or Act.CORRECTS in {one.act, two.act}
    is_comparable = is_change or is_cjk(one.value) == is_cjk(two.value)
    return is_comparable and is_other_value(one.attribute, one.value, two.value)


def is_other_value(attribute: str, one: str, two: str) -> bool:
    """Neither value only tells more than the other, as "10:00" does beside "Tuesdays"."""
    times = when_in(one), when_in(two)
    if attribute.startswith("when ") and not (times[0].is_empty and times[1].is_empty):
        return times[0].clashes(times[1])
    first, second = set(read(one).words), set(read(two).words)
    if not (first and second):
        return normalise(one) != normalise(two)
    return not (first <= second or second <= first)


_CJK_ASIDE = re.compile(  # neither when it was to be nor that it was a plan
    r"^(?:\d{1,2}月|今[年月週度]|来[年月週]|[春夏秋冬]|週末|连?假|下个?[周月])の?|の?(?:旅行|行き|の件|の予定|计划|之行)$"
)


def _tells_of(thing: str, text: str, *, is_plan: bool = False) -> bool:
    """Every word of weight of the thing stands in the text; of a plan not when it was to be."""
    wanted, told = read(thing), read(text)
    words = wanted.heavy | wanted.numbers
    if is_plan:
        words = words - _WHEN_WORDS or words
    if not words or (len(words) == 1 and len(next(iter(words))) < 3 and thing.strip().isdigit()):
        return False
    if any(len(word) == 1 and not word.isascii() for word in words):  # written without spaces
        thing = _CJK_ASIDE.sub("", thing) if is_plan else thing
        return normalise(thing).replace(" ", "") in normalise(text).replace(" ", "")
    return words <= set(told.words) | told.numbers
