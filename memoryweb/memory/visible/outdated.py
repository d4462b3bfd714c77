"""What no prompt is given any more, though it is still there to read: statements that their owner
has spoken against or asked to forget, and messages and lines that support only what is over
(SPEC §8.1).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.utils import timezone
from django_scopes import scope

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.line_flags import flags_of
from memoryweb.language.normal_form import read
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.marks import living
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.index.hits import Hit, unfolded
from memoryweb.memory.models import Evidence, Fact, File, LineOrigin, Message, PastOrigin
from memoryweb.memory.statements.bullets import statements_of
from memoryweb.memory.statements.listing import held_from
from memoryweb.memory.statements.validity import is_over
from memoryweb.memory.visible.hidden import hiding, lines_saying, remembered

Told = TypeVar("Told")
# Of an agent's memory and of whose; the line's print and day.
Line = tuple[UUID | None, UUID | None, str, date]
# A file, its line or one of the codes below, a print, and a message, which are "" and 0.
Row = tuple[UUID, int, str, int]
_FORGOTTEN, _FLAGGED, _GONE, _ENDS = -1, -2, -3, -4
# Whether a statement may be over, or part of it.
_MAY_END = (
    Q(fact__hidden_at__isnull=False)
    | Q(fact__state__in=Fact.OVER)
    | Q(fact__valid_to__isnull=False)
    | Q(fact__raw_ended__isnull=False)
)
# Whatever else ends a statement says that it was wrong, or may say so: what its person spoke
# against ("asked") need never have been true. "": it still stands, and its time is over.
_WAS_TRUE = frozenset({"", *map(Fact.Why, ("superseded", "expired", "cancelled", "unproved"))})


@dataclass
class Supported:
    """The statements that stand on a source: those that hold, and until when one of the others
    did; None where none of them was true."""

    living: list[Fact] = field(default_factory=list)
    until: date | None = None


def withheld_of(files: Collection[File]) -> Mapping[UUID, set[int]]:
    """Of each file the lines that wait for a person, and those that their owner has spoken
    against or that are to be forgotten; in one statement."""
    with scope(team=tuple({file.team_id for file in files})):
        rows = _withheld(tuple(file.pk for file in files), (), ()) if files else ()
        return _lines_withheld(files, rows)


def _lines_withheld(files: Iterable[File], rows: Iterable[Row]) -> Mapping[UUID, set[int]]:
    found: dict[UUID, set[int]] = defaultdict(set)
    hidden: dict[UUID, dict[str, None]] = defaultdict(dict)
    forgotten: dict[UUID, set[str]] = defaultdict(set)
    for file_id, line, print_, message in rows:
        if message:
            continue
        if line == _FORGOTTEN:
            forgotten[file_id].add(print_)
        elif print_:
            hidden[file_id][print_] = None
        else:
            found[file_id].add(line)
    for file in files:
        if file.pk in hidden:
            found[file.pk] |= _lines_of(file, hidden[file.pk]).keys()
        if file.pk in forgotten:
            found[file.pk] |= lines_saying(file.raw_content, forgotten[file.pk])
    return found


@PreparedQuery
def _withheld(
    files: Collection[UUID], noted: Collection[UUID], messages: Collection[int]
) -> "QuerySet[LineOrigin, Row]":
    """Of files what is withheld; of `noted` ones the messages behind their lines; of messages those
    that a line was taken from that is flagged, or is gone."""
    lines, flagged, no = LineOrigin.objects, LineOrigin.objects.exclude(marks=""), Value(0)
    noting = lines.filter(file__in=noted, message__isnull=False)
    behind = Q(message__in=messages) | Q(message__in=noting.values("message"))
    gone = PastOrigin.objects.filter(message__in=messages)

    def told(rows: "QuerySet[Any]", line: Any, of: str = "file", said: Any = "message") -> Any:
        return rows.values_list(of, line, Value(""), said)

    found: QuerySet[LineOrigin, Row] = told(flagged.filter(file__in=files), "line", said=no)
    return found.union(
        _against(files).values_list("file", no, "fingerprint", no),
        hiding(Q(file__in=files)).values_list("file", Value(_FORGOTTEN), "fingerprint", no),
        told(noting, "line"),
        told(flagged.filter(message__in=messages), Value(_FLAGGED)),
        told(gone, Value(_GONE)),
        told(Evidence.objects.filter(_MAY_END, behind), Value(_ENDS), "fact"),
        all=True,
    )


def flagged_messages(messages: Collection[Message]) -> set[int]:
    """Those that a flagged line was taken from, or one that is gone and would be flagged again:
    who removes a line must not find its message in the next prompt."""
    with scope(team=tuple({message.team_id for message in messages})):
        return _flagged(messages, _withheld((), (), tuple(one.pk for one in messages)))


def _flagged(messages: Iterable[Message], rows: Collection[Row]) -> set[int]:
    found = {message for _key, line, _print, message in rows if line == _FLAGGED}
    gone = {message for _key, line, _print, message in rows if line == _GONE} - found
    return found | {one.pk for one in messages if one.pk in gone and flags_of(one.raw_content)}


def has_withheld() -> Q:
    """To annotate files: whether a line of theirs is withheld, so that no more need be asked."""
    its = Q(file=OuterRef("pk"))
    flagged = LineOrigin.objects.exclude(marks="").filter(its)
    against = Fact.objects.filter(its, hidden_at__isnull=False)
    return Q(Exists(flagged) | Exists(against) | Exists(hiding(its)))


def spoken_against(file: File) -> Mapping[int, UUID]:
    """The lines that their owner has said otherwise of since, each with its statement."""
    return _lines_of(file, dict(_against([file.pk]).values_list("fingerprint", "pk")))


def _against(files: Collection[UUID]) -> "QuerySet[Fact]":
    return Fact.objects.filter(file__in=files, hidden_at__isnull=False)


def _lines_of(file: File, facts: Mapping[str, Told]) -> dict[int, Told]:
    """Line → what is told of its statement, by the statement's print."""
    there = statements_of(file.raw_content, file.path) if facts else ()
    return {
        line: facts[one.print]
        for one in there
        if one.print in facts
        for line in range(one.line, one.end + 1)
    }


class HitLook:
    """What programs are told of hits, asked for all of them at once; in two statements, and one
    more where lines of notes stand on no message."""

    def __init__(self, found: Iterable[Hit]) -> None:
        hits = unfolded(found)
        files = {hit.file.pk: hit.file for hit in hits if hit.file}
        said = {hit.message.pk: hit.message for hit in hits if hit.message}
        self._noted: dict[tuple[UUID, int], set[int]] = defaultdict(set)
        with scope(team=tuple({one.team_id for one in (*files.values(), *said.values())})):
            rows = _withheld(tuple(files), tuple(files), tuple(said))
            for file_id, line, _print, message in rows:
                if message and line > 0:
                    self._noted[file_id, line].add(message)
            self._flagged = _flagged(said.values(), rows)
            self._withheld = _lines_withheld(files.values(), rows)
            may_end = any(line == _ENDS for _file, line, _print, _message in rows)
            behind = {*said, *chain.from_iterable(self._noted.values())}
            self._told = _of_messages(behind if may_end else ())
            self._told |= _of_lines(hit for hit in hits if not self._behind(hit))

    def told(self, hits: Iterable[Hit]) -> list[Hit]:
        """Those that hold no line that waits, nor are the message that it was taken from, and that
        say something of now, or of what no statement was made of, with what of that has ended; and
        with its last day what says only what was true once. What was never true is gone. Where the
        same stands elsewhere, too, it is told from there."""
        found = []
        for hit in hits:
            places = [one for each in (hit, *hit.others) if (one := self._told_of(each))]
            if places and hit.others:
                places[0] = replace(places[0], others=tuple(places[1:]))
            found += places[:1]
        return found

    def _told_of(self, hit: Hit) -> Hit | None:
        if self._is_withheld(hit):
            return None
        places: set[int | Line] = {*self._behind(hit)} or {_line(hit)}
        behind = [self._told.get(one) for one in places]
        if not all(one and not one.living for one in behind):
            return _ending(hit, [fact for one in behind if one for fact in one.living])
        days = [one.until for one in behind if one and one.until]
        return replace(hit, until=max(days)) if days else None

    def _is_withheld(self, hit: Hit) -> bool:
        if hit.message:
            return hit.message.pk in self._flagged
        return hit.file is not None and not self._withheld[hit.file.pk].isdisjoint(_lines_in(hit))

    def _behind(self, hit: Hit) -> set[int]:
        """The messages that a hit stands on."""
        if hit.message:
            return {hit.message.pk}
        if hit.file is None:
            return set()
        return {pk for line in _lines_in(hit) for pk in self._noted.get((hit.file.pk, line), ())}


def _lines_in(hit: Hit) -> range:
    return range(hit.line, hit.end_line + 1)


def _ending(hit: Hit, facts: Collection[Fact]) -> Hit:
    """With what has ended of what it says; where that is all that it supports, with its day. A
    line of a file that states it has its own marks."""
    if not any(fact.ended for fact in facts) or (hit.file and kind_of(hit.file.path).holds_facts):
        return hit
    said = read(hit.text).heavy
    ended = tuple(sorted({one for it in facts for one in it.ended if read(one.words).heavy & said}))
    rest = (read(living(fact.raw_text, fact.ended)).heavy for fact in facts)
    is_over = bool(ended) and not any(words & said for words in rest)
    return replace(hit, until=ended[-1].on) if is_over else replace(hit, ended=ended)


def _of_messages(messages: Collection[int]) -> dict[int | Line, Supported]:
    """Of messages that statements were made of."""
    return _supported((row.message_id or 0, row.fact) for row in _evidence(messages))


@PreparedQuery
def _evidence(messages: Collection[int]) -> "QuerySet[Evidence]":
    rows = Evidence.objects.filter(message__in=messages)
    return rows.select_related("fact__superseded_by")


def _of_lines(hits: Iterable[Hit]) -> dict[int | Line, Supported]:
    """Of the lines of notes that stand on no message, by statements that said the same later: what
    was written down after they ended is news."""
    lines = {_line(hit) for hit in hits if hit.file and hit.file.note_date}
    if not lines:
        return {}
    agents, owners, prints, _days = map(set, zip(*lines, strict=True))
    of = reduce(or_, (Q(owner=owner) for owner in owners))
    rows = Fact.objects.filter(of, agent__in=agents, fingerprint__in=prints)
    return _supported(
        (line, fact)
        for fact in rows.select_related("superseded_by")
        for line in lines
        if line[:3] == (fact.agent_id, fact.owner_id, fact.fingerprint)
        and line[3] <= fact.changed_at.date()
    )


def _line(hit: Hit) -> Line:
    if hit.file is None:
        return None, None, "", date.min
    day = hit.file.note_date or date.min
    return hit.file.agent_id, hit.file.owner_id, fingerprint(hit.text), day


def _supported(told: Iterable[tuple[int | Line, Fact]]) -> dict[int | Line, Supported]:
    found: dict[int | Line, Supported] = {}
    today = timezone.now().date()
    for source, fact in told:
        one = found.setdefault(source, Supported())
        if fact.hidden_at is None and fact.state not in Fact.OVER and not is_over(fact, today):
            one.living.append(fact)
        one.until = max(filter(None, (one.until, _last_day(fact))), default=None)
    return found


def _last_day(fact: Fact) -> date | None:
    """Of what was true until something else was; not of what was taken back."""
    if fact.hidden_at or fact.corrected_at or fact.why not in _WAS_TRUE:
        return None
    newer = held_from(fact.superseded_by) if fact.superseded_by else fact.changed_at.date()
    return fact.valid_to or newer


def ending(owners: Collection[UUID], days: tuple[date, date]) -> "QuerySet[Fact]":
    """Statements of these owners that a person wanted remembered until a day between two."""
    found = remembered(Q(owner__in=owners, remembered_until__range=days)).living().standing()
    return found.filter(agent__archived_at=None)
