"""What the doors refuse, each with a sentence for the person or program that asked."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.core.tables import MemoryRefused
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.models.files import File

__all__ = [
    "AssignmentsFound",
    "ContentRefused",
    "Decided",
    "Exists",
    "FileMissing",
    "MemoryRefused",
    "MessageConflict",
    "PathRefused",
    "SecretRefused",
    "Stale",
]


class ContentRefused(MemoryRefused):
    """Not text that a file may hold: NUL, lone surrogates, or over 1 MiB."""

    code = "content_refused"


class SecretRefused(MemoryRefused):
    """A credential stands in the text. Says where and of what kind, never which."""

    code = "secret_refused"

    def __init__(self, kind: str, line: int) -> None:
        self.kind, self.line = kind, line
        super().__init__(
            _("Line {line} contains what looks like a secret ({kind}). Remove it and save again.")
            .format(line=line, kind=kind)
        )  # fmt: skip


class AssignmentsFound(Exception):
    """What is likely a password stands in what a person types: they are asked, and say so with
    `no_secrets` of the writer. `found`: kind and line."""

    code = "likely_secret"

    def __init__(self, found: Sequence[tuple[str, int]]) -> None:
        self.found = tuple(found)
        lines = ", ".join(str(line) for line in sorted({line for _kind, line in found}))
        super().__init__(
            _("These lines contain what looks like a password: {lines}. Nothing was saved yet.")
            .format(lines=lines)
        )  # fmt: skip


class Stale(MemoryRefused):
    """The file changed since it was opened. `file` has the current text and hash."""

    code = "stale"

    def __init__(self, file: File) -> None:
        self.file = file
        super().__init__(
            _("Someone else changed “{path}” since you opened it.").format(path=file.path)
        )


class Exists(MemoryRefused):
    code = "exists"

    def __init__(self, path: str) -> None:
        super().__init__(_("A file named “{path}” exists already.").format(path=path))


class FileMissing(MemoryRefused):
    code = "missing"

    def __init__(self, path: str) -> None:
        super().__init__(_("There is no file named “{path}”.").format(path=path))


class Decided(MemoryRefused):
    """What waited for a person does so no longer."""

    code = "decided"
    sentence = gettext_lazy("This was decided already, or it is no longer there.")


class MessageConflict(MemoryRefused):
    """An id that is there already, with another text. `index` counts within the batch."""

    code = "message_conflict"

    def __init__(self, index: int, message_id: str) -> None:
        self.index, self.field = index, f"messages[{index}].id"
        super().__init__(
            _("messages[{index}] has the id “{id}”, which an earlier message has with other text.")
            .format(index=index, id=message_id)
        )  # fmt: skip


class BatchRefused(ValueError):
    """Messages that can't be taken. `field` says where (`messages[3].role`), `code` why: `invalid`,
    or `too_large`."""

    def __init__(self, field: str, message: str, code: str = "invalid") -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.code = code


class SearchRefused(MemoryRefused):
    """A search that can't be answered: `bad_date`, `bad_owner` or `bad_cursor`."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


class ArchiveRefused(ValueError):
    """A ZIP archive that is not read; `code` is stable, the message says what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
