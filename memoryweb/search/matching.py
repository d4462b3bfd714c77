"""From a query to an ordered page: find, score, narrow, order. The texts are loaded afterwards."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from memoryweb.language.tokens import tokens
from memoryweb.search import ranking
from memoryweb.search.corpus import Current, Reaches, Standing
from memoryweb.search.cursors import Cursor
from memoryweb.search.index import Found
from memoryweb.search.indexing import HEADINGS, TEXT
from memoryweb.search.past import Then
from memoryweb.search.query_syntax import Query
from memoryweb.search.ranking import PER_FILE, Places, Postings, Scores, summed
from memoryweb.search.terms import Term, terms_of

Corpus = Current | Then


@dataclass(frozen=True)
class Asked:
    """A query, read: what to rank by, what must occur, and what narrows it."""

    query: Query
    terms: Sequence[Term]
    phrases: Sequence[Sequence[str]]
    kinds: Collection[str]
    scope: str

    @classmethod
    def of(cls, query: Query, kinds: Collection[str], scope: str) -> "Asked":
        phrases = [found for phrase in query.phrases if (found := tokens(phrase))]
        return cls(query, terms_of(" ".join([*query.words, *query.phrases])), phrases, kinds, scope)

    @property
    def words(self) -> set[str]:
        """Every stem that may be marked."""
        return {word for part in (*self.terms, *self.phrases) for word in part}


@dataclass(frozen=True)
class Page:
    """`last` is where it ends, None when nothing comes after it."""

    hits: Sequence[tuple[int, float]]
    kinds: Collection[str]
    last: Cursor | None


@dataclass(frozen=True)
class Matched:
    corpus: Corpus
    scores: Scores

    @property
    def places(self) -> Places:
        return self.scores.places

    @property
    def total(self) -> int:
        return self.scores.shown(self.scores.keys)

    def page(self, limit: int, after: Cursor | None) -> Page:
        wanted = limit + 1 + (self._ahead(after) if after else 0)
        count = wanted + limit
        while True:
            scores = self.scores.best(count)
            if count >= len(self.scores.keys) or self.scores.shown(scores) >= wanted:
                break
            count *= 4
        ids = self._ids(scores)
        order = list(_at_most_per_file(self._in_order(scores, ids), self.places))
        start = self._start(order, scores, after) if after else 0
        shown = order[start : start + limit]
        hits = [(ids[key], scores[key]) for key in shown if key in ids]
        more = start + limit < len(order)
        kinds = {"message" if self.places.is_turn(key) else "file" for key in shown}
        return Page(hits, kinds, self._cursor(shown[-1], scores) if more else None)

    def _ahead(self, after: Cursor) -> int:
        key = self._key(after)
        least = self.scores.of(key) if key in self.scores.keys else after.score
        return self.scores.at_least(least)

    def _start(self, order: Sequence[int], scores: Mapping[int, float], after: Cursor) -> int:
        """After the hit that ended the last page; if it has gone, after its score."""
        key = self._key(after)
        if key in scores and key in order:
            return order.index(key) + 1
        return sum(scores[key] >= after.score for key in order)

    def _key(self, cursor: Cursor) -> int:
        return self.places.key(cursor.whole, cursor.ordinal)

    def _cursor(self, key: int, scores: Mapping[int, float]) -> Cursor:
        return Cursor(self.places.whole(key), ranking.ordinal(key), scores[key])

    def _ids(self, keys: Collection[int]) -> dict[int, int]:
        """Place → passage, also for the turns that were found by their neighbours."""
        known = self.places.passages
        spots = {
            (self.places.whole(key), ranking.ordinal(key)): key for key in keys if key not in known
        }
        found = {spots[spot]: passage for spot, passage in self.corpus.spots(spots).items()}
        return {key: known[key] for key in keys if key in known} | found

    def _in_order(self, scores: Mapping[int, float], ids: Mapping[int, int]) -> list[int]:
        """Best first, newer first where scores are equal, then the same on every database."""
        tied = [key for key in _tied(scores) if key in ids]
        standings = self.corpus.standings([ids[key] for key in tied])
        standing: dict[int, Standing | tuple[()]] = {
            key: standings[ids[key]] for key in tied if ids[key] in standings
        }
        return sorted(scores, key=lambda key: (-scores[key], standing.get(key, ())))


def match(corpus: Corpus, asked: Asked) -> Matched:
    found = corpus.find(_keyed(corpus.reaches, asked.words))
    scores = ranking.score(
        corpus.extent(),
        [_postings(found, corpus.reaches, term) for term in asked.terms],
        found.places,
        corpus.last_turns(found.places.conversations),
    )
    return Matched(corpus, scores.narrowed(_narrowed(scores.keys, corpus, asked, found)))


def _keyed(reaches: Reaches, words: Iterable[str]) -> list[str]:
    keys = [field + reach for reach in reaches.all for field in (TEXT, HEADINGS)]
    return [key + word for word in words for key in keys]


def _postings(found: Found, reaches: Reaches, term: Term) -> Postings:
    """A word in all its forms, in all that the reader sees."""
    text: dict[int, int] = {}
    headings: set[int] = set()
    for reach in reaches.all:
        for word in term:
            text = summed(text, found.postings.get(TEXT + reach + word, {}))
            headings.update(found.postings.get(HEADINGS + reach + word, ()))
    return Postings(text, headings)


def _narrowed(keys: Collection[int], corpus: Corpus, asked: Asked, found: Found) -> Collection[int]:
    """Filters take hits away; they change no score."""
    places, query = found.places, asked.query
    wholes = _wholes(corpus, asked, found)
    if wholes is not None:
        keys = {key for key in keys if places.whole(key) in wholes}
    if asked.phrases:
        said = corpus.saying(_with_all(found, corpus.reaches, asked.phrases), asked.phrases)
        keys = {key for key in keys if places.passages.get(key) in said}
    if query.before or query.after:
        spots = corpus.between({places.whole(key) for key in keys}, query)
        lines = corpus.lines([places.passages[key] for key in keys if key in places.passages])
        keys = {key for key in keys if _spot(key, places, lines) in spots}
    return keys


def _wholes(corpus: Corpus, asked: Asked, found: Found) -> set[int] | None:
    """The files and conversations that filters leave; None when none is asked for."""
    kinds = set(asked.kinds)
    if kinds >= {"file", "message"} and not asked.scope and not asked.query.path:
        return None
    places = found.places
    kept = {
        whole
        for whole, is_turn in zip(places.wholes, places.are_turns, strict=True)
        if ("message" if is_turn else "file") in kinds
    }
    if asked.scope:
        kept = kept & _of_reaches(found, corpus.reaches.within(asked.scope))
    return kept & corpus.files(asked.query.path) if asked.query.path else kept


def _of_reaches(found: Found, reaches: Iterable[str]) -> set[int]:
    prefixes = tuple(field + reach for reach in reaches for field in (TEXT, HEADINGS))
    return {
        found.places.whole(found.places.keys[passage])
        for token, passages in found.postings.items()
        if token.startswith(prefixes)
        for passage in passages
    }


def _with_all(found: Found, reaches: Reaches, phrases: Iterable[Sequence[str]]) -> set[int]:
    """The passages that have every word of every phrase, in whatever order."""
    kept: set[int] | None = None
    for word in {word for phrase in phrases for word in phrase}:
        having = set[int]()
        for reach in reaches.all:
            having.update(found.postings.get(TEXT + reach + word, ()))
        kept = having if kept is None else kept & having
    return kept or set()


def _spot(key: int, places: Places, lines: Mapping[int, int]) -> tuple[int, int]:
    passage = places.passages.get(key)
    return places.whole(key), ranking.ordinal(key) if passage is None else lines.get(passage, -1)


def _tied(scores: Mapping[int, float]) -> Iterator[int]:
    for _score, run in groupby(scores, key=scores.__getitem__):
        same = list(run)
        if len(same) > 1:
            yield from same


def _at_most_per_file(keys: Iterable[int], places: Places) -> Iterator[int]:
    shown: Counter[int] = Counter()
    for key in keys:
        whole = places.whole(key)
        shown[whole] += 1
        if places.is_turn(key) or shown[whole] <= PER_FILE:
            yield key
