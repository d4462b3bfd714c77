"""The tools of an agent that ask for statements, and those of `structured/` (SPEC §3.1, §6)."""

import re
from collections.abc import Collection
from typing import Any

from pydantic import Field

from memoryweb.api import acting_owner
from memoryweb.api.facts import Statement
from memoryweb.api.problems import Invalid, NotFound
from memoryweb.api.schemas import Camel, Id, Moment, Rounded, Whole, ended_words
from memoryweb.api.tool_calls import Answer, Call, Tool, WroteFile, wrote
from memoryweb.memory import entries, forgetting, questions, tools
from memoryweb.memory.forgetting import Wish
from memoryweb.memory.lines.files import entries_of
from memoryweb.memory.models import Contradiction, Entry, Fact, ForgetRequest
from memoryweb.memory.models.entries import MOST_OF_NAME
from memoryweb.memory.models.writer import Memory, Transaction, Writer
from memoryweb.memory.search import WeighedFact, found_with
from memoryweb.memory.statements.listing import sides_of
from memoryweb.memory.tools import STRUCTURED, Acting, Step, Strategy
from memoryweb.memory.visible.readable import ReadableFact, To
from memoryweb.memory.visible.request_contents import RequestContent, tell, withheld_targets

# The tool with which an agent asks to forget, as its owner may in a conversation (SPEC §6.1).


class AskToForget(Call):
    text: str = Field("", max_length=500, description="In a few words, such as “my weight”.")
    ids: list[str] = Field(
        default_factory=list, max_length=50, description="Of facts, or of candidates."
    )


class ForgotPlace(Camel):
    id: str
    text: str | None = Field(description="Null where programs may not read it.")
    where: str = Field(description="The file or conversation.")


class Forgot(Answer):
    hidden: list[ForgotPlace]
    candidates: list[ForgotPlace] = Field(description="Not hidden: a person picks from them.")
    request: Id
    erase_at: Moment | None = Field(description="Until then it can be undone.")


def forget(acting: Acting, asked: AskToForget, tx: Transaction, writer: Writer) -> dict[str, Any]:
    """Ask to forget up to five statements: they are hidden at once, and can be undone."""
    if not (asked.text.strip() or asked.ids):
        raise Invalid("text", "Send a text or ids.")
    made = _asked(tx, acting, asked, writer)
    account = tell(made)
    is_person = acting.token is not None and acting.token.act_as_person
    is_new = made.created_at == tx.now
    secret = set() if is_person else withheld_targets(made, besides=made if is_new else None)
    return {
        "hidden": [_place(one, secret) for one in account.hidden],
        "candidates": [_place(one, secret) for one in account.candidates],
        "request": made.pk,
        "erase_at": made.erase_at,
    }


def _place(told: RequestContent, secret: Collection[int]) -> ForgotPlace:
    text = None if {*secret} & {*told.targets} else told.text
    return ForgotPlace(id=told.id, text=text, where=next(iter(told.where), ""))


def _asked(tx: Transaction, acting: Acting, asked: AskToForget, writer: Writer) -> ForgetRequest:
    """An agent's word: erased is what was hidden only after the usual time, if nobody undoes it."""
    said = Wish(
        Memory(acting.reader.agent, acting.reader.owner),
        ForgetRequest.Via.TOOL,
        asked.text.strip(),
        by=writer.user if acting.token and acting.token.act_as_person else None,
        conversation=acting.conversation,
    )
    return forgetting.ask_of(tx, said, asked.ids) if asked.ids else forgetting.ask(tx, said)


_TYPE = r"^[\w-]{1,60}$"


class SearchFacts(Call):
    query: str = Field(max_length=1000, examples=["Where does she live?"])
    limit: Whole = Field(10, ge=1, le=50)


class ProbeFacts(Call):
    entity: str = Field(
        min_length=1,
        max_length=200,
        description="Whom or what the facts shall be about.",
        examples=["Otto"],
    )
    limit: Whole = Field(20, ge=1, le=50)


class ListContradictions(Call):
    limit: Whole = Field(20, ge=1, le=50)


class ToolFact(Statement):
    """A statement that holds. `filename` is null where there was no room for it in a file."""

    relevance: Rounded = Field(description="0 to 1: how much of the query it answers.")


class ToolFacts(Answer):
    count: int
    facts: list[ToolFact]


class ToolContradiction(Camel):
    """`facts`: the current one first."""

    id: Id
    question: str = Field(description="As its person is asked; empty where one must be wrong.")
    facts: list[ToolFact]


class ToolContradictions(Answer):
    count: int
    contradictions: list[ToolContradiction]


class RecallStructured(Call):
    type: str = Field("", pattern=r"^[\w-]{0,60}$", description="Default: all.", examples=["stay"])
    key: str = Field("", max_length=tools.KEY, examples=["Check-in"])


class OneStructured(Call):
    type: str = Field(
        pattern=_TYPE, description="Names the file `structured/<type>.md`.", examples=["stay"]
    )
    key: str = Field(min_length=1, max_length=tools.KEY, examples=["Check-in"])


class RememberStructured(OneStructured):
    value: str = Field(min_length=1, max_length=8000, examples=["from 15:00"])
    heading: str = Field("", max_length=tools.HEADING, description="Whom it is about.")


class StructuredEntry(Camel):
    type: str
    key: str
    value: str
    heading: str
    fact: Id
    filename: str


class StructuredEntries(Answer):
    count: int
    entries: list[StructuredEntry]


def search_facts(acting: Acting, asked: SearchFacts) -> dict[str, Any]:
    """Find facts that answer a question, the most relevant and trusted first."""
    return _listed(acting, tools.search_facts(acting, asked.query, asked.limit))


def probe_facts(acting: Acting, asked: ProbeFacts) -> dict[str, Any]:
    """List what is known about a person or thing."""
    return _listed(acting, tools.probe(acting, asked.entity, asked.limit))


def list_contradictions(acting: Acting, asked: ListContradictions) -> dict[str, Any]:
    """List facts that contradict each other and wait for a person's decision."""
    found = [_sides(acting, one) for one in tools.contradictions(acting, asked.limit)]
    return {"count": len(found), "contradictions": found}


def recall_structured(acting: Acting, asked: RecallStructured) -> dict[str, Any]:
    """Read values of `structured/`, by type and key."""
    found = tools.structured(acting, asked.type, asked.key)
    entries = [_entry(one.fact, one.said) for one in found]
    return {"count": len(entries), "entries": entries}


def remember_structured(
    acting: Acting, asked: RememberStructured, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Set a value by type and key."""
    step = Step(Strategy.UPSERT_KV, heading=asked.heading, key=asked.key, value=asked.value)
    filename = f"{STRUCTURED}{asked.type}.md"
    return wrote(tools.write_memory(tx, acting, filename, step, writer=writer))


def forget_structured(
    acting: Acting, asked: OneStructured, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Ask to forget a value of `structured/`: it is hidden at once, and can be undone."""
    found = tools.structured(acting, asked.type, asked.key)
    nearest = [one for one in found if one.fact.owner_id] or found
    if not nearest:
        raise NotFound
    wanted = AskToForget(ids=[str(one.fact.pk) for one in nearest])
    return forget(acting, wanted, tx, writer)


def _listed(acting: Acting, found: list[WeighedFact]) -> dict[str, Any]:
    return {"count": len(found), "facts": [_fact(acting, one) for one in found]}


def _fact(acting: Acting, one: WeighedFact) -> ToolFact:
    fact = one.fact
    return ToolFact.of(
        fact,
        owner=acting_owner.shown(acting.reader.owner if fact.owner_id else None, fact.scope),
        filename=fact.file.path if fact.file else None,
        text=one.said.text,
        ended=ended_words(one.said.ended),
        value=one.said.value,
        relevance=one.relevance,
        trust=one.trust,
        contradiction=fact.contradiction_id,
    )


def _sides(acting: Acting, found: Contradiction) -> ToolContradiction:
    sides = found.facts.all()
    question = questions.sentence(found, sides, To.PROGRAM) if found.is_question else ""
    facts = [_fact(acting, found_with(one, acting.now)) for one in sides_of(found, sides)]
    return ToolContradiction(id=found.pk, question=question, facts=facts)


def _entry(fact: Fact, said: ReadableFact) -> StructuredEntry:
    return StructuredEntry(
        type=fact.path.removeprefix(STRUCTURED).removesuffix(".md"),
        key=re.split("[:：]", said.text, maxsplit=1)[0].strip("*_ "),
        value=said.value or said.text,
        heading=fact.heading,
        fact=fact.pk,
        filename=fact.path,
    )


# The tools of an agent for named entries: read one's own, else the shared; write one's own.

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


class EntryWriteResult(Answer):
    entry: ToolEntry


class EntryRemoval(Answer):
    removed: str


def list_entries(acting: Acting, asked: ListEntries) -> dict[str, Any]:
    """List the named entries, the owner's and the shared ones, newest first."""
    present = (entries_of(memory).order_by("-number") for memory in _memories(acting))
    found = [one for rows in present for one in rows[: asked.limit]]
    newest = sorted(found, key=lambda one: one.created_at, reverse=True)[: asked.limit]
    return {"count": len(newest), "entries": [_tool_entry(acting, one) for one in newest]}


def read_entry(acting: Acting, asked: OneEntry) -> dict[str, Any]:
    """Read a named entry: the owner's, else the shared one."""
    nearest_first = (entries.find(memory, asked.name) for memory in _memories(acting))
    found = next(filter(None, nearest_first), None)
    if found is None:
        raise NotFound
    file, content = tools.read_file(acting, found.file.path)
    if file != found.file:  # another memory's nearer file has that name
        raise NotFound
    return {"entry": _tool_entry(acting, found), "content": content}


def write_entry(
    acting: Acting, asked: WriteEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Write a named entry: a new one, or the whole text of the one that the name leads to."""
    memory = tools.place_of(acting, "").memory
    found = entries.find(memory, asked.name)
    if found is None:
        found = entries.add(tx, memory, asked.name, asked.content, writer=writer)
    else:
        entries.rewrite(tx, found, asked.content, writer=writer)
    return {"entry": _tool_entry(acting, found)}


def rename_entry(
    acting: Acting, asked: NameEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Give a named entry a new name. The old one leads nowhere then."""
    found = _writable(acting, asked.name)
    entries.rename(tx, found, asked.new_name, writer=writer)
    return {"entry": _tool_entry(acting, _writable(acting, str(found.number)))}


def alias_entry(
    acting: Acting, asked: NameEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Let another name lead to an entry, too."""
    found = _writable(acting, asked.name)
    entries.add_alias(tx, found, asked.new_name, writer=writer)
    return {"entry": _tool_entry(acting, _writable(acting, str(found.number)))}


def remove_entry(
    acting: Acting, asked: OneEntry, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Remove a named entry, with all its names. People can restore its text."""
    found = _writable(acting, asked.name)
    entries.remove(tx, found, writer=writer)
    return {"removed": entries.name_of(found)}


def _memories(acting: Acting) -> list[Memory]:
    """The nearest first."""
    agent, own = acting.sees.agent, acting.sees.owner
    return [Memory(agent, one) for one in dict.fromkeys((own, None))]


def _writable(acting: Acting, asked: str) -> Entry:
    found = entries.find(tools.place_of(acting, "").memory, asked)
    if found is None:
        raise NotFound
    return found


def _tool_entry(acting: Acting, entry: Entry) -> ToolEntry:
    owner = acting.reader.owner if entry.owner_id else None
    return ToolEntry(
        id=entry.number,
        name=entries.name_of(entry),
        aliases=[alias.name for alias in entry.aliases.all()],
        kind=entry.kind,
        owner=acting_owner.shown(owner, entry.file.scope),
        filename=entry.file.path,
    )


TOOLS = (
    Tool("forget", Forgot, forget, writes=True),
    Tool("fact_search", ToolFacts, search_facts),
    Tool("fact_probe", ToolFacts, probe_facts),
    Tool("fact_list_contradictions", ToolContradictions, list_contradictions),
    Tool("remember_structured", WroteFile, remember_structured, writes=True, repeats=True),
    Tool("recall_structured", StructuredEntries, recall_structured),
    Tool("forget_structured", Forgot, forget_structured, writes=True),
    Tool("entry_list", EntryList, list_entries),
    Tool("entry_read", EntryRead, read_entry),
    Tool("entry_write", EntryWriteResult, write_entry, writes=True, repeats=True),
    Tool("entry_rename", EntryWriteResult, rename_entry, writes=True),
    Tool("entry_alias", EntryWriteResult, alias_entry, writes=True, adds=True, repeats=True),
    Tool("entry_remove", EntryRemoval, remove_entry, writes=True),
)
