"""What somebody tells an assistant of themselves in no known form: a whole statement of their own
life with a value, of which worth alone decides how long it finds room. Pure."""

import re
from collections.abc import Iterator

from memoryweb.language.extraction_rules.model import Claim, Kind, Language
from memoryweb.language.extraction_rules.reading import (
    LABEL,
    LONGEST,
    Sentence,
    asks,
    languages_of,
    undated,
)
from memoryweb.language.normal_form import clean
from memoryweb.language.sentences import split

_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_MARK = 3  # a smiley stands behind its clause, and a part of it may end one


def tells_of_life(sentence: Sentence) -> bool:
    """A clause of it states something of the speaker's life; nothing asked, ordered, imagined or
    laughed at, nothing of the moment, and it can be understood alone."""
    spoken, text = sentence.language, sentence.text
    if spoken is None or sentence.leans or sentence.is_lost or spoken.jokes.search(text):
        return False
    return any(_tells(text, start, end, spoken) for start, end in stated(sentence, spoken))


def stated(sentence: Sentence, spoken: Language) -> Iterator[tuple[int, int]]:
    """Where its clauses stand that ask and order nothing: "Give me ideas, I have asthma"."""
    text, start = sentence.text, 0
    is_order = bool(spoken.small.search(text) or spoken.orders.search(text))
    for cut in (*spoken.clause.finditer(text), None):
        end = cut.start() if cut else len(text)
        if is_order and (cut is None or cut[0] in ":："):
            return
        is_last = text.rstrip().endswith(("?", "？")) if cut is None else cut[0] in "?？"
        is_asked = is_last or spoken.asking.search(text[start:end].strip())
        if not (is_order or (sentence.is_question and is_asked)):
            yield start, end
        is_order, start = False, cut.end() if cut else end


def adds(sentence: Sentence) -> bool:
    """Beside the sentence before it says more of whom or what that one tells."""
    spoken, text = sentence.language, sentence.text
    if spoken is None or sentence.is_question or not _says_more(text, spoken):
        return False
    cues = (spoken.small, spoken.orders, spoken.laughs, spoken.maybe, spoken.fleeting)
    return not any(cue.search(text) for cue in cues)


def _says_more(text: str, spoken: Language) -> bool:
    return bool(spoken.other_one.search(text) or spoken.detail.search(text))


def _tells(text: str, start: int, end: int, spoken: Language) -> bool:
    """What stands from there on says it, in this clause or with what follows."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    found = spoken.life.search(text[start:])
    if found is None or found.start() >= end - start:
        return False
    if _SPACELESS.search(text):  # hedges stand at the end
        start, end = 0, len(text)
    clause = text[start:end]
    is_now = "now" in found.re.groupindex and found["now"]
    cues = (spoken.fleeting, spoken.passing) if is_now else (spoken.fleeting,)
    is_light = spoken.laughs.search(text, start, end + _MARK) or spoken.maybe.search(text[:end])
    return not (is_light or any(cue.search(clause) for cue in cues))


def tells_of_self(line: str) -> bool:
    """It says something of whoever speaks in no known form: nothing asked, imagined, laughed at or
    ordered, nothing of the moment or of the work at hand, and it can be understood alone."""
    line = clean(line)[:LONGEST]
    said = [undated(one) for one in split(line)]
    if not said or LABEL.match(line) or _leans(said[0]):
        return False
    return any(map(tells_of_life, said)) or all(
        any(spoken.own.search(one.text) for one in said)
        and all(_is_plain(one, spoken) for one in said)
        for spoken in languages_of(line)
    )


def _is_plain(sentence: Sentence, spoken: Language) -> bool:
    of_moment = (spoken.passing, spoken.fleeting, spoken.maybe)
    cues = (spoken.small, spoken.orders, spoken.jokes, spoken.laughs, *of_moment)
    text = sentence.text
    return not (asks(text, spoken) or any(cue.search(text) for cue in cues))


def _leans(sentence: Sentence) -> bool:
    return sentence.leans or sentence.is_lost or sentence.is_unnamed


# The attributes that say who somebody is, and not what they have, like or plan.
_WHO = re.compile(
    r"(?:(?:first|last|middle|maiden|full) |nick|sur)?name|age|birthday|home|address|origin"
    r"|nationality|pronouns|job(?: title)?|role|position|profession|beruf|employer|company"
    r"|(?:(?:native|first|second) )?languages?|mother tongue|muttersprache|の?母[语語]"
    r"|time ?zone|zeitzone|时区|の?タイムゾーン"
)
_SPEAKS = re.compile(
    r"\b(?:i|ich) (?:(?:also|only|auch|nur) )?(?:speak|spreche) (?:(?:a little|etwas) )?"
    r"(?-i:[A-ZÄÖÜ])|我(?:也|只)?会?[说講讲][^，。,]{0,4}[语語文话話]|語(?:が|を|も)(?:少し)?話",
    re.IGNORECASE,
)


def tells_who(text: str, claim: Claim) -> bool:
    """It says who the speaker is: their name, age, home, work, languages or time zone."""
    if claim.subject or claim.kind not in {Kind.IDENTITY, Kind.OTHER, Kind.PREFERENCE}:
        return False
    if not claim.attribute:
        return bool(_SPEAKS.search(text))
    return claim.kind is not Kind.PREFERENCE and bool(_WHO.fullmatch(claim.attribute))
