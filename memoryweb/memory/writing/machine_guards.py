"""What no machine may do to a memory file: touch what people pinned or wrote, bring addresses."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from memoryweb.audit.record import target
from memoryweb.markdown.marks import without
from memoryweb.markdown.pins import pinned_ranges
from memoryweb.memory.lines.origins import protected_lines
from memoryweb.memory.models import AuthorKind, File, LineOrigin
from memoryweb.memory.models.refusals import FileMissing, Stale
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.statements import projection
from memoryweb.memory.writing.write import lock

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}:)?//[^\s<>\"'`\])}]+|www\.[^\s<>\"'`\])}]+", re.I)
_EMAIL = re.compile(r"[\w.+%-]+@((?:[\w-]+\.)+[^\W\d_]{2,})")
_HOST = re.compile(
    r"(?<![\w@./-])((?:[\w-]+\.)+(?:com|org|net|io|dev|app|co|ai|me|info|biz|ru|cn|de|eu|uk|jp|fr"
    r"|site|online|top|xyz|link|click|example|test))(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BrokenGuard:
    guard: str
    detail: str


def of_people(before: str, after: str, protected_lines: Collection[int]) -> BrokenGuard | None:
    """Whether it would touch what people pinned or wrote: no machine may, by whichever way.

    `protected_lines` are 1-based numbers of lines of `before` that a person edited."""
    return _pinned(before, after) or _protected(before, after, protected_lines)


def of_people_in(file: File, after: str) -> BrokenGuard | None:
    """The same of what stands in a file."""
    return of_people(file.raw_content, after, protected_lines(file))


def addresses_in(texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        links = [url.casefold().rstrip("/.,;:!?*_") for url in _URL.findall(text)]
        found.update(links)
        hosts = [link.split("//")[-1].split("/")[0].split("@")[-1] for link in links]
        found.update(host.removeprefix("www.") for host in hosts)
        found.update(host.casefold() for host in _EMAIL.findall(text))
        found.update(host.casefold().removeprefix("www.") for host in _HOST.findall(text))
    return found


def _pinned(before: str, after: str) -> BrokenGuard | None:
    old, new = _pinned_texts(before), _pinned_texts(after)
    if old == new:
        return None
    lost = len(old) - sum((Counter(old) & Counter(new)).values())
    if lost:
        return BrokenGuard("pinned", f"{lost} of {_count(len(old), 'pinned block')} would change.")
    if Counter(old) == Counter(new):
        return BrokenGuard("pinned", "The pinned blocks would change their order.")
    return BrokenGuard("pinned", f"{_count(len(new) - len(old), 'new pinned block')} would appear.")


def _pinned_texts(text: str) -> list[str]:
    lines = text.split("\n")
    return ["\n".join(lines[start - 1 : end]) for start, end in pinned_ranges(text)]


def _protected(before: str, after: str, numbers: Collection[int]) -> BrokenGuard | None:
    lines = without(before).split("\n")
    kept = [lines[n - 1] for n in sorted(set(numbers)) if 0 < n <= len(lines)]
    kept = [line for line in kept if line.strip()]
    there = LCSseq.similarity(kept, without(after).split("\n"))
    if there == len(kept):
        return None
    lost = len(kept) - there
    whole = _count(len(kept), "line") + " edited by a person"
    return BrokenGuard("edited", f"{lost} of {whole} would be changed, moved or lost.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else noun + 's'}"


# A person lets machines change lines that a person wrote, or has them kept again (SPEC §3).


def release(tx: Transaction, file: File, first: int, last: int, *, expected: str) -> int:
    """Let machines change a person's lines from `first` to `last`; how many these were.

    `expected` is the SHA-256 of the text that the numbers are about. Raises FileMissing, Stale.
    """
    return _set(tx, file, range(first, last + 1), expected, released=True)


def keep(tx: Transaction, file: File, first: int, last: int, *, expected: str) -> int:
    """Undo `release`."""
    return _set(tx, file, range(first, last + 1), expected, released=False)


def _set(tx: Transaction, file: File, lines: range, expected: str, *, released: bool) -> int:
    file = lock(file)
    if file.deleted_at is not None:
        raise FileMissing(file.path)
    if file.sha256 != expected:
        raise Stale(file)
    rows = LineOrigin.objects.filter(
        file=file,
        author_kind=AuthorKind.PERSON,
        line__gte=lines.start,
        line__lt=lines.stop,
        released=not released,
    )
    count = rows.values("line").distinct().count()
    if rows.update(released=released):
        projection.weigh(file)
        tx.record(
            "line.released" if released else "line.kept",
            **target(file),
            target_revision=file.revision,
            on_behalf_of=file.owner_id,
            labels={"path": file.path},
            details={"first": lines.start, "last": lines.stop - 1, "lines": count},
        )
    return count
