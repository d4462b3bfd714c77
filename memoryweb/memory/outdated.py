"""What no prompt is given any more, though it is still there to read: statements that their owner
has spoken against or asked to forget, and messages and lines that support only what is over
(SPEC §8.1).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet, Value
from django_scopes import scope

from memoryweb.facts.models import Evidence, Fact
from memoryweb.facts.statements import statements_of
from memoryweb.forgetting.queries import hiding, lines_saying
from memoryweb.provenance.models import LineOrigin
from memoryweb.search.hits import Hit
from memoryweb.workspace.models import File

Told = TypeVar("Told")


def withheld_of(files: Collection[File]) -> Mapping[UUID, set[int]]:
    """Of each file the lines that wait for a person, and those that their owner has spoken
    against or that are to be forgotten; in one statement."""
    found: dict[UUID, set[int]] = defaultdict(set)
    hidden: dict[UUID, dict[str, None]] = defaultdict(dict)
    forgotten: dict[UUID, set[str]] = defaultdict(set)
    ids = [file.pk for file in files]
    with scope(team=tuple({file.team_id for file in files})):
        flagged = LineOrigin.objects.filter(~Q(marks=""), file__in=ids)
        rows = flagged.values_list("file", "line", Value(""))
        against = _against(ids).values_list("file", Value(0), "fingerprint")
        asked = hiding(Q(file__in=ids)).values_list("file", Value(-1), "fingerprint")
        for file_id, line, print_ in rows.union(against, asked, all=True):
            if line < 0:
                forgotten[file_id].add(print_)
            elif print_:
                hidden[file_id][print_] = None
            else:
                found[file_id].add(line)
    for file in files:
        if file.pk in hidden:
            found[file.pk] |= _lines_of(file, hidden[file.pk]).keys()
        if file.pk in forgotten:
            found[file.pk] |= lines_saying(file.content, forgotten[file.pk])
    return found


def spoken_against(file: File) -> Mapping[int, UUID]:
    """The lines that their owner has said otherwise of since, each with its statement."""
    return _lines_of(file, dict(_against([file.pk]).values_list("fingerprint", "pk")))


def _against(files: Collection[UUID]) -> "QuerySet[Fact]":
    return Fact.objects.filter(file__in=files, hidden_at__isnull=False)


def _lines_of(file: File, facts: Mapping[str, Told]) -> dict[int, Told]:
    """Line → what is told of its statement, by the statement's print."""
    there = statements_of(file.content, file.path) if facts else ()
    return {
        line: facts[one.print]
        for one in there
        if one.print in facts
        for line in range(one.line, one.end + 1)
    }


def without(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that say something of now, or of what no statement was made of."""
    messages = {hit.message.pk: hit.message.team_id for hit in hits if hit.message}
    files = {hit.file.pk: hit.file.team_id for hit in hits if hit.file}
    if not messages and not files:
        return list(hits)
    with scope(team=tuple({*messages.values(), *files.values()})):
        noted = _messages_of(files)
        over = _supporting_nothing({*messages, *(pk for pks in noted.values() for pk in pks)})
    return [hit for hit in hits if not _is_over(hit, noted, over)]


def _messages_of(files: Collection[UUID]) -> Mapping[tuple[UUID, int], set[int]]:
    """(file, line) → the messages that it was taken from."""
    found = defaultdict(set)
    rows = LineOrigin.objects.filter(file__in=files, message__isnull=False) if files else ()
    for row in rows:
        if row.message_id is not None:
            found[row.file_id, row.line].add(row.message_id)
    return found


def _supporting_nothing(messages: Collection[int]) -> set[int]:
    """Messages that statements were made of, none of which holds any more."""
    holds: dict[int, bool] = {}
    rows = Evidence.objects.filter(message__in=messages)
    for message, state, hidden_at in rows.values_list("message", "fact__state", "fact__hidden_at"):
        is_living = hidden_at is None and state not in Fact.OVER
        holds[message] = holds.get(message, False) or is_living
    return {message for message, is_living in holds.items() if not is_living}


def _is_over(hit: Hit, noted: Mapping[tuple[UUID, int], set[int]], over: Collection[int]) -> bool:
    if hit.message:
        return hit.message.pk in over
    if hit.file is None:
        return False
    lines = range(hit.line, hit.end_line + 1)
    behind = {pk for line in lines for pk in noted.get((hit.file.pk, line), ())}
    return bool(behind) and behind <= set(over)
