"""Taking a memory along, and bringing one in."""

from memoryweb.memory.snapshots.contents import Part, zipped
from memoryweb.memory.snapshots.conversations import Talks
from memoryweb.memory.snapshots.formats import LABELS
from memoryweb.memory.snapshots.planning import Action, Item, Plan
from memoryweb.memory.snapshots.reading import MAX_UPLOAD
from memoryweb.memory.snapshots.service import (
    VALID_SECONDS,
    ImportOutcome,
    PartMissing,
    Preview,
    apply,
    drop,
    export,
    keep,
    parts_of,
    parts_of_each,
    preview,
    take,
)
