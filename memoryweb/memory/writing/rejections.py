"""What a person rejected is not proposed again: in these words or in nearly these, nor the same
value of the same thing in others. Pure."""

from collections.abc import Collection

from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import Lookup, clean, says_the_same
from memoryweb.markdown.diff import carry


def states(line: str) -> bool:
    """Says something: not blank, no heading, no comment."""
    return bool(line.strip()) and not line.strip().startswith(("#", "<!--"))


class Rejections:
    """Statements that a person rejected, to be asked whether a text brings one of them again."""

    def __init__(self, texts: Collection[str]) -> None:
        self._lookup = Lookup(sorted(texts))
        self._values = {_value(text) for text in texts} - {None}

    def has(self, text: str) -> bool:
        if self._values and _value(text) in self._values:
            return True
        if next(self._lookup.within(text), None) is not None:
            return True
        return any(says_the_same(text, other) for other in self._lookup.covering(text))


def _value(text: str) -> tuple[tuple[str, str], str] | None:
    claim = claim_of(text)
    return (claim.key, normalise(claim.value)) if claim.key else None


def without_rejected(before: str, after: str, rejected: Collection[str]) -> tuple[str, int]:
    """`after` without the new lines that say what was rejected, and how many those were. Where
    one had taken the place of an old line, that one is back."""
    if not rejected:
        return after, 0
    rejections = Rejections(rejected)
    old, lines = before.split("\n"), after.split("\n")
    changed = carry(old, lines).changed
    kept: list[str] = []
    left_out = 0
    for number, line in enumerate(lines, start=1):
        if line in old or not states(line) or not rejections.has(clean(line)):
            kept.append(line)
            continue
        left_out += 1
        if number in changed:
            kept.append(old[changed[number] - 1])
    return "\n".join(kept), left_out
