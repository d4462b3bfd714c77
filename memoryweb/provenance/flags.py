"""Lines that a machine wrote and a person should look at before they are used (SPEC §6, §15).

A marked line stays in its file. Until a person keeps it, no dream promotes or changes it, no
model is given it, and it enters no prompt.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac
from django_scopes import scope

from memoryweb.conversations.models import Message
from memoryweb.language.flag_patterns import ADDRESS, MAIL, ROLE, order
from memoryweb.language.invisible import has_invisible, pieces
from memoryweb.language.normal_form import clean
from memoryweb.markdown.paths import LOOKALIKES, FileKind, kind_of
from memoryweb.provenance.models import KeptLine, LineOrigin, PastOrigin
from memoryweb.workspace.models import AuthorKind, File

ADDRESSES, ORDERS, ROLES, HIDDEN, LONG = "address", "order", "role", "hidden", "long"
UNREAD = "unread"  # says that a model could not read some messages
LONGEST = 20_000  # characters; what is longer is read by nobody and so waits for a person
_MOST_FILES = 40  # that are looked into for them
_MOST_AT_ONCE = 5_000  # lines of one statement
_ADDRESSED = "\n"  # in front of an address, as no statement begins
_MOST_LOOKED_UP = 20  # lines of one revision whose words are looked for in other files
_MACHINES = (AuthorKind.AGENT, AuthorKind.EXTRACTION, AuthorKind.DREAM, AuthorKind.IMPORT)
_APPROVABLE = (AuthorKind.DREAM, AuthorKind.EXTRACTION)
_STYLE = re.compile(r"<!--|-->|[*_`~#>\\]+|<[/a-z][^>]{0,80}>")
_SPACED = re.compile(r"(?:\b[^\W\d_] ){9,}[^\W\d_]\b")
_LEET = re.compile(r"(?=\w{0,40}[a-z])(?=\w{0,40}\d)\w{3,40}")
_LETTERS = str.maketrans("013457", "oieast")


def marks_of(new_line: str, known_texts: Collection[str]) -> set[str]:
    """Why a person should look at a machine's new line; empty for an ordinary memory. Pure.

    `known_texts` are what stands there already and was not marked: an address that they hold, or
    a line that they hold as it is, is no news.
    """
    known = [line for text in known_texts for line in text.split("\n")]
    if clean(new_line) in {clean(line) for line in known}:
        return set()
    folded = _readable(new_line[:LONGEST])
    text = folded[:LONGEST]  # one character may fold to eighteen
    found = {LONG} if max(len(new_line), len(folded)) > LONGEST else set()
    if has_invisible(new_line) or _SPACED.search(text):
        found.add(HIDDEN)
    if ROLE.search(text):
        found.add(ROLES)
    if _is_order(text):
        found.add(ORDERS)
    new = addresses_in([text])
    if new and new - addresses_in(map(_readable, known)):
        found.add(ADDRESSES)
    return found


def is_order_across(line: str, following: str) -> bool:
    """Whether the two lines are one order to the assistant, which neither is by itself."""
    one, other = (_readable(said[:LONGEST])[:LONGEST] for said in (line, following))
    if not one or not other or one[-1] in ".!?。！？":
        return False
    both = f"{_unstyled(one)} {_unstyled(other)}"
    return _is_order(both) and not _is_order(one) and not _is_order(other)


def addresses_in(texts: Iterable[str]) -> set[str]:
    """Web addresses, and the hosts of e-mail addresses."""
    found: set[str] = set()
    for text in texts:
        found.update(url.rstrip("/.,;:!?*_、。，") for url in ADDRESS.findall(text))
        found.update(host.rstrip(".") for host in MAIL.findall(text))
    return found


def is_news(file: File, line: str, stood: Collection[str]) -> bool:
    """Whether the line would be marked, were it brought to those that stand there now."""
    said = _said(file, line)
    return bool(marks_of(said, ())) and bool(marks_of(said, list(_alike(said, stood))))


def hidden_lines(file: File) -> set[int]:
    """Numbers of the lines of the current text that wait for a person."""
    return hidden_of([file])[file.pk]


def hidden_of(files: Iterable[File]) -> Mapping[UUID, set[int]]:
    """The same for many files, in one statement. Global ones are the system's."""
    found: dict[UUID, set[int]] = defaultdict(set)
    shown = list(files)
    with scope(team=tuple({file.team_id for file in shown})):
        rows = LineOrigin.objects.filter(file__in=[file.pk for file in shown]).exclude(marks="")
        for file_id, line in rows.values_list("file", "line"):
            found[file_id].add(line)
    return found


def hidden_messages(messages: Collection[Message]) -> set[int]:
    """Those that a flagged line was taken from, or one that is gone and would be flagged again:
    who removes a line must not find its message in the next prompt."""
    said = {message.pk: message.content for message in messages}
    with scope(team=tuple({message.team_id for message in messages})):
        waiting = LineOrigin.objects.filter(message__in=said).exclude(marks="")
        found = set(waiting.values_list("message", flat=True))
        gone = PastOrigin.objects.filter(message__in=said).values_list("message", flat=True)
        return found | {key for key in set(gone) - found if marks_of(said[key], ())}


def without_hidden(content: str, hidden: Collection[int]) -> str:
    """The text with those lines left empty, so that every other keeps its number."""
    if not hidden:
        return content
    lines = content.split("\n")
    return "\n".join("" if n in hidden else line for n, line in enumerate(lines, start=1))


def flag(file: File, line: int, mark: str) -> None:
    """Have a person look at a line for what it says, whatever its words look like."""
    LineOrigin.objects.filter(file=file, line=line).update(marks=mark)


def derive(file: File, before: str, waiting: Collection[int], *, since: int) -> None:
    """Mark what machines brought with revision `since` or later; 0: look at every line again.

    `waiting` are the lines of the text `before` that were marked: those make nothing known.
    """
    rows = LineOrigin.objects.filter(file=file, since__gte=since, author_kind__in=_MACHINES)
    rows = rows.exclude(Q(author_kind__in=_APPROVABLE) & Q(user__isnull=False)).filter(marks="")
    lines = file.content.split("\n")
    brought = [n for n in sorted(set(rows.values_list("line", flat=True))) if n <= len(lines)]
    _derive_across(file, rows, lines, brought)
    suspects = {
        number: said for number in brought if marks_of(said := _said(file, lines[number - 1]), ())
    }
    stands = _let_stand(file, {lines[number - 1] for number in suspects})
    suspects = {n: said for n, said in suspects.items() if lines[n - 1] not in stands}
    if not suspects:
        return
    stood = [line for n, line in enumerate(before.split("\n"), start=1) if n not in waiting]
    here, looked_up = _Known(stood), list(suspects.values())[:_MOST_LOOKED_UP]
    elsewhere = _Known(_elsewhere(file, looked_up))
    marked: dict[str, list[int]] = defaultdict(list)
    for turn, (number, said) in enumerate(suspects.items()):
        known = [*here.alike(said), *(elsewhere.alike(said) if turn < _MOST_LOOKED_UP else ())]
        marked[",".join(sorted(marks_of(said, known)))].append(number)
    for marks, numbers in marked.items():
        _mark(rows, numbers, marks)


def let_stand(file: File, lines: Collection[str]) -> None:
    """A person saw these lines, so they are not flagged again, wherever they come in from. In
    shared memory that holds for the team, else for the owner."""
    KeptLine.objects.bulk_create(
        KeptLine(team_id=file.team_id, owner_id=file.owner_id, fingerprint=_print(line))
        for line in sorted(set(lines) - _let_stand(file, lines))
    )


def suspicious(lines: Sequence[str]) -> set[str]:
    """Those that would be flagged if they were new, by themselves or with the next one."""
    pairs = (pair for pair in pairwise(lines) if is_order_across(*pair))
    return {line for line in lines if marks_of(line, ())}.union(*pairs)


def _let_stand(file: File, lines: Collection[str]) -> set[str]:
    """Those of the lines that a person let stand already."""
    if not lines:
        return set()
    prints = defaultdict(set)
    for line in lines:
        prints[_print(line)].add(line)
    reach = Q(owner=None) | Q(owner=file.owner_id) if file.owner_id else Q(owner=None)
    kept = KeptLine.objects.filter(reach, team=file.team_id, fingerprint__in=prints)
    return set().union(*(prints[one] for one in kept.values_list("fingerprint", flat=True)))


def _print(line: str) -> str:
    return salted_hmac("memoryweb.provenance.flags", line.strip()).hexdigest()


def _mark(rows: "QuerySet[LineOrigin]", numbers: Sequence[int], marks: str) -> None:
    for at in range(0, len(numbers) if marks else 0, _MOST_AT_ONCE):
        rows.filter(line__in=numbers[at : at + _MOST_AT_ONCE]).update(marks=marks)


class _Known:
    """Lines by what could make another one known."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: dict[str, str] = {}
        for line in lines:
            self._lines.setdefault(clean(line), line)
            for address in addresses_in([_readable(line)]):
                self._lines.setdefault(_ADDRESSED + address, line)

    def alike(self, said: str) -> Iterator[str]:
        addresses = addresses_in([_readable(said)])
        for key in (clean(said), *(_ADDRESSED + one for one in addresses)):
            if key in self._lines:
                yield self._lines[key]


def _derive_across(
    file: File, rows: "QuerySet[LineOrigin]", lines: Sequence[str], brought: Sequence[int]
) -> None:
    """An order that was split in two: both lines, as far as the machine brought them."""
    new = set(brought)
    found: set[int] = set()
    for number in sorted(new | {n - 1 for n in new if n > 1}):
        if number < len(lines) and is_order_across(lines[number - 1], lines[number]):
            found |= new & {number, number + 1}
    stands = _let_stand(file, {lines[number - 1] for number in found})
    _mark(rows, sorted(n for n in found if lines[n - 1] not in stands), ORDERS)


def _said(file: File, line: str) -> str:
    """HISTORY quotes messages as they were, each behind its role, which is ours."""
    if kind_of(file.path) is not FileKind.HISTORY:
        return line
    return line.partition(": ")[2] if line.startswith("- ") else ""


def _alike(said: str, lines: Iterable[str]) -> Iterator[str]:
    """Of the lines those that could make this one known."""
    statement, addresses = clean(said), addresses_in([_readable(said)])
    for line in lines:
        if clean(line) == statement or any(one in _readable(line) for one in addresses):
            yield line


def _elsewhere(file: File, suspects: Sequence[str]) -> Iterator[str]:
    """What other files of that reach hold alike, without what is marked there."""
    reach = Q(owner=None) | Q(owner=file.owner_id) if file.owner_id else Q(owner=None)
    words = {word for said in suspects for word in _telling(said)}
    if not words:
        return
    holds = Q()
    for word in sorted(words):
        holds |= Q(content__icontains=word)
    files = File.objects.filter(reach, holds, agent=file.agent_id, deleted_at=None)
    found = list(files.exclude(pk=file.pk).only("content", "team")[:_MOST_FILES])
    hidden = hidden_of(found)
    for one in found:
        lines = without_hidden(one.content, hidden[one.pk]).split("\n")
        for said in suspects:
            yield from _alike(said, lines)


def _telling(said: str) -> set[str]:
    return {*addresses_in([_readable(said)]), clean(said)[:200]} - {""}


def _readable(text: str) -> str:
    """Folded, without what is not seen and what only looks like a letter."""
    seen = "".join(piece.text for piece in pieces(text) if not piece.is_invisible)
    folded = unicodedata.normalize("NFKC", seen).translate(LOOKALIKES).casefold()
    return " ".join(folded.replace("’", "'").split())


def _is_order(text: str) -> bool:
    plain = _LEET.sub(lambda match: match[0].translate(_LETTERS), text)
    return any(order().search(_unstyled(said)) for said in {text, plain})


def _unstyled(text: str) -> str:
    """Without bullet, time, comment marks and emphasis, which a clause may begin behind; in each
    cell of a table one begins."""
    bare = _STYLE.sub(" ", text.replace("|", " ; "))
    return clean(" ".join(bare.split()))
