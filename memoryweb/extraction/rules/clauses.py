"""A sentence cut into the statements it is made of."""

import re

from memoryweb.extraction.rules import references, verdicts
from memoryweb.extraction.rules.fillers import is_evaluation


def split(sentence: str) -> list[str]:
    """The parts of a sentence that can stand alone, without those that only judge."""
    kept: list[str] = []
    for part in _SPLIT_TAIL.split(sentence):
        piece = (part or "").strip(" ,")
        if not piece.strip(".!") or (kept and is_evaluation(piece)):
            continue
        if _ECHO.match(piece):
            continue
        if kept and not _STANDS_ALONE.match(piece):
            kept[-1] = f"{kept[-1]} – {piece}"
        else:
            kept += _spliced(piece)
    return kept


_SPLIT_TAIL = re.compile(
    r"(?: [-–—]{1,2} |\s*—\s*|--\s*|\s+–\s*|; |(?<=[a-z])- (?=[a-zA-Z])|,? (?:and|but|so) "
    r"(?=(?:it|that|this)(?:'s| is| was| has| felt| really| made)\b)"
    r"|,? (?=which (?:is|was|are|were|has|made|makes)\b)|, (?=(?:it|that|this|they)(?:'s|'re| "
    r"is| was| were| has| have| felt| really| made)\b)"
    r"|,? (?:and|but) (?=(?:I|we) (?:was|were|am|are|felt|feel|had|loved|couldn't|can't)\b)"
    r"|,? (?:and|but|so) (?=I (?:am|will|would)\b)|,? (?:and|so) (?=(?:please|remind me|don't"
    r"|make sure)\b)|, (?=(?:please|pls|kindly|could you|can you|would you|will you|remind me"
    r"|make sure|let me know|tell (?:me|him|her|them)|send (?:me|it|him|her|them))\b))"
)
_STANDS_ALONE = re.compile(
    r"(?:and |but |so )?(?:I|we|my|our|it|its|it's|that's|this|that (?:was|is|made)|they"
    r"|they're|he|she|you|let's"
    r"|here's|there's|please|pls|kindly|could"
    r"|can you|would|will|let me|tell|send|remind me|make sure"
    r"|what|how|don't|keep|can't)\b",
    re.IGNORECASE,
)
# "They have been there for me, I have known them for years": two statements with a comma between.
_SPLICE = re.compile(
    r"(?<=[a-z0-9%])(?P<joint>,(?: and| but)? | and | but )"
    r"(?=(?:I|we|my|our) (?!think|guess|mean|know|to )[A-Za-z]+)"
)


def _spliced(piece: str) -> list[str]:
    if not _STANDS_ALONE.match(piece):
        return [piece]
    parts, start = [], 0
    for match in _SPLICE.finditer(piece):
        left = piece[max(start, match.start() - _NEAR) : match.start()]
        right = piece[match.end() : match.end() + _NEAR]
        if _SUBORDINATE.search(left) or not _HAS_VERB.match(left):
            continue
        if stands(right) or (_is_trifle(left) and "and" not in match["joint"]):
            parts.append(piece[start : match.start()])
            start = match.end()
    return [*parts, piece[start:]]


_NEAR = 240  # characters around a joint that tell whether it parts two statements


def stands(clause: str) -> bool:
    """Whether a clause is understood without the one before it."""
    first = re.split(r",? (?:and|but) (?=(?:I|we) )", clause)[0]
    if not _HAS_VERB.match(first) or references.dangles(first):
        return False
    names = re.findall(r"(?<!^)\b(?!I\b)[A-Z][\w'-]+", _DATES.sub(" ", first))
    return bool(names) or verdicts.content_words(_DATES.sub(" ", _GOING.sub(" ", first))) >= 2


def _is_trifle(clause: str) -> bool:
    return verdicts.content_words(clause) < 2


_HAS_VERB = re.compile(
    r"^(?:I|we)\b(?! and\b)|^(?:it|they|he|she|this|that)\b"
    r"|^(?:my|our) (?:[\w'-]+ ){1,4}?(?:is|are|was|were|has|have|had|will|can|can't|cannot|does"
    r"|doesn't|(?!need|hundred)[a-z]+ed|got|went|came|took|made|left|gave|said|told|bought)\b"
    r"|^(?:my|our) (?:[\w'-]+ ){0,2}?(?:(?-i:[A-Z][\w'-]+)|husband|wife|partner|son|daughter|sister"
    r"|brother|mother|father|mom|mum|dad|boss|manager|friend|aunt|uncle|cousin|team|company|shop)"
    r" [a-z]+s\b"
    r"|^(?:and|but|so|please|let's|don't|what|how|you|here's|there's|remind|make|keep|can't)\b",
    re.IGNORECASE,
)
# "I leave on 7 December" needs what went before to say from where and why.
_GOING = re.compile(
    r"\b(?:leave|left|return|returned|start|started|stay|stayed|arrive|arrived|fly|flew|come"
    r"|came|begin|began|finish|finished|land|landed|depart|departed|end|ended|decided|happened)\b"
)
_DATES = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|today|tomorrow|yesterday|week|weekend|month|year|morning|evening|o'clock)\b",
    re.IGNORECASE,
)


_ECHO = re.compile(
    r"^(?:love|loved|loving|can't wait for) (?:it|that|them|this)\b.{0,10}$", re.IGNORECASE
)
# "when I was ten, I moved": the comma ends a clause that can't stand alone.
_SUBORDINATE = re.compile(
    r"\b(?:(?:when|if|while|because|whenever|although|though)\b"
    r"|(?:since|after|before|as|once|until) (?:I|we|you|he|she|they|it|my|our|the|soon|long"
    r"|\w+ing)\b)[^,]*$",
    re.IGNORECASE,
)
