"""What waits for a person, and deciding it."""

from memoryweb.memory.review.comparing import check, repair
from memoryweb.memory.review.decisions import decide, may_decide, reach_of, undo_flag
from memoryweb.memory.review.inbox import Inbox, Item, count_together, find, item_of, rows_of
from memoryweb.memory.review.item_kinds import SOURCES, Kind
from memoryweb.memory.review.nearly_full import is_crowded, tell
from memoryweb.memory.review.proposals import accept, origins_of, reject
from memoryweb.memory.review.proposed import ProposalLines, ProposedLine
from memoryweb.memory.review.rescan import KIND, masks, request

__all__ = [
    "KIND",
    "SOURCES",
    "Inbox",
    "Item",
    "Kind",
    "ProposalLines",
    "ProposedLine",
    "accept",
    "check",
    "count_together",
    "decide",
    "find",
    "is_crowded",
    "item_of",
    "masks",
    "may_decide",
    "origins_of",
    "reach_of",
    "reject",
    "repair",
    "request",
    "rows_of",
    "tell",
    "undo_flag",
]
