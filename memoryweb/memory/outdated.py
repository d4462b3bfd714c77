"""What no prompt is given any more, though it is still there to read: statements that their owner
has spoken against, and messages and lines that support only what is over (SPEC §8.1).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django_scopes import scope

from memoryweb.facts.models import Evidence, Fact
from memoryweb.facts.statements import statements_of
from memoryweb.provenance.flags import flagged_of
from memoryweb.provenance.models import LineOrigin
from memoryweb.search.hits import Hit
from memoryweb.workspace.models import File


def withheld_of(files: Collection[File]) -> Mapping[UUID, set[int]]:
    """Of each file the lines that wait for a person, and those that their owner has spoken
    against; in two statements."""
    found: dict[UUID, set[int]] = defaultdict(set, flagged_of(files))
    with scope(team=tuple({file.team_id for file in files})):
        rows = Fact.objects.filter(file__in=[file.pk for file in files], hidden_at__isnull=False)
        hidden = set(rows.values_list("file", "fingerprint"))
    with_hidden = {file_id for file_id, _print in hidden}
    for file in (one for one in files if one.pk in with_hidden):
        for statement in statements_of(file.content, file.path):
            if (file.pk, statement.print) in hidden:
                found[file.pk] |= set(range(statement.line, statement.end + 1))
    return found


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
