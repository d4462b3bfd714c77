"""Reading a file's past."""

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from memoryweb.accounts.models import User
from memoryweb.workspace.blame import Version, blame
from memoryweb.workspace.models import File, LineOrigin, Revision


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


def blame_of(file: File, number: int) -> list[int]:
    """For every line of a revision the number of the one that brought it.

    Where the current text has line origins, they say it: they also know of a line that a dream
    took up again with new sources.
    """
    chain = Revision.objects.filter(file=file, number__lte=number).order_by("number")
    restored = chain.exclude(restored_from=None).values_list("restored_from", flat=True)
    columns = chain.values_list("number", "text", "base", "restored_from")
    versions = (
        Version(n, text, is_delta=base != n, restored_from=old)
        for n, text, base, old in columns.iterator()
    )
    brought = blame(versions, {n for n in restored if n is not None})
    if number == file.revision:
        for line, since in LineOrigin.objects.filter(file=file).values_list("line", "since"):
            brought[line - 1] = since
    return brought


def writers_of_lines(file: File, number: int) -> dict[int, Revision]:
    """For every line of a revision the one that brought it."""
    brought = blame_of(file, number)
    found = Revision.objects.filter(file=file, number__in=set(brought)).defer("text")
    by_number = {one.number: one for one in found}
    return {line: by_number[n] for line, n in enumerate(brought, start=1) if n in by_number}


def messages_behind(file: File) -> dict[int, LineOrigin]:
    """Lines of the current text that stand on a message, themselves or by the note line that they
    were taken from → an origin with that message."""
    rows = LineOrigin.objects.filter(file=file).order_by("line", "-pk")
    own = rows.filter(message__isnull=False).select_related("message__conversation")
    return _by_notes(rows) | {row.line: row for row in own}


def _by_notes(rows: "QuerySet[LineOrigin]") -> dict[int, LineOrigin]:
    """Only of notes that were no more than added to since: their lines have their numbers still."""
    taken = rows.filter(source_file__base_revision__lte=F("source_revision")).values_list(
        "line", "source_file", "source_line"
    )
    places = {(file_id, at): line for line, file_id, at in taken if file_id and at}
    notes = LineOrigin.objects.filter(
        file__in={file_id for file_id, _at in places}, message__isnull=False
    ).select_related("message__conversation")
    behind = {(note.file_id, note.line): note for note in notes.order_by("-pk")}
    return {line: behind[place] for place, line in places.items() if place in behind}
