"""Entries of one memory: an agent's shared one, or one owner's."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Max, Prefetch, QuerySet

from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown.file_kinds import ENTRY
from memoryweb.markdown.paths import entry_path, fold, kind_of
from memoryweb.memory.models import Alias, Entry, File


def entries_of(agent: Agent, owner: Owner | None) -> "QuerySet[Entry]":
    """The present ones, with their files and other names, without the texts."""
    aliases = Prefetch("aliases", Alias.objects.order_by("folded"))
    return (
        Entry.objects.filter(agent=agent, owner=owner, file__deleted_at=None)
        .filter(file__folded_path__startswith=ENTRY.start)
        .select_related("file")
        .prefetch_related(aliases)
    )


def find(agent: Agent, owner: Owner | None, asked: str) -> Entry | None:
    """By number, by name, or by another name."""
    entries = entries_of(agent, owner)
    if is_number(asked):
        return entries.filter(number=int(asked)).first()
    named = entries.filter(file__folded_path=fold(entry_path(asked))).first()
    return named or entries.filter(aliases__folded=fold(asked)).first()


def numbers_of(files: Iterable[File]) -> dict[UUID, int]:
    """Of those that are entries."""
    named = [file.pk for file in files if kind_of(file.path) is ENTRY]
    rows = Entry.objects.filter(file__in=named).values_list("file", "number") if named else ()
    return dict(rows)


def is_number(asked: str) -> bool:
    return asked.isascii() and asked.isdigit() and len(asked) < 10


def follow(files: Iterable[File]) -> None:
    """Give a number to each file that has become an entry, however it came to be one."""
    named = {file.pk: file for file in files if kind_of(file.path) is ENTRY}
    if not named:
        return
    known = Entry.objects.filter(file__in=named).values_list("file", flat=True)
    fresh = [file for pk, file in named.items() if pk not in {*known}]
    if not fresh:
        return
    first = next_number(fresh[0].agent_id, fresh[0].owner_id)
    Entry.objects.bulk_create(
        Entry(
            team_id=file.team_id,
            agent_id=file.agent_id,
            owner_id=file.owner_id,
            file=file,
            number=number,
            created_at=file.updated_at,
        )
        for number, file in enumerate(fresh, first)
    )


def next_number(agent_id: UUID, owner_id: UUID | None) -> int:
    last = Entry.objects.filter(agent=agent_id, owner=owner_id).aggregate(last=Max("number"))
    return (last["last"] or 0) + 1
