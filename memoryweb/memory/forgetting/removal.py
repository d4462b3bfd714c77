"""Taking what is to be forgotten out of a memory: its files by new revisions, its statements, and
what was said in place; out of the files' past, where a mark stays; and out of whatever else holds
the very words.
"""

import hmac
import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Q, QuerySet

from memoryweb.agents.models import Owner
from memoryweb.audit.models import Label
from memoryweb.audit.record import target as named
from memoryweb.core.tables import Erasure, Holds
from memoryweb.language.ending_parts import claims_of
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.tokens import tokens
from memoryweb.markdown.file_kinds import KINDS, WritingKind, kind_at
from memoryweb.markdown.paths import fold
from memoryweb.memory import models
from memoryweb.memory.index import indexing
from memoryweb.memory.index.recalls import keyed_hash
from memoryweb.memory.models.review import Kind, drop_empty, follow
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer
from memoryweb.memory.visible import text_matching
from memoryweb.memory.visible.hidden import MARK, HiddenText, Span, lines_saying, without_spans
from memoryweb.memory.visible.text_matching import Sought, asks_for, is_told, units
from memoryweb.memory.writing import in_place, tombstones, write
from memoryweb.memory.writing.in_place import Table
from memoryweb.memory.writing.learned import drop_learned, is_learned
from memoryweb.memory.writing.put_back import without_lines
from memoryweb.runs.lease import plan_anew

REASON = "Forgotten"
_FIXED = frozenset({"skill.md"})  # a name that makes a file what it is
_LEAST_TOKENS = 3  # of a text whose very words are looked for
_BY_WORDS = frozenset(
    {models.ForgetRequest.Via.API, models.ForgetRequest.Via.PAGE}
)  # there `about` is the words themselves
_HEADING = "Forgotten"
_HEADINGS = re.compile(r"^#{1,6} .*", re.MULTILINE)
STEP = 20_000  # rows that are looked through at once


@dataclass(frozen=True)
class Removal:
    """What goes of one memory, and the very words, by which the rest of it is found."""

    memory: Memory
    hidden: HiddenText
    sought: Sought
    counts: Counter[str] = field(default_factory=Counter)

    def sought_in(self, file: models.File) -> Sought:
        """The very words go in the memory's own files alone: in a file that others write, too, the
        lines that are meant go, and no word of anybody else's."""
        return self.sought if file.owner_id == self.memory.owner_id else Sought(())


def words_of(requests: Iterable[models.ForgetRequest]) -> list[str]:
    """Of those that name what goes by its words."""
    return [
        request.raw_about for request in requests if request.via in _BY_WORDS and request.raw_about
    ]


def names_of(
    due: Sequence[models.ForgetRequest], targets: Collection[models.Target], texts: Collection[str]
) -> list[str]:
    """What stays of the memory may be named by the same words."""
    gone, sought = {row.fact_id for row in targets if row.fact_id}, Sought(texts)
    stay = models.Fact.objects.of(due[0].agent_id, due[0].owner_id).living().exclude(pk__in=gone)
    others = stay.values_list("raw_text", flat=True)
    return text_matching.names_of(texts, (text for text in others if not sought.is_in(text)))


def texts_of(targets: Collection[models.Target]) -> list[str]:
    """What the targets say now. What was learned of a line goes where it stands: its words are
    somebody else's, too."""
    told = [row for row in targets if not (row.file and is_learned(row.file.path))]
    asked = {row.request_id for row in told}
    told += [row for row in targets if row.request_id not in asked]
    said = [row.fact.raw_text for row in told if row.fact]
    for row in told:
        if row.message:
            said.append(row.message.raw_content[row.first or 0 : row.last])
        if row.file and row.fingerprint:
            lines = row.file.raw_content.split("\n")
            numbers = lines_saying(row.file.raw_content, {row.fingerprint})
            said += [lines[number - 1] for number in numbers]
    parts = (part for text in said for part in units(text) if _is_own(part, text))
    return list(dict.fromkeys(parts))


def _is_own(part: str, text: str) -> bool:
    """A number, a name or a word alone stands in much that is not meant."""
    if part == clean(text):
        return len(tokens(part)) >= _LEAST_TOKENS or is_told(part)
    return len(tokens(part)) >= (2 if is_told(part) else _LEAST_TOKENS)


def _claims(memory: Memory, texts: Iterable[str]) -> Iterator[str]:
    """What sentences of several claims say one by one, but for what memory states by itself."""
    stands: set[str] | None = None
    for text in texts:
        claims = claims_of(text)
        if claims and stands is None:
            facts = models.Fact.objects.of(*memory.key).living().values_list("raw_text", flat=True)
            stands = {normalise(one) for one in facts}
        yield from (one for one in claims if normalise(one) not in (stands or ()))


def begin(tx: Transaction, going: Removal) -> None:
    """Whatever could bring it back from now on: runs that have read it begin anew, and lose their
    fence; what waits to be used goes, and its sentences are kept out."""
    memory = going.memory
    others = models.File.objects.filter(pk__in=going.hidden.prints, team=memory.agent.team_id)
    for agent_id, owner_id in {
        memory.key,
        *others.values_list("agent", "owner"),
    }:
        plan_anew(agent_id, owner_id, tx.now)
        _forget_answers(agent_id, owner_id)
        models.Upload.objects.filter(agent=agent_id, owner=owner_id).delete()
        models.Import.objects.filter(agent=agent_id, owner=owner_id).update(archive=None)
    drop_learned(memory.agent.pk, going.hidden.prints, Q())
    words = list(going.sought.texts)
    tests = models.MemoryTest.objects.filter(agent=memory.agent, owner=memory.owner)
    for one in tests:
        if any(asks_for(one.question, (one.must, one.must_not), text) for text in words):
            tx.record("test.deleted", target_kind="memory_test", target_id=str(one.pk))
            one.delete()
    claims = _claims(memory, words)
    tombstones.bury(memory.agent.team_id, *memory.key, [*words, *claims], tx.now)
    hashes = [keyed_hash(text) for text in words]
    models.RecallEvent.objects.filter(
        Q(line_hash__in=hashes) | Q(query_hash__in=hashes), team=memory.agent.team_id
    ).delete()


def take_out_of_past(file: models.File, going: Removal) -> int:
    """All revisions of a file: the mark in the place of what went; how many were touched. What
    their hash was nobody can work out from a guess any more, as the key of the new one is gone."""
    prints = going.hidden.prints.get(file.pk, frozenset())
    sought = going.sought_in(file)

    def named(column: str, text: str) -> str:
        return _path_without(text, file, sought) if column == "path" else sought.label(text)

    renamed = set[int]()

    def without(rows: Sequence[models.Revision], texts: Sequence[str]) -> list[str]:
        changed = (row for row in rows if in_place.change(row, ("path", "reason"), named))
        renamed.update(row.number for row in changed)
        return [_marked(text, prints, sought) for text in texts]

    digest = partial(_digest, secrets.token_bytes(32))
    return len(in_place.rewrite(file.pk, without, digest) | renamed)


def _digest(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), "sha256").hexdigest()


def _marked(text: str, prints: Collection[str], sought: Sought) -> str:
    text = headed(text, sought)
    gone = lines_saying(text, prints) if prints else set()
    if not gone and not sought.is_in(text):
        return text
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(_mark(line) if n in gone else sought.without(line) for n, line in lines)


def _mark(line: str) -> str:
    """A line that went keeps its bullet."""
    bullet = "- " if line.lstrip().startswith(("- ", "* ", "+ ")) else ""
    return f"{line[: len(line) - len(line.lstrip())]}{bullet}{MARK}"


def take_files(tx: Transaction, going: Removal, keys: Collection[Any]) -> None:
    rows = models.File.objects.filter(pk__in=keys, team=going.memory.agent.team_id)
    for file in rows.select_related("agent", "owner").select_for_update(of=("self",)):
        _take_out_of(tx, file, going)


def _take_out_of(tx: Transaction, file: models.File, going: Removal) -> None:
    sought = going.sought_in(file)
    renamed = _path_without(file.path, file, sought)
    if is_renamed := renamed != file.path:
        file.path, file.folded_path = renamed, fold(renamed)
        file.save(update_fields=["path", "folded_path"])
        models.Fact.objects.filter(file=file).update(path=file.path)
        tx.record("file.renamed", **named(file), on_behalf_of=file.owner_id)
        going.counts["names"] += 1
    if file.deleted_at is not None:
        return
    if is_renamed:  # an entry is found by its name, too
        indexing.index_files([file])
    gone = going.hidden.lines_of(file)
    content = headed(sought.without(without_lines(file.raw_content, gone)), sought)
    if content != file.raw_content:
        place = Place.of(file)
        writer = Writer(models.AuthorKind.SYSTEM, run=tx.run)
        write.write(tx, place, content, writer=writer, reason=REASON)
        going.counts["files"] += 1
        going.counts["lines"] += len(gone) or 1


def _path_without(path: str, file: models.File, sought: Sought) -> str:
    """A neutral path in the same place; files whose name is their kind keep it."""
    kind = kind_at(fold(path))
    if kind.is_one_file:
        return path
    start, rest = path[: len(kind.start)], path[len(kind.start) :]
    parts = [
        part if fold(part) in _FIXED else sought.renamed(part, file.pk) for part in rest.split("/")
    ]
    rest = "/".join(parts)
    return start + (sought.renamed(rest, file.pk) if sought.is_in_name(rest) else rest)


def take_facts(_tx: Transaction, going: Removal, keys: Collection[Any]) -> None:
    found = models.Fact.objects.filter(pk__in=keys, team=going.memory.agent.team_id)
    disputes = list(found.exclude(contradiction=None).values_list("contradiction", flat=True))
    going.counts["statements"] += found.count()
    found.delete()
    sides = models.Fact.objects.filter(contradiction__in=disputes)
    lonely = models.Contradiction.objects.filter(pk__in=disputes).exclude(
        pk__in=sides.filter(file__isnull=False).values("contradiction")
    )
    lonely.delete()
    drop_empty()


def take_messages(_tx: Transaction, going: Removal, keys: Collection[Any]) -> None:
    """What is meant, by where it stands, and the very words wherever else they were said; also in
    names. Who names the places has to forget them with this."""
    rows = models.Message.objects.filter(pk__in=keys, team=going.memory.agent.team_id)
    for message in rows.select_related("conversation__owner__integration", "conversation__agent"):
        if spans := _merged(going.hidden.spans.get(message.pk, ()), len(message.raw_content)):
            content = without_spans(message.raw_content, spans) or MARK
            say(message, {"raw_content": content}, spans)
        is_scrubbed = _scrub(message, going.sought)
        going.counts["messages"] += bool(spans) or is_scrubbed


def _scrub(message: models.Message, sought: Sought) -> bool:
    table = in_place.table_of(models.Message)
    spans = sought.spans(message.raw_content)
    changed = in_place.changes(message, table.columns, _without(table, sought))
    if changed:
        say(message, changed, spans)
    return bool(changed)


def say(
    message: models.Message, changed: dict[str, Any], spans: Sequence[tuple[int, int]] = ()
) -> None:
    """Its columns in place of what they were; what others cite of it moves along."""
    in_place.save(message, changed)
    for row in models.Evidence.objects.filter(message=message, first__isnull=False):
        row.first, row.last = _moved(row.first, row.last, spans)
        row.save(update_fields=["first", "last"])
    for target in models.Target.objects.filter(
        message=message, first__isnull=False, last__isnull=False
    ):
        target.first, target.last = _moved(target.first, target.last, spans)
        if target.first is None:
            target.delete()  # of another request, and gone with this one
            follow(Kind.FORGET, [target.request_id])
        else:
            target.save(update_fields=["first", "last"])


def _moved(
    first: int | None, last: int | None, spans: Sequence[tuple[int, int]]
) -> tuple[int | None, int | None]:
    """Where these characters are once the mark stands for each span; nowhere, if one was theirs."""
    if first is None or last is None or any(a < last and first < b for a, b in spans):
        return None, None
    by = sum(len(MARK) - (b - a) for a, b in spans if b <= first)
    return first + by, last + by


def _merged(spans: Sequence[Span], length: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in sorted((first, length if last is None else last) for first, last in spans):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def _forget_answers(agent_id: UUID, owner_id: UUID | None) -> None:
    """Answers that wait to be used: the windows are read again."""
    model = apps.get_model("extraction", "Extraction")
    waiting = model._default_manager.filter(status="answered", conversation__agent=agent_id)
    waiting = waiting if owner_id is None else waiting.filter(conversation__owner=owner_id)
    waiting.delete()


def headed(text: str, sought: Sought) -> str:
    """With another heading in the place of each that has the words."""

    def head(found: re.Match[str]) -> str:
        is_meant = sought.is_in_name(found[0])
        return f"{found[0].split()[0]} {_HEADING}" if is_meant else found[0]

    return _HEADINGS.sub(head, text)


# Where the very words stand.


def found(
    table: Table, rows: "QuerySet[Any]", sought: Sought, after: Any
) -> tuple[int, list[Any], Any]:
    """The rows of one step: how many, the keys of those that hold a sought text, and the key to go
    on after; None at the end."""
    rows = rows.order_by("pk").values_list("pk", *table.columns)
    read = list((rows.filter(pk__gt=after) if after is not None else rows)[:STEP])
    texts = [(pk, values, "\0".join(texts_in(values))) for pk, *values in read]
    hits = []
    if sought.may_be_in("\0".join(text for _pk, _values, text in texts)):
        hits = [
            pk
            for pk, values, text in texts
            if sought.is_in(text) or any(map(sought.is_in_name, _names_in(table, values)))
        ]
    return len(read), hits, read[-1][0] if len(read) == STEP else None


def hits(table: Table, memory: Memory, sought: Sought) -> list[Any]:
    """Of the rows of that memory, those with the very words."""
    rows = table.rows(memory.agent.team_id).filter(table.within(memory))
    keys, last = list[Any](), None
    while sought:
        _count, some, last = found(table, rows, sought, last)
        keys += some
        if last is None:
            break
    return keys


def _names_in(table: Table, values: list[Any]) -> Iterator[str]:
    """Headings name what stands below them."""
    names, has_headings = table.names, table.says(Erasure.HEADED)
    for name, value in zip(table.columns, values, strict=True):
        if name in names:
            yield from texts_in([value])
        elif has_headings and isinstance(value, str):
            yield from _HEADINGS.findall(value)


def texts_in(values: list[Any]) -> Iterator[str]:
    """Each text of these values, also within JSON, keys too."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from map(str, value)
            yield from texts_in([*value.values()])
        elif isinstance(value, list | tuple):
            yield from texts_in([*value])


def identities(memory: Memory, sought: Sought) -> int:
    """Whether the owner's own id has the words: it is who they are, and goes with all of them."""
    own = Owner.objects.filter(pk__in=filter(None, [memory.owner_id]))
    return sum(map(sought.is_in_name, own.values_list("external_id", flat=True)))


def scrub(table: Table, keys: list[Any], sought: Sought) -> int:
    """Take the texts out of these rows; how many there were."""
    rows = table.model._default_manager.filter(pk__in=keys)
    if table.says(Erasure.DROPPED):
        rows.delete()
    elif table.model is Label:  # its event stands by the commitment alone
        rows.update(text="", salt=None)
    else:
        for row in rows:
            in_place.change(row, table.columns, _without(table, sought))
    return len(keys)


def _without(table: Table, sought: Sought) -> in_place.Change:
    def without(column: str, text: str) -> str:
        holds = table.holds(column)
        if holds is Holds.NAME:
            return sought.renamed(text)
        return sought.without(text) if holds is Holds.TEXT else sought.label(text)

    return without


def empty_answers(memory: Memory) -> None:
    """What models answered, and what was made of it, in other words perhaps: of no use once a run
    has ended."""
    for table in _records():
        rows = table.rows(memory.agent.team_id).filter(table.within(memory))
        for name in {"answer", "checked"} & set(table.columns):
            field = table.model._meta.get_field(name)
            empty: Any = None if field.null else {}
            is_empty = Q(**{f"{name}__isnull": True}) if field.null else Q(**{name: {}})
            rows.filter(~is_empty).update(**{name: empty})


# Records that repeat what is erased: those of its memory, and those of the shared one that quote
# it. What the shared memory says itself is somebody's who stays.

_STARTS = [kind.start for kind in KINDS if kind.written is WritingKind.DREAMS]
_IS_DIARY = reduce(or_, (Q(folded_path__startswith=start) for start in _STARTS))
_REVISIONS = Table(models.Revision, ("raw_text", "reason"))
PAST = Table(models.Revision, ("raw_text", "reason", "path"))
PARTS: dict[str, tuple[Any, int, Table]] = {  # how much of each goes at once, and where it stands
    "files": (take_files, 20, Table(models.File, ("path", "raw_content"))),
    "facts": (take_facts, 100, Table(models.Fact, ("raw_text", "raw_value"))),
    "messages": (take_messages, 100, in_place.table_of(models.Message)),
}


def records(memory: Memory, sought: Sought) -> Iterator[tuple[Table, Memory, Sought]]:
    """Each table with the memory whose rows are meant, and what goes of them."""
    for table in _records():
        yield table, memory, sought
    shared = replace(memory, owner=None)
    if memory != shared:
        quoting = (table for table in in_place.tables() if table.says(Erasure.QUOTING))
        there = [table for table in quoting if hits(table, shared, sought)]
        quoted = _quoted(shared, sought) if there else sought
        yield from ((table, shared, quoted) for table in there)


def _records() -> list[Table]:
    """Those that no door writes, whose words are taken out where they stand."""
    return [table for table in in_place.tables() if not table.says(Erasure.BY_DOORS)]


def in_diaries(memory: Memory, sought: Sought) -> tuple[Removal, list[UUID]]:
    """What goes of the shared memory's diary, and the files: its months are archived."""
    shared = replace(memory, owner=None)
    told = models.Revision.objects.filter(pk__in=hits(_REVISIONS, shared, sought))
    found = models.File.objects.filter(_IS_DIARY, pk__in=told.values("file"))
    keys = list(found.values_list("pk", flat=True)) if memory != shared else []
    quoted = _quoted(shared, sought) if keys else Sought(())
    return Removal(shared, HiddenText(), quoted), keys if quoted else []


def _quoted(shared: Memory, sought: Sought) -> Sought:
    """Without what stood in the shared memory otherwise than as a diary's telling."""
    return Sought(text for text in sought.texts if not _is_said(shared, text))


def _is_said(shared: Memory, text: str) -> bool:
    """In any revision: of a line that was its owner's alone all of them have the mark by now."""
    told = models.Revision.objects.filter(pk__in=hits(_REVISIONS, shared, Sought([text])))
    return told.exclude(file__in=models.File.objects.filter(_IS_DIARY)).exists()
