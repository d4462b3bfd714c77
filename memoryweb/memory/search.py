"""`memory.search`: the only way text is found. Can't be called without a reader."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from memoryweb.agents.readers import Reader
from memoryweb.conversations.models import Message
from memoryweb.memory import querying
from memoryweb.memory.exceptions import SearchRefused
from memoryweb.memory.querying import Query
from memoryweb.recall.models import Passage
from memoryweb.recall.tokens import tokens
from memoryweb.workspace.models import File

MOST_TERMS = 32
PER_FILE = 5
AROUND = 80
K1, B = 1.2, 0.75  # Robertson & Zaragoza, The Probabilistic Relevance Framework (2009)


@dataclass(frozen=True)
class Hit:
    """One block of a file, or one message. `marks` are offsets of matched words in `snippet`."""

    kind: str
    file: File | None
    message: Message | None
    line: int
    end_line: int
    trail: str
    text: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    score: float
    date: date | None
    source: str
    owner_id: UUID | None


@dataclass(frozen=True)
class Found:
    """`cursor` asks for the next page, "" when there is none."""

    total: int
    hits: tuple[Hit, ...]
    cursor: str = ""


def search(
    reader: Reader,
    text: str | Query,
    *,
    limit: int = 10,
    kinds: Collection[str] = ("file", "message"),
    scope: str = "",
    cursor: str = "",
) -> Found:
    """The best passages that the reader may see, by BM25 over exactly those passages.

    `text` is what a person typed (see `querying`), or a query made of another text. `scope`
    narrows to `own` or `shared`. At most five hits of one file.
    Raises SearchRefused: a date, an owner or a cursor that is none.
    """
    query = querying.parse(text) if isinstance(text, str) else text
    terms = list(dict.fromkeys(tokens(" ".join([*query.words, *query.phrases]))))[:MOST_TERMS]
    first = _offset(cursor)
    if not terms:
        return Found(0, ())
    rows = _visible(reader, kinds, scope)
    scored = sorted(_ranked(rows, terms), key=lambda pair: (-pair[0], _age(pair[1]), pair[1].pk))
    hits = _at_most_per_file(scored)
    after = first + min(max(limit, 1), 50)
    page = tuple(_hit(score, row, terms) for score, row in hits[first:after])
    return Found(len(hits), page, str(after) if after < len(hits) else "")


def _offset(cursor: str) -> int:
    if cursor and not re.fullmatch(r"[0-9]{1,6}", cursor):
        raise SearchRefused("bad_cursor", _("There is no such page of results; search again."))
    return int(cursor or 0)


def _visible(reader: Reader, kinds: Collection[str], scope: str) -> list[Passage]:
    rows = Passage.objects.filter(reader.sees(), kind__in=kinds)
    # Messages are readable by their owner only.
    rows = rows.filter(Q(kind="file") | Q(owner=reader.owner, owner__isnull=False))
    if scope == "own":
        rows = rows.filter(owner__isnull=False)
    elif scope == "shared":
        rows = rows.filter(owner=None)
    return list(rows.select_related("file", "message__conversation").defer("file__content"))


def _ranked(rows: Sequence[Passage], terms: Sequence[str]) -> Iterable[tuple[float, Passage]]:
    wanted = set(terms)
    counted = [(row, Counter(word[8:] for word in row.tokens.split(" "))) for row in rows]
    average = sum(row.length for row in rows) / len(rows) if rows else 1.0
    frequency = Counter(term for _row, words in counted for term in wanted & words.keys())
    for row, words in counted:
        shared = wanted & words.keys()
        if not shared:
            continue
        norm = K1 * (1 - B + B * row.length / (average or 1.0))
        score = sum(
            _idf(len(rows), frequency[term]) * words[term] * (K1 + 1) / (words[term] + norm)
            for term in sorted(shared)
        )
        yield score * row.weight, row


def _idf(total: int, having: int) -> float:
    return math.log((total - having + 0.5) / (having + 0.5) + 1)


def _age(row: Passage) -> int:
    return -row.date.toordinal() if row.date else 0


def _at_most_per_file(scored: Iterable[tuple[float, Passage]]) -> list[tuple[float, Passage]]:
    seen: Counter[object] = Counter()
    kept = []
    for score, row in scored:
        if row.file_id:
            seen[row.file_id] += 1
            if seen[row.file_id] > PER_FILE:
                continue
        kept.append((score, row))
    return kept


def _hit(score: float, row: Passage, terms: Sequence[str]) -> Hit:
    return Hit(
        kind=row.kind,
        file=row.file,
        message=row.message,
        line=row.line,
        end_line=row.end_line,
        trail=row.trail,
        text=row.text,
        snippet=(snippet := _snippet(row.text, terms)),
        marks=tuple(_marks(snippet, terms)),
        score=score,
        date=row.date,
        source=row.source,
        owner_id=row.owner_id,
    )


def _marks(snippet: str, terms: Sequence[str]) -> Iterable[tuple[int, int]]:
    for match in re.finditer(r"\w+", snippet):
        if set(terms) & set(tokens(match[0])):
            yield match.span()


def _snippet(text: str, terms: Sequence[str]) -> str:
    wanted = set(terms)
    for match in re.finditer(r"\w+", text):
        if wanted & set(tokens(match[0])):
            start = max(0, match.start() - AROUND)
            end = min(len(text), match.end() + AROUND)
            return text[start:end].replace("\n", " ").strip()
    return text[: 2 * AROUND].replace("\n", " ")
