"""What no machine may do to a memory file, whichever model or rule proposes it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from memoryweb.language.statements import Lookup, clean, normalise
from memoryweb.markdown.file_kinds import CORE
from memoryweb.markdown.pins import pinned_ranges

CAP = CORE["MEMORY.md"].limit or 0  # characters: what no prompt is given is no memory
FREE_LINES = 40  # up to so many lines, a day may change as much as it likes
CHANGED_SHARE = 0.20
DROPPED_SHARE = 0.25

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}:)?//[^\s<>\"'`\])}]+|www\.[^\s<>\"'`\])}]+", re.I)
_EMAIL = re.compile(r"[\w.+%-]+@((?:[\w-]+\.)+[^\W\d_]{2,})")
_HOST = re.compile(
    r"(?<![\w@./-])((?:[\w-]+\.)+(?:com|org|net|io|dev|app|co|ai|me|info|biz|ru|cn|de|eu|uk|jp|fr"
    r"|site|online|top|xyz|link|click|example|test))(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Broken:
    guard: str
    detail: str


def check(
    before: str,
    after: str,
    *,
    inputs: Sequence[str] = (),
    protected_lines: Collection[int] = (),
    superseded: Sequence[str] = (),
    confirmed_facts: Sequence[str] = (),
    changed_today: int = 0,
    cap: int = CAP,
    has_secret: Callable[[str], bool] = lambda text: False,
) -> list[Broken]:
    """The guards that a machine's new text of a memory file breaks; none for the same text.

    `protected_lines` are 1-based numbers of lines of `before` that a person edited; `inputs`
    all texts the writer was given; `superseded` the old lines that a new value replaced;
    `changed_today` the lines that machines have changed on this local date.
    """
    if after == before:
        return []
    if not after.strip():
        return [Broken("empty", "The new text is empty.")]
    found = (
        _pinned(before, after),
        _protected(before, after, protected_lines),
        _confirmed(after, confirmed_facts),
        _dropped(before, after, superseded),
        _changed(before, after, changed_today),
        _size(after, cap),
        _secret(before, after, has_secret),
        _addresses(before, after, inputs),
    )
    return [broken for broken in found if broken is not None]


def of_people(before: str, after: str, protected_lines: Collection[int]) -> Broken | None:
    """Whether it would touch what people pinned or wrote: no machine may, by whichever way."""
    return _pinned(before, after) or _protected(before, after, protected_lines)


def changed_lines(before: str, after: str) -> int:
    """Lines added or removed; a replaced one counts once, a blank one never."""
    old, new = _said(before), _said(after)
    return max(len(old), len(new)) - LCSseq.similarity(old, new)


def allowed_changes(before: str, changed_today: int = 0) -> int | None:
    """How many lines machines may still change on this date; None where there is no limit.

    Lines that were added today don't widen the room for more."""
    lines = len(_said(before))
    if lines <= FREE_LINES:
        return None
    return max(0, int(CHANGED_SHARE * (lines - changed_today)) - changed_today)


def _pinned(before: str, after: str) -> Broken | None:
    old, new = _pinned_texts(before), _pinned_texts(after)
    if old == new:
        return None
    lost = len(old) - sum((Counter(old) & Counter(new)).values())
    if lost:
        return Broken("pinned", f"{lost} of {_count(len(old), 'pinned block')} would change.")
    if Counter(old) == Counter(new):
        return Broken("pinned", "The pinned blocks would change their order.")
    return Broken("pinned", f"{_count(len(new) - len(old), 'new pinned block')} would appear.")


def _pinned_texts(text: str) -> list[str]:
    lines = text.split("\n")
    return ["\n".join(lines[start - 1 : end]) for start, end in pinned_ranges(text)]


def _protected(before: str, after: str, numbers: Collection[int]) -> Broken | None:
    lines = before.split("\n")
    kept = [lines[n - 1] for n in sorted(set(numbers)) if 0 < n <= len(lines)]
    kept = [line for line in kept if line.strip()]
    there = LCSseq.similarity(kept, after.split("\n"))
    if there == len(kept):
        return None
    lost = len(kept) - there
    whole = _count(len(kept), "line") + " edited by a person"
    return Broken("edited", f"{lost} of {whole} would be changed, moved or lost.")


def _confirmed(after: str, facts: Sequence[str]) -> Broken | None:
    lookup = Lookup(_said(after))
    lost = sum(1 for fact in facts if next(lookup.covering(fact), None) is None)
    if not lost:
        return None
    return Broken("confirmed", f"{lost} of {_count(len(facts), 'confirmed fact')} would be lost.")


def _dropped(before: str, after: str, superseded: Sequence[str]) -> Broken | None:
    entries = {normalise(line): line for line in _said(before) if _is_entry(line)}
    replaced = {normalise(line) for line in superseded}
    lookup = Lookup(line for line in _said(after) if _is_entry(line))
    dropped = sum(
        1
        for normal, line in entries.items()
        if normal not in replaced and next(lookup.covering(line), None) is None
    )
    if dropped <= DROPPED_SHARE * len(entries):
        return None
    limit = f"more than {DROPPED_SHARE:.0%}"
    return Broken("dropped", f"{dropped} of {len(entries)} entries would be dropped, {limit}.")


def _changed(before: str, after: str, changed_today: int) -> Broken | None:
    allowed = allowed_changes(before, changed_today)
    changed = changed_lines(before, after)
    if allowed is None or changed <= allowed:
        return None
    would = f"{changed} of {len(_said(before))} lines would change"
    if changed_today:
        would += f", on top of {changed_today} earlier today"
    return Broken("changed", f"{would}; a fifth of the lines may change in a day.")


def _size(after: str, cap: int) -> Broken | None:
    if len(after) <= cap:
        return None
    return Broken("size", f"The new text has {len(after)} characters, more than {cap}.")


def _secret(before: str, after: str, has_secret: Callable[[str], bool]) -> Broken | None:
    old = set(before.split("\n"))
    added = "\n".join(line for line in after.split("\n") if line not in old)
    if not added or not has_secret(added):
        return None
    return Broken("secret", "A new line seems to hold a secret.")


def _addresses(before: str, after: str, inputs: Sequence[str]) -> Broken | None:
    new = _addresses_in([after]) - _addresses_in([before, *inputs])
    if not new:
        return None
    if len(new) == 1:
        return Broken("address", "One web or e-mail address would appear that no text read has.")
    return Broken(
        "address", f"{len(new)} web or e-mail addresses would appear that no text read has."
    )


def _addresses_in(texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        links = [url.casefold().rstrip("/.,;:!?*_") for url in _URL.findall(text)]
        found.update(links)
        hosts = [link.split("//")[-1].split("/")[0].split("@")[-1] for link in links]
        found.update(host.removeprefix("www.") for host in hosts)
        found.update(host.casefold() for host in _EMAIL.findall(text))
        found.update(host.casefold().removeprefix("www.") for host in _HOST.findall(text))
    return found


def _said(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _is_entry(line: str) -> bool:
    return not line.lstrip().startswith("#") and bool(clean(line))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else noun + 's'}"
