"""Statements as an agent asks for them: by a question, by whom they are about, by their type."""

from collections.abc import Iterable

from django.db.models import Prefetch, Q

from memoryweb.agents.readers import reading
from memoryweb.language.normal_form import normalise
from memoryweb.memory.models import Contradiction, Injection
from memoryweb.memory.prompt import Line, Span
from memoryweb.memory.search import LOOKED_AT, Found, answering, found_with, known, told
from memoryweb.memory.statements.listing import lines_of, saying
from memoryweb.memory.tools import files
from memoryweb.memory.tools.files import Acting

STRUCTURED = "structured/"


def search_facts(acting: Acting, query: str, limit: int, which: Q | None = None) -> list[Found]:
    """Those that answer it, the best and most trusted first."""
    best = answering(acting.sees, acting.now, query, which)[:limit]
    _count(acting, query, best)
    return best


def probe(acting: Acting, entity: str, limit: int) -> list[Found]:
    """All that is known of somebody or something by that name, the most trusted first."""
    name = normalise(entity)
    about = Q(subject=name) | saying(entity.strip())
    with reading(acting.sees):
        rows = list(known(acting.sees, acting.now).filter(about)[:LOOKED_AT]) if name else []
    found = [found_with(fact, acting.now) for fact in rows]
    best = sorted(found, key=lambda one: -one.worth)[:limit]
    _count(acting, entity, best)
    return best


def structured(acting: Acting, kind: str, key: str) -> list[Found]:
    """What `structured/` holds, of a type and a key where they are named."""
    named = {"path": f"{STRUCTURED}{kind}.md"} if kind else {"path__startswith": STRUCTURED}
    named |= {"attribute": normalise(key)} if key.strip() else {}
    with reading(acting.sees):
        rows = list(known(acting.sees, acting.now).filter(file__isnull=False, **named))
    found = [found_with(fact, acting.now) for fact in rows]
    found.sort(key=lambda one: (one.fact.path, one.said.text))
    _count(acting, f"{kind} {key}", found)
    return found


def contradictions(acting: Acting, limit: int) -> list[Contradiction]:
    """Those that wait for a person, with the sides that may be told."""
    with reading(acting.sees):
        open_ = Contradiction.objects.filter(
            acting.sees.sees(), state=Contradiction.State.OPEN
        ).prefetch_related(Prefetch("facts", told(acting.sees).select_related("file", "owner")))
        return list(open_.order_by("-created_at", "pk")[:limit])


def _count(acting: Acting, query: str, found: Iterable[Found]) -> None:
    """What was given of files, as of every tool."""
    standing = [(one.fact, one.said) for one in found if one.fact.file]
    places = {fact.file.pk: lines_of(fact.file) for fact, _said in standing}
    lines = [
        Line(fact.file, places[fact.file.pk][fact.fingerprint], said.text)
        for fact, said in standing
        if fact.fingerprint in places[fact.file.pk]
    ]
    spans = [Span(line.file, line.number, line.number) for line in lines]
    files.count(acting, query, lines, spans, via=Injection.Via.SEARCH)
