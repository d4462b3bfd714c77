"""When a clause without a date was so, and which "this" means "a"."""

import re
from datetime import datetime

from memoryweb.extraction.rules import verdicts
from memoryweb.extraction.rules.verbs import IRREGULAR_PAST, PAST_ED


def told(text: str) -> str:
    """ "I met this great guy": the storyteller's "this" means "a"."""
    text = _NARRATED.sub(_indefinite, text)
    return _INDEFINITE.sub(_indefinite, re.sub(r"^[Tt]h(?:is|at) (?=[a-z])", "The ", text))


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
