"""A person takes back their own last save of a file."""

from django.utils.translation import gettext as _

from memoryweb.memory import write
from memoryweb.memory.exceptions import MemoryRefused
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import Writer, Written
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File


class SavedSince(MemoryRefused):
    """Something newer stands on it, or it was somebody else's."""

    code = "stale"

    def __init__(self, path: str) -> None:
        said = _("{path} has changed since. Its history lets you choose what to bring back.")
        super().__init__(said.format(path=path))


def undo(tx: Transaction, file: File, number: int, *, writer: Writer) -> Written:
    """The text before one's own save, or deletion, is current again, its lines the words of whoever
    wrote them. Raises SavedSince and what memory.write.restore raises."""
    file = write.lock(file)
    mine = file.revisions.filter(number=number, author_kind=AuthorKind.PERSON, user=writer.user)
    before = file.revisions.filter(number=number - 1, is_deletion=False)
    is_last = file.revision == number and writer.user is not None
    if not (is_last and mine.exists() and before.exists()):
        raise SavedSince(file.path)
    return write.restore(tx, file, number - 1, writer=writer)
