"""What was asked to be forgotten: hidden at once, erased later, with a receipt."""

from memoryweb.memory.forgetting.again import Replayed, erase_again
from memoryweb.memory.forgetting.decisions import erase, keep, reopen, undo
from memoryweb.memory.forgetting.erasing import erase_later, erase_owner, overdue
from memoryweb.memory.forgetting.finding import (
    Finding,
    Matches,
    facts_of,
    of_facts,
    of_lines,
    of_text,
)
from memoryweb.memory.forgetting.hiding import (
    NothingToUndo,
    Wish,
    end_hold,
    hide,
    lasting_holds,
    make_hold,
    open_request,
    promises_bytes,
    receipts_of,
)
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
