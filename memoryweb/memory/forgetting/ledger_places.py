"""Where something stands that is erased, as the ledger tells it: no word, but rows, characters and
prints; and the same place found again.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from memoryweb.agents.models import Owner
from memoryweb.audit.ledger import ERASED, LedgerEntry, Place, print_of, spans
from memoryweb.language.normal_form import clean
from memoryweb.memory import models
from memoryweb.memory.forgetting.finding import fact_mention, line_mention, message_mention
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.visible.request_contents import mention_of
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run


def places_of(memory: Memory, targets: Iterable[models.Target]) -> list[dict[str, Any]]:
    """Before anything of it is taken out."""
    return [
        asdict(_place(row, one.first, one.last, *print_of(*memory.key, one.text)))
        for one in map(mention_of, targets)
        if (row := one.fact or one.message or one.file)
    ]


def entry_of(run: Run, memory: Memory, seq: int) -> LedgerEntry:
    """Of all that the run takes out: rows that were meant, and the words wherever they stand."""
    if run.inputs["whole"]:
        places = [Place(Owner._meta.label, str(run.owner_id))]
    else:
        places = [Place(**one) for one in run.inputs.get("places", ())]
        made = (print_of(*memory.key, text) for text in Sought(run.inputs["texts"]).texts)
        places += [Place(print=one, words=words) for one, words in made]
    agent, owner = (str(key or "") for key in memory.key)
    return LedgerEntry(str(run.team_id), seq, ERASED, tuple(places), agent, owner)


def _place(row: Any, first: int | None, last: int | None, made: str, words: int) -> Place:
    return Place(row._meta.label, str(row.pk), first, last, made, words)


def in_row(memory: Memory, place: Place) -> Iterator[Mention]:
    """A statement whatever it says now; of a message or a file what has the print."""
    team = {"team": memory.agent.team_id, "pk": place.row}
    if place.table == models.Fact._meta.label:
        yield from map(fact_mention, models.Fact.objects.filter(**team))
    elif place.table == models.File._meta.label:
        for file in models.File.objects.filter(**team):
            yield from lines_of(memory, file, {place.print})
    elif place.table == models.Message._meta.label:
        for row in models.Message.objects.filter(**team).select_related("conversation"):
            said = message_mention(row, place.first or 0, place.last or len(row.raw_content))
            if print_of(*memory.key, said.text)[0] == place.print:
                yield said
                continue
            its = {place.words: {place.print}}
            for _print, first, last in spans(*memory.key, row.raw_content, its):
                yield message_mention(row, first, last)


def lines_of(memory: Memory, file: models.File, prints: Collection[str]) -> Iterator[Mention]:
    for line in file.raw_content.split("\n"):
        if print_of(*memory.key, clean(line))[0] in prints:
            yield line_mention(file, line)
