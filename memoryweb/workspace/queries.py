"""Named reads of workspaces that start from no single file."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import TruncMonth

from memoryweb.accounts.models import Team
from memoryweb.markdown.file_kinds import NOTE, FileKind
from memoryweb.prepared_queries import Prepared
from memoryweb.workspace.models import File, Revision


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
    gone = files.exclude(deleted_at=None).defer("content")
    return gone.annotate(last_text=Subquery(last)).order_by("-deleted_at", "folded_path")


@Prepared
def files_at_path(agent_id: UUID, owner_id: UUID | None, folded: str) -> "QuerySet[File]":
    """The one of that name in one workspace, deleted or not."""
    return File.objects.of(agent_id, owner_id).filter(folded_path=folded)


@Prepared
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
