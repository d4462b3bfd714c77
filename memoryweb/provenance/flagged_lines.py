"""Marked lines of current files, one row a line."""

import hashlib
from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryweb.accounts.models import Team
from memoryweb.provenance.models import LineOrigin
from memoryweb.workspace.models import File


def marked_lines(team: Team) -> "QuerySet[LineOrigin]":
    """The newest first, with all that says where they stand and who brought them."""
    marked = LineOrigin.objects.filter(team=team).exclude(marks="")
    before = marked.filter(file=OuterRef("file"), line=OuterRef("line"), pk__lt=OuterRef("pk"))
    return (
        marked.filter(~Exists(before), file__deleted_at=None, file__agent__archived_at=None)
        .select_related("file__agent", "file__owner__integration", "file__owner__person")
        .select_related("file", "run", "user", "message__conversation__owner")
        .order_by("-pk")
    )


def waiting_marks(
    team: Team, owner_ids: Collection[UUID], *, shared: bool
) -> "QuerySet[LineOrigin]":
    """Those about these owners, and in shared memory for who decides on it."""
    reach = Q(file__owner__in=owner_ids)
    if shared:
        reach |= Q(file__owner=None)
    return marked_lines(team).filter(reach)


def files_of(team: Team) -> "QuerySet[File]":
    return File.objects.filter(team=team, deleted_at=None, agent__archived_at=None).select_related(
        "agent", "owner__integration", "owner__person"
    )


def print_of(line: str) -> str:
    """Tells a line from another one that stands in its place by now."""
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:32]
