"""What is kept about a person, for that person."""

from memoryweb.memory.my_memory.actions import (
    SentenceGone,
    Spot,
    export,
    moved,
    remember_until,
    remove,
    reword,
    still_holds,
    undo,
)
from memoryweb.memory.my_memory.contents import (
    KINDS,
    STANDING,
    Kept,
    Sentence,
    SentenceFilter,
    in_full,
    kept_about,
    last_use,
    own_file,
    passages,
    sentences,
    wish_passages,
)
