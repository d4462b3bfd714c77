"""What was asked to be forgotten: hidden at once, erased later, with a receipt."""

from memoryweb.memory.forgetting.decisions import erase, keep, reopen, undo
from memoryweb.memory.forgetting.erasing import erase_owner
from memoryweb.memory.forgetting.hiding import Asked, NothingToUndo, hide, open_request
from memoryweb.memory.forgetting.holds import end, lasting, make
from memoryweb.memory.forgetting.matching import Matches
from memoryweb.memory.forgetting.receipts import of, promises_bytes
from memoryweb.memory.forgetting.requests import NothingNamed, ask, ask_of, hear, offer, offer_to
from memoryweb.memory.forgetting.selection import (
    forget,
    forget_fact,
    forget_lines,
    hiding_of,
    undo_of_fact,
    undo_of_lines,
)
from memoryweb.memory.forgetting.targets import Found, facts_of, of_facts, of_lines, of_text

__all__ = [
    "Asked",
    "Found",
    "Matches",
    "NothingNamed",
    "NothingToUndo",
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
