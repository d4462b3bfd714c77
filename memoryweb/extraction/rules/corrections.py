""" "It's Tuesday, not Thursday": the earlier sentence said again with the right word in it."""

import re
from collections.abc import Sequence

_CORRECTION = re.compile(
    r"^(?:it's|it is|it was|that's|that is|it should be|that should be|it should have been"
    r"|i meant|i mean|i meant to say|make (?:it|that)) (?:actually )?"
    r"(?P<new>[^,.;]{1,60}?),? (?:and )?not (?P<old>[^,.;]{1,60}?)[.!]*$",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:on|in|at|the|a|an|for|to|by) ", re.IGNORECASE)


def corrected(sentence: str, earlier: Sequence[str]) -> str:
    """The last of the person's `earlier` sentences with the old value replaced; else `sentence`."""
    match = _CORRECTION.match(sentence)
    if not match:
        return sentence
    old, new = _bare(match["old"]), _bare(match["new"])
    wrong = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    for said in reversed(earlier):
        if wrong.search(said):
            return wrong.sub(lambda found: new, said, count=1)
    return sentence


def _bare(value: str) -> str:
    return _LEADING.sub("", value.strip())
