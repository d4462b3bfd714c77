"""Who wrote each line: the revision that brought it, found by following lines forward. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from memoryweb.markdown.diff import carry


@dataclass(frozen=True)
class Version:
    """One revision of a file. `text` is the whole text, or what was added to the one before."""

    number: int
    text: str
    is_delta: bool = False
    restored_from: int | None = None


@dataclass(frozen=True)
class Blame:
    """The lines of a version, and for each the number of the one that brought it."""

    lines: Sequence[str]
    brought: Sequence[int]


@dataclass(frozen=True)
class Later:
    """What became of the lines of a version: their numbers then, by their number in the last
    version (`there`), or by the version that took them away and their number just before it."""

    gone: dict[tuple[int, int], int]
    there: dict[int, int]


def blame(versions: Iterable[Version], restored: Collection[int | None] = ()) -> Blame:
    """`versions` are all from the first, in order. Text that was restored was written when it was
    first written: `restored` are the numbers that some version brings back.
    """
    lines: list[str] = []
    brought: list[int] = []
    kept: dict[int, Blame] = {}
    for version in versions:
        if version.is_delta:
            _append(lines, brought, version)
        else:
            after = version.text.split("\n")
            found = [version.number] * len(after)
            if version.restored_from in kept:
                _carry(kept[version.restored_from], after, found)
            _carry(Blame(lines, brought), after, found)
            lines, brought = after, found
        if version.number in restored:
            kept[version.number] = Blame(list(lines), list(brought))
    return Blame(lines, brought)


def later(lines: Sequence[str], versions: Iterable[Version]) -> Later:
    """`versions` are all that follow the one with these lines, in order."""
    gone: dict[tuple[int, int], int] = {}
    there = {line: line for line in range(1, len(lines) + 1)}
    text = list(lines)
    for version in versions:
        if version.is_delta:
            _append(text, [], version)
            continue
        after = version.text.split("\n")
        now = {old: new for new, old in carry(text, after).same.items()}
        gone |= {(version.number, at): line for at, line in there.items() if at not in now}
        there = {now[at]: line for at, line in there.items() if at in now}
        if not there:
            break
        text = after
    return Later(gone, there)


def _append(lines: list[str], brought: list[int], version: Version) -> None:
    """In place: the rest of a long file is not looked at again."""
    first, *more = version.text.split("\n")
    last = lines.pop() if lines else ""
    lines += [last + first, *more]
    since = brought.pop() if brought else version.number
    brought += [version.number if first else since, *[version.number] * len(more)]


def _carry(before: Blame, after: list[str], found: list[int]) -> None:
    for number, old in carry(before.lines, after).same.items():
        found[number - 1] = before.brought[old - 1]
