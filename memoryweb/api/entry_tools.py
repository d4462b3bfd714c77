"""The tools of an agent for named entries: read one's own, else the shared; write one's own."""

from typing import Any

from pydantic import Field

from memoryweb.api import acting_owner
from memoryweb.api.exceptions import NotFound
from memoryweb.api.schemas import Camel, Whole
from memoryweb.api.tool_calls import Answer, Call, Tool
from memoryweb.memory import entries, tools
from memoryweb.memory.lines.files import entries_of
from memoryweb.memory.models import Entry
from memoryweb.memory.models.entries import MOST_OF_NAME
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.tools import Acting

_ANY = "Its name, another name of it, or its id."


class ListEntries(Call):
    limit: Whole = Field(50, ge=1, le=200, description="The newest first.")


class OneEntry(Call):
    name: str = Field(min_length=1, max_length=MOST_OF_NAME, description=_ANY, examples=["levain"])


class WriteEntry(OneEntry):
    name: str = Field(min_length=1, max_length=MOST_OF_NAME, examples=["Sourdough starter"])
    content: str = Field(min_length=1, description="Markdown. The whole text.")


class NameEntry(OneEntry):
    new_name: str = Field(min_length=1, max_length=MOST_OF_NAME, examples=["Levain"])


class ToolEntry(Camel):
    id: int
    name: str
    aliases: list[str]
    kind: str
    owner: str
    filename: str


class EntryList(Answer):
    count: int
    entries: list[ToolEntry]


class EntryRead(Answer):
    entry: ToolEntry
    content: str


class EntryWritten(Answer):
    entry: ToolEntry


class EntryRemoved(Answer):
    removed: str


def list_entries(acting: Acting, asked: ListEntries) -> dict[str, Any]:
    """List the named entries, the owner's and the shared ones, newest first."""
    found = [one for rows in _memories(acting) for one in rows.order_by("-number")[: asked.limit]]
    newest = sorted(found, key=lambda one: one.created_at, reverse=True)[: asked.limit]
    return {"count": len(newest), "entries": [_told(acting, one) for one in newest]}


def read_entry(acting: Acting, asked: OneEntry) -> dict[str, Any]:
    """Read a named entry: the owner's, else the shared one."""
    agent, own = acting.sees.agent, acting.sees.owner
    found = entries.find(agent, own, asked.name) if own else None
    found = found or entries.find(agent, None, asked.name)
    if found is None:
        raise NotFound
    file, content = tools.read_file(acting, found.file.path)
    if file != found.file:  # another memory's nearer file has that name
        raise NotFound
    return {"entry": _told(acting, found), "content": content}


def write_entry(
    acting: Acting, asked: WriteEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Write a named entry: a new one, or the whole text of the one that the name leads to."""
    owner = tools.place_of(acting, "").owner
    found = entries.find(acting.reader.agent, owner, asked.name)
    if found is None:
        agent = acting.reader.agent
        found = entries.add(tx, agent, owner, asked.name, asked.content, writer=writer)
    else:
        entries.rewrite(tx, found, asked.content, writer=writer)
    return {"entry": _told(acting, found)}


def rename_entry(
    acting: Acting, asked: NameEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Give a named entry a new name. The old one leads nowhere then."""
    found = _writable(acting, asked.name)
    entries.rename(tx, found, asked.new_name, writer=writer)
    return {"entry": _told(acting, _writable(acting, str(found.number)))}


def alias_entry(
    acting: Acting, asked: NameEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Let another name lead to an entry, too."""
    found = _writable(acting, asked.name)
    entries.add_alias(tx, found, asked.new_name, writer=writer)
    return {"entry": _told(acting, _writable(acting, str(found.number)))}


def remove_entry(
    acting: Acting, asked: OneEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Remove a named entry, with all its names. People can restore its text."""
    found = _writable(acting, asked.name)
    entries.remove(tx, found, writer=writer)
    return {"removed": entries.name_of(found)}


def _memories(acting: Acting) -> list[Any]:
    agent, own = acting.sees.agent, acting.sees.owner
    return [entries_of(agent, one) for one in dict.fromkeys((own, None))]


def _writable(acting: Acting, asked: str) -> Entry:
    owner = tools.place_of(acting, "").owner
    found = entries.find(acting.reader.agent, owner, asked)
    if found is None:
        raise NotFound
    return found


def _told(acting: Acting, entry: Entry) -> ToolEntry:
    owner = acting.reader.owner if entry.owner_id else None
    return ToolEntry(
        id=entry.number,
        name=entries.name_of(entry),
        aliases=[alias.name for alias in entry.aliases.all()],
        kind=entry.kind,
        owner=acting_owner.shown(owner, entry.file.scope),
        filename=entry.file.path,
    )


ENTRY_TOOLS = (
    Tool("entry_list", EntryList, list_entries),
    Tool("entry_read", EntryRead, read_entry),
    Tool("entry_write", EntryWritten, write_entry, writes=True, repeats=True),
    Tool("entry_rename", EntryWritten, rename_entry, writes=True),
    Tool("entry_alias", EntryWritten, alias_entry, writes=True, adds=True, repeats=True),
    Tool("entry_remove", EntryRemoved, remove_entry, writes=True),
)
