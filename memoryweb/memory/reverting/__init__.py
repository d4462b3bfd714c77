"""Taking back all that one source wrote."""

from memoryweb.memory.reverting.sources import Change, Plan, Reversal, plan, revert
from memoryweb.memory.reverting.undoing import undo, undo_revert
