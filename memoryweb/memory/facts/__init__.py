"""What people do about statements, and statements that can't both be true."""

from memoryweb.memory.facts.actions import (
    amounts,
    confirm,
    edit,
    not_true,
    restore,
    standing,
    unconfirm,
    vote,
)
from memoryweb.memory.facts.contradictions import contradict, resolve, undo
from memoryweb.memory.facts.soul import PATH, count
from memoryweb.memory.statements.conflicts import ask_whether_replaced

__all__ = [
    "PATH",
    "amounts",
    "ask_whether_replaced",
    "confirm",
    "contradict",
    "count",
    "edit",
    "not_true",
    "resolve",
    "restore",
    "standing",
    "unconfirm",
    "undo",
    "vote",
]
