"""SQLite's FTS5 over the tokens of passages and the extent of each reach, kept by triggers.

The tokens stay in `recall_passage` (external content), each behind its scope key in a column that
is worked out when it is read. The `ascii` tokenizer takes every byte from
0x80 on for a part of a word, so that tokens stand in the index exactly as they were made.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from django.db import DatabaseError
from django.db.backends.utils import CursorWrapper

from memoryweb.memory.index.ranking import Places

_COLUMN = (
    "ALTER TABLE recall_passage ADD COLUMN search TEXT"
    " GENERATED ALWAYS AS (reach || replace(tokens, ' ', ' ' || reach)) VIRTUAL"
)
_TABLES = {
    "recall_index": (
        "CREATE VIRTUAL TABLE recall_index USING fts5("
        "search, content='recall_passage', content_rowid='id', tokenize='ascii', columnsize=0)"
    ),
    "recall_index_terms": (
        "CREATE VIRTUAL TABLE recall_index_terms USING fts5vocab(recall_index, instance)"
    ),
    "recall_extent": (
        "CREATE TABLE recall_extent (reach TEXT PRIMARY KEY, passages INTEGER NOT NULL,"
        " words INTEGER NOT NULL) WITHOUT ROWID"
    ),
}
_ADD = """
INSERT INTO recall_index(rowid, search) VALUES (NEW.id, NEW.search);
INSERT INTO recall_extent VALUES (NEW.reach, 1, NEW.length) ON CONFLICT (reach)
    DO UPDATE SET passages = passages + 1, words = words + excluded.words;
"""
_TAKE = """
INSERT INTO recall_index(recall_index, rowid, search) VALUES ('delete', OLD.id, OLD.search);
UPDATE recall_extent SET passages = passages - 1, words = words - OLD.length
    WHERE reach = OLD.reach;
"""
_TRIGGERS = {
    "recall_index_insert": f"AFTER INSERT ON recall_passage BEGIN {_ADD} END",
    "recall_index_delete": f"AFTER DELETE ON recall_passage BEGIN {_TAKE} END",
    "recall_index_update": (
        f"AFTER UPDATE OF id, tokens, reach, length ON recall_passage BEGIN {_TAKE} {_ADD} END"
    ),
}
_PAGES = 1_000  # about a second's work of a slow disk
_MERGED = 2  # changes of a step that did something, says the manual
_EXTENTS = "SELECT reach, count(*), sum(length) FROM recall_passage GROUP BY reach"


def create(cursor: CursorWrapper) -> None:
    drop(cursor)
    cursor.execute(_COLUMN)
    for statement in _TABLES.values():
        cursor.execute(statement)
    for name, what in _TRIGGERS.items():
        cursor.execute(f"CREATE TRIGGER {name} {what}")


def drop(cursor: CursorWrapper) -> None:
    for name in _TRIGGERS:
        cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
    for name in reversed(_TABLES):
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
    if _has_column(cursor):
        cursor.execute("ALTER TABLE recall_passage DROP COLUMN search")


def missing(cursor: CursorWrapper) -> list[str]:
    cursor.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger')")
    found = {row[0] for row in cursor.fetchall()}
    found |= {"recall_passage.search"} if _has_column(cursor) else set()
    return sorted({*_TABLES, *_TRIGGERS, "recall_passage.search"} - found)


def _has_column(cursor: CursorWrapper) -> bool:
    cursor.execute("SELECT 1 FROM pragma_table_xinfo('recall_passage') WHERE name = 'search'")
    return cursor.fetchone() is not None


def rebuild(cursor: CursorWrapper) -> None:
    cursor.execute("INSERT INTO recall_index(recall_index) VALUES ('rebuild')")
    cursor.execute("DELETE FROM recall_extent")
    cursor.execute(f"INSERT INTO recall_extent {_EXTENTS}")


def merge(cursor: CursorWrapper, begun: bool) -> bool | None:
    """What was deleted stays in older segments until they are merged (SQLite's FTS5 manual, 6.8).
    A negative number begins to merge all into one, positive ones go on with it. To begin it while
    another merge is half done breaks the index, and every write may leave one half done: so that
    is brought to its end first, and the beginning stands in the transaction that saw the end."""
    if _merges(cursor, _PAGES):
        return begun
    if begun:
        return None
    _merges(cursor, -_PAGES)
    return True


def _merges(cursor: CursorWrapper, pages: int) -> bool:
    """Whether there was something to do."""
    cursor.execute("SELECT total_changes()")
    (before,) = cursor.fetchone()
    cursor.execute(f"INSERT INTO recall_index(recall_index, rank) VALUES ('merge', {pages})")
    cursor.execute("SELECT total_changes()")
    (after,) = cursor.fetchone()
    return int(after) - int(before) >= _MERGED


def is_sound(cursor: CursorWrapper) -> bool:
    try:
        cursor.execute("INSERT INTO recall_index(recall_index, rank) VALUES ('integrity-check', 1)")
    except DatabaseError:
        return False
    return True


def find(
    cursor: CursorWrapper, reaches: Sequence[str], words: Sequence[str]
) -> tuple[dict[str, Mapping[int, int]], Places, dict[str, tuple[int, int]]]:
    # As JSON: one row a token instead of one a posting halves the time. Looking for a token that is
    # nowhere takes as long as finding one: so where nothing stands none is looked for.
    keys = ", ".join(["%s"] * len(reaches))
    cursor.execute(
        "SELECT term, json_group_array(doc), json_group_array(whole), json_group_array(place)"
        " FROM recall_index_terms JOIN recall_passage INDEXED BY recall_passage_place ON id = doc"
        " WHERE term IN (SELECT reach || value FROM recall_extent, json_each(%s)"
        f" WHERE reach IN ({keys}) AND passages > 0) GROUP BY term UNION ALL"
        f" SELECT reach, passages, words, NULL FROM recall_extent WHERE reach IN ({keys})",
        [json.dumps(words), *reaches, *reaches],
    )
    postings: dict[str, Mapping[int, int]] = {}
    wholes: dict[int, int] = {}
    places: dict[int, int] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for term, *columns in cursor.fetchall():
        if columns[2] is None:
            sizes[term] = columns[0], columns[1]
            continue
        its_passages, its_wholes, its_places = map(json.loads, columns)
        counts = dict.fromkeys(its_passages, 1)
        postings[term] = counts if len(counts) == len(its_passages) else Counter(its_passages)
        wholes |= zip(its_passages, its_wholes, strict=True)
        places |= zip(its_passages, its_places, strict=True)
    return postings, Places(wholes, places), sizes
