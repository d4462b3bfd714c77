"""Reading a file's past."""

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from memoryweb.accounts.models import User
from memoryweb.workspace.models import File, Revision


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


def history_of(file: File) -> "QuerySet[Revision]":
    """Newest first, without the texts, with all that says who wrote each."""
    rows = Revision.objects.filter(file=file).select_related(*AUTHORS)
    return rows.defer("text").order_by("-number")


AUTHORS = ("user", "integration", "token", "run__owner", "conversation__owner")


def writers_of(file: File) -> list[User]:
    """The people who wrote revisions of the file, by name."""
    wrote = Revision.objects.filter(file=file).exclude(user=None).values("user")
    return list(User.objects.filter(pk__in=wrote).order_by("name", "pk"))


def renames_of(file: File) -> dict[int, str]:
    """Revisions that gave the file another name → the name before."""
    before = Revision.objects.filter(file=OuterRef("file"), number=OuterRef("number") - 1)
    rows = (
        Revision.objects.filter(file=file)
        .annotate(old=Subquery(before.values("path")[:1]))
        .exclude(Q(old=None) | Q(old="") | Q(path="") | Q(path=F("old")))
    )
    return dict(rows.values_list("number", "old"))
