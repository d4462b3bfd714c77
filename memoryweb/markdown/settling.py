"""Whose marks act: what of a text stands in its file once it is written. Pure."""

from collections import defaultdict
from collections.abc import Collection

from memoryweb.language.normal_form import normalise
from memoryweb.markdown.diff import carry
from memoryweb.markdown.marks import Ended, escaped, has_any, marked, part, sentence_of


def settled(before: str, after: str, *, by_person: bool) -> str:
    """The text to keep when `after` is written over `before`. A person's marks act where their
    words stand; whoever else writes neither adds one, nor changes or drops what is there."""
    if not has_any(before) and not has_any(after):
        return after
    old, lines = before.split("\n"), after.split("\n")
    if by_person:
        known = set(old)
        return "\n".join(line if line in known else _acting(line) for line in lines)
    carried = carry([*map(sentence_of, old)], [*map(sentence_of, lines)])
    stood = defaultdict[str, list[str]](list)
    theirs = set(carried.same.values())
    for n, line in enumerate(old, start=1):
        if line.strip() and n not in theirs:
            stood[normalise(line)].append(line)

    def kept(n: int, line: str) -> str:
        if n in carried.same:
            return old[carried.same[n] - 1]
        if there := stood.get(normalise(line)):
            return _reworded(line, there.pop(0))
        was = part(old[carried.changed[n] - 1])[1] if n in carried.changed else ()
        return _new(line, [one for one in was if one.words in part(line)[0]])

    return "\n".join(kept(n, line) for n, line in enumerate(lines, start=1))


def _acting(line: str) -> str:
    sentence, ended = part(line)
    return marked(escaped(sentence), ended)


def _reworded(line: str, was: str) -> str:
    """The same statement in other letters: as it was, where its marks would speak of none."""
    said, ended = escaped(sentence_of(line)), part(was)[1]
    return marked(said, ended) if all(one.words in said for one in ended) else was


def _new(line: str, ended: Collection[Ended]) -> str:
    """Nothing has ended in it but what had in the line that it was."""
    sentence, brought = part(line)
    forged = (one.mark for one in brought if one not in ended)
    return marked(escaped(" ".join([sentence, *forged])), ended)
