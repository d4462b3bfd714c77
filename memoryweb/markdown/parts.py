"""The part of a Markdown text that is worth most where there is no room for all of it. Pure."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.pins import pinned_ranges
from memoryweb.markdown.render import shortened
from memoryweb.markdown.sections import Heading, headings

Stretch = tuple[int, int]  # first and last line, from 1


@dataclass(frozen=True)
class Part:
    """`text` with a note of how many characters were `cut`, and the lines that it holds."""

    text: str
    lines: tuple[Stretch, ...]
    cut: int


def top(content: str, limit: int) -> Part:
    text, cut = shortened(content, limit)
    kept = content[: len(content) - cut]
    last = kept.removesuffix("\n").count("\n") + 1 if kept else 0
    return Part(text, ((1, last),) if last else (), cut)


def newest(content: str, limit: int) -> Part:
    """Its last lines, in their order; headings and empty lines are left out."""
    lines = content.split("\n")
    kept, left = set[int](), limit
    telling = [at for at, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]
    for number in reversed(telling):
        left -= len(lines[number - 1]) + 1
        if left < 0:
            break
        kept.add(number)
    text = "".join(f"{lines[number - 1]}\n" for number in sorted(kept))
    cut = sum(len(lines[number - 1]) + 1 for number in telling if number not in kept)
    return Part(text, tuple(_stretches(kept)), cut)


def worthiest(content: str, limit: int, worth: Callable[[Block], float]) -> Part:
    """Pinned blocks, then those that are worth most, each below its headings, in the text's own
    order; its top where not even one of them fits."""
    lines = content.split("\n")
    there = headings(content)
    left, kept = limit, set[int]()
    for wanted in _in_turn(content, there, worth):
        fresh = wanted - kept
        cost = sum(len(lines[number - 1]) + 1 for number in fresh)
        if cost <= left:
            left -= cost
            kept |= fresh
    if not kept or len(content) <= limit:
        return top(content, limit)
    text = "\n".join(lines[number - 1] for number in sorted(kept))
    cut = len(content) - len(text)
    return Part(f"{text}\n… ({cut} characters more)", tuple(_stretches(kept)), cut)


def _in_turn(
    content: str, there: Collection[Heading], worth: Callable[[Block], float]
) -> Iterator[set[int]]:
    pinned = pinned_ranges(content)
    for first, last in pinned:
        yield _above(there, first) | set(range(first, last + 1))
    for block in sorted(blocks(content), key=lambda one: (-worth(one), one.line)):
        yield _above(there, block.line) | set(range(block.line, block.end + 1))


def _above(there: Collection[Heading], line: int) -> set[int]:
    """The lines of the headings that a line stands below."""
    found, level = set[int](), 7
    for one in sorted(there, key=lambda one: -one.line):
        if one.line < line and one.level < level:
            found |= set(range(one.line + 1, one.end + 1))
            level = one.level
    return found


def _stretches(numbers: Collection[int]) -> Iterator[Stretch]:
    inside = sorted(numbers)
    firsts = [number for number in inside if number - 1 not in numbers]
    lasts = [number for number in inside if number + 1 not in numbers]
    yield from zip(firsts, lasts, strict=True)
