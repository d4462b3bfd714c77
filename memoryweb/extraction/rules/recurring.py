"""What comes again: habits keep their weekday."""

import re

from memoryweb.extraction.rules.tense import clause_at

_HABIT = re.compile(
    r"\b(?:always|usually|normally|typically|generally|mostly|often|regularly|every|each|weekly"
    r"|whenever|tends? to|used to|(?:once|twice|\w+ times) a week|never|only ever|by default)\b",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_OPENING_HOURS = re.compile(
    rf"\bfrom\s+{_WEEKDAY}\s+(?:to|until|till|through)\s+{_WEEKDAY}\b", re.IGNORECASE
)
_ONCE = re.compile(
    r"\b(?:will|'ll|going to|last|next|this|was|were|away|travel\w*|\w+ed)\b", re.IGNORECASE
)


def is_habit(text: str, start: int, end: int) -> bool:
    """Whether a bare weekday at this place is that of every week."""
    before, after = clause_at(text, start, end)
    clause = f"{before} {text[start:end]} {after}"
    if _OPENING_HOURS.search(clause) and not _ONCE.search(clause):
        return True
    return bool(_HABIT.search(before) or _HABIT.search(after))
