"""What is kept about a person, for that person."""

from memoryweb.memory.my_memory.actions import (
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
    own_fact,
    own_file,
    passages,
    plain,
    sentences,
    statements,
)
