"""Erasing once more what the ledger tells of, where an older backup was restored: by its rows
first, then by the prints of its words in all that its memory holds. What is found goes the way of
every erasure, to the scan and the receipt.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.ledger import LedgerEntry, Place, spans
from memoryweb.memory import models
from memoryweb.memory.forgetting import erasing, finding, hiding, removal
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.forgetting.ledger_places import in_row, lines_of
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.memory.writing import in_place
from memoryweb.runs import engine

_RUNS = 3  # one that the backup holds half done may come first
_STATE = models.ForgetRequest.State


@dataclass
class Replayed:
    """Of erasures: how many were `told` of, and those of which nothing was there; requests that
    wait for a legal hold, or for a run that has failed; and rows that still had the words."""

    told: int = 0
    waiting: int = 0
    remaining: int = 0
    missing: list[LedgerEntry] = field(default_factory=list)


def erase_again(team: Team, entries: Sequence[LedgerEntry], done: Replayed) -> None:
    """Nobody else is at work."""
    of_memory = defaultdict[tuple[str, str], list[LedgerEntry]](list)
    for entry in entries:
        of_memory[entry.agent, entry.owner].append(entry)
    done.told += len(entries)
    with scope(team=team):
        for (agent_id, owner_id), its in of_memory.items():
            agent = Agent.objects.filter(pk=agent_id).first()
            owner = Owner.objects.filter(pk=owner_id).first() if owner_id else None
            if agent is None or (owner_id and owner is None):
                done.missing += its
            else:
                _erase(Memory(agent, owner), its, done)


def _erase(memory: Memory, entries: Sequence[LedgerEntry], done: Replayed) -> None:
    rows = [place for entry in entries for place in entry.places if place.row]
    with write_transaction(memory.agent.team) as tx:
        if any(place.table == Owner._meta.label for place in rows):
            _ask(tx, memory, "", is_everything=True)
            missing = []
        else:
            found = _hide(tx, memory, rows, _lengths(entries))
            missing = [one for one in entries if not any(p.print in found for p in one.places)]
    done.missing += missing
    if len(missing) < len(entries):
        _work(memory, done)


def _hide(
    tx: Transaction, memory: Memory, rows: Sequence[Place], wanted: Mapping[int, set[str]]
) -> set[str]:
    """What is there of it waits for its erasure from now on; the prints that were found."""
    meant = {place: list(in_row(memory, place)) for place in rows}
    mentions = [mention for found in meant.values() for mention in found]
    words = dict(_words(memory, [mention.text for mention in mentions], wanted))
    left = {n: prints - words.keys() for n, prints in wanted.items()}
    words |= _everywhere(memory, {n: prints for n, prints in left.items() if prints})
    mentions += _saying(memory, words)
    if mentions:
        request = hiding.open_request(tx, Wish(memory, models.ForgetRequest.Via.API))
        hiding.hide(tx, request, finding.unique(mentions), seconds=0)
    for text in words.values():
        _ask(tx, memory, text)
    return words.keys() | {place.print for place, found in meant.items() if found}


def _lengths(entries: Sequence[LedgerEntry]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for place in (place for entry in entries for place in entry.places):
        if not place.row and place.words:
            found[place.words].add(place.print)
    return found


def _words(
    memory: Memory, texts: Collection[str], wanted: Mapping[int, Collection[str]]
) -> Iterator[tuple[str, str]]:
    for text in texts:
        for made, first, last in spans(*memory.key, text, wanted):
            yield made, text[first:last]


def _everywhere(memory: Memory, wanted: Mapping[int, Collection[str]]) -> dict[str, str]:
    """By print the words, from every column of its rows that can hold a person's."""
    found: dict[str, str] = {}
    for table in in_place.tables() if wanted else ():
        rows = table.rows(memory.agent.team_id).filter(table.within(memory))
        for values in rows.values_list(*table.columns).iterator():
            found |= _words(memory, list(removal.texts_in(values)), wanted)
    return found


def _saying(memory: Memory, words: Mapping[str, str]) -> Iterator[Mention]:
    """Statements with these words, and lines that say nothing else: they go as a whole."""
    sought = Sought(words.values())
    facts = finding.facts_of(memory) if words else ()
    yield from (finding.fact_mention(fact) for fact in facts if sought.is_in(fact.raw_text))
    for file in models.File.objects.of(*memory.key) if words else ():
        yield from lines_of(memory, file, words.keys())


def _ask(tx: Transaction, memory: Memory, about: str, *, is_everything: bool = False) -> None:
    """These very words, also where they look like a secret."""
    models.ForgetRequest.objects.ask(
        about,
        team=tx.team,
        agent=memory.agent,
        owner=memory.owner,
        via=models.ForgetRequest.Via.API,
        state=_STATE.HIDDEN,
        is_everything=is_everything,
        erase_at=tx.now,
        created_at=tx.now,
    )


def _work(memory: Memory, done: Replayed) -> None:
    due = models.ForgetRequest.objects.of(*memory.key).filter(erase_at__lte=timezone.now())
    for _turn in range(_RUNS):
        run = erasing.queue(memory.agent, memory.owner)
        engine.work(run.pk)
        run.refresh_from_db()
        done.remaining += run.result.get("remaining", 0)
        if not due.filter(state=_STATE.HIDDEN).exists():
            break
    done.waiting += due.filter(state__in=(_STATE.HIDDEN, _STATE.HELD)).count()
