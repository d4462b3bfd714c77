"""Words that point at something said elsewhere."""

import re

_EXPLETIVE = re.compile(
    r"\bit(?:'s| is| was| takes| took| would be| feels| felt| has been)"
    r" (?:so |really |very |super |such )?(?:(?:an? )?[\w-]+ )?"
    r"(?:to|that|when|how|being|seeing|knowing|having)\b"
    r"|\b(?:make|makes|made|find|finds|found) it [\w-]+ (?:to|that|for)\b"
    r"|\bthere (?:is|are|was|were|'s|will be|has been)\b",
    re.IGNORECASE,
)
_VERBS = r"(?:is|was|has|had|are|were|can|could|will|would|may|really|makes|made|some|people|there)"
_THAT_NOUN = (
    r"\b(?:of|on|in|at|for|with|to|from|into|like|about|read|reading|capture|see|got|had|did"
    r"|love|want"
    r"|took|made|use|using|share|get|after|before|all) that"
    rf"(?: (?!(?:I|we|they|he|she|it|you|my|our|the|a|an|{_VERBS})\b)[a-z]\w*\b"
    r"(?! (?:I|you|we|he|she|they|[A-Z]\w+)\b)|(?=[.,!]|$))"
)
_THING = re.compile(
    r"\b(?:it|its|this|such|similar(?! to)|doing so|the same|(?<!of )mine|(?<!of )ours)\b"
    r"|\b(?:am|is|was|been|be|have"
    r"|had|got|made|did"
    r"|bought) one\b"
    rf"|\bthat(?=[.,!]|$| {_VERBS}\b)|{_THAT_NOUN}|\b(?:there|here)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(r"\b(?:they|them|their|theirs|he|she|him|his|her|hers|ones)\b", re.IGNORECASE)
_WHO = r"(?:people|person|kids?|children|friends?|folks|family|everyone|someone|others|group|team)"
_NOUN_BEFORE = re.compile(
    rf"\b(?i:a|an|the|my|our|some|two|three|four|five|many|lots of|of|for|with|as|by|in|at|like"
    rf"|love|enjoy|new)"
    rf" (?!(?:\w+ )?{_WHO}\b)(?:[\w'-]+ ){{0,3}}?[\w'-]{{3,}}|\b[\w-]{{2,}}ing\b(?! ?$)"
    rf"|(?<!^)\b(?!I\b)[A-Z][\w'-]+"
)
_PERSON_BEFORE = re.compile(
    rf"\b{_WHO}\b|\b(?!was\b|is\b)[a-z]{{3,}}s\b|\b(?i:my|our|a|an|the) (?:[\w'-]+ "
    rf")?[\w'-]{{3,}}|(?<!^)\b(?!I\b)[A-Z][\w'-]+"
)


_THESE = re.compile(
    r"\b(?:these|those)\b(?! (?:who|with|of|days|that|in|around|close)\b)", re.IGNORECASE
)


# "We don't go often": where to was said before.
_NOWHERE = re.compile(
    r"\b(?:go|goes|went|come|been) (?:very |that |so |too |quite )?(?:often|a lot|much"
    r"|regularly)\b",
    re.IGNORECASE,
)


def dangles(text: str) -> bool:
    """Whether a first-person clause points at something that it doesn't name before."""
    bare = _EXPLETIVE.sub(" ", text)
    if _THESE.search(bare) or _NOWHERE.search(bare):
        return True
    return any(
        match and not antecedent.search(bare[: match.start()])
        for match, antecedent in (
            (_THING.search(bare), _NOUN_BEFORE),
            (_PEOPLE.search(bare), _PERSON_BEFORE),
        )
    )
