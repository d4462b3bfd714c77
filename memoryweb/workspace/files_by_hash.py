"""What a form was opened with, found again by path and hash whatever became of the file."""

from django.db.models import Exists, OuterRef

from memoryweb.markdown.paths import fold
from memoryweb.workspace.models import File, FileQuerySet, Revision
from memoryweb.workspace.revisions import content_of


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
    found = list(files.filter(Exists(had)).defer("content").order_by("-updated_at"))
    found.sort(key=lambda file: (file.deleted_at is not None, file.folded_path != fold(path)))
    return found[0] if found else files.filter(folded_path=fold(path)).first()
