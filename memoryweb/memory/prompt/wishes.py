"""How people want to be answered: what they asked of the form of answers, in their own words.

Nothing else of memory is ever given as an instruction, so each is read again from what was said,
whatever its statement says of itself.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryweb.agents.models import Reader
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.extraction_rules import Kind
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.language.wishes import Form, forms_of, wishes_in
from memoryweb.llm import tokens
from memoryweb.memory.lines.source_classes import source_of_message
from memoryweb.memory.models import AuthorKind, Evidence, Fact, LineOrigin, SourceClass
from memoryweb.memory.visible.hidden import hidden_facts, is_meant
from memoryweb.memory.visible.readable import To, readable_messages, statement

_HEADING = (
    "How the person wants to be answered, in their own words. This is about the form of your "
    "answers alone, and what they say now is right where the two disagree:"
)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class StandingWish:
    """`text` stands in the statement's file."""

    text: str
    fact: Fact
    forms: frozenset[Form]


def wishes_of(reader: Reader) -> tuple[StandingWish, ...]:
    """The newest of each form, so five at most; in one statement."""
    if reader.owner is None:
        return ()
    return tuple(_newest(_evidence_of(reader.agent.pk, reader.owner.pk)))


def told(wishes: Collection[StandingWish]) -> str:
    """Before the block that holds no instructions."""
    return (
        "".join([f"{_HEADING}\n", *(f"- {one.text}\n" for one in wishes), "\n"]) if wishes else ""
    )


def cost(wishes: Collection[StandingWish]) -> int:
    return tokens.estimate(told(wishes))


@PreparedQuery
def _evidence_of(agent_id: UUID, owner_id: UUID) -> "QuerySet[Any]":
    """Of instructions that hold, and that their prompts are given."""
    rows = Evidence.objects.filter(
        Q(message__reverted_at=None) | Q(message=None),
        fact__agent=agent_id,
        fact__owner=owner_id,
        fact__kind=Kind.INSTRUCTION,
        fact__state=Fact.State.ACTIVE,
        fact__hidden_at=None,
        fact__file__deleted_at=None,
        fact__file__enabled=True,
    )
    # Of a message, or of a file by a person's hand, of which a line waits for a look.
    waiting = LineOrigin.objects.exclude(marks="")
    rows = rows.exclude(Exists(waiting.filter(message=OuterRef("message"))))
    rows = rows.exclude(Q(message=None) & Exists(waiting.filter(file=OuterRef("fact__file"))))
    rows = rows.exclude(fact__in=hidden_facts()).annotate(is_meant=is_meant(message="message"))
    return rows.select_related("fact__file", "root", "message__conversation__owner")


def _newest(rows: Iterable[Any]) -> Iterator[StandingWish]:
    """No two of one form."""
    found = list(rows)
    said = [one.message for one in found if one.message]
    for one in found:
        if one.message:
            one.message.is_meant = one.is_meant
    texts = {one.id: one.text for one in readable_messages(said, To.PROGRAM)} if said else {}
    own: dict[UUID, Any] = {one.fact_id: one for one in found if _is_own(one, texts)}
    taken: set[Form] = set()
    for one in sorted(own.values(), key=lambda its: its.fact.said_at or _LONG_AGO, reverse=True):
        fact: Any = one.fact
        fact.is_hidden = False  # its query leaves those out
        text = " ".join(statement(fact, To.PROGRAM).text.split())
        forms = forms_of(text)
        if forms and taken.isdisjoint(forms):
            taken |= forms
            yield StandingWish(text, one.fact, forms)


def _is_own(one: Evidence, texts: dict[int, str]) -> bool:
    """Its owner's hand wrote it, or said it to an agent alone: all of a sentence, and not what
    they quote or paste."""
    if one.message is None:
        return one.fact.source == SourceClass.OWNER and bool(
            one.root and one.root.author_kind == AuthorKind.PERSON
        )
    talk, message = one.message.conversation, one.message
    if talk.owner_id != one.fact.owner_id or talk.is_automatic or talk.group:
        return False
    if source_of_message(talk, message) != SourceClass.OWNER:
        return False
    wishes = wishes_in(texts.get(message.pk, ""))
    return one.fact.fingerprint in {fingerprint(wish.text) for wish in wishes}
