"""The formats, in the order in which a file is asked whether it is one. A new one is one row,
before the snapshot, which every ZIP is."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.contents import Contents, sort_out
from memoryweb.memory.snapshots.formats import chatgpt, claude_code, mem0
from memoryweb.memory.snapshots.formats.uploaded import UploadBytes


@dataclass(frozen=True)
class Format:
    key: str
    label: str | Promise
    finds: Callable[[UploadBytes], bool]
    contents: Callable[[UploadBytes], Contents]
    has_talks: bool = False


def _workspace(sent: UploadBytes) -> Contents:
    return sort_out(sent.archive.entries())


FORMATS = (
    Format(chatgpt.KEY, "ChatGPT", chatgpt.finds, chatgpt.contents, has_talks=True),
    Format(mem0.KEY, "mem0", mem0.finds, mem0.contents),
    Format(claude_code.KEY, "Claude Code", claude_code.finds, claude_code.contents),
    Format(
        "snapshot",
        _("A snapshot, or an OpenClaw workspace"),
        lambda sent: not sent.is_json,
        _workspace,
    ),
)
LABELS = {one.key: one.label for one in FORMATS}


def read(raw: bytes) -> Contents:
    """What a file would bring. Raises ArchiveRefused."""
    sent = UploadBytes(raw)
    return _found(sent).contents(sent)


def has_talks(raw: bytes) -> bool:
    """Conversations come with it. Raises ArchiveRefused."""
    return _found(UploadBytes(raw)).has_talks


def _found(sent: UploadBytes) -> Format:
    for one in FORMATS:
        if one.finds(sent):
            return one
    known = ", ".join(str(one.label) for one in FORMATS)
    raise ArchiveRefused(
        "unknown_format",
        _("This file is in no known format. Known are: {names}.").format(names=known),
    )
