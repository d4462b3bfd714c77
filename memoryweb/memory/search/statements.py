"""Which statements answer a question, and which of them any program may be told."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from memoryweb.agents.readers import Reader, reading
from memoryweb.language.tokens import tokens
from memoryweb.memory.index.relevance import FLOOR, Evidence, rarity, relevance
from memoryweb.memory.index.terms import Term, sentences_of, terms_of
from memoryweb.memory.models import Fact
from memoryweb.memory.statements.listing import saying, weighed, weight_of
from memoryweb.memory.statements.trust import ranked
from memoryweb.memory.statements.validity import holds_on, today
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.visible.readable import ReadableFact, To, readable_facts, statement

LOOKED_AT = 2_000  # statements that have a word of the question
_PREFIX = 4  # letters: a stem's last ones may differ from the word's


@dataclass(frozen=True)
class Found:
    """A weighed statement, and how far it answers what was asked."""

    fact: Any
    said: ReadableFact
    relevance: float
    trust: float

    @property
    def worth(self) -> float:
        return ranked(self.relevance, self.trust)


def answering(reader: Reader, now: datetime, query: str, which: Q | None = None) -> list[Found]:
    """Those of the reader's that answer it, the best and most trusted first."""
    terms = terms_of(query)
    if not terms:
        return []
    with reading(reader):
        statements = known(reader, now).filter(which or Q())
        having = reduce(or_, (saying(_prefix(word)) for word in chain(*terms)))
        rows = list(statements.filter(having)[:LOOKED_AT])
        total = statements.count() if rows else 0
    said = [_terms_in(one.text, terms) for one in readable_facts(rows, To.PROGRAM)]
    counts = Counter(chain.from_iterable(said))
    rarities = [rarity(total, counts[number]) for number in range(len(terms))]
    sentences = sentences_of(query, terms)
    found = []
    for fact, here in zip(rows, said, strict=True):
        above = _terms_in(f"{fact.heading} {fact.subject}", terms) - here
        answers = relevance(sentences, rarities, Evidence(here, above), ())
        if here and answers >= FLOOR:
            found.append(found_with(fact, now, answers))
    return sorted(found, key=lambda one: -one.worth)


def found_with(fact: Any, now: datetime, answers: float = 1.0) -> Found:
    return Found(fact, statement(fact, To.PROGRAM), answers, weight_of(fact, now).value)


def told(reader: Reader) -> "QuerySet[Any]":
    """No program is told what waits, was taken back or is to be forgotten."""
    return remembered_of(weighed(Fact.objects.visible_to(reader).living()).exclude(taken_back()))


def taken_back() -> Q:
    return Q(hidden_at__isnull=False) | Q(corrected_at__isnull=False)


def known(reader: Reader, now: datetime) -> "QuerySet[Any]":
    """What holds today."""
    day = today(now, reader.agent.zone)
    return told(reader).filter(holds_on(day)).select_related("file", "owner", "agent")


def _terms_in(text: str, terms: Sequence[Term]) -> frozenset[int]:
    words = set(tokens(text))
    return frozenset(number for number, term in enumerate(terms) if not words.isdisjoint(term))


def _prefix(stem: str) -> str:
    return stem[: max(_PREFIX, len(stem) - 1)]
