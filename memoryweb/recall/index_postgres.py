"""PostgreSQL's tsvector over the tokens of passages: a generated column with a GIN index.

Lexemes are taken as they are (no parser of PostgreSQL's touches them). They carry no counts:
how often a passage says a word is counted in its tokens.
"""

from collections import Counter
from collections.abc import Sequence

from django.db.backends.utils import CursorWrapper

_COLUMN = (
    "ALTER TABLE recall_passage ADD COLUMN search tsvector"
    " GENERATED ALWAYS AS (array_to_tsvector(string_to_array(tokens, ' '))) STORED"
)
# Without fastupdate: a list of pending entries would make every search slower.
_INDEX = (
    "CREATE INDEX recall_passage_search ON recall_passage USING gin (search)"
    " WITH (fastupdate = off)"
)


def create(cursor: CursorWrapper) -> None:
    drop(cursor)
    cursor.execute(_COLUMN)
    cursor.execute(_INDEX)


def drop(cursor: CursorWrapper) -> None:
    cursor.execute("ALTER TABLE recall_passage DROP COLUMN IF EXISTS search")


def missing(cursor: CursorWrapper) -> list[str]:
    cursor.execute("SELECT to_regclass('recall_passage_search') IS NULL")
    return ["recall_passage_search"] if cursor.fetchone()[0] else []


def rebuild(cursor: CursorWrapper) -> None:
    cursor.execute("REINDEX INDEX recall_passage_search")


def is_sound(cursor: CursorWrapper) -> bool:
    """The column is the database's own work: it cannot say anything else than the tokens."""
    return not missing(cursor)


def find(
    cursor: CursorWrapper, tokens: Sequence[str]
) -> tuple[dict[str, Counter[int]], list[tuple[int, int, int]]]:
    # Tokens hold letters and digits only; quoted, none of them is an operator.
    wanted = " | ".join(f"'{token}'" for token in tokens)
    cursor.execute(
        "SELECT id, whole, place, tokens FROM recall_passage WHERE search @@ %s::tsquery", [wanted]
    )
    postings: dict[str, Counter[int]] = {token: Counter() for token in tokens}
    rows = []
    for passage, whole, place, text in cursor.fetchall():
        rows.append((passage, whole, place))
        for word in text.split(" "):
            if word in postings:
                postings[word][passage] += 1
    return {token: counts for token, counts in postings.items() if counts}, rows
