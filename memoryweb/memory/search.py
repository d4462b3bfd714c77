"""`memory.search`: the only way text is found. Can't be called without a reader."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from memoryweb.agents.readers import Reader, reading
from memoryweb.search import cursors, matching, query_syntax
from memoryweb.search.corpus import Current
from memoryweb.search.exceptions import SearchRefused
from memoryweb.search.hits import Found, Hit, hit
from memoryweb.search.matching import Asked
from memoryweb.search.past import Then
from memoryweb.search.query_syntax import Query

__all__ = ["Found", "Hit", "search"]

MOST = 50


def search(
    reader: Reader,
    text: str | Query,
    *,
    limit: int = 10,
    kinds: Collection[str] = ("file", "message"),
    scope: str = "",
    cursor: str = "",
) -> Found:
    """The best passages that the reader may see, ranked by exactly those passages.

    `text` is what a person typed (see `querying`), or a query made of another text. `scope`
    narrows to `own` or `shared`. At most five hits of one file. Of an archived agent nothing is
    found, of a paused owner nothing that is theirs.
    Raises SearchRefused: a date, an owner or a cursor that is none.
    """
    query = query_syntax.parse(text) if isinstance(text, str) else text
    asked = Asked.of(query, kinds, _scope(reader, query.owner) or scope)
    stamp = cursors.stamp(reader, query, kinds, scope)
    after = cursors.read(cursor, stamp) if cursor else None
    if reader.agent.archived_at or not asked.terms:
        return Found(0, ())
    if reader.owner and reader.owner.paused:
        reader = Reader(reader.agent)
    with reading(reader):
        corpus = Then(reader, query.at) if query.at else Current(reader)
        matched = matching.match(corpus, asked)
        page = matched.page(min(max(limit, 1), MOST), after)
        rows = corpus.passages([passage for passage, _score in page.hits], page.kinds)
    hits = (
        hit(rows[key], score, asked.words, corpus.past(rows[key]))
        for key, score in page.hits
        if key in rows
    )
    return Found(matched.total, tuple(hits), cursors.write(page.last, stamp) if page.last else "")


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
