"""Named reads of workspaces that start from no single file."""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import count
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import TruncMonth

from memoryweb.accounts.models import Team
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.statement_comparison import Lookup
from memoryweb.markdown import paths
from memoryweb.markdown.file_kinds import ENTRY, NOTE, SEEDED, FileKind
from memoryweb.markdown.paths import entry_path, fold, kind_of
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import Alias, Entry, File, FileQuerySet, Revision, Scope
from memoryweb.memory.models.writer import Memory


def of_kinds(kinds: Iterable[FileKind], at: str = "") -> Q:
    """Files whose names say so; `at` leads to the file, such as `file__`."""
    found = Q(pk__in=[])
    for kind in kinds:
        if kind is NOTE:
            found |= Q((f"{at}note_date__isnull", False))
        else:
            is_named = "folded_path" if kind.is_one_file else "folded_path__startswith"
            found |= Q((at + is_named, kind.start))
    return found


@dataclass(frozen=True)
class NotesOfMonth:
    month: date
    count: int
    size: int


def notes_by_month(files: "QuerySet[File]") -> list[NotesOfMonth]:
    """How many daily notes each month has, newest first."""
    rows = files.filter(note_date__isnull=False).annotate(month=TruncMonth("note_date"))
    counted = rows.values_list("month").annotate(Count("pk"), Sum("size")).order_by("-month")
    return [NotesOfMonth(month, count, size) for month, count, size in counted]


def deleted(files: "QuerySet[File]") -> "QuerySet[File]":
    """Deleted files, newest first, each with `last_text`: the revision that restoring asks for."""
    texts = Revision.objects.filter(file=OuterRef("pk"), is_deletion=False)
    last = texts.order_by("-number").values("number")[:1]
    gone = files.exclude(deleted_at=None).defer("raw_content")
    return gone.annotate(last_text=Subquery(last)).order_by("-deleted_at", "folded_path")


SEEDS = Path(__file__).parents[2] / "agents/seeds"


def seed(path: str, language: str) -> str:
    """A file's first text, in English where there is none in that language."""
    own = SEEDS / language / path
    return (own if own.exists() else SEEDS / path).read_text(encoding="utf-8")


def fresh(path: str, language: str) -> str:
    """The file's title and nothing below it."""
    return seed(path, language).partition("\n")[0] + "\n"


def is_untouched(file: File) -> bool:
    return file.path == "PROFILE.md" and file.sha256 in _untouched()


def untouched() -> Q:
    """A PROFILE.md that says of nobody who they are is in no prompt."""
    return Q(path="PROFILE.md", sha256__in=_untouched())


@cache
def _untouched() -> tuple[str, ...]:
    path = "PROFILE.md"
    texts = (read(path, of) for of, _name in settings.LANGUAGES for read in (seed, fresh))
    return tuple(hashlib.sha256(text.encode()).hexdigest() for text in texts)


def noted_at(note: File, text: str) -> int | None:
    """On which line a bullet of a note says just that, shown or not."""
    lines = enumerate(note.raw_content.split("\n"), start=1)
    bullets = ((n, normalise(line)) for n, line in lines if line.startswith("- "))
    return next((n for n, said in bullets if said == normalise(text)), None)


def noted(note: File | None) -> Lookup:
    """All that the bullets of a note say, to be asked whether it is there already."""
    lines = note.raw_content.split("\n") if note else ()
    return Lookup(clean(line) for line in lines if line.startswith("- "))


@PreparedQuery
def locked_at_paths(
    agent_id: UUID, owner_id: UUID | None, folded: Collection[str]
) -> "QuerySet[File]":
    files = File.objects.of(agent_id, owner_id).filter(folded_path__in=folded)
    return files.select_for_update(of=("self",))


def files_by_id(ids: Collection[str]) -> dict[str, File]:
    return {str(file.pk): file for file in File.objects.filter(pk__in=ids)}


def files_per_owner(team: Team, owner_ids: Collection[UUID]) -> dict[UUID, int]:
    rows = File.objects.filter(team=team, owner__in=owner_ids, deleted_at=None)
    return dict(rows.values_list("owner").annotate(Count("pk")).order_by())


def last_places(memory: Memory) -> Iterator[int]:
    """Where new files stand in the prompt: behind all others, one behind the other."""
    last = memory.files.aggregate(last=Max("sort_order"))["last"]
    yield from count(max(len(SEEDED), (last or 0) + 1))


def new_file(
    memory: Memory, path: paths.WorkspacePath, places: Iterator[int], *, by_person: bool
) -> File:
    """Unsaved. Core files start in the prompt, shared ones of people; others take a last place."""
    kind = paths.kind_of(path.text)
    return File(
        team_id=memory.agent.team_id,
        agent=memory.agent,
        owner=memory.owner,
        scope=_scope(memory),
        path=path.text,
        folded_path=path.folded,
        enabled=kind.starts_own if memory.owner else kind.is_seeded and by_person,
        sort_order=SEEDED.index(kind.name) if kind.is_seeded else next(places),
        note_date=path.note_date,
        sha256=hashlib.sha256(b"").hexdigest(),
        size=0,
    )


def _scope(memory: Memory) -> Scope:
    if memory.owner:
        return Scope.PERSONAL
    return Scope.GLOBAL if memory.agent.is_global else Scope.TEAM


def content_with(file: File, sha256: str) -> str | None:
    """The text of the file that has this hash, now or in its past."""
    number = number_with(file, sha256)
    return None if number is None else content_of(file, number)


def number_with(file: File, sha256: str) -> int | None:
    """The last revision of the file that has this hash."""
    texts = file.revisions.filter(sha256=sha256, is_deletion=False)
    return texts.order_by("-number").values_list("number", flat=True).first()


def file_that_was(files: FileQuerySet, path: str, sha256: str) -> File | None:
    """The file that once had this path and this text: it may have another name by now, or none.

    Otherwise whatever has the path. Among several one that is still there.
    """
    had = Revision.objects.filter(file=OuterRef("pk"), path=path, sha256=sha256, is_deletion=False)
    found = list(files.filter(Exists(had)).defer("raw_content").order_by("-updated_at"))
    found.sort(key=lambda file: (file.deleted_at is not None, file.folded_path != fold(path)))
    return found[0] if found else files.filter(folded_path=fold(path)).first()


# Entries of one memory: an agent's shared one, or one owner's.


def entries_of(memory: Memory) -> "QuerySet[Entry]":
    """The present ones, with their files and other names, without the texts."""
    aliases = Prefetch("aliases", Alias.objects.order_by("folded"))
    return (
        Entry.objects.filter(agent=memory.agent, owner=memory.owner, file__deleted_at=None)
        .filter(file__folded_path__startswith=ENTRY.start)
        .select_related("file")
        .prefetch_related(aliases)
    )


def find(memory: Memory, asked: str) -> Entry | None:
    """By number, by name, or by another name."""
    entries = entries_of(memory)
    if is_number(asked):
        return entries.filter(number=int(asked)).first()
    named = entries.filter(file__folded_path=fold(entry_path(asked))).first()
    return named or entries.filter(aliases__folded=fold(asked)).first()


def numbers_of(files: Iterable[File]) -> dict[UUID, int]:
    """Of those that are entries."""
    named = [file.pk for file in files if kind_of(file.path) is ENTRY]
    rows = Entry.objects.filter(file__in=named).values_list("file", "number") if named else ()
    return dict(rows)


def is_number(asked: str) -> bool:
    return asked.isascii() and asked.isdigit() and len(asked) < 10


def follow(files: Iterable[File]) -> None:
    """Give a number to each file that has become an entry, however it came to be one."""
    named = {file.pk: file for file in files if kind_of(file.path) is ENTRY}
    if not named:
        return
    known = Entry.objects.filter(file__in=named).values_list("file", flat=True)
    fresh = [file for pk, file in named.items() if pk not in {*known}]
    if not fresh:
        return
    first = next_number(fresh[0].agent_id, fresh[0].owner_id)
    Entry.objects.bulk_create(
        Entry(
            team_id=file.team_id,
            agent_id=file.agent_id,
            owner_id=file.owner_id,
            file=file,
            number=number,
            created_at=file.updated_at,
        )
        for number, file in enumerate(fresh, first)
    )


def next_number(agent_id: UUID, owner_id: UUID | None) -> int:
    last = Entry.objects.filter(agent=agent_id, owner=owner_id).aggregate(last=Max("number"))
    return (last["last"] or 0) + 1
