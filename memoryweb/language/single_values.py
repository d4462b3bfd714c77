"""Sentences about a thing of which there is one, that differ in a number or in where it is: "The
printer is in room 4." and "… in room 7." What is next or last is another one each time."""

import re
from functools import lru_cache

from memoryweb.language.normal_form import clean, normalise

_THING = (
    r"(?:the|our|der|die|das|unsere?) "
    r"(?!(?:next|last|latest|first|nächste\w?|letzte\w?|erste\w?|other|andere\w?) )[^,;:.!?\d]+?"
)
_HAS = r"(?:is|has|opens|closes|costs|stands|sits|ist|hat|öffnet|schließt|kostet|steht|liegt)"
_LIES = r"(?:is|stands|sits|ist|steht|liegt)"
_NUMBER = r"\d+(?:[.,:]\d+)*"
_NAME = r"(?-i:[A-ZÄÖÜ][\w-]+(?: [A-ZÄÖÜ][\w-]+)?)"
_FORMS = tuple(
    re.compile(rf"(?P<before>{before})(?P<value>{value})(?P<after>{after})[.!]?", re.IGNORECASE)
    for before, value, after in (
        (rf"{_THING} {_HAS} (?:[^,;:.!?\d]+ )?", _NUMBER, r"(?: [^,;:.!?\d]+)?"),
        (rf"{_THING} {_LIES} (?:now |jetzt )?in ", _NAME, ""),
    )
)
_NOW = re.compile(r"\b(?:now|jetzt) ", re.IGNORECASE)


def tells_otherwise(one: str, other: str) -> bool:
    """They can't both be true, unless two things go by one name."""
    first, second = read_value(one), read_value(other)
    is_of_one = first is not None and second is not None and first[0] == second[0]
    return is_of_one and first != second


@lru_cache(maxsize=65_536)
def read_value(text: str) -> tuple[str, str] | None:
    """What a sentence says apart from its value, and the value."""
    said = clean(text)
    for form in _FORMS:
        if found := form.fullmatch(said):
            rest = _NOW.sub("", f"{found['before']}… {found['after']}")
            return normalise(rest), normalise(found["value"])
    return None
