"""PostgreSQL's tsvector over the tokens of passages, each behind its scope key: a generated
column with a GIN index. The extent of each reach is kept by triggers.

Lexemes are taken as they are (no parser of PostgreSQL's touches them). They carry no counts:
how often a passage says a word is counted in its tokens.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.db.backends.utils import CursorWrapper

from memoryweb.memory.index.ranking import Places

_COLUMN = (
    "ALTER TABLE recall_passage ADD COLUMN search tsvector"
    " GENERATED ALWAYS AS (array_to_tsvector(string_to_array("
    "reach || replace(tokens, ' ', ' ' || reach), ' '))) STORED"
)
# Without fastupdate: a list of pending entries would make every search slower.
_INDEX = (
    "CREATE INDEX recall_passage_search ON recall_passage USING gin (search)"
    " WITH (fastupdate = off)"
)


_TABLE = (
    "CREATE TABLE recall_extent (reach varchar PRIMARY KEY, passages bigint NOT NULL,"
    " words bigint NOT NULL)"
)
# Once a statement, whatever the number of its rows.
_FUNCTION = """
CREATE OR REPLACE FUNCTION recall_extent_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE recall_extent;
    END IF;
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        UPDATE recall_extent e
            SET passages = e.passages - g.passages, words = e.words - g.words
            FROM (SELECT reach, count(*) AS passages, sum(length) AS words FROM gone GROUP BY 1) g
            WHERE e.reach = g.reach;
    END IF;
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        INSERT INTO recall_extent AS e
            SELECT reach, count(*), sum(length) FROM come GROUP BY 1 ORDER BY 1
            ON CONFLICT (reach) DO UPDATE
            SET passages = e.passages + excluded.passages, words = e.words + excluded.words;
    END IF;
    RETURN NULL;
END $$
"""
_TRIGGERS = {
    "recall_extent_insert": "AFTER INSERT ON recall_passage REFERENCING NEW TABLE AS come",
    "recall_extent_delete": "AFTER DELETE ON recall_passage REFERENCING OLD TABLE AS gone",
    "recall_extent_update": (
        "AFTER UPDATE ON recall_passage REFERENCING OLD TABLE AS gone NEW TABLE AS come"
    ),
    "recall_extent_truncate": "AFTER TRUNCATE ON recall_passage",
}
_EXTENTS = "SELECT reach, count(*), sum(length) FROM recall_passage GROUP BY reach"


def create(cursor: CursorWrapper) -> None:
    drop(cursor)
    for statement in (_COLUMN, _INDEX, _TABLE, _FUNCTION):
        cursor.execute(statement)
    for name, when in _TRIGGERS.items():
        cursor.execute(
            f"CREATE TRIGGER {name} {when}"
            " FOR EACH STATEMENT EXECUTE FUNCTION recall_extent_follow()"
        )


def drop(cursor: CursorWrapper) -> None:
    for name in _TRIGGERS:
        cursor.execute(f"DROP TRIGGER IF EXISTS {name} ON recall_passage")
    cursor.execute("DROP FUNCTION IF EXISTS recall_extent_follow")
    cursor.execute("DROP TABLE IF EXISTS recall_extent")
    cursor.execute("ALTER TABLE recall_passage DROP COLUMN IF EXISTS search")


def missing(cursor: CursorWrapper) -> list[str]:
    cursor.execute(
        "SELECT tgname FROM pg_trigger"
        " WHERE tgrelid = 'recall_passage'::regclass AND tgenabled <> 'D' UNION ALL"
        " SELECT relname FROM pg_class WHERE oid IN"
        " (to_regclass('recall_passage_search'), to_regclass('recall_extent'))"
    )
    found = {row[0] for row in cursor.fetchall()}
    return sorted({*_TRIGGERS, "recall_passage_search", "recall_extent"} - found)


def rebuild(cursor: CursorWrapper) -> None:
    cursor.execute("REINDEX INDEX recall_passage_search")
    cursor.execute("DELETE FROM recall_extent")
    cursor.execute(f"INSERT INTO recall_extent {_EXTENTS}")


def merge(_cursor: CursorWrapper, _begun: bool) -> bool | None:
    return None  # a row's column: it goes with the row, and with the vacuum


def is_sound(cursor: CursorWrapper) -> bool:
    """The column is the database's own work: it cannot say anything else than the tokens."""
    return not missing(cursor)


def find(
    cursor: CursorWrapper, reaches: Sequence[str], words: Sequence[str]
) -> tuple[dict[str, Mapping[int, int]], Places, dict[str, tuple[int, int]]]:
    # Tokens hold letters and digits only; quoted, none of them is an operator.
    tokens = [reach + word for reach in reaches for word in words]
    wanted = " | ".join(f"'{token}'" for token in tokens)
    cursor.execute(
        "SELECT id, whole, place, reach, tokens FROM recall_passage WHERE search @@ %s::tsquery"
        " UNION ALL"
        " SELECT passages, words, 0, reach, NULL FROM recall_extent WHERE reach = ANY(%s)",
        [wanted, list(reaches)],
    )
    postings: dict[str, Counter[int]] = {token: Counter() for token in tokens}
    found = cursor.fetchall()
    rows = [row for row in found if row[4] is not None]
    sizes = {reach: (n, words) for n, words, _place, reach, text in found if text is None}
    for passage, _whole, _place, reach, text in rows:
        for token in text.split(" "):
            if (word := reach + token) in postings:
                postings[word][passage] += 1
    wholes = {passage: whole for passage, whole, *_of in rows}
    places = Places(wholes, {passage: place for passage, _whole, place, *_of in rows})
    return {token: counts for token, counts in postings.items() if counts}, places, sizes
