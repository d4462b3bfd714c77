"""What an English clause speaks of: its subject, what stands before it, and a subject left out."""

import re

from memoryweb.extraction.rules.verbs import IRREGULAR_PAST, PAST_ED, words_of


def kind(text: str) -> str:
    if re.match(r"(?:I|we)\b", text, re.IGNORECASE):
        return "first"
    if re.match(r"you(?:r|rs)?\b", text, re.IGNORECASE):
        return "you"
    if _MINE.match(text):
        return "mine"
    if _DETERMINED.match(text):
        return "other"
    if _PRONOUN.match(text):
        return "pronoun"
    return "none" if _SUBORDINATE.match(text) else "other"


_PRONOUN = re.compile(
    r"^(?:it|its|this|that|these|those|they|their|he|she|his|her|them|there|here|one|both|such"
    r"|so|which|who|what|each|all of|some of|none|everyone|everything|nothing|neither)\b",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"^(?:my|our|me and|all my|both my|both of my|one of my|some of my|the rest of my|an? "
    r"[\w-]+ of mine|someone I|half of my|most of my)\b",
    re.IGNORECASE,
)
# "The necklace is special to me", but not "the moments" or "this journey".
_DETERMINED = re.compile(
    r"^(?:this|that) (?!(?:is|was|has|one|makes?|made|will|would|day|year"
    r"|week|month|time|way|journey|pic|photo)\b)[a-z]\w+ (?:\w+ )?(?:is|was|has|helps|reminds"
    r"|stands|means)\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"^(?:since|when|while|because|as|if|after|before|whenever|although"
    r"|though|until|unless|almost|especially|like|just|than|to|for|with|from|of|in|at|on)\b",
    re.IGNORECASE,
)


def lead(text: str) -> str:
    """What stands before the subject: "On 2024-05-01, ", "When I was ten, "."""
    clause = _FRONT_CLAUSE.match(text)
    if clause:
        return clause.group(0)
    match = _FRONT.match(text)
    return match.group(0) if match and not _SUBORDINATE_SUBJECT.match(text) else ""


_FRONT = re.compile(
    r"^(?:(?:on|in|at|during|after|before|when|while|since|as|for|with|because|whenever|every"
    r"|once|over|by|a few|a couple|some|around|due to"
    r"|two|three|several|recently|lately|currently|growing up|these days|nowadays|right now"
    r"|now|finally|eventually|sometimes|usually|if|to)\b[^.;!]{0,90}?,? )"
    r"(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_FRONT_CLAUSE = re.compile(
    r"^(?:since|when|while|because|as|if|after|before|whenever|although|though|once|until"
    r"|growing up|during|ever since)\b[^,]{0,90}, (?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_SUBORDINATE_SUBJECT = re.compile(
    r"^(?:ever |just )?(?:since|when|while|because|as|if|after"
    r"|before|whenever|although|though|once|until) (?:I|we|my|our)\b",
    re.IGNORECASE,
)


def with_subject(text: str) -> str:
    """ "Lost my job", "Gonna move", "Finishing my thesis": the left-out "I" put back."""
    lowered = text[:1].lower() + text[1:]
    if re.match(
        r"(?:just |still |also )?(?:going to|planning|thinking (?:of|about)|hoping to|about to)\b",
        lowered,
    ):
        return f"I am {lowered}"
    if re.match(
        r"(?:just |also |already |never |only )?been (?:only |just |\w+ly )?(?:to|in|into"
        r"|\w+ing|\w+ed|on)\b",
        lowered,
    ):
        return f"I have {lowered}"
    if re.match(
        r"(?:want to|have to|have got|used to|can't stand|cannot stand|never (?:had|got"
        r"|learned|liked))\b",
        lowered,
    ):
        return f"I {lowered}"
    if _ELIDED_PAST.match(lowered):
        return f"I {lowered}"
    gerund = _GERUND.match(lowered)
    if (
        gerund
        and gerund["verb"] not in _NOT_GERUND
        and not FINITE.search(text)
        and not _SHARED.search(text)
    ):
        return f"I am {lowered}"
    return text


_ELIDED_PAST = re.compile(
    rf"^(?P<adv>(?:just|finally|recently|already|also|actually|even|once|only|still) "
    rf")?(?P<verb>(?!had better|excited|impressed|thrilled|inspired|amazed|interested|worried"
    rf"|tired|touched|honou?red|blessed|relieved|pleased|loved"
    rf"|need)(?:{'|'.join(sorted(IRREGULAR_PAST))}|{PAST_ED}))"
    r" (?=(?:(?:up|out|down|off|on|over|back|away)\b ?)?(?:my|a|an|the|some|to|in|at|for|with"
    r"|from|that|this|these|up|new|lots|our|two|three|into|hitting|going|working|\w+ing|it"
    r"|them|him|her|by)\b)",
    re.IGNORECASE,
)
FINITE = re.compile(
    r"\b(?:is|was|are|were|has|have|can|will|makes?|made|helps?|helped|means?|looks?|feels?"
    r"|lets?|gives?|gave|takes?|took|isn't|wasn't|brings?|brought|keeps?|seems?|sounds?|shows?"
    r"|needs?|would|could|should|really|\w+'s (?:a|the|so|been|always|\w+ing))\b"
)
_GERUND = re.compile(
    r"^(?P<adv>(?:just|still|also|currently|really|even|finally|always) "
    r")?(?P<verb>[A-Za-z]{2,}ing)\b(?!')(?! (?:my|our)? ?\w+ (?:is|was)\b)",
    re.IGNORECASE,
)
_SHARED = re.compile(r"\b(?:our|us|each other|ourselves|we|ours)\b", re.IGNORECASE)
_NOT_GERUND = words_of(
    """thing nothing something anything everything king ring spring string during sing bring
    wedding morning evening"""
)
