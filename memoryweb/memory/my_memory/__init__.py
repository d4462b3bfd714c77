"""What is kept about a person, for that person."""

from memoryweb.memory.my_memory.actions import (
    SentenceGone,
    Spot,
    export,
    learn,
    moved,
    place,
    remove,
    reword,
    undo,
)
from memoryweb.memory.my_memory.contents import (
    Kept,
    Sentence,
    SentenceFilter,
    kept_about,
    passages,
    plain,
    sentences,
    statements,
)
