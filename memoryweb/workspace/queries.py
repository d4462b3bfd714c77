"""Named reads of workspaces that start from no single file."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import TruncMonth

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.workspace.models import (
    AuthorKind,
    File,
    HeldSecret,
    LineOrigin,
    Proposal,
    Revision,
)


def proposals_of(team: Team) -> "QuerySet[Proposal]":
    return Proposal.objects.filter(team=team).select_related(
        "file__agent", "file__owner__integration", "run__report", "token__integration", "decided_by"
    )


def waiting_for(team: Team, owner_ids: Collection[UUID], *, shared: bool) -> "QuerySet[Proposal]":
    """Undecided ones about these owners, and about shared memory for who decides on it."""
    reach = Q(file__owner__in=owner_ids)
    if shared:
        reach |= Q(file__owner=None)
    return proposals_of(team).filter(reach, state=Proposal.State.PENDING)


def waiting_secrets(
    team: Team, owner_ids: Collection[UUID], *, shared: bool
) -> "QuerySet[HeldSecret]":
    """Likely passwords that nobody has decided about yet, of the same reach."""
    reach = Q(owner__in=owner_ids)
    if shared:
        reach |= Q(owner=None)
    waiting = HeldSecret.objects.filter(team=team, state=HeldSecret.State.WAITING)
    return waiting.filter(reach, agent__archived_at=None)


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


def lines_of_people(file: File) -> set[int]:
    """Lines that a person wrote and has not released: machines keep them as they are."""
    persons = file.origins.filter(author_kind=AuthorKind.PERSON, released=False)
    return set(persons.values_list("line", flat=True))


def origins_at(file: File, line: int) -> list[LineOrigin]:
    rows = file.origins.filter(line=line).select_related(
        "source_file__owner", "message__conversation__owner", "run", "user"
    )
    return list(rows.order_by("pk"))


def files_by_id(ids: Collection[str]) -> dict[str, File]:
    return {str(file.pk): file for file in File.objects.filter(pk__in=ids)}


def files_per_owner(team: Team, owner_ids: Collection[UUID]) -> dict[UUID, int]:
    rows = File.objects.filter(team=team, owner__in=owner_ids, deleted_at=None)
    return dict(rows.values_list("owner").annotate(Count("pk")).order_by())


def lines_from_messages(message_ids: Iterable[int]) -> "QuerySet[LineOrigin]":
    """The lines of current texts that were written down from these messages, with their files."""
    said = LineOrigin.objects.filter(message__in=list(message_ids), source_file=None)
    return (
        said.filter(file__deleted_at=None)
        .select_related("file")
        .order_by("file__folded_path", "line")
    )


@dataclass(frozen=True)
class Kept:
    """What one agent keeps about some owners."""

    agent: Agent
    files: int
    lines: int
    conversations: int


def kept_about(team: Team, owner_ids: Collection[UUID]) -> list[Kept]:
    """In three statements, however many agents there are."""
    files = File.objects.filter(team=team, owner__in=owner_ids, deleted_at=None)
    counts = dict(files.values_list("agent").annotate(Count("pk")).order_by())
    lines = LineOrigin.objects.filter(file__in=files.values("pk"), file__path="MEMORY.md")
    said = dict(lines.values_list("file__agent").annotate(Count("line", distinct=True)).order_by())
    talks = dict(
        team.agents.filter(conversations__owner__in=owner_ids)
        .values_list("pk")
        .annotate(Count("conversations"))
        .order_by()
    )
    agents = team.agents.live().filter(pk__in={*counts, *talks})
    return [
        Kept(agent, counts.get(agent.pk, 0), said.get(agent.pk, 0), talks.get(agent.pk, 0))
        for agent in agents
    ]
