"""Records that repeat what is erased: those of its memory, and those of the shared one that quote
it. What the shared memory says itself is somebody's who stays.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q

from memoryweb.markdown.file_kinds import KINDS, Written
from memoryweb.memory.forgetting import erasable_columns
from memoryweb.memory.forgetting.erasable_columns import Memory, Table
from memoryweb.memory.forgetting.removal import Going
from memoryweb.memory.models import File, Revision
from memoryweb.memory.visible.hidden import Hidden
from memoryweb.memory.visible.text_matching import Sought

_STARTS = [kind.start for kind in KINDS if kind.written is Written.DREAMS]
_IS_DIARY = reduce(or_, (Q(folded_path__startswith=start) for start in _STARTS))
_REVISIONS = Table(Revision, ("text", "reason"))


def records(memory: Memory, sought: Sought) -> Iterator[tuple[Table, Memory, Sought]]:
    """Each table with the memory whose rows are meant, and what goes of them."""
    for table in erasable_columns.records():
        yield table, memory, sought
    shared = replace(memory, owner_id=None)
    if memory != shared:
        there = [
            table
            for table in erasable_columns.quoting()
            if erasable_columns.hits(table, shared, sought)
        ]
        quoted = _quoted(shared, sought) if there else sought
        yield from ((table, shared, quoted) for table in there)


def in_diaries(memory: Memory, sought: Sought) -> tuple[Going, list[UUID]]:
    """What goes of the shared memory's diary, and the files: its months are archived."""
    shared = replace(memory, owner_id=None)
    told = Revision.objects.filter(pk__in=erasable_columns.hits(_REVISIONS, shared, sought))
    found = File.objects.filter(_IS_DIARY, pk__in=told.values("file"))
    keys = list(found.values_list("pk", flat=True)) if memory != shared else []
    quoted = _quoted(shared, sought) if keys else Sought(())
    return Going(shared, Hidden(), quoted), keys if quoted else []


def _quoted(shared: Memory, sought: Sought) -> Sought:
    """Without what stood in the shared memory otherwise than as a diary's telling."""
    return Sought(text for text in sought.texts if not _is_said(shared, text))


def _is_said(shared: Memory, text: str) -> bool:
    """In any revision: of a line that was its owner's alone all of them have the mark by now."""
    told = Revision.objects.filter(pk__in=erasable_columns.hits(_REVISIONS, shared, Sought([text])))
    return told.exclude(file__in=File.objects.filter(_IS_DIARY)).exists()
