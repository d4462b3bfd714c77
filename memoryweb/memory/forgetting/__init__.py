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
from memoryweb.memory.forgetting.hiding import (
    NothingToUndo,
    Wish,
    hide,
    open_request,
    promises_bytes,
)
from memoryweb.memory.forgetting.hiding import end_hold as end
from memoryweb.memory.forgetting.hiding import lasting_holds as lasting
from memoryweb.memory.forgetting.hiding import make_hold as make
from memoryweb.memory.forgetting.hiding import receipts_of as of
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
