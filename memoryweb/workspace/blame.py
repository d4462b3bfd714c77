"""Who wrote each line: the revision that brought it, found by following lines forward. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from memoryweb.workspace.diff import carry


@dataclass(frozen=True)
class Version:
    """One revision of a file. `text` is the whole text, or what was added to the one before."""

    number: int
    text: str
    is_delta: bool = False
    restored_from: int | None = None


def blame(versions: Iterable[Version], restored: Collection[int] = ()) -> list[int]:
    """For every line of the last version the number of the one that brought it.

    `versions` are all from the first, in order. Text that was restored was written when it was
    first written: `restored` are the numbers that some version brings back.
    """
    lines: list[str] = []
    brought: list[int] = []
    kept: dict[int, list[int]] = {}
    for version in versions:
        if version.is_delta:
            _append(lines, brought, version)
        else:
            after = version.text.split("\n")
            known = kept.get(version.restored_from or 0, [])
            is_restored = len(known) == len(after)  # not where a secret's lines were taken out
            brought = list(known) if is_restored else _carried(lines, brought, after, version)
            lines = after
        if version.number in restored:
            kept[version.number] = list(brought)
    return brought


def _append(lines: list[str], brought: list[int], version: Version) -> None:
    """In place: the rest of a long file is not looked at again."""
    first, *more = version.text.split("\n")
    if not lines:
        lines.append("")
        brought.append(version.number)
    if first:
        lines[-1] += first
        brought[-1] = version.number
    lines += more
    brought += [version.number] * len(more)


def _carried(lines: list[str], brought: list[int], after: list[str], version: Version) -> list[int]:
    found = [version.number] * len(after)
    for number, old in carry(lines, after).same.items():
        found[number - 1] = brought[old - 1]
    return found
