"""What was asked to be forgotten: hidden at once, erased later, with a receipt."""

from memoryweb.memory.forgetting.decisions import erase, keep, reopen, undo
from memoryweb.memory.forgetting.erasing import erase_owner
from memoryweb.memory.forgetting.finding import (
    Finding,
    Matches,
    facts_of,
    of_facts,
    of_lines,
    of_text,
)
from memoryweb.memory.forgetting.hiding import NothingToUndo, Wish, hide, open_request
from memoryweb.memory.forgetting.holds import end, lasting, make
from memoryweb.memory.forgetting.receipts import of, promises_bytes
from memoryweb.memory.forgetting.requests import (
    NothingNamed,
    ask,
    ask_of,
    forget,
    forget_fact,
    forget_lines,
    hear,
    hiding_of,
    offer,
    offer_to,
    undo_of_fact,
    undo_of_lines,
)

__all__ = [
    "Finding",
    "Matches",
    "NothingNamed",
    "NothingToUndo",
    "Wish",
    "ask",
    "ask_of",
    "end",
    "erase",
    "erase_owner",
    "facts_of",
    "forget",
    "forget_fact",
    "forget_lines",
    "hear",
    "hide",
    "hiding_of",
    "keep",
    "lasting",
    "make",
    "of",
    "of_facts",
    "of_lines",
    "of_text",
    "offer",
    "offer_to",
    "open_request",
    "promises_bytes",
    "reopen",
    "undo",
    "undo_of_fact",
    "undo_of_lines",
]
