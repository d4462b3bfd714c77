"""Statements as an agent asks for them: by a question, by whom they are about, by their type."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

from django.db.models import Prefetch, Q, QuerySet

from memoryweb.agents.readers import reading
from memoryweb.facts.listing import lines_of, weighed, weight_of
from memoryweb.facts.models import Contradiction, Fact
from memoryweb.facts.trust import ranked
from memoryweb.facts.validity import holds_on, today
from memoryweb.forgetting.queries import hidden_facts
from memoryweb.language.normal_form import normalise
from memoryweb.language.tokens import tokens
from memoryweb.memory import tools
from memoryweb.memory.injections import Line, Span
from memoryweb.memory.tools import Acting
from memoryweb.search.models import Injection
from memoryweb.search.relevance import FLOOR, Evidence, rarity, relevance
from memoryweb.search.terms import Term, sentences_of, terms_of

STRUCTURED = "structured/"
_LOOKED_AT = 2_000  # statements that have a word of the question
_PREFIX = 4  # letters: a stem's last ones may differ from the word's


@dataclass(frozen=True)
class Found:
    """A weighed statement, and how far it answers what was asked."""

    fact: Any
    relevance: float
    trust: float

    @property
    def worth(self) -> float:
        return ranked(self.relevance, self.trust)


def search_facts(acting: Acting, query: str, limit: int) -> list[Found]:
    """Those that answer it, the best and most trusted first."""
    terms = terms_of(query)
    if not terms:
        return []
    with reading(acting.sees):
        known = _known(acting)
        having = reduce(or_, (Q(text__icontains=_prefix(word)) for word in chain(*terms)))
        rows = list(known.filter(having)[:_LOOKED_AT])
        total = known.count()
    said = [_terms_in(fact.text, terms) for fact in rows]
    counts = Counter(chain.from_iterable(said))
    rarities = [rarity(total, counts[number]) for number in range(len(terms))]
    sentences = sentences_of(query, terms)
    found = []
    for fact, here in zip(rows, said, strict=True):
        above = _terms_in(f"{fact.heading} {fact.subject}", terms) - here
        answers = relevance(sentences, rarities, Evidence(here, above), ())
        if here and answers >= FLOOR:
            found.append(weighed_found(acting, fact, answers))
    best = sorted(found, key=lambda one: -one.worth)[:limit]
    _count(acting, query, best)
    return best


def probe(acting: Acting, entity: str, limit: int) -> list[Found]:
    """All that is known of somebody or something by that name, the most trusted first."""
    name = normalise(entity)
    about = Q(subject=name) | Q(text__icontains=entity.strip())
    with reading(acting.sees):
        rows = list(_known(acting).filter(about)[:_LOOKED_AT]) if name else []
    found = [weighed_found(acting, fact) for fact in rows]
    best = sorted(found, key=lambda one: -one.worth)[:limit]
    _count(acting, entity, best)
    return best


def structured(acting: Acting, kind: str, key: str) -> list[Found]:
    """What `structured/` holds, of a type and a key where they are named."""
    named = {"path": f"{STRUCTURED}{kind}.md"} if kind else {"path__startswith": STRUCTURED}
    named |= {"attribute": normalise(key)} if key.strip() else {}
    with reading(acting.sees):
        rows = list(_known(acting).filter(file__isnull=False, **named).order_by("path", "text"))
    found = [weighed_found(acting, fact) for fact in rows]
    _count(acting, f"{kind} {key}", found)
    return found


def contradictions(acting: Acting, limit: int) -> list[Contradiction]:
    """Those that wait for a person, with the sides that may be told."""
    with reading(acting.sees):
        open_ = Contradiction.objects.filter(
            acting.sees.sees(), state=Contradiction.State.OPEN
        ).prefetch_related(Prefetch("facts", _told(acting).select_related("file", "owner")))
        return list(open_.order_by("-created_at", "pk")[:limit])


def _told(acting: Acting) -> "QuerySet[Any]":
    """No program is told what waits, was taken back or is to be forgotten."""
    kept_back = Q(hidden_at__isnull=False) | Q(corrected_at__isnull=False)
    kept_back |= Q(pk__in=hidden_facts())
    return weighed(Fact.objects.visible_to(acting.sees).living()).exclude(kept_back)


def _known(acting: Acting) -> "QuerySet[Any]":
    """What holds today."""
    day = today(acting.now, acting.reader.agent.zone)
    return _told(acting).filter(holds_on(day)).select_related("file", "owner", "agent")


def weighed_found(acting: Acting, fact: Any, answers: float = 1.0) -> Found:
    return Found(fact, answers, weight_of(fact, acting.now).value)


def _terms_in(text: str, terms: Sequence[Term]) -> frozenset[int]:
    words = set(tokens(text))
    return frozenset(number for number, term in enumerate(terms) if not words.isdisjoint(term))


def _prefix(stem: str) -> str:
    return stem[: max(_PREFIX, len(stem) - 1)]


def _count(acting: Acting, query: str, found: Iterable[Found]) -> None:
    """What was given of files, as of every tool."""
    standing = [one.fact for one in found if one.fact.file]
    places = {fact.file.pk: lines_of(fact.file) for fact in standing}
    lines = [
        Line(fact.file, places[fact.file.pk][fact.fingerprint], fact.text)
        for fact in standing
        if fact.fingerprint in places[fact.file.pk]
    ]
    spans = [Span(line.file, line.number, line.number) for line in lines]
    tools.count(acting, query, lines, spans, via=Injection.Via.SEARCH)
