"""Short answers made whole by the question: "How long have you been married?" "Five years!" """

import re
from collections.abc import Callable
from datetime import datetime

_NUMBER = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fifteen|twenty|thirty)"
)
_DURATION = re.compile(
    rf"^(?:for |about |around |almost |nearly |over |it's been |it has been |been "
    rf")*(?P<for>(?:(?:about|around|almost|nearly|over) )?(?:{_NUMBER}|a few|a couple of"
    rf"|several|many) (?:and a half )?(?:years|year|months|month|weeks|week|days|decades"
    rf"|decade))\b",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"^(?:ever )?(?P<since>since (?:\d{4}|(?:last|early|late) \w+|(?:[A-Z]\w+ "
    r"){1,2}\d{0,4}|I was .{2,40}|my .{2,40}|childhood|college|high school|university))[.!,]*",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|yea|sure|of course|absolutely|definitely|i do"
    r"|certainly|indeed)\b[\s,.!–-]*(?:i do\b[\s,.!–-]*)?(?:actually[, ]+)?",
    re.IGNORECASE,
)
_NO = re.compile(r"^(?:no|nope|nah|not really|not at all|i don't|never)\b[\s,.!–-]*", re.IGNORECASE)
_HEDGE = re.compile(
    r"^(?:(?:i'd say|i would say|i guess|i think|probably|definitely|maybe|that would be"
    r"|that'd be|it's|it is|it was|it would be|they're|they are|that's|mine is|mine's|just"
    r"|well|hmm|um"
    r"|a|i'm|i am|i prefer|i like|i love|i use|i play|i speak|i work as|i work at|i live in"
    r"|i'm from|i am from|from|in|at|as|his name is|her name is|their names are|my name is|my "
    r"name's|called|named|that's|he's|she's)[, ]+)+",
    re.IGNORECASE,
)
_NOT_NAME = re.compile(
    r"^(?:it|this|that|they|he|she|you|we|i|my|our|keep|make|please|use|let|just|do|don't|try"
    r"|give|be|not|no|yes|yeah|there|here|so|very|really|good"
    r"|great|hard|tough|why|because|what|how|nothing|everything|all|both|either|neither|sure"
    r"|sorry|thanks|of|to|with|anything|whatever|going|doing|being|oh|wow)\b",
    re.IGNORECASE,
)
_PET = (
    r"(?:dogs?|cats?|pup(?:s|py|pies)?|kitt(?:y|ies|ens?)|pets?|hamsters?|rabbits?|guinea "
    r"pigs?|parrots?|birds?|horses?|sons?|daughters?|kids|children|child|baby|twins|brothers?"
    r"|sisters?|siblings|nieces?|nephews?|wife|husband|partner|boss|manager)"
)
_OWNED = re.compile(
    rf"\b(?:my|our|your|an?|two|three) ((?:[\w-]+ )?{_PET}(?: and (?:an? |my "
    rf"|our )?(?:[\w-]+ )?{_PET})?)\b",
    re.IGNORECASE,
)


def whole(question: str, reply: str, before: str, at: datetime) -> str:
    """The reply as a first-person sentence of its own, or empty.

    `reply` is one sentence with its openers; `before` is what both said just before the question.
    """
    asked = " ".join(question.split()).rstrip("?！!. ")
    said = reply.strip().rstrip(".! ")
    for pattern, build in _PATTERNS:
        match = pattern.search(asked)
        if match:
            return build(match, said, before or "", at)
    return ""


def _how_long(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    doing = _mine(match["doing"].strip())
    if re.search(r"\b(?:it|that|this|them|there|such|one)\b", doing, re.IGNORECASE):
        return ""
    lasting, since = _DURATION.match(said), _SINCE.match(said)
    if lasting:
        return f"I have {doing} for {lasting['for'].lower()} (as of {at:%B %Y})"
    return f"I have {doing} {since['since'][:1].lower()}{since['since'][1:]}" if since else ""


def _phrase(said: str, words: int = 8) -> str:
    """The noun phrase of a short answer; empty when it is a sentence or says nothing."""
    text = re.split(
        r"[.;!?]| - | – |, (?:it|it's|because|but|so|and (?:I|it|you)|what|how"
        r"|they)\b",
        said,
    )[0]
    article = (
        re.match(r"(?:.*?\b)?(an?|the) (?=\w)", text)
        if re.match(r"^(?:it's|i'm|it was|a|an|the)\b", text, re.IGNORECASE)
        else None
    )
    bare = _HEDGE.sub("", text).strip(" ,")
    if (
        not bare
        or _NOT_NAME.match(bare)
        or len(bare.split()) > words
        or re.search(
            r"\b(?:you"
            r"|your)\b",
            bare,
        )
    ):
        return ""
    starts = bare.lower().startswith(("a ", "an ", "the "))
    return f"{article[1].lower()} {bare}" if article and not starts else bare


def _place(verb: str) -> Callable[[re.Match[str], str, str, datetime], str]:
    def build(match: re.Match[str], said: str, before: str, at: datetime) -> str:
        place = _phrase(said, 5)
        return f"I {verb} {place}" if place[:1].isupper() else ""

    return build


def _own(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    thing, phrase = match["thing"].strip(), _phrase(said)
    if not phrase or re.search(
        r"\b(?:plan|opinion|thought|take|point|idea|secret|favou?rite "
        r"part|day|weekend)\b",
        thing,
    ):
        return ""
    verb = "are" if re.search(r"[^s]s$", thing) and " and " in phrase else "is"
    when = re.match(r"(?:on |in )?(?=\d|[A-Z]\w+ \d)", phrase)
    on = "on " if when and match.re.pattern.startswith("when") else ""
    return f"My {thing} {verb} {on}{phrase}"


def _job(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    phrase = _phrase(said, 6)
    return f"I work as {phrase}" if re.match(r"(?:an?|the) \w", phrase) else ""


def _age(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    number = re.search(r"\b(\d{1,3})\b", said)
    return f"I am {number[1]} years old (as of {at:%B %Y})" if number else ""


def _names(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    owned = _OWNED.findall(match.string) or _OWNED.findall(before)
    names = re.search(r"\b[A-Z][\w'-]+(?:(?:, | and |, and )[A-Z][\w'-]+)*", _HEDGE.sub("", said))
    if not owned or not names:
        return ""
    whom = re.sub(r" and (?:an? |my |our )?", " and ", owned[-1])
    plural = " and " in whom or whom.endswith("s")
    if plural != (" and " in names.group(0)):
        return ""
    return f"My {whom} {'are' if plural else 'is'} called {names.group(0)}"


def _having(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    thing = match["thing"].strip()
    if _NO.match(said):
        return f"I have no {thing}"
    yes = _YES.match(said)
    rest = _phrase(said[yes.end() :]) if yes else ""
    if re.match(rf"(?:{_NUMBER}|some|a|an|lots|several|many)\b", rest, re.IGNORECASE):
        counted = re.fullmatch(rf"{_NUMBER}", rest, re.IGNORECASE)
        return f"I have {rest} {thing}" if counted else f"I have {rest}"
    return (
        f"I have {thing if thing.endswith('s') else 'a ' + thing}"
        if yes and not rest and match["any"] != "any"
        else ""
    )


def _doing(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    rest = match["rest"].strip()
    if not rest or re.search(
        r"\b(?:it|that|this|them|there|those|these|one|think|know|mean"
        r"|see|me|want|have|feel|need|remember|mind)\b",
        f"{match['verb']} {rest}",
    ):
        return ""
    if _YES.match(said):
        return f"I {match['verb']} {_mine(rest)}"
    return f"I do not {match['verb']} {_mine(rest)}" if _NO.match(said) else ""


def _choosing(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    phrase = _phrase(said)
    return f"I {match['verb']} {phrase}" if phrase else ""


def _who(match: re.Match[str], said: str, before: str, at: datetime) -> str:
    phrase, rest = _phrase(said, 5), match["rest"]
    if not phrase[:1].isupper() or re.search(r"\b(?:it|that|this|them|there)\b", rest):
        return ""
    rest = re.sub(r"\byou\b", "me", re.sub(r"\byour\b", "my", rest))
    return f"{phrase} {match['verb']} {rest}"


def _mine(text: str) -> str:
    return re.sub(
        r"\byou\b", "I", re.sub(r"\byour\b", "my", re.sub(r"\byourself\b", "myself", text))
    )


_Build = Callable[[re.Match[str], str, str, datetime], str]
_YOU = r"you(?: guys| two| both| all)?"


def _rule(pattern: str, build: _Build) -> tuple[re.Pattern[str], _Build]:
    return re.compile(pattern, re.IGNORECASE), build


_PATTERNS = (
    _rule(
        rf"\bhow long have {_YOU} (?P<doing>(?:been|had|known|lived|worked|played|owned"
        rf"|studied|done|practi[sc]ed)\b.*)$",
        _how_long,
    ),
    _rule(rf"\bwhere (?:are {_YOU} (?:originally )?from|do {_YOU} come from)\b", _place("am from")),
    _rule(rf"\bwhere (?:do {_YOU} live|are {_YOU} (?:based|living|located))\b", _place("live in")),
    _rule(
        r"\bwhat do you do(?: for (?:a living|work))?$|\bwhat(?:'s| is) your (?:job"
        r"|profession|occupation|role)$",
        _job,
    ),
    _rule(r"\bhow old are you\b", _age),
    _rule(
        r"\bwhat(?:'s| is| are| were) (?:(?:their|his|her|its|your [\w ]+?(?:'s)?) )?names?$"
        r"|\bwhat (?:are|is) (?:they|he|she|it|your [\w ]+) (?:called|named)$",
        _names,
    ),
    _rule(
        r"\b(?:what|who|which)(?:'s| is| are) your (?P<thing>(?:favou?rite|fave|fav) [\w "
        r"]{2,40}|(?:full |first |last )?name|(?:phone|order|account|e-?mail|home) ?[\w "
        r"]{0,20}|[\w ]{2,20} (?:address|number|language|team|goal|budget|size|title"
        r"|company))$",
        _own,
    ),
    _rule(r"when(?:'s| is) your (?P<thing>[\w' ]{3,40})$", _own),
    _rule(
        rf"\bdo {_YOU} have (?:(?P<any>any|an?) )?(?P<thing>(?:[\w-]+ )?(?:kids|children"
        rf"|pets?|siblings|brothers|sisters|brothers or sisters|allerg(?:y|ies)|dogs?|cats?"
        rf"|hobb(?:y|ies)))$",
        _having,
    ),
    _rule(
        rf"\bdo {_YOU} (?P<verb>like|enjoy|play|speak|eat|drink|work|live|smoke|drive|own"
        rf"|use|collect|sing|paint|run|swim|cook|read|write|study)(?P<rest>\b.*)$",
        _doing,
    ),
    _rule(
        r"\b(?:what|which)(?: [\w ]{2,30})? (?:do|would) you (?P<verb>prefer|like|play|speak"
        r"|use|collect|study|teach)(?: (?:to use|most|best))?$",
        _choosing,
    ),
    _rule(
        r"^who (?P<verb>performed|sang|played|won|taught|gave|designed|wrote|supports"
        r"|inspired|owns|manages|runs|leads|made) (?P<rest>[\w' ]+)$",
        _who,
    ),
)
