"""What mem0 exports: a list of memories, or an object that holds one as `results` or `memories`."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.contents import Contents, IgnoredEntry, Incoming, as_file, bullets
from memoryweb.memory.snapshots.formats.uploaded import UploadBytes, document

KEY = "mem0"
PATH = "structured/mem0.md"
_TEXTS = ("memory", "text")


def finds(sent: UploadBytes) -> bool:
    return bool(_memories(_document(sent)))


def contents(sent: UploadBytes) -> Contents:
    """Raises ArchiveRefused: memories of several people would become one person's."""
    memories = _memories(_document(sent))
    people = {str(one["user_id"]) for one in memories if one.get("user_id") is not None}
    if len(people) > 1:
        said = _("The export holds memories of {n} users. Export and import each by itself.")
        raise ArchiveRefused("several_people", said.format(n=len(people)))
    lines, left_out = bullets(next(one[t] for t in _TEXTS if t in one) for one in memories)
    said = ngettext(
        "{n} memory isn't taken: it has no text, too long a text, or markup.",
        "{n} memories aren't taken: they have no text, too long a text, or markup.",
        left_out,
    )
    ignored = [IgnoredEntry(KEY, "not_taken", said.format(n=left_out))] if left_out else []
    files = [Incoming(PATH, as_file(lines), (KEY,), joins=True)] if lines else []
    return Contents(tuple(files), tuple(ignored), format=KEY)


def _document(sent: UploadBytes) -> object:
    if sent.is_json:
        return sent.document
    if len(sent.names) == 1 and sent.names[0].endswith(".json"):
        return document(sent.whole(sent.names[0]))
    return None


def _memories(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        value = value.get("results", value.get("memories"))
    rows = value if isinstance(value, list) else []
    return [one for one in rows if isinstance(one, Mapping) and any(t in one for t in _TEXTS)]
