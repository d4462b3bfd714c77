"""What an import would do to each file, decided without writing anything."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent, Owner
from memoryweb.memory.exceptions import SecretRefused
from memoryweb.memory.files import MAX_BYTES
from memoryweb.memory.secrets import scanning
from memoryweb.memory.secrets.scanning import could_hold
from memoryweb.workspace.diff import unified
from memoryweb.workspace.models import File
from memoryweb.workspace.paths import fold
from memoryweb.workspace.snapshot.contents import Ignored, Incoming, sort_out
from memoryweb.workspace.snapshot.reading import read
from memoryweb.workspace.snapshot.union import joined


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    SKIP = "skip"


@dataclass(frozen=True)
class Item:
    """One file. `code` and `reason` say why it is skipped, or what an update keeps."""

    path: str
    action: Action
    sources: tuple[str, ...]
    size_before: int
    size_after: int
    code: str = ""
    reason: str = ""
    file: File | None = field(default=None, repr=False)
    incoming: Incoming | None = field(default=None, repr=False)

    @property
    def before(self) -> str:
        return _present(self.file)

    @property
    def after(self) -> str:
        """The text that an import leaves; decoded anew each time, to hold no second copy."""
        if self.action == Action.SKIP or self.incoming is None:
            return self.before
        return _text_after(self.file, self.incoming)

    def diff(self, most: int) -> str:
        """At most so many lines of what changes; worked out only when asked for."""
        if self.action == Action.SKIP:
            return ""
        if self.action == Action.CREATE:
            lines = [f"+ {line}" for line in self.after.removesuffix("\n").split("\n")]
        else:
            lines = unified(self.before, self.after).split("\n")
        left = len(lines) - most
        more = [_("… ({n} more lines)").format(n=left)] if left > 0 else []
        return "\n".join(lines[:most] + more)


@dataclass(frozen=True)
class Plan:
    """`state` changes with every change of a file that the archive has, too."""

    items: tuple[Item, ...]
    ignored: tuple[Ignored, ...]
    archive_sha256: str
    state: str

    @property
    def changes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.action != Action.SKIP)

    def count(self, action: Action | str) -> int:
        return sum(item.action == action for item in self.items)


class _Skipped(Exception):
    def __init__(self, code: str, reason: str) -> None:
        self.code, self.reason = code, reason


def plan(agent: Agent, owner: Owner | None, archive: bytes) -> Plan:
    """Raises ArchiveRefused. Reads this one workspace in two statements."""
    contents = sort_out(read(archive))
    here = _files(agent, owner, contents.files)
    _load_texts(here, contents.files)
    return Plan(
        tuple(_item(here.get(fold(incoming.path)), incoming) for incoming in contents.files),
        contents.ignored,
        hashlib.sha256(archive).hexdigest(),
        _state(here),
    )


def _files(agent: Agent, owner: Owner | None, coming: Sequence[Incoming]) -> dict[str, File]:
    """Those of the same names, without their texts. Deleted ones as well: an import brings them
    back, with their history."""
    reach = File.objects.of(agent.pk, owner.pk if owner else None)
    days = [incoming.note_date for incoming in coming if incoming.note_date]
    names = Q(
        folded_path__in=[fold(incoming.path) for incoming in coming if not incoming.note_date]
    )
    if days:  # five hundred names would be five hundred parameters
        names |= Q(note_date__range=(min(days), max(days)))
    wanted = {fold(incoming.path) for incoming in coming}
    found = {file.folded_path: file for file in reach.filter(names).defer("content")}
    return {path: file for path, file in found.items() if path in wanted}


def _load_texts(here: dict[str, File], coming: Sequence[Incoming]) -> None:
    """Of the files whose text differs: most previews are of what is here already."""
    pairs = ((here.get(fold(incoming.path)), incoming) for incoming in coming)
    differing = {file.pk: file for file, incoming in pairs if file and not _is_same(file, incoming)}
    texts = File.objects.filter(pk__in=differing.keys()).values_list("pk", "content")
    for pk, content in texts if differing else ():
        differing[pk].content = content


def _is_same(file: File, incoming: Incoming) -> bool:
    if file.deleted_at is not None or file.size != len(incoming.data):
        return False
    return file.sha256 == hashlib.sha256(incoming.data).hexdigest()


def _state(files: dict[str, File]) -> str:
    rows = (f"{file.pk} {file.revision} {file.sha256}" for file in files.values())
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()


def _item(file: File | None, incoming: Incoming) -> Item:
    is_here = file is not None and file.deleted_at is None
    size_before = file.size if file and is_here else 0
    action, code, reason = (Action.UPDATE if is_here else Action.CREATE), "", ""
    try:
        size_after = _judged(file, incoming)
    except _Skipped as skipped:
        action, code, reason, size_after = Action.SKIP, skipped.code, skipped.reason, size_before
    else:
        if is_here and incoming.note_date:
            code, reason = "joined", _("Lines that the note lacks are added; none is taken away.")
        elif file and not is_here:
            code, reason = "brought_back", _("It was deleted here and comes back.")
    return Item(
        incoming.path,
        action,
        incoming.sources,
        size_before,
        size_after,
        code,
        reason,
        file,
        incoming,
    )


def _judged(file: File | None, incoming: Incoming) -> int:
    """The size that the file will have. The one place where a text that came is turned away:
    what may not be kept, and what was forgotten, is found here before anything is written."""
    _check_text(incoming.data)
    data = incoming.data
    if file and file.deleted_at is None:
        if _is_same(file, incoming):
            raise _Skipped("same", _("The text is the same."))
        if incoming.note_date:
            data = _text_after(file, incoming).encode()
            if data == file.content.encode():
                raise _Skipped("same", _("Every line of it is here already."))
    if len(data) > MAX_BYTES:
        raise _Skipped("content_refused", _("A file may hold at most 1 MiB of text."))
    _check_secrets(data, known=_present(file))
    return len(data)


def _check_text(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        raise _Skipped("content_refused", _("The file is not UTF-8 text.")) from None
    if b"\0" in data:
        raise _Skipped("content_refused", _("The text contains a NUL character."))


def _check_secrets(data: bytes, *, known: str) -> None:
    for secret, line in _secrets(data, known):
        said = _("Line {line} holds what looks like a secret ({kind}). Take it out of the archive.")
        raise _Skipped(SecretRefused.code, said.format(line=line, kind=secret.kind))


def _secrets(data: bytes, known: str) -> Iterator[tuple[scanning.Secret, int]]:
    if not could_hold(data):
        return
    text = data.decode()
    for secret in scanning.find(text):
        if text[secret.start : secret.end] not in known:
            yield secret, text.count("\n", 0, secret.start) + 1


def _text_after(file: File | None, incoming: Incoming) -> str:
    text = incoming.data.decode()
    if incoming.note_date and file and file.deleted_at is None:
        return joined(file.content, text)
    return text


def _present(file: File | None) -> str:
    return file.content if file and file.deleted_at is None else ""
