"""Words that point at something said elsewhere."""

import re

_EXPLETIVE = re.compile(
    r"\bit(?:'s| is| was| takes| took| would be| feels| felt| has been)? (?:so |really |very |super |such )?(?:(?:a |an )?[\w-]+ )?(?:to|that|when|how|being|seeing|knowing|having)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:it|its|them|they|their|he|she|him|her|his|there|these|those|this|here|ones|such|doing so|same|another one|one I|one we)\b|\bthat(?=[.,!]|$| (?:was|is|day|one|time|place|makes|made|has)\b)|\b(?:of|about|for|with|to|at|like|do|did|doing|after|before) that\b",
    re.IGNORECASE,
)
_NOUN_BEFORE = re.compile(
    r"\b(?:a|an|the|my|our|some|two|three|four|five|many|lots of|of|for|with|as|by|to|in|at|like|love|enjoy|new) (?:[\w'-]+ ){0,3}[\w'-]{3,}|\b[\w-]{2,}ing\b|\b(?<!^)[A-Z][\w'-]+",
)
_EXISTS = re.compile(r"\bthere (?:is|are|was|were|'s|will be|has been)\b", re.IGNORECASE)


def dangles(text: str) -> bool:
    """Whether a first-person clause points at something that it doesn't name before."""
    bare = _EXISTS.sub(" ", _EXPLETIVE.sub(" ", text))
    match = _POINTING.search(bare)
    return bool(match) and not _NOUN_BEFORE.search(bare[: match.start()])
