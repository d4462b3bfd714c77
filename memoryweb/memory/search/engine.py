"""`memory.search`: the only way text is found. Can't be called without a reader."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent, Owner, Reader, reading
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.normal_form import clean
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.language.tokens import tokens
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import Found, Hit, folded, hit
from memoryweb.memory.index.query_syntax import Cursor, Query
from memoryweb.memory.index.relevance import Evidence, answered, rarity, relevance, with_weights
from memoryweb.memory.index.terms import sentences_of, terms_in, terms_of
from memoryweb.memory.models import Fact, Passage
from memoryweb.memory.models.refusals import SearchRefused
from memoryweb.memory.search import matching, meaning
from memoryweb.memory.search.corpus import CurrentCorpus, PastCorpus
from memoryweb.memory.search.matching import Corpus, MatchSet, Page, SearchPlan
from memoryweb.memory.search.meaning import Meaning
from memoryweb.memory.statements.listing import held_from, saying, trusts_of, weighed, weight_of
from memoryweb.memory.statements.trust import beside_others, ranked
from memoryweb.memory.statements.validity import holds_on, today
from memoryweb.memory.visible import readable
from memoryweb.memory.visible.hidden import is_meant, remembered_of

MOST = 200
SPARE = 5  # places behind a page's end, which take those of copies


def search(
    reader: Reader,
    text: str | Query,
    *,
    limit: int = 10,
    kinds: Collection[str] = ("file", "message"),
    scope: str = "",
    cursor: str = "",
    by_meaning: bool = True,
) -> Found:
    """The best passages that the reader may see, ranked by exactly those passages.

    `text` is what a person typed (see `querying`), or a query made of another text. `scope`
    narrows to `own` or `shared`. Of kind `fact` are statements that stand in no file. At most five
    hits of one file; those of a page that say the same are one. Of an archived agent nothing is
    found, and nothing of an owner whose memory isn't used. What is near in meaning, where the team
    has an embedding endpoint, is ranked by that; `by_meaning`: found without a word of it, too.
    Raises SearchRefused: a date, an owner or a cursor that is none.
    """
    query = query_syntax.parse(text) if isinstance(text, str) else text
    scope = _scope(reader, query.owner) or scope
    stamp = query_syntax.stamp(reader, query, kinds, scope)
    after = query_syntax.read(cursor, stamp) if cursor else None
    if reader.agent.archived_at:
        return Found(0, ())
    asked = SearchPlan.of(query, kinds, scope, by_meaning=by_meaning)
    (found,) = _found([_awake(reader)], asked, limit, after)
    found = replace(found, stamp=stamp)
    return found if after else _with_statements(found, _awake(reader), asked, limit)


def search_each(
    agents: Sequence[Agent],
    owner: Owner | None,
    query: Query,
    *,
    limit: int = 10,
    kinds: Collection[str] = ("file", "message"),
    scope: str = "",
) -> list[Found]:
    """The first page of each of a team's agents: many take no more statements than one.

    Only of the past each has texts of its own to rebuild. Raises SearchRefused.
    """
    readers = [_awake(Reader(agent, owner)) for agent in agents]
    if not readers:
        return []
    asked = SearchPlan.of(query, kinds, _scope(Reader(agents[0], owner), query.owner) or scope)
    if query.at:
        return [found for reader in readers for found in _found([reader], asked, limit)]
    return _found(readers, asked, limit)


def _with_statements(found: Found, reader: Reader, asked: SearchPlan, limit: int) -> Found:
    """On the first page those that MEMORY.md has no room for, by how much of the query they answer
    and how far they are trusted: one that answers all of it is as good as the best text."""
    query = asked.query
    if "fact" not in asked.kinds or query.path or query.before or query.after or query.at:
        return found
    its = {"own": Q(owner__isnull=False), "shared": Q(owner=None)}.get(asked.scope, Q())
    best = max((one.score for one in found.hits), default=1.0)
    hits = [
        Hit(
            *("fact", None, None, 0, 0, one.fact.heading, one.said.text, asked.words),
            best * one.relevance * beside_others(one.trust),
            one.relevance,
            held_from(one.fact),
            one.fact.source,
            one.fact.owner_id,
            fact=one.fact,
            ended=one.fact.ended,
        )
        for one in answering(reader, timezone.now(), asked.text, its & Q(file=None))[:limit]
        if all(phrase.casefold() in one.said.text.casefold() for phrase in query.phrases)
    ]
    shown = sorted((*hits, *found.hits), key=lambda one: -one.score)
    return replace(found, total=found.total + len(hits), hits=tuple(shown))


def beside(reader: Reader, hits: Iterable[Hit]) -> list[Hit]:
    """The turns right before and after these, whatever they say: what a turn answers, and what was
    answered to it."""
    places = [(said.conversation_id, said.position) for one in hits if (said := one.message)]
    if not places:
        return []
    with reading(reader):
        turns = _turns(reader.owner, [(talk, at - 1, at + 1) for talk, at in places])
        rows = readable.without_hidden(dict(enumerate(turns)))
    return [hit(row, 0.0, 0.0, ()) for row in rows.values()]


@PreparedQuery
def _turns(owner: Any, places: Sequence[Sequence[Any]]) -> "QuerySet[Passage]":
    near = (Q(message__conversation=talk, message__position__in=at) for talk, *at in places)
    turns = Passage.objects.filter(reduce(or_, near), message__conversation__owner=owner)
    turns = turns.annotate(is_meant=is_meant(message="message"))
    return turns.select_related("message__conversation").order_by("pk")


def _awake(reader: Reader) -> Reader:
    """Of an owner who paused using it nothing is found that is theirs."""
    return Reader(reader.agent) if reader.owner and not reader.owner.using else reader


def _meant(readers: Sequence[Reader], asked: SearchPlan) -> Meaning:
    local_only = any(reader.agent.local_models_only for reader in readers)
    team_id = readers[0].agent.team_id
    return meaning.of(team_id, asked.text, asked.by_meaning, local_only=local_only)


def _found(
    readers: Sequence[Reader], asked: SearchPlan, limit: int, after: Cursor | None = None
) -> list[Found]:
    if not asked.terms:
        return [Found(0, ()) for _reader in readers]
    at, limit = asked.query.at, min(max(limit, 1), MOST)
    meant = Meaning() if at else _meant(readers, asked)
    with reading(readers[0]):
        corpus = PastCorpus(readers[0], at) if at else CurrentCorpus(readers)
        matches = matching.match(corpus, asked, meant)
        pages = matching.pages(corpus, matches, limit + SPARE, after)
        rows = _rows(corpus, pages)
    spoken = [word for row in rows.values() if row.message for word in tokens(row.trail)]
    names = {at for at, term in enumerate(asked.terms) if not {*term}.isdisjoint(spoken)}

    def shown(reader: Reader, matched: MatchSet, page: Page) -> Found:
        seen = [one for one in page.hits if one[0] in rows and corpus.sees(reader, rows[one[0]])]
        terms = with_weights(asked.sentences, matched.scores.rarities, names)
        made = (
            hit(
                rows[key],
                score,
                answered(terms, matched.scores.evidence(key)),
                asked.words,
                corpus.past(rows[key]),
            )
            for key, score in seen
        )
        hits = folded(made, limit)
        told = sum(1 + len(one.others) for one in hits)
        if not at:
            hits = _by_trust(hits)
        last = matched.cursor(*seen[told - 1]) if told < len(seen) else page.last
        return Found(matched.total, hits, last=last, notice=meant.notice)

    return [shown(*each) for each in zip(readers, matches, pages, strict=True)]


def _rows(corpus: Corpus, pages: Sequence[Page]) -> dict[int, Passage]:
    """What stands on these pages and is not to be forgotten."""
    wanted = {passage for page in pages for passage, _score in page.hits}
    return readable.without_hidden(corpus.passages(wanted))


def _by_trust(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Of a page, what is trusted before what is doubted that matches as well."""
    places = {
        hit: (hit.file.pk, fingerprint(clean(hit.text)))
        for hit in hits
        if hit.file and kind_of(hit.file.path).holds_facts
    }
    if not places:
        return hits
    trusts = trusts_of(places.values(), timezone.now())

    def weighed(hit: Hit) -> Hit:
        trust = trusts.get(places[hit]) if hit in places else None
        return hit if trust is None else replace(hit, score=hit.score * beside_others(trust))

    return tuple(sorted(map(weighed, hits), key=lambda hit: -hit.score))


def _scope(reader: Reader, owner: str) -> str:
    """A filter can only narrow what the reader sees. Raises SearchRefused."""
    if owner in {"", "shared"}:
        return owner
    own = {"me", str(reader.owner.pk), reader.owner.shown_as} if reader.owner else set()
    if owner not in own:
        raise SearchRefused(
            "bad_owner",
            _(
                "“owner:{owner}” names nobody whose memory you search here; write “owner:me”"
                " or “owner:shared”."
            ).format(owner=owner[:80]),
        )
    return "own"


# Which statements answer a question, and which of them any program may be told.

LOOKED_AT = 2_000  # statements that have a word of the question
_PREFIX = 4  # letters: a stem's last ones may differ from the word's


@dataclass(frozen=True)
class WeighedFact:
    """A weighed statement, and how far it answers what was asked."""

    fact: Any
    said: readable.ReadableFact
    relevance: float
    trust: float

    @property
    def worth(self) -> float:
        return ranked(self.relevance, self.trust)


def answering(
    reader: Reader, now: datetime, query: str, which: Q | None = None
) -> list[WeighedFact]:
    """Those of the reader's that answer any of it, the best and most trusted first."""
    terms = terms_of(query)
    if not terms:
        return []
    with reading(reader):
        statements = known(reader, now).filter(which or Q())
        having = reduce(or_, (saying(_prefix(word)) for word in chain(*terms)))
        rows = list(statements.filter(having)[:LOOKED_AT])
        total = statements.count() if rows else 0
    said = [terms_in(one.text, terms) for one in readable.readable_facts(rows, readable.To.PROGRAM)]
    counts = Counter(chain.from_iterable(said))
    rarities = [rarity(total, counts[number]) for number in range(len(terms))]
    sentences = sentences_of(query, terms)
    found = []
    for fact, here in zip(rows, said, strict=True):
        above = terms_in(f"{fact.heading} {fact.subject}", terms) - here
        answers = relevance(sentences, rarities, Evidence(here, above), ())
        if here:
            found.append(found_with(fact, now, answers))
    return sorted(found, key=lambda one: -one.worth)


def found_with(fact: Any, now: datetime, answers: float = 1.0) -> WeighedFact:
    return WeighedFact(
        fact, readable.statement(fact, readable.To.PROGRAM), answers, weight_of(fact, now).value
    )


def told(reader: Reader) -> "QuerySet[Any]":
    """No program is told what waits, was taken back or is to be forgotten."""
    return remembered_of(weighed(Fact.objects.visible_to(reader).living()).exclude(taken_back()))


def taken_back() -> Q:
    return Q(hidden_at__isnull=False) | Q(corrected_at__isnull=False)


def known(reader: Reader, now: datetime) -> "QuerySet[Any]":
    """What holds today."""
    day = today(now, reader.agent.zone)
    return told(reader).filter(holds_on(day)).select_related("file", "owner", "agent")


def _prefix(stem: str) -> str:
    return stem[: max(_PREFIX, len(stem) - 1)]
