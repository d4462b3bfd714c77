"""Stored passages, read for those that search found."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from datetime import datetime

from django.db.models import QuerySet

from memoryweb.core.prepared_queries import Prepared
from memoryweb.memory.index.indexing import TEXT, of_file
from memoryweb.memory.lines.revisions import Past
from memoryweb.memory.models import Passage

# What no hit is asked for: each column of each row takes its time.
_UNREAD = {
    "passage": (
        "team",
        "raw_tokens",
        "reach",
        "whole",
        "place",
        "length",
        "weight",
        "tokenizer_version",
    ),
    "file": [
        f"file__{name}"
        for name in (
            "folded_path",
            "enabled",
            "sort_order",
            "raw_content",
            "sha256",
            "size",
            "base_revision",
            "created_at",
            "updated_at",
        )
    ],
    "message": [
        f"message__{name}"
        for name in ("tools_used", "masked", "conversation__message_count", "conversation__skipped")
    ],
}


def rows_of(ids: Collection[int], kinds: Collection[str]) -> Iterable[Passage]:
    """With the file or the message, whichever of them there are."""
    return _ROWS[frozenset(kinds)](tuple(ids)) if ids else ()


def _rows(kinds: Collection[str]) -> Prepared[Passage]:
    related = {"file": "file", "message": "message__conversation"}
    unread = [name for kind in ("passage", *sorted(kinds)) for name in _UNREAD[kind]]

    def those(ids: Sequence[int]) -> "QuerySet[Passage]":
        rows = Passage.objects.filter(pk__in=ids).defer(*unread)
        return rows.select_related(*(related[kind] for kind in sorted(kinds)))

    return Prepared(those)


_ROWS = {frozenset(kinds): _rows(kinds) for kinds in (("file",), ("message",), ("file", "message"))}


def saying(ids: Collection[int], phrases: Sequence[Sequence[str]]) -> set[int]:
    """Those that hold every phrase, given as its tokens."""
    rows = Passage.objects.filter(pk__in=ids).values_list("pk", "raw_tokens")
    return {pk for pk, tokens in rows if _says(tokens, phrases)}


# Of the past there is no index: its passages are made of the texts of then.


def of_past(past: Past, moment: datetime) -> Iterator[Passage]:
    """Of a file as it was."""
    file = copy(past.file)
    file.path, file.raw_content, file.deleted_at = past.path, past.content, None
    file.revision = past.number
    file.updated_at = min(file.updated_at, moment)
    return of_file(file)


def words_of(row: Passage) -> list[str]:
    """As the index would have them."""
    return [row.reach + token for token in row.raw_tokens.split(" ")]


def says(row: Passage, phrases: Iterable[Sequence[str]]) -> bool:
    return _says(row.raw_tokens, phrases)


def _says(tokens: str, phrases: Iterable[Sequence[str]]) -> bool:
    """Whether every phrase stands there, word after word."""
    text = f" {tokens} "
    return all(f" {' '.join(TEXT + word for word in phrase)} " in text for phrase in phrases)
