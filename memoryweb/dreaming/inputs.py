"""What a dream reads, frozen at its revisions, and the same read again when it resumes."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming import knowledge
from memoryweb.dreaming.candidates import Mention, Recall, as_line
from memoryweb.dreaming.knowledge import MEMORY as MEMORY
from memoryweb.dreaming.knowledge import PROFILE as PROFILE
from memoryweb.dreaming.knowledge import living
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.dreaming.operations import Correction, Does, LivingStatement, Material, Why
from memoryweb.dreaming.removal_rules import begins, is_done
from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.language.tokens import tokens
from memoryweb.markdown.blocks import blocks
from memoryweb.markdown.marks import Ended, part
from memoryweb.memory import memory_tests
from memoryweb.memory.index import recalls
from memoryweb.memory.index.terms import terms_of
from memoryweb.memory.lines import source_classes
from memoryweb.memory.lines.files import fresh
from memoryweb.memory.lines.origins import speakers_of
from memoryweb.memory.models import AuthorKind, File, LineOrigin, MemoryTest
from memoryweb.memory.statements.evidence import ground_of
from memoryweb.memory.visible import hidden as forgetting
from memoryweb.memory.writing import tombstones
from memoryweb.memory.writing.proposing import Rejections, rejected_lines
from memoryweb.memory.writing.put_back import UNTOLD
from memoryweb.runs.models import Run

DIARY = "DREAMS.md"
NO_NEW_NOTES = "no_new_notes"  # why a night has an outcome and no dream
RECALL_DAYS = 30


@dataclass(frozen=True)
class Text:
    """A file's text at one revision; revision 0 is a file that does not exist yet."""

    file_id: str
    path: str
    revision: int
    content: str
    note_date: date | None = None
    hidden: frozenset[int] = frozenset()  # lines that no model is given

    @property
    def frozen(self) -> dict[str, Any]:
        return {"file": self.file_id, "path": self.path, "revision": self.revision}


@dataclass(frozen=True)
class Inputs:
    now: datetime
    notes: tuple[Text, ...]
    memory: Text
    diary: Text
    mentions: tuple[Mention, ...]
    recalls: Mapping[tuple[str, int], Recall]
    material: Material
    tests: Sequence[MemoryTest] = ()  # a look ahead asks none
    profile: Text | None = None  # an owner's own; the shared one is people's
    retired: tuple[tuple[str, str], ...] = ()  # what left lately, and why
    decided: frozenset[tuple[Any, ...]] = frozenset()  # what people decided about statements

    @property
    def is_due(self) -> bool:
        """Something is to be done though nothing was noted."""
        living = self.material.living
        today = self.material.today
        before = today - timedelta(days=2)  # what began by then had its night
        return any(
            one.is_outdated
            or (is_done(one, today) and not one.is_pinned)
            or (begins(one, today) and not begins(one, before))
            or (one.is_pinned and any(it in self.material.freed for it in one.marks))
            for one in living
        )

    @property
    def frozen(self) -> dict[str, Any]:
        """Files and revisions, as the run keeps them, and what else an answer may name."""
        aside = "".join(one.id for one in self.material.living if not one.stands)
        return {
            "aside": sha256(aside.encode()).hexdigest(),
            "notes": [note.frozen for note in self.notes],
            "memory": self.memory.frozen,
            "diary": self.diary.frozen,
            **({"profile": self.profile.frozen} if self.profile else {}),
        }

    @property
    def written(self) -> tuple[Text, ...]:
        """What a night writes statements into."""
        return (self.profile, self.memory) if self.profile else (self.memory,)


def read(run: Run, days: int = 0) -> Inputs:
    """The notes of the window, or of so many `days`, and the files that the run writes."""
    held, done = held_before(run), done_before(run)
    files = sorted(_files(run, held, days), key=lambda file: (str(file.note_date), file.path))
    cores = [_core(files, path, run.agent.language) for path in knowledge.paths_of(run.owner_id)]
    found = [text_of(file) for file in files if file.note_date]
    origins = _origins([*found, *cores])
    away = forgetting.of_memory(run.team_id, run.agent_id, run.owner_id)
    notes = tuple(replace(note, hidden=_closed_lines(note, origins, away)) for note in found)
    written = [replace(one, hidden=_closed_lines(one, origins, away)) for one in cores]
    first = _window(run, days)[0]
    noted = _mentions(run, notes, origins, _outside(run, notes), away)
    mentions = tuple(one for one in noted if one.date >= first or _key(one.text) in held)
    mentions = tuple(_about(run.topic, mentions)) if run.topic else mentions
    known = knowledge.known_of(run.agent_id, run.owner_id, tuple(away.facts))
    names, retired = _names(run.owner), list(retired_before(done))
    stands = [one for text in written for one in _living(run, text, origins, known, names)]
    material = Material(
        today=run.now.astimezone(run.agent.zone).date(),
        said=tuple(one.said_of(names) for one in mentions if not one.waits),
        corrections=(*knowledge.corrections(known), *(one for one, _why in retired)),
        is_forgotten=tombstones.of(run.agent_id, run.owner_id).has,
        names=names,
        freed=frozenset(freed_before(done)),
        language=run.agent.language,
    )
    living = tuple(knowledge.answered(stands, known, mentions, material.said, run.now))
    return Inputs(
        now=run.now,
        notes=tuple(_only(note, held) if _is_before(note, first) else note for note in notes),
        memory=written[0],
        profile=next((one for one in written if one.path == PROFILE), None),
        diary=_core(files, DIARY),
        mentions=mentions,
        recalls=_recalls(run, notes, mentions),
        tests=() if run._state.adding else memory_tests.standing(run.agent_id, run.owner_id),
        material=replace(material, living=living, rejected=_rejected(run, written, away, material)),
        retired=tuple((one.text, why) for one, why in retired if not away.says(one.text)),
        decided=away.all | {tuple(getattr(it, name) for name in knowledge.DECIDED) for it in known},
    )


def _rejected(
    run: Run, written: Sequence[Text], away: forgetting.HiddenText, night: Material
) -> tuple[str, ...]:
    """But for what its owner says again later."""
    found = rejected_lines(run.agent_id, run.owner, *(one.path for one in written))
    own = [it for it in night.said if found and it.by.is_word and not it.by.speaker]

    def is_news(text: str) -> bool:
        later = [it.text for it in own if it.by.said_at and it.by.said_at > found[text]]
        return any(map(Rejections([text]).has, later)) if later else False

    return tuple(sorted(one for one in found if not (away.says(one) or is_news(one))))


def _living(
    run: Run,
    text: Text,
    origins: Mapping[tuple[str, int], list[LineOrigin]],
    known: Iterable[Any],
    names: Collection[str],
) -> Iterator[LivingStatement]:
    its = {line: rows for (file, line), rows in origins.items() if file == text.file_id}
    return living(run, text.content, its, text.hidden, known, names, text.path)


def _names(owner: Owner | None) -> frozenset[str]:
    """What others call whom the memory is about."""
    name = str(owner.person) if owner and owner.person else ""
    return frozenset({name, *name.split(" ")[:1]} - {""})


def is_current(run: Run, frozen: Mapping[str, Any]) -> bool:
    """Nobody has written, deleted or made any of these files since they were frozen."""
    entries = [*frozen["notes"], frozen["memory"], frozen["diary"]]
    entries += [frozen["profile"]] if "profile" in frozen else []
    wanted = {entry["path"]: entry["revision"] for entry in entries}
    now = dict(_revisions(run.agent_id, run.owner_id, tuple(wanted)))
    return all(now.get(path, 0) == revision for path, revision in wanted.items())


def has_changed(run: Run, read: Inputs) -> bool:
    """People have decided about statements since, or spoken against one, without a new text."""
    away = forgetting.of_memory(run.team_id, run.agent_id, run.owner_id)
    return read.decided != away.all | set(
        knowledge.decided_of(run.agent_id, run.owner_id, tuple(away.facts))
    )


def window(now: datetime, days: int = 0) -> tuple[date, date]:
    """First and last date of the notes that a dream looks at."""
    last = now.astimezone(UTC).date()
    return last - timedelta(days=(days or settings.DREAM_DATES) - 1), last


def read_whole(runs: QuerySet[Run]) -> QuerySet[Run, Any]:
    """What dreams of these runs read, but for those on a topic."""
    dreams = runs.filter(kind=Run.Kind.DREAM, topic="")
    frozen = dreams.exclude(status__in=[Run.Status.QUEUED, Run.Status.FAILED])
    return frozen.values_list("inputs", flat=True)


def read_by_dreams(frozen: Iterable[Mapping[str, Any]]) -> set[tuple[str, int]]:
    """Notes and their revisions."""
    return {(note["file"], note["revision"]) for read in frozen for note in read.get("notes", ())}


def notes_of(owner: Owner | None) -> Q:
    return Q(owner=owner) if owner else Q(owner__isnull=True)


def _window(run: Run, days: int = 0) -> tuple[date, date]:
    """Of a backfill the whole dates before its clock: they are over, whatever the zone."""
    first, last = window(run.now, days)
    if run.trigger == Run.Trigger.BACKFILL:
        last = run.now.astimezone(run.agent.zone).date() - timedelta(days=1)
        first = last - timedelta(days=settings.DREAM_DATES - 1)
    return first, last


def _files(run: Run, held: Mapping[str, uuid.UUID], days: int) -> list[File]:
    first, last = _window(run, days)
    return _files_of(run.agent_id, run.owner_id, first, last, tuple(set(held.values())))


@PreparedQuery
def _files_of(
    agent_id: uuid.UUID,
    owner_id: uuid.UUID | None,
    first: date,
    last: date,
    held: Collection[uuid.UUID],
) -> "QuerySet[File]":
    wanted = Q(note_date__range=(first, last)) | Q(path__in=(MEMORY, PROFILE, DIARY))
    wanted |= Q(pk__in=held, note_date__lte=last)
    return File.objects.of(agent_id, owner_id).present().filter(wanted)


@PreparedQuery
def _revisions(
    agent_id: uuid.UUID, owner_id: uuid.UUID | None, paths: Collection[str]
) -> "QuerySet[File, tuple[str, int]]":
    files = File.objects.of(agent_id, owner_id).present().filter(path__in=paths)
    return files.values_list("path", "revision")


def _about(topic: str, mentions: Iterable[Mention]) -> Iterable[Mention]:
    """What says a word of the topic, in whichever form."""
    terms = [frozenset(term) for term in terms_of(topic)]
    for one in mentions:
        said = set(tokens(one.text))
        if any(term & said for term in terms):
            yield one


def _key(text: str) -> str:
    return fingerprint(as_line(text))


def _is_before(note: Text, first: date) -> bool:
    return note.note_date is not None and note.note_date < first


def _only(note: Text, held: Collection[str]) -> Text:
    """Of a note that is past its nights, only what a person had to decide about."""
    lines = enumerate(note.content.split("\n"), start=1)
    others = {number for number, line in lines if _key(line) not in held}
    return replace(note, hidden=note.hidden | others)


def text_of(file: File) -> Text:
    """The true one: a night changes lines, and says by number which of them no model is given."""
    return Text(str(file.pk), file.path, file.revision, file.raw_content, file.note_date)


def _core(files: Iterable[File], path: str, language: str = "") -> Text:
    """Without a language one that begins empty."""
    found = next((text_of(file) for file in files if file.path == path), None)
    return found or Text("", path, 0, fresh(path, language) if language else "")


def _origins(texts: Iterable[Text]) -> dict[tuple[str, int], list[LineOrigin]]:
    found: dict[tuple[str, int], list[LineOrigin]] = defaultdict(list)
    for row in speakers_of(tuple(uuid.UUID(text.file_id) for text in texts if text.file_id)):
        found[str(row.file_id), row.line].append(row)
    return found


def _mentions(
    run: Run,
    notes: Iterable[Text],
    origins: Mapping[tuple[str, int], list[LineOrigin]],
    outside: Collection[tuple[str, int]],
    away: forgetting.HiddenText,
) -> Iterable[Mention]:
    """The blocks of the notes; never what a dream wrote, nor what is to be forgotten."""
    for note in notes:
        forgotten = away.lines_in(uuid.UUID(note.file_id), note.content)
        for block in blocks(note.content):
            rows = origins.get((note.file_id, block.line), [])
            if any(row.author_kind == AuthorKind.DREAM for row in rows):
                continue
            if block.line in forgotten:
                continue
            yield Mention(
                file_id=note.file_id,
                path=note.path,
                revision=note.revision,
                line=block.line,
                date=note.note_date or date.min,
                text=block.text,
                durable=any(row.durable for row in rows),
                asked=any(row.asked for row in rows),
                category=next((row.category for row in rows if row.category), ""),
                human=any(row.author_kind == AuthorKind.PERSON for row in rows),
                waits=any(n in note.hidden for n in range(block.line, block.end + 1)),
                outside=any((note.file_id, n) in outside for n in range(block.line, block.end + 1)),
                grounds=tuple(dict.fromkeys(ground_of(row) for row in rows)),
                by=knowledge.spoken(rows, run.owner, (note.note_date or date.min, block.line)),
            )


def _outside(run: Run, notes: Sequence[Text]) -> set[tuple[str, int]]:
    """In one's own memory everything is for oneself."""
    if run.owner_id is not None:
        return set()
    found = source_classes.outside_lines(uuid.UUID(note.file_id) for note in notes)
    return {(str(file_id), line) for file_id, line in found}


def _closed_lines(
    text: Text, origins: Mapping[tuple[str, int], list[LineOrigin]], away: forgetting.HiddenText
) -> frozenset[int]:
    """Lines that a person has to look at first, and those that are to be forgotten."""
    flagged = (at for at, rows in origins.items() if any(row.marks for row in rows))
    waiting = {line for file_id, line in flagged if file_id == text.file_id}
    forgotten = away.lines_in(uuid.UUID(text.file_id), text.content) if text.file_id else set()
    return frozenset(waiting | forgotten)


def _recalls(
    run: Run, notes: Iterable[Text], mentions: Iterable[Mention]
) -> dict[tuple[str, int], Recall]:
    ids = [uuid.UUID(note.file_id) for note in notes]
    asks = recalls.asks_since(ids, run.now - timedelta(days=RECALL_DAYS), run.now)
    if not asks:
        return {}
    counted = {}
    for mention in mentions:
        given = asks.get((uuid.UUID(mention.file_id), recalls.keyed_hash(mention.text)))
        if given:
            counted[mention.file_id, mention.line] = Recall(frozenset(given), max(given.values()))
    return counted


# What earlier dreams of one memory did, which this one does not undo from older notes.

RETIRED_DAYS = 30


def done_before(run: Run) -> list[Operation]:
    """What earlier dreams did, of which the notes may still be there to be read."""
    since, until = run.now - timedelta(days=RETIRED_DAYS), run.now
    if run.trigger == Run.Trigger.BACKFILL:  # what left later does not come back from before
        until = timezone.now()
    return _done(run.agent_id, run.owner_id, run.pk, since, until)


@PreparedQuery
def _done(
    agent_id: UUID, owner_id: UUID | None, run_id: UUID, since: datetime, until: datetime
) -> QuerySet[Operation]:
    rows = Operation.objects.filter(report__owner=owner_id, report__agent=agent_id)
    rows = rows.filter(code="", waits="", report__dreamt_at__range=(since, until))
    rows = rows.exclude(report__run=run_id).exclude(report__run__reverted_at__isnull=False)
    rows = rows.exclude(why=Why.ROOM)
    return rows.select_related("report").order_by("report__dreamt_at", "position")


def retired_before(done: Iterable[Operation]) -> Iterator[tuple[Correction, str]]:
    for one in (it for it in done if it.does != Does.END):
        for text in (text for text in one.before if text != UNTOLD):
            at = one.report.dreamt_at
            yield Correction(text, claim_of(text), at, is_persons=False), one.why


def freed_before(done: Iterable[Operation]) -> Iterator[tuple[str, Ended]]:
    """Statements and the words of them that ended by what was taken back since."""
    for one in (it for it in done if it.does == Does.END and it.against == UNTOLD):
        yield from ((part(one.after)[0], ended) for ended in one.ended)


def is_held(gates: Iterable[Mapping[str, Any]]) -> bool:
    """Left to a person, whatever else was wanting."""
    return any(gate["name"] == "reviewed" and not gate["passed"] for gate in gates)


def last_reports(reports: QuerySet[Report]) -> QuerySet[Report]:
    """Of each agent and owner."""
    newest_first = Window(
        RowNumber(), partition_by=[F("agent"), F("owner")], order_by=F("dreamt_at").desc()
    )
    return reports.annotate(place=newest_first).filter(place=1)


def kept_last(reports: QuerySet[Report]) -> QuerySet[Candidate]:
    """What the last of these dreams of each memory kept for later, but for those on a topic."""
    last = last_reports(reports.filter(run__topic=""))
    return Candidate.objects.filter(report__in=last.values("pk"), verdict=Candidate.Verdict.KEPT)


def held_before(run: Run) -> dict[str, UUID]:
    """Statements that last time were left to a person, with their notes."""
    rows = _kept_before(run.agent_id, run.owner_id, run.pk, run.now)
    return {key: file for key, file, gates in rows if file and is_held(gates)}


@PreparedQuery
def _kept_before(
    agent_id: UUID, owner_id: UUID | None, run_id: UUID, now: datetime
) -> QuerySet[Candidate, tuple[str, UUID | None, Any]]:
    reports = Report.objects.filter(owner=owner_id, agent=agent_id)
    kept = kept_last(reports.filter(dreamt_at__lte=now).exclude(run=run_id))
    return kept.values_list("key", "file", "gates")
