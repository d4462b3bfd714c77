"""What waits for a person, and deciding it."""

from memoryweb.memory.review.decisions import (
    decide,
    is_crowded,
    may_decide,
    reach_of,
    tell,
    undo_flag,
)
from memoryweb.memory.review.inbox import (
    SOURCES,
    Inbox,
    Item,
    Kind,
    check,
    count_together,
    find,
    item_of,
    repair,
    rows_of,
)
from memoryweb.memory.review.proposals import (
    ProposalLines,
    ProposedLine,
    accept,
    origins_of,
    reject,
)
from memoryweb.memory.review.rescan import KIND, masks, request
