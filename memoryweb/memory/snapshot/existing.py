"""The files of a workspace that an archive has, too: their state, and texts only where needed."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown.paths import fold
from memoryweb.snapshots.contents import Incoming
from memoryweb.workspace.models import File, FileQuerySet


@dataclass(slots=True)
class Here:
    """`content` is loaded where the text that comes is another one."""

    folded_path: str
    sha256: str
    size: int
    revision: int
    is_present: bool
    is_enabled: bool
    is_same: bool = False
    content: str = field(default="", repr=False)


@dataclass(frozen=True)
class Pair:
    file: Here | None
    incoming: Incoming


def beside(agent: Agent, owner: Owner | None, coming: Sequence[Incoming]) -> list[Pair]:
    """Each file that comes with the one of its name. A deleted one as well: an import brings it
    back, with its history."""
    reach = File.objects.of(agent.pk, owner.pk if owner else None)
    found = _found(reach, coming)
    pairs = [Pair(found.get(fold(incoming.path)), incoming) for incoming in coming]
    for pair in pairs:
        if pair.file:
            pair.file.is_same = _is_same(pair.file, pair.incoming.data)
    _load_texts(reach, [pair.file for pair in pairs if pair.file and not pair.file.is_same])
    return pairs


def state(files: Iterable[Here]) -> str:
    """Changes with every change of one of them."""
    rows = (f"{file.folded_path} {file.revision} {file.sha256}" for file in files)
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()


def _found(reach: FileQuerySet, coming: Sequence[Incoming]) -> dict[str, Here]:
    days = [incoming.note_date for incoming in coming if incoming.note_date]
    names = Q(
        folded_path__in=[fold(incoming.path) for incoming in coming if not incoming.note_date]
    )
    if days:  # five hundred names would be five hundred parameters
        names |= Q(note_date__range=(min(days), max(days)))
    rows = reach.filter(names).values_list(
        "folded_path", "sha256", "size", "revision", "deleted_at", "enabled"
    )
    return {
        path: Here(path, sha256, size, revision, deleted_at is None, enabled)
        for path, sha256, size, revision, deleted_at, enabled in rows
    }


def _is_same(file: Here, data: bytes) -> bool:
    if not file.is_present or file.size != len(data):
        return False
    return file.sha256 == hashlib.sha256(data).hexdigest()


def _load_texts(reach: FileQuerySet, files: Sequence[Here]) -> None:
    """Of those that differ: most previews are of what is here already."""
    if not files:
        return
    by_path = {file.folded_path: file for file in files}
    rows = reach.filter(folded_path__in=by_path.keys()).values_list("folded_path", "content")
    for path, content in rows:
        by_path[path].content = content
