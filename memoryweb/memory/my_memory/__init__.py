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
    Place,
    Sentence,
    SentenceFilter,
    in_full,
    kept_about,
    last_uses,
    own_file,
    passages,
    sentences,
    standing_and_noted,
    wish_passages,
)
