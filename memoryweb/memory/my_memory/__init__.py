"""What is kept about a person, for that person."""

from memoryweb.memory.my_memory.archive import export
from memoryweb.memory.my_memory.changes import SentenceGone, Spot, moved, remove, reword, undo
from memoryweb.memory.my_memory.contents import (
    KINDS,
    STANDING,
    Kept,
    Place,
    Sentence,
    SentenceFilter,
    kept_about,
    last_uses,
    own_file,
    passages,
    sentences,
)

__all__ = [
    "KINDS",
    "STANDING",
    "Kept",
    "Place",
    "Sentence",
    "SentenceFilter",
    "SentenceGone",
    "Spot",
    "export",
    "kept_about",
    "last_uses",
    "moved",
    "own_file",
    "passages",
    "remove",
    "reword",
    "sentences",
    "undo",
]
