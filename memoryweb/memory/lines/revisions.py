"""Reading a file's past."""

from collections.abc import Collection, Mapping
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from memoryweb.accounts.models import User
from memoryweb.core.row_batches import batches
from memoryweb.memory.models import File, Revision


def content_of(file: File, number: int) -> str:
    """The whole content at a revision. Raises Revision.DoesNotExist."""
    if number == file.revision:
        return file.content
    revision = Revision.objects.get(file=file, number=number)
    if not revision.is_delta:
        return revision.text
    parts = Revision.objects.filter(
        file=file, number__gte=revision.base, number__lte=number
    ).order_by("number")
    return "".join(parts.values_list("text", flat=True))


def contents_of(wanted: Mapping[UUID, Collection[int]]) -> dict[UUID, dict[int, str]]:
    """File → the whole contents at some of its revisions, in a statement for many files."""
    found: dict[UUID, dict[int, str]] = {key: {} for key in wanted}
    for some in batches((_span(key, numbers) for key, numbers in wanted.items() if numbers), 200):
        rows = Revision.objects.filter(reduce(or_, some)).order_by("file", "number")
        text = ""
        for key, number, base, part in rows.values_list("file", "number", "base", "text"):
            text = part if base == number else text + part
            if number in wanted[key]:
                found[key][number] = text
    return found


def _span(file_id: UUID, numbers: Collection[int]) -> Q:
    """From the whole text that the first of these revisions is made of to the last of them."""
    first = Revision.objects.filter(file=file_id, number__gte=min(numbers)).order_by("number")
    base = Subquery(first.values("base")[:1])
    return Q(file=file_id, number__gte=base, number__lte=max(numbers))


def history_of(file: File) -> "QuerySet[Revision]":
    """Newest first, without the texts, with all that says who wrote each."""
    rows = Revision.objects.filter(file=file).select_related(*AUTHORS)
    return rows.defer("text").order_by("-number")


AUTHORS = ("user", "integration", "token", "run__owner", "conversation__owner")


def writers_of(file: File) -> list[User]:
    """The people who wrote revisions of the file, by name.

    Asked of each person: a file may have a hundred thousand revisions, and few who wrote them.
    """
    wrote = Revision.objects.filter(file=file, user=OuterRef("pk"))
    return list(User.objects.filter(Exists(wrote)).order_by("name", "pk"))


def renames_of(file: File, numbers: Collection[int]) -> dict[int, str]:
    """Which of these revisions gave the file another name → the name before."""
    both = {near for number in numbers for near in (number - 1, number)}
    rows = Revision.objects.filter(file=file, number__in=both).exclude(path="")
    paths = dict(rows.values_list("number", "path"))
    return {
        number: paths[number - 1]
        for number in numbers
        if number in paths and paths.get(number - 1, paths[number]) != paths[number]
    }
