"""A file's text without what some of its revisions, or some of its lines, brought. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from memoryweb.markdown.marks import part
from memoryweb.markdown.merge import Kind, merge
from memoryweb.markdown.sections import headings

UNTOLD = "[reverted]"


def stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Revisions that follow each other, as (first, last), the newest first, as they are given."""
    last = first = 0
    for number in numbers:
        if first and number == first - 1:
            first = number
            continue
        if first:
            yield first, last
        first = last = number
    if first:
        yield first, last


def without_lines(text: str, gone: Collection[int]) -> str:
    lines = enumerate(text.split("\n"), start=1)
    return "\n".join(line for number, line in lines if number not in gone)


def untold(text: str, gone: Collection[int]) -> str:
    """As the diary has it: what it told keeps its place."""
    lines = text.split("\n")
    for number in gone:
        bullet = "- " if lines[number - 1].lstrip().startswith("- ") else ""
        lines[number - 1] = bullet + UNTOLD
    return "\n".join(lines)


def without_revisions(
    text: str, numbers: Sequence[int], contents: Mapping[int, str], stays: Collection[str]
) -> tuple[str, int]:
    """The text without what revisions `numbers` did; where somebody changed the same lines later,
    theirs stay, and so does what stands on other sources. Also how many lines are left that were
    changed. `contents` are those of the last of each stretch and of the one before its first."""
    left = 0
    for first, last in stretches(numbers):
        text, met = _without(contents[last], contents[first - 1], text, stays)
        left += met
    return text, left


def without_bare_headings(before: str, after: str, kept: Collection[str]) -> str:
    """Headings with nothing under them any more go, but for the title, for those that had nothing
    before, and for `kept`."""
    stay = {*kept, *(line for line, _at, _next in _bare(before))}
    lines = after.split("\n")
    has_gone = False
    while found := [one for one in _bare("\n".join(lines)) if one[0] not in stay]:
        _line, at, following = found[-1]
        del lines[at:following]
        has_gone = True
    text = "\n".join(lines)
    return f"{text.rstrip()}\n" if has_gone else text


def _bare(text: str) -> Iterator[tuple[str, int, int]]:
    """Headings below the title that only blank lines follow up to one of their level or above:
    the line, its index, and that of what follows."""
    lines = text.split("\n")
    levels = {one.line: one.level for one in headings(text)}
    for one in headings(text):
        said = (at for at in range(one.end, len(lines)) if lines[at].strip())
        following = next(said, len(lines))
        is_last = following == len(lines)
        if one.level > 1 and (is_last or levels.get(following, one.level + 1) <= one.level):
            yield lines[one.line], one.line, following


def _without(base: str, before: str, mine: str, stays: Collection[str]) -> tuple[str, int]:
    lines: list[str] = []
    left = 0
    for hunk in merge(base, before, mine):
        said = [line for line in hunk.mine if line.strip()]
        if hunk.kind is Kind.CONFLICT and set(said) <= set(hunk.base):
            # Nobody wrote here since: what is left of the source's lines stands on others, too, and
            # what others took out meanwhile stays away.
            out = {*hunk.base} - {*hunk.mine}
            lines += [line for line in hunk.theirs if line not in out]
            lines += _but(said, hunk.theirs)
        elif hunk.kind is Kind.CONFLICT:
            lines += hunk.mine
            left += sum(1 for line in hunk.mine if line.strip() and line in hunk.base)
        else:
            merged = hunk.merged
            lines += [*merged, *_but([one for one in hunk.mine if one in stays], merged)]
    return "\n".join(lines), left


def _but(lines: Iterable[str], there: Iterable[str]) -> list[str]:
    """Those that don't stand there, with whatever marks: what a source ended lives again."""
    known = {part(line)[0] for line in there}
    return [line for line in lines if part(line)[0] not in known]
