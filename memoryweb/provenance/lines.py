"""Named reads of where lines came from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.provenance.models import LineOrigin
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File


def lines_of_people(files: Iterable[File]) -> Mapping[UUID, set[int]]:
    """Lines that a person wrote and has not released: machines keep them as they are."""
    persons = LineOrigin.objects.filter(author_kind=AuthorKind.PERSON, released=False)
    found: dict[UUID, set[int]] = defaultdict(set)
    for key, line in persons.filter(file__in=list(files)).values_list("file", "line"):
        found[key].add(line)
    return found


def origins_at(file: File, line: int) -> list[LineOrigin]:
    rows = file.origins.filter(line=line).select_related(
        "source_file__owner", "message__conversation__owner", "run", "user"
    )
    return list(rows.order_by("pk"))


def lines_from_messages(message_ids: Iterable[int]) -> "QuerySet[LineOrigin]":
    """The lines of current texts that were written down from these messages, with their files."""
    said = LineOrigin.objects.filter(message__in=list(message_ids), source_file=None)
    return (
        said.filter(file__deleted_at=None)
        .select_related("file")
        .order_by("file__folded_path", "line")
    )
