"""Making the search index again from files and messages, and proving that it is what they make."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.core.row_batches import batches
from memoryweb.language import tokens
from memoryweb.memory.index import fulltext, indexing
from memoryweb.memory.models import Conversation, File, Passage
from memoryweb.memory.models.writer import write_transaction

FILES, MESSAGES = 50, 500
# `source` says whose word a text is. It isn't searched, and follows who is linked to whom. Vectors
# are made later.
_NOT_COMPARED = {"id", "source", "file_id", "message_id", "vector", "space"}


@dataclass(frozen=True)
class Rebuilt:
    files: int = 0
    messages: int = 0
    passages: int = 0


@dataclass(frozen=True)
class Difference:
    """`problem`: missing, extra or changed. `where` names a file or conversation, no text."""

    problem: str
    where: str
    line: int


@dataclass(frozen=True)
class IndexCheck:
    passages: int
    stale: int
    differences: tuple[Difference, ...]


def rebuild(team: Team) -> Rebuilt:
    """A transaction each batch, so that nobody waits for the whole of it."""
    files = messages = 0
    with scope(team=team):
        for batch in batches(list(File.objects.order_by("pk").values_list("pk", flat=True)), FILES):
            with write_transaction(team):
                Passage.objects.filter(file__in=batch).delete()
                found = list(File.objects.filter(pk__in=batch).select_for_update(of=("self",)))
                indexing.index_files(found)
                files += sum(file.deleted_at is None for file in found)
        for conversation in Conversation.objects.order_by("pk").select_related("owner"):
            messages += _rebuild_messages(team, conversation)
        with write_transaction(team) as tx:
            passages = Passage.objects.count()
            details = {"files": files, "messages": messages, "passages": passages}
            tx.record("search.reindexed", target_kind="team", details=details)
    return Rebuilt(files, messages, passages)


def refresh_stale(**_signal: Any) -> None:
    """Receiver of `post_migrate`: what another version of the tokens made is made again."""
    for team in Team.objects.order_by("slug"):
        with scope(team=team):
            is_stale = stale().exists()
        if is_stale:
            rebuild(team)


def stale() -> "QuerySet[Passage]":
    return Passage.objects.exclude(tokenizer_version=tokens.VERSION)


def check(team: Team, most: int = 100) -> IndexCheck:
    """What differs from what files and messages make; at most so many differences are told."""
    with scope(team=team):
        differences = islice(_differences(), most)
        return IndexCheck(Passage.objects.count(), stale().count(), tuple(differences))


def is_sound() -> bool:
    """Whether the database's own index holds what the passages say."""
    return fulltext.is_sound()


def rebuild_index() -> None:
    fulltext.rebuild()


def _rebuild_messages(team: Team, conversation: Conversation) -> int:
    count = 0
    rows = conversation.messages.order_by("position").values_list("pk", flat=True)
    for batch in batches(list(rows), MESSAGES):
        with write_transaction(team):
            Passage.objects.filter(message__in=batch).delete()
            messages = conversation.messages.filter(pk__in=batch).order_by("position")
            indexing.index_messages(conversation, list(messages))
            count += len(batch)
    return count


def _differences() -> Iterator[Difference]:
    for batch in batches(list(File.objects.order_by("pk").values_list("pk", flat=True)), FILES):
        for file in File.objects.filter(pk__in=batch).select_related("owner"):
            stored = Passage.objects.filter(file=file)
            yield from _compared(str(file.pk), stored, indexing.of_file(file))
    for conversation in Conversation.objects.order_by("pk").select_related("owner"):
        positions = conversation.messages.order_by("position").values_list("position", flat=True)
        for places in batches(list(positions), MESSAGES):
            span = (places[0], places[-1])
            messages = conversation.messages.filter(position__range=span).order_by("position")
            stored = Passage.objects.filter(message__in=messages)
            wanted = indexing.of_messages(conversation, list(messages))
            yield from _compared(str(conversation.pk), stored, wanted)


def _compared(
    where: str, stored: Iterable[Passage], wanted: Iterable[Passage]
) -> Iterator[Difference]:
    there: dict[int, list[Passage]] = {}
    for row in stored:
        there.setdefault(row.line, []).append(row)
    for row in wanted:
        same = there.pop(row.line, [])
        if not same:
            yield Difference("missing", where, row.line)
        elif len(same) > 1 or _facts(same[0]) != _facts(row):
            yield Difference("changed" if len(same) == 1 else "extra", where, row.line)
    for line in sorted(there):
        yield Difference("extra", where, line)


def _facts(row: Passage) -> list[Any]:
    names = (field.attname for field in Passage._meta.concrete_fields)
    return [getattr(row, name) for name in names if name not in _NOT_COMPARED]
