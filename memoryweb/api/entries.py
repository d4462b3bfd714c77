"""Named entries: texts that an agent finds again by number, name or another name."""

from functools import partial
from typing import Annotated, Any

from django.utils.translation import gettext as _
from ninja import Query, Status
from pydantic import Field

from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner
from memoryweb.api.auth import Request, Right
from memoryweb.api.exceptions import Invalid, NotFound
from memoryweb.api.files import IF_MATCH, expected_by
from memoryweb.api.query_parameters import OwnerPaging, OwnerQuery, page
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Items, Moment, RequestBody, one_of
from memoryweb.memory import entries
from memoryweb.memory.models import Entry
from memoryweb.memory.models.entries import MOST_OF_NAME
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.visible.readable import readable_file

router = Router(tags=["Entries"])

BASE = "/agents/{agent_id}/entries"
_readable = partial(acting_owner.readable, default="me")
_writable = partial(acting_owner.writable, default="me")


class EntryQuery(OwnerPaging):
    """`owner`, `kind`, `cursor` and `limit`."""

    kind: Entry.Kind | None = Field(None, description="Only notes, or only archives.")


class EntryOut(Camel):
    id: int = Field(description="Counts up in each memory, and is never given twice.")
    name: str
    aliases: list[str]
    kind: Annotated[str, one_of(Entry.Kind)]
    filename: str = Field(description="The workspace file that holds its text.")
    owner: str = Field(description="`shared`, or the entry's owner.")
    sha256: str = Field(description="Of its text: send it as `If-Match`.")
    size: int = Field(description="Size in bytes (UTF-8).")
    created_at: Moment
    updated_at: Moment


class EntryText(EntryOut):
    content: str = Field(
        description="An integration gets a placeholder for each flagged or outdated line."
    )


class EntryAdd(RequestBody):
    name: str = Field(max_length=MOST_OF_NAME)
    content: str = Field(description="Markdown.")
    aliases: list[str] = Field(
        default_factory=list, max_length=20, description="Other names that lead to it."
    )


class EntryChange(RequestBody):
    """What is left out stays as it is."""

    name: str | None = Field(None, max_length=MOST_OF_NAME)
    content: str | None = Field(None, description="Markdown. The whole text.")


class AliasAdd(RequestBody):
    name: str = Field(max_length=MOST_OF_NAME)


@router.operation("GET", BASE, Right.READ)
def list_entries(request: Request, agent_id: str, query: Query[EntryQuery]) -> Items[EntryOut]:
    """List the entries of a memory: your own, unless you name an owner."""
    agent, owner = _readable(request.auth, agent_id, query.owner)
    rows = entries.entries_of(agent, owner)
    rows = rows.filter(kind=query.kind) if query.kind else rows
    return page(rows, ["number"], query, lambda entry: EntryOut.of(entry, **_told(entry, owner)))


@router.operation(
    "POST",
    BASE,
    Right.WRITE_OWN,
    status=201,
    errors=(409,),
    example={
        "name": "Sourdough starter",
        "content": "Feed it at seven.",
        "aliases": ["levain"],
    },
)
def add_entry(
    request: Request, agent_id: str, query: Query[OwnerQuery], body: EntryAdd
) -> Status[EntryText]:
    """Add an entry to your own memory, or to the owner's you name."""
    agent, owner = _writable(request.auth, agent_id, query.owner)
    writer = request.auth.writer
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        made = entries.add(
            work, agent, owner, body.name, body.content, writer=writer, aliases=body.aliases
        )
    return Status(201, _read(request, agent, owner, made.number))


@router.operation("GET", BASE + "/{entry}", Right.READ)
def read_entry(request: Request, agent_id: str, entry: str, query: Query[OwnerQuery]) -> EntryText:
    """Read an entry, by its id, its name or another name."""
    agent, owner = _readable(request.auth, agent_id, query.owner)
    return _read(request, agent, owner, entry)


@router.operation(
    "PATCH",
    BASE + "/{entry}",
    Right.WRITE_OWN,
    errors=(409, 412),
    example={"name": "Levain"},
    extra={"parameters": [IF_MATCH]},
)
def change_entry(
    request: Request, agent_id: str, entry: str, query: Query[OwnerQuery], body: EntryChange
) -> EntryText:
    """Rename an entry, or replace its text."""
    agent, owner = _writable(request.auth, agent_id, query.owner)
    if body.name is None and body.content is None:
        raise Invalid("name", _("Send a new name, a new text, or both."))
    writer, expected = request.auth.writer, expected_by(request)
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        found = _found(agent, owner, entry)
        if body.content is not None:
            entries.rewrite(work, found, body.content, writer=writer, expected=expected)
            expected = None  # it has just been met
        if body.name is not None:
            entries.rename(work, found, body.name, writer=writer, expected=expected)
    return _read(request, agent, owner, found.number)


@router.operation(
    "DELETE",
    BASE + "/{entry}",
    Right.WRITE_OWN,
    status=204,
    extra={"parameters": [IF_MATCH]},
    errors=(412,),
)
def remove_entry(
    request: Request, agent_id: str, entry: str, query: Query[OwnerQuery]
) -> Status[None]:
    """Remove an entry with its other names; its file can be restored."""
    agent, owner = _writable(request.auth, agent_id, query.owner)
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        found = _found(agent, owner, entry)
        entries.remove(work, found, writer=request.auth.writer, expected=expected_by(request))
    return Status(204, None)


@router.operation(
    "POST",
    BASE + "/{entry}/aliases",
    Right.WRITE_OWN,
    errors=(409,),
    example={"name": "levain"},
)
def add_entry_alias(
    request: Request, agent_id: str, entry: str, query: Query[OwnerQuery], body: AliasAdd
) -> EntryText:
    """Give an entry another name."""
    agent, owner = _writable(request.auth, agent_id, query.owner)
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        found = _found(agent, owner, entry)
        entries.add_alias(work, found, body.name, writer=request.auth.writer)
    return _read(request, agent, owner, found.number)


@router.operation("DELETE", BASE + "/{entry}/aliases/{alias}", Right.WRITE_OWN, status=204)
def remove_entry_alias(
    request: Request, agent_id: str, entry: str, alias: str, query: Query[OwnerQuery]
) -> Status[None]:
    """Take another name from an entry."""
    agent, owner = _writable(request.auth, agent_id, query.owner)
    with write_transaction(request.auth.team, actor=request.auth.actor) as work:
        found = _found(agent, owner, entry)
        if not entries.remove_alias(work, found, alias, writer=request.auth.writer):
            raise NotFound
    return Status(204, None)


def _found(agent: Agent, owner: Owner | None, asked: str | int) -> Entry:
    found = entries.find(agent, owner, str(asked))
    if found is None:
        raise NotFound
    found.agent = found.file.agent = agent
    found.owner = found.file.owner = owner
    return found


def _read(request: Request, agent: Agent, owner: Owner | None, asked: str | int) -> EntryText:
    found = _found(agent, owner, asked)
    content = readable_file(found.file, request.auth.to).text
    return EntryText.of(found, **_told(found, owner), content=content)


def _told(entry: Entry, owner: Owner | None) -> dict[str, Any]:
    return {
        "id": entry.number,
        "name": entries.name_of(entry),
        "aliases": [alias.name for alias in entry.aliases.all()],
        "filename": entry.file.path,
        "owner": acting_owner.shown(owner, entry.file.scope),
        "sha256": entry.file.sha256,
        "size": entry.file.size,
        "updated_at": entry.file.updated_at,
    }
