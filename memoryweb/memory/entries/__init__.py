"""Texts that an agent finds again by number, name or another name."""

from memoryweb.memory.entries.entries import (
    EntryRefused,
    add,
    add_alias,
    append_history,
    archive,
    entries_of,
    find,
    name_of,
    remove,
    remove_alias,
    rename,
    rewrite,
)

__all__ = [
    "EntryRefused",
    "add",
    "add_alias",
    "append_history",
    "archive",
    "entries_of",
    "find",
    "name_of",
    "remove",
    "remove_alias",
    "rename",
    "rewrite",
]
