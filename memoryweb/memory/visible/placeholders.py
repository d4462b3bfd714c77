"""What a program is given of lines that wait for a person, or that their owner has spoken against,
and what anybody is given of lines that are to be forgotten; and how they write around them.

Each such line is shown as a comment with a number. What stands in its place when the program
writes becomes the line again, and where it is gone the line comes back: a program neither reads
such a line nor gets rid of it; nor does a person of what is to be forgotten. The hash of a file is
always that of its true text.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext
from django_scopes import scope

from memoryweb.language.line_flags import KnownLines, flags_of, orders_across
from memoryweb.markdown.settling import settled
from memoryweb.memory.index.hits import Hit, folded, unfolded
from memoryweb.memory.lines.flags import flagged_lines, said_in, without_flagged
from memoryweb.memory.lines.origins import protected_lines
from memoryweb.memory.lines.protected import keep
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.visible import outdated
from memoryweb.memory.visible.hidden import HiddenText
from memoryweb.memory.visible.hidden import hidden as forgotten
from memoryweb.memory.visible.said_on import as_it_stands

_PLACEHOLDER = re.compile(r"\s*<!-- line waiting for review #([0-9a-f]{8}) -->\s*")
_BULLET = r"\s*(?:[-*+]|\d{1,9}[.)])\s+"
_HIDDEN = re.compile(rf"(?:{_BULLET})?\s*<!-- line to be forgotten #([0-9a-f]{{8}}) -->\s*")

_READ_WITHOUT = frozenset({AuthorKind.PERSON, AuthorKind.IMPORT})  # what is to be forgotten


class LinesWait(MemoryRefused):
    """A program would take away lines that a person has not looked at yet."""

    code = "lines_wait"

    def __init__(self, path: str, count: int) -> None:
        said = ngettext(
            "{n} line of “{path}” waits for a person; the file can be deleted after that.",
            "{n} lines of “{path}” wait for a person; the file can be deleted after that.",
            count,
        )
        super().__init__(said.format(n=count, path=path))


def shown_then(file: File, content: str) -> str:
    """An earlier text of the file, or one that was proposed for it: of lines that are not there
    now nobody says any more whether a person saw them, so their wording is asked again."""
    lines = content.split("\n")
    waiting = _Waiting(file).numbers(lines)
    return "\n".join(
        placeholder(file, line) if n in waiting else line for n, line in enumerate(lines, 1)
    )


def for_people(file: File, content: str | None = None, *, away: HiddenText | None = None) -> str:
    """The current text or another one of the file, as people read it: who asked to forget something
    reads with the request what it is. `away`: what is hidden of it, if that was asked already."""
    text = file.raw_content if content is None else content
    return _hidden_in(text, file, forgotten(files=[file]) if away is None else away)


def shown_in_diff(file: File, diff: str, *, is_program: bool = True) -> str:
    """A unified comparison with the current text, each line behind its two characters of sign."""
    lines = file.raw_content.split("\n")
    waiting = {lines[number - 1] for number in _withheld(file)} if is_program else set()
    compared = diff.split("\n")
    away = forgotten(files=[file]).lines_in(file.pk, "\n".join(line[2:] for line in compared))
    return "\n".join(
        line[:2] + placeholder(file, line[2:]) if n in away or line[2:] in waiting else line
        for n, line in enumerate(compared, 1)
    )


def allowed(hits: Sequence[Hit], *, then: bool) -> list[Hit]:
    """Those that hold no line that waits, nor are the message that it was taken from; with its
    last day what supports only what is over. Where the same stands elsewhere, too, it is told from
    there. `then`: found in earlier texts, with their numbers."""
    if not then:
        return outdated.HitLook(hits).told(hits)
    places = unfolded(hits)
    withheld = outdated.flagged_messages([hit.message for hit in places if hit.message])
    places = [hit for hit in places if not hit.message or hit.message.pk not in withheld]
    found = {hit.file.pk: hit.file for hit in places if hit.file}
    with scope(team=tuple({file.team_id for file in found.values()})):
        current = File.objects.filter(pk__in=found)
        waits = {file.pk: _Waiting(file) for file in current}
    return [*folded(hit for hit in places if not hit.file or not _waits(hit, waits[hit.file.pk]))]


def numbers_in(text: str) -> list[str]:
    """The numbers of its placeholders, in order."""
    return [match[1] for line in text.split("\n") if (match := _PLACEHOLDER.fullmatch(line))]


def placeholder(file: File, line: str) -> str:
    """The number says nothing about the text, and stays the same while the line does."""
    return f"<!-- line waiting for review #{_number(file, line)} -->"


def put_back(file: File | None, content: str, writer: Writer, *, keeps: bool = True) -> str:
    """What a program wrote, with the true lines where their placeholders stand, and without what
    its prompt told behind them; and `keeps` what it may not take away: such lines, and
    of a whole new text also what people pinned or wrote.
    """
    if file is not None and file.raw_content == content:
        return content
    if not writer.is_program:
        return _kept_by_people(file, content, writer)
    if file is None or file.deleted_at is not None:
        return "\n".join(line for line in content.split("\n") if not _PLACEHOLDER.fullmatch(line))
    withheld = _withheld(file)
    content = as_it_stands(file, content)
    content = "\n".join(_lines_put_back(file, content.split("\n"), withheld))
    content = settled(file.raw_content, content, by_person=False)
    if not keeps:
        return content
    protected = protected_lines(file) | withheld
    if protected and not content.strip():
        lines = file.raw_content.split("\n")
        return "".join(f"{lines[number - 1]}\n" for number in sorted(protected))
    # The writer has not seen these, so none of its lines is another version of one.
    content = keep(file.raw_content, content, withheld, was_seen=False)
    return keep(file.raw_content, content, protected)


def _kept_by_people(file: File | None, content: str, writer: Writer) -> str:
    """What is to be forgotten goes and stays by its request alone: who saves, restores or imports a
    text that they read without it doesn't take it away."""
    lines = content.split("\n")
    if writer.kind not in _READ_WITHOUT:
        return content
    if file is None or file.deleted_at is not None:
        return "\n".join(line for line in lines if not _HIDDEN.fullmatch(line))
    away = forgotten(files=[file]).lines_of(file)
    content = "\n".join(_lines_put_back(file, lines, away, _HIDDEN))
    if away and not content.strip():
        stood = file.raw_content.split("\n")
        return "".join(f"{stood[number - 1]}\n" for number in sorted(away))
    return keep(file.raw_content, content, away, was_seen=False) if away else content


def check_deletion(file: File, writer: Writer) -> None:
    """Raises LinesWait."""
    if writer.is_program and (waiting := flagged_lines(file)):
        raise LinesWait(file.path, len(waiting))


class _Waiting:
    """Which lines may not be shown, by their text."""

    def __init__(self, file: File) -> None:
        withheld = _withheld(file)
        lines = file.raw_content.split("\n")
        self._withheld = {lines[n - 1].strip() for n in withheld if n <= len(lines)}
        self._stands = without_flagged(file.raw_content, withheld)
        self._seen = {line.strip() for line in self._stands.split("\n")}
        self._file = file
        self._forgotten = forgotten(files=[file])

    @cached_property
    def _known(self) -> KnownLines:
        return KnownLines([self._stands])

    def numbers(self, lines: Sequence[str]) -> set[int]:
        """Of these lines, from 1; also both lines of an order that neither is by itself."""
        unknown = {n for n, line in enumerate(lines, 1) if line.strip() not in self._seen | {""}}
        suspect = {n for n in unknown if self._has(lines[n - 1])} | orders_across(lines, unknown)
        return suspect | self._forgotten.lines_in(self._file.pk, "\n".join(lines))

    def _has(self, line: str) -> bool:
        said = said_in(self._file, line)
        is_news = bool(flags_of(said)) and bool(flags_of(said, self._known))
        return line.strip() in self._withheld or is_news


def _waits(hit: Hit, waiting: _Waiting) -> bool:
    return bool(waiting.numbers(hit.text.split("\n")))


def _withheld(file: File) -> set[int]:
    return outdated.withheld_of([file])[file.pk]


def _hidden_in(text: str, file: File, away: HiddenText) -> str:
    gone = away.lines_in(file.pk, text)
    if not gone:
        return text
    lines = enumerate(text.split("\n"), start=1)
    return "\n".join(_to_be_forgotten(file, line) if n in gone else line for n, line in lines)


def _to_be_forgotten(file: File, line: str) -> str:
    """An item stays one, or Markdown would take it for the end of the item above."""
    bullet = re.match(_BULLET, line)
    return f"{bullet[0] if bullet else ''}<!-- line to be forgotten #{_number(file, line)} -->"


def with_placeholders(file: File, withheld: Collection[int]) -> str:
    if not withheld:
        return file.raw_content
    lines = enumerate(file.raw_content.split("\n"), start=1)
    return "\n".join(placeholder(file, line) if n in withheld else line for n, line in lines)


def _lines_put_back(
    file: File,
    lines: Iterable[str],
    withheld: Collection[int],
    pattern: re.Pattern[str] = _PLACEHOLDER,
) -> Iterator[str]:
    """The first placeholder with a number stands for the first line that is shown so, and on; one
    that stands for nothing (any more) goes. A person may have written what only looks like one."""
    places: dict[str, list[str]] | None = None
    for line in lines:
        match = pattern.fullmatch(line)
        if match is None:
            yield line
            continue
        if places is None:
            places = _places(file, withheld, pattern)
        if places[match[1]]:
            yield places[match[1]].pop(0)


def _places(
    file: File, withheld: Collection[int], pattern: re.Pattern[str]
) -> dict[str, list[str]]:
    """By number: the lines that are shown with it, then those that a person has kept since."""
    found: dict[str, list[str]] = defaultdict(list)
    kept: dict[str, list[str]] = defaultdict(list)
    for n, line in enumerate(file.raw_content.split("\n"), start=1):
        match = pattern.fullmatch(line)
        if match and n not in withheld:
            found[match[1]].append(line)
        elif line.strip():
            (found if n in withheld else kept)[_number(file, line)].append(line)
    for number, lines in kept.items():
        found[number] += lines
    return found


def _number(file: File, line: str) -> str:
    return salted_hmac("memoryweb.memory.covering", f"{file.pk}:{line}").hexdigest()[:8]
