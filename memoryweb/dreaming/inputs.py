"""What a dream reads, frozen at its revisions, and the same read again when it resumes."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q

from memoryweb.agents.models import Owner
from memoryweb.dreaming.candidates import Mention, Recall, as_line
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.language.statements import fingerprint
from memoryweb.markdown.blocks import blocks
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.machine_changes import changed_by_machines
from memoryweb.memory.proposing import rejected_lines
from memoryweb.provenance import vouching
from memoryweb.provenance.flags import without_flagged
from memoryweb.provenance.models import LineOrigin
from memoryweb.runs.models import Run
from memoryweb.search import recalls
from memoryweb.workspace.models import AuthorKind, File

MEMORY, DIARY = "MEMORY.md", "DREAMS.md"
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
    def for_model(self) -> str:
        return without_flagged(self.content, self.hidden)

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
    protected_lines: frozenset[int] = frozenset()
    line_dates: Mapping[int, date] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    rejected_before: frozenset[str] = frozenset()
    changed_today: int = 0

    @property
    def frozen(self) -> dict[str, Any]:
        """Files and revisions, as the run keeps them."""
        return {
            "notes": [note.frozen for note in self.notes],
            "memory": self.memory.frozen,
            "diary": self.diary.frozen,
        }


def read(run: Run) -> Inputs:
    """The current notes of the window, MEMORY.md and DREAMS.md of the run's (agent, owner)."""
    waiting, held = _kept(run)
    files = _files(run, held)
    found = [_text(file) for file in sorted(files, key=_by_date) if file.note_date]
    origins = _origins([*found, core := _core(files, MEMORY)])
    notes = tuple(replace(note, hidden=_waiting_lines(note, origins)) for note in found)
    memory = replace(core, hidden=_waiting_lines(core, origins))
    protected, line_dates = _standing(memory, origins)
    outside = _outside(run, notes)
    first, _last = window(run.now)
    mentions = tuple(
        one
        for one in _mentions(notes, origins, outside)
        if one.date >= first or _key(one.text) in held
    )
    return Inputs(
        now=run.now,
        notes=tuple(_only(note, held) if _is_before(note, first) else note for note in notes),
        memory=memory,
        diary=_core(files, DIARY),
        mentions=mentions,
        recalls=_recalls(run, notes, mentions),
        protected_lines=protected,
        line_dates=line_dates,
        waiting=waiting,
        rejected_before=rejected_lines(run.agent_id, run.owner, MEMORY),
        changed_today=_changed_today(run, memory),
    )


def is_current(run: Run, frozen: Mapping[str, Any]) -> bool:
    """Nobody has written, deleted or made any of these files since they were frozen."""
    entries = [*frozen["notes"], frozen["memory"], frozen["diary"]]
    wanted = {entry["path"]: entry["revision"] for entry in entries}
    files = File.objects.of(run.agent_id, run.owner_id).present().filter(path__in=wanted)
    now = dict(files.values_list("path", "revision"))
    return all(now.get(path, 0) == revision for path, revision in wanted.items())


def window(now: datetime) -> tuple[date, date]:
    """First and last date of the notes that a dream looks at."""
    last = now.astimezone(UTC).date()
    return last - timedelta(days=settings.DREAM_DATES - 1), last


def notes_of(owner: Owner | None) -> Q:
    return Q(owner=None) if owner is None else Q(owner=owner)


def is_held(gates: Iterable[Mapping[str, Any]]) -> bool:
    """Left to a person, whatever else was wanting."""
    return any(gate["name"] == "reviewed" and not gate["passed"] for gate in gates)


def _files(run: Run, held: Mapping[str, uuid.UUID]) -> list[File]:
    first, last = window(run.now)
    wanted = Q(note_date__range=(first, last)) | Q(path__in=(MEMORY, DIARY))
    wanted |= Q(pk__in=set(held.values()), note_date__lte=last)
    return list(
        File.objects.filter(wanted, notes_of(run.owner), agent_id=run.agent_id, deleted_at=None)
    )


def _key(text: str) -> str:
    return fingerprint(as_line(text))


def _is_before(note: Text, first: date) -> bool:
    return note.note_date is not None and note.note_date < first


def _only(note: Text, held: Collection[str]) -> Text:
    """Of a note that is past its nights, only what a person had to decide about."""
    lines = enumerate(note.content.split("\n"), start=1)
    others = {number for number, line in lines if _key(line) not in held}
    return replace(note, hidden=note.hidden | others)


def _by_date(file: File) -> tuple[str, str]:
    return (str(file.note_date), file.path)


def _text(file: File) -> Text:
    return Text(str(file.pk), file.path, file.revision, file.content, file.note_date)


def _core(files: Iterable[File], path: str) -> Text:
    fresh = "# Memory\n" if path == MEMORY else ""
    return next((_text(file) for file in files if file.path == path), Text("", path, 0, fresh))


def _origins(texts: Iterable[Text]) -> dict[tuple[str, int], list[LineOrigin]]:
    found: dict[tuple[str, int], list[LineOrigin]] = defaultdict(list)
    ids = [uuid.UUID(text.file_id) for text in texts if text.file_id]
    rows = LineOrigin.objects.filter(file__in=ids).select_related("source_file")
    for row in rows.defer("source_file__content").order_by("pk"):
        found[str(row.file_id), row.line].append(row)
    return found


def _mentions(
    notes: Iterable[Text],
    origins: Mapping[tuple[str, int], list[LineOrigin]],
    outside: Collection[tuple[str, int]],
) -> Iterable[Mention]:
    """The blocks of the notes; never what a dream wrote."""
    for note in notes:
        for block in blocks(note.content):
            rows = origins.get((note.file_id, block.line), [])
            if any(row.author_kind == AuthorKind.DREAM for row in rows):
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
            )


def _outside(run: Run, notes: Sequence[Text]) -> set[tuple[str, int]]:
    """In one's own memory everything is for oneself."""
    if run.owner_id is not None:
        return set()
    found = vouching.outside_lines(uuid.UUID(note.file_id) for note in notes)
    return {(str(file_id), line) for file_id, line in found}


def _waiting_lines(
    text: Text, origins: Mapping[tuple[str, int], list[LineOrigin]]
) -> frozenset[int]:
    """Lines that a person has to look at first (`memory.marking.marks`)."""
    return frozenset(
        line
        for (file_id, line), rows in origins.items()
        if file_id == text.file_id and any(row.marks for row in rows)
    )


def _standing(
    memory: Text, origins: Mapping[tuple[str, int], list[LineOrigin]]
) -> tuple[frozenset[int], dict[int, date]]:
    """Lines of MEMORY.md that no machine may change, and when each line was last said."""
    protected = pinned_lines(memory.content)
    dates: dict[int, date] = {}
    for (file_id, line), rows in origins.items():
        if file_id != memory.file_id:
            continue
        if any(
            row.marks or (row.author_kind == AuthorKind.PERSON and not row.released) for row in rows
        ):
            protected.add(line)
        said = [
            row.source_file.note_date
            for row in rows
            if row.source_file and row.source_file.note_date
        ]
        if said:
            dates[line] = max(said)
    return frozenset(protected), dates


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
            counted[mention.file_id, mention.line] = Recall.of(given)
    return counted


def _kept(run: Run) -> tuple[frozenset[str], dict[str, uuid.UUID]]:
    """Statements that found no room last time, and those left to a person, with their notes."""
    reports = Report.objects.filter(notes_of(run.owner), agent_id=run.agent_id)
    reports = reports.filter(dreamt_at__lte=run.now).exclude(run=run)
    last = reports.order_by("-dreamt_at")[:1]
    kept = Candidate.objects.filter(report__in=last.values("pk"), verdict=Candidate.Verdict.KEPT)
    rows = list(kept.values_list("key", "file", "gates"))
    waiting = frozenset(key for key, _file, gates in rows if all(g["passed"] for g in gates))
    return waiting, {key: file for key, file, gates in rows if file and is_held(gates)}


def _changed_today(run: Run, memory: Text) -> int:
    """Lines that machines have changed on this local date already."""
    if not memory.file_id:
        return 0
    today = run.now.astimezone(run.agent.zone).date()
    start = datetime.combine(today, time(), tzinfo=run.agent.zone)
    return changed_by_machines(uuid.UUID(memory.file_id), start, run.now)
