"""From a query to an ordered page: find, score, narrow, order. The texts are loaded afterwards."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from memoryweb.language.tokens import tokens
from memoryweb.memory.index import ranking
from memoryweb.memory.index.fulltext import Found
from memoryweb.memory.index.indexing import HEADINGS, TEXT, TOLD
from memoryweb.memory.index.query_syntax import Cursor, Query
from memoryweb.memory.index.ranking import PER_FILE, Places, Postings, Scores, spot_of, summed
from memoryweb.memory.index.relevance import Sentence
from memoryweb.memory.index.terms import Term, sentences_of, sought_in, terms_of
from memoryweb.memory.search.corpus import CurrentCorpus, PastCorpus, Reaches, Standing
from memoryweb.memory.search.meaning import Meaning

Corpus = CurrentCorpus | PastCorpus


@dataclass(frozen=True)
class SearchPlan:
    """A query, read: what to rank by, what must occur, what narrows it, and whether what is near in
    meaning is found, too."""

    query: Query
    text: str
    terms: Sequence[Term]
    phrases: Sequence[Sequence[str]]
    sentences: Sequence[Sentence]
    sought: int
    kinds: Collection[str]
    scope: str
    by_meaning: bool

    @classmethod
    def of(
        cls, query: Query, kinds: Collection[str], scope: str, *, by_meaning: bool = True
    ) -> "SearchPlan":
        phrases = [found for phrase in query.phrases if (found := tokens(phrase))]
        text = " ".join([*query.words, *query.phrases])
        terms = terms_of(text)
        sentences = sentences_of(text, terms)
        return cls(
            query, text, terms, phrases, sentences, sought_in(text), kinds, scope, by_meaning
        )

    @cached_property
    def words(self) -> set[str]:
        """Every stem that may be marked."""
        return {word for part in (*self.terms, *self.phrases) for word in part}


@dataclass(frozen=True)
class Page:
    """`last` is where it ends, None when nothing comes after it."""

    hits: Sequence[tuple[int, float]]
    last: Cursor | None


@dataclass(frozen=True)
class MatchSet:
    """What one reader finds, to be scored where it matters."""

    scores: Scores

    @property
    def places(self) -> Places:
        return self.scores.places

    @property
    def total(self) -> int:
        return self.scores.shown(self.scores.found)

    def best(self, limit: int, after: Cursor | None) -> dict[int, float]:
        """As many places, best first, as the page and the pages before it need."""
        count = wanted = limit + 1 + (self._ahead(after) if after else 0)
        while True:
            scores = self.scores.best(count)
            if count >= len(self.scores.found) or self.scores.shown(scores) >= wanted:
                return scores
            count *= 2

    def page(
        self,
        scores: Mapping[int, float],
        standings: Mapping[int, Standing],
        limit: int,
        after: Cursor | None,
    ) -> Page:
        order = list(_at_most_per_file(_in_order(scores, standings), self.places))
        start = self._start(order, scores, after) if after else 0
        shown = order[start : start + limit]
        hits = [(key, scores[key]) for key in shown]
        more = start + limit < len(order)
        return Page(hits, self.cursor(*hits[-1]) if more else None)

    def cursor(self, key: int, score: float) -> Cursor:
        return Cursor(self.places.wholes[key], self.places.ordinal(key), score)

    def _ahead(self, after: Cursor) -> int:
        scores = self.scores.all
        least = scores.get(self._key(after), after.score)
        return sum(score >= least for score in scores.values())

    def _start(self, order: Sequence[int], scores: Mapping[int, float], after: Cursor) -> int:
        """After the hit that ended the last page; if it has gone, after its score."""
        key = self._key(after)
        if key in scores and key in order:
            return order.index(key) + 1
        return sum(scores[key] >= after.score for key in order)

    def _key(self, cursor: Cursor) -> int:
        return self.places.at.get(spot_of(cursor.whole, cursor.ordinal), -1)


def match(corpus: Corpus, asked: SearchPlan, meaning: Meaning) -> list[MatchSet]:
    """One for each reader of the corpus."""
    finds = corpus.find([kind + word for word in asked.words for kind in (TEXT, HEADINGS, TOLD)])
    finds = meaning.near([reaches.within(asked.scope) for reaches in corpus.reaches], finds)
    narrowing = _Narrowing.of(corpus, asked, finds)
    matches = []
    for reaches, found in zip(corpus.reaches, finds, strict=True):
        terms = [_postings(found, reaches, term) for term in asked.terms]
        scores = ranking.score(found.extent, terms, asked.sought, found.places).nearer(found.near)
        matches.append(MatchSet(scores.narrowed(narrowing.keys(scores.found, found, reaches))))
    return matches


def pages(
    corpus: Corpus, matches: Sequence[MatchSet], limit: int, after: Cursor | None
) -> list[Page]:
    """A page of each. What the corpus is asked about them, it is asked once: where it is asked how
    those stand that tie, it gives the rows of the page."""
    bests = [matched.best(limit, after) for matched in matches]
    each = list(zip(matches, bests, strict=True))
    tied = [(best, list(_tied(best))) for best in bests]
    asked = (best if len(best) <= 4 * limit else same for best, same in tied if same)
    standings = corpus.standings({key for keys in asked for key in keys})
    return [matched.page(best, standings, limit, after) for matched, best in each]


@dataclass(frozen=True)
class _Narrowing:
    """What filters leave, for all readers together; None where nothing is asked for.

    Filters take hits away; they change no score.
    """

    asked: SearchPlan
    named: Collection[int] | None = None
    entries: Collection[int] = ()
    kept: Sequence[Collection[int]] = ()

    @classmethod
    def of(cls, corpus: Corpus, asked: SearchPlan, finds: Sequence[Found]) -> "_Narrowing":
        query = asked.query
        named = corpus.files(query.path) if query.path else None
        entries = corpus.entries() if "entry" in asked.kinds else ()
        kept = []
        if asked.phrases:
            having = (
                _with_all(found, reaches, asked.phrases)
                for found, reaches in zip(finds, corpus.reaches, strict=True)
            )
            kept.append(corpus.saying(set[int]().union(*having), asked.phrases))
        if query.before or query.after:
            every = set[int]().union(*(found.places.wholes for found in finds))
            kept.append(corpus.between(every, query))
        return cls(asked, named, entries, kept)

    def keys(self, keys: Collection[int], found: Found, reaches: Reaches) -> Collection[int]:
        """Those of a reader's places that are left."""
        places = found.places
        wholes = self._wholes(found, reaches)
        if wholes is not None:
            keys = {key for key in keys if places.wholes[key] in wholes}
        return set(keys).intersection(*self.kept) if self.kept else keys

    def _wholes(self, found: Found, reaches: Reaches) -> set[int] | None:
        """The files and conversations that filters leave; None when none is asked for."""
        kinds = set(self.asked.kinds)
        if kinds >= {"file", "message"} and not self.asked.scope and self.named is None:
            return None
        places = found.places
        kept = {
            whole
            for key, whole in places.wholes.items()
            if ("message" if places.is_turn(key) else "file") in kinds or whole in self.entries
        }
        if self.asked.scope:
            kept &= _of_reaches(found, reaches.within(self.asked.scope))
        return kept if self.named is None else kept.intersection(self.named)


def _in_order(scores: Mapping[int, float], standings: Mapping[int, Standing]) -> list[int]:
    """Best first, newer first where scores are equal, then the same on every database."""

    def place(key: int) -> tuple[float, Standing | tuple[()]]:
        return -scores[key], standings.get(key, ())

    return sorted(scores, key=place)


def _postings(found: Found, reaches: Reaches, term: Term) -> Postings:
    """A word in all its forms, in all that the reader sees."""
    text: dict[int, int] = {}
    headings, told = set[int](), set[int]()
    for reach in reaches.all:
        for word in term:
            text = summed(text, found.postings.get(reach + TEXT + word, {}))
            headings.update(found.postings.get(reach + HEADINGS + word, ()))
            told.update(found.postings.get(reach + TOLD + word, ()))
    return Postings(text, headings, told)


def _of_reaches(found: Found, reaches: Iterable[str]) -> set[int]:
    prefixes = tuple(reaches)
    own = (its for token, its in found.postings.items() if token.startswith(prefixes))
    # What is near was looked for in these alone.
    return {found.places.wholes[passage] for passages in (*own, found.near) for passage in passages}


def _with_all(found: Found, reaches: Reaches, phrases: Iterable[Sequence[str]]) -> set[int]:
    """The passages that have every word of every phrase, in whatever order."""
    kept: set[int] | None = None
    for word in {word for phrase in phrases for word in phrase}:
        having = set[int]()
        for reach in reaches.all:
            having.update(found.postings.get(reach + TEXT + word, ()))
        kept = having if kept is None else kept & having
    return kept or set()


def _tied(scores: Mapping[int, float]) -> Iterator[int]:
    for _score, run in groupby(scores, key=scores.__getitem__):
        same = list(run)
        if len(same) > 1:
            yield from same


def _at_most_per_file(keys: Iterable[int], places: Places) -> Iterator[int]:
    shown: Counter[int] = Counter()
    for key in keys:
        whole = places.wholes[key]
        shown[whole] += 1
        if places.is_turn(key) or shown[whole] <= PER_FILE:
            yield key
