"""When a clause without a date was so, and which "this" means "a"."""

import re
from datetime import datetime

from memoryweb.extraction.rules import dates, tense, verdicts
from memoryweb.extraction.rules.verbs import IRREGULAR_PAST, PAST_ED


def told(text: str) -> str:
    """ "I met this great guy": the storyteller's "this" means "a"."""
    text = _FRIENDS.sub("my ", _ALL_THESE.sub("", text))
    text = _NARRATED.sub(_indefinite, text)
    return _INDEFINITE.sub(_indefinite, re.sub(r"^[Tt]h(?:is|at) (?=[a-z])", "The ", text))


def something(text: str, *, dated: bool) -> str:
    """ "I made it in class yesterday": what was shown is unknown, that it was made is not."""
    shown = _WHAT_WAS_SHOWN.match(text)
    if not shown or not (dated or re.match(r" (?:after|when|for my) ", text[shown.end() :])):
        return text
    return f"{shown[1]} something{text[shown.end() :]}"


def day_in(sentence: str, at: datetime) -> str:
    """ "Last night was great!": the day of what is told next; empty when none is named."""
    if len(sentence.split()) > 9:
        return ""
    found = _DAY_NAMED.search(dates.resolve(sentence, at, future=False).text)
    if found and tense.is_ahead(sentence):
        return ""
    return found.group(0)[:1].lower() + found.group(0)[1:] if found else ""


_DAY_NAMED = re.compile(
    r"\b(?:on (?:the weekend of )?\d{4}-\d\d-\d\d|in the week of \d{4}-\d\d-\d\d)\b",
    re.IGNORECASE,
)


def placed(text: str, dated: bool, at: datetime) -> str:
    """ "I just signed up" happened around that day; what is under way was so that month."""
    fresh = _FRESH.match(text)
    if fresh and (
        dated or verdicts.is_past_act(text) or not re.match(r"(?:I|we)\b", text, re.IGNORECASE)
    ):
        text = f"{fresh['who']} {fresh['have'] or ''}{text[fresh.end() :]}"
        return text if dated else f"{text.rstrip('.!')} (around {at.date()})"
    if not dated and _LATELY.search(text):
        return f"{text.rstrip('.!')} (as of {at:%B %Y})"
    if not dated and _UNDER_WAY.search(text):
        return f"{text.rstrip('.!')} (as of {at:%B %Y})"
    return text


_LATELY = re.compile(
    r"\b(?:recently|lately|currently|right now|these days|nowadays|so far|at the moment|next "
    r"few)\b",
    re.IGNORECASE,
)
_FRESH = re.compile(
    rf"^(?P<who>I|[Ww]e|[Mm]y (?:[\w'-]+ ){{0,3}}[\w'-]+) (?P<have>have |has )?(?:just"
    rf"|recently) (?!did\b|had\b)(?={'|'.join(sorted(IRREGULAR_PAST))}|been |{PAST_ED})"
)
_UNDER_WAY = re.compile(
    r"^(?:I|we) (?:am|are) (?:\w+ly |still |also |now )?(?:working on|looking (?:for|into)"
    r"|searching|thinking (?:about|of)|considering|planning|preparing|training|learning"
    r"|reading|writing|starting|finishing|creating|building|researching|studying|saving"
    r"|applying|trying to)\b"
    r"|^(?:I|we) have (?:\w+ly )?(?:been|known|had|lived|worked)\b.*\b(?:for"
    r"|since)\b.*\b(?:years?|months?|weeks?)\b",
)
# "I met this great guy", "help from this group I joined": the storyteller's "this" means "a".
_NARRATED = re.compile(
    r"\b(across|into|upon|from|with|at|to|by|met|found|saw|had|have|got|is|was|for|of|in|on) "
    r"(this) (?=(?:(?:really|super|very) )?"
    r"(?:amazing|awesome|cool|new|great|nice|huge|big|little|small|lovely|wonderful|crazy"
    r"|weird|old|beautiful|cute|local|incredible|fantastic|funny)\b)"
    r"|\b(across|into|upon|from|with|at|to) (this) (?!(?:and|but|or|to|is|was|has|so|for|with"
    r"|because|when|one|that)\b)(?=[\w/-]+ (?:[\w/-]+ ){0,3}(?:I|we|for"
    r"|that|who|called)\b)"
)
_INDEFINITE = re.compile(
    r"\b((?:I|[Ww]e)(?: \w+ly| just| even| also| all)? (?:made|painted|drew|bought|wrote|got"
    r"|found|took|read|built|baked|cooked|saw|designed|created|finished|started|have made"
    r"|have got|have)) (this|that|these|those) (?!(?:after|when|because|for|to|in|at|last|with"
    r"|while|as|on|is|was|and|but|by|from|about|one)\b)(?=[a-z])()()"
)


def _indefinite(match: re.Match[str]) -> str:
    before, pointer = match[1] or match[3], match[2] or match[4]
    if pointer in {"these", "those"}:
        return f"{before} some "
    following = match.string[match.end() : match.end() + 1]
    return f"{before} {'an' if following in 'aeiouAEIOU' else 'a'} "


# "Known these friends for years", "learn all these tools", "I made it in class on 2024-05-01".
_FRIENDS = re.compile(
    r"\b(?:these|those) (?=(?:\w+ )?(?:friends|guys|kids|children|colleagues|neighbou?rs)\b)"
)
_ALL_THESE = re.compile(r"\b(?<=all )(?:of )?(?:these|those) |\ball (?:these|those) (?=[a-z]+ )")
_WHAT_WAS_SHOWN = re.compile(
    r"^((?:I|[Ww]e) (?:just |also |even )?(?:made|painted|drew|bought|wrote|built|baked"
    r"|cooked|sewed|knitted|designed|created|finished)) (?:it|that|this|these|those"
    r"|them|one)(?= (?:in|at|on|with|for|during|from|after|when)\b)"
)
