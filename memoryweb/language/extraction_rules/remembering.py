"""Until when somebody wants something remembered, where they say so with a day. Pure."""

import re
from datetime import date

from memoryweb.language.extraction_rules.relative_dates import span_of

_NEAR = 60  # characters between the wish and its day
_POLITE = r"(?:^|[.!?:,]\s+)(?:(?:please|and|but|just|only|then|bitte|und|aber|nur) )*"
_UNTIL = re.compile(
    rf"{_POLITE}(?:remember|keep|memori[sz]e|note|save|store)\b[^.!?]{{0,80}}?\b(?:until|till|through)\b"
    rf"|{_POLITE}(?:merk|behalt|notier|speicher)\w*\b[^.!?]{{0,80}}?\bbis\b"
    r"|\bonly (?:until|till|through)\b|\bnur(?: noch)? bis\b"
    r"|(?:记住|记得|记下|記住)[^。！？]{0,12}[到至]|只[^。！？]{0,8}[到至]"
    r"|[^。！？]{0,24}(?:为止|之前)[^。！？]{0,6}(?:记住|记得|记下)"
    r"|[^。！？]{0,24}まで(?:は|だけ)?、?(?:覚え|記憶|だけ)",
    re.IGNORECASE | re.MULTILINE,
)
_LATER = re.compile(
    rf"{_POLITE}(?:forget|delete|erase)\b[^.!?]{{0,60}}?\b(?:after|once)\b"
    rf"|{_POLITE}(?:vergiss|lösch\w*)\b[^.!?]{{0,60}}?\bnach (?:dem|der|meine[mr]|\d)"
    r"|[^。！？]{0,24}(?:之后|以后|过后|過後)[^。！？]{0,8}(?:忘|删|刪)"
    r"|[^。！？]{0,24}(?:過ぎたら|以降は?|の後は?|のあとは?)[^。！？]{0,8}忘れ",
    re.IGNORECASE | re.MULTILINE,
)
_THIS = re.compile(
    r"\b(?:forget|delete|erase) (?:this|it|that)(?: again)? (?:after|once)\b"
    r"|\b(?:vergiss|lösch\w*) (?:das|es|dies)(?: wieder)? nach\b"
    r"|(?:忘了|忘掉|忘记|删掉)(?:它|这个?|这件事)?[。！]?$|忘れて(?:ください|ね)?[。！]?$",
    re.IGNORECASE,
)


def is_timed(text: str) -> bool:
    """It tells until when something shall be remembered: the day is one to come."""
    return bool(_UNTIL.search(text) or _LATER.search(text))


def is_for_later(sentence: str) -> bool:
    """A wish to forget that is none for now."""
    return bool(_LATER.search(sentence))


def means_what_stood_before(sentence: str) -> bool:
    """ "Forget this after the trip on 3 May." """
    return is_for_later(sentence) and bool(_THIS.search(sentence))


def last_day(text: str, said: date | None = None) -> date | None:
    """The day that it names; None where it names none, or nothing is wished."""
    found = _UNTIL.search(text) or _LATER.search(text)
    if found is None:
        return None
    near = range(found.start(), found.end() + _NEAR)
    return max((day for at, _stop, day in span_of(text, said).days if at in near), default=None)
