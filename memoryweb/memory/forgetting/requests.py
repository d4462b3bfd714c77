"""Asking to forget in a few words: said in a conversation, by an agent's tool, or by the API
(SPEC §6.1). One to five statements are hidden at once; of more, or none, a person picks.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from memoryweb.conversations.models import Conversation, Message
from memoryweb.facts.models import Fact
from memoryweb.forgetting.models import Request, Target
from memoryweb.forgetting.queries import of_targets
from memoryweb.language.requests import Forget, Meaning, forgets, meant_by
from memoryweb.language.secrets import credentials
from memoryweb.memory.forgetting import hiding
from memoryweb.memory.forgetting.hiding import Asked, Meant
from memoryweb.memory.forgetting.matching import (
    MOST,
    OFFERED,
    Matches,
    echoes_of,
    match,
    unique,
)
from memoryweb.memory.forgetting.targets import said_place
from memoryweb.memory.transaction import Transaction
from memoryweb.provenance.source_classes import source_of_message
from memoryweb.workspace.author_kinds import SourceClass

_OF_MACHINES = frozenset({Conversation.Source.CRON, Conversation.Source.DREAM})


@dataclass(frozen=True)
class Heard:
    """What came of it; `hidden` are the statements, `places` where they stand."""

    request: Request
    hidden: tuple[Meant, ...] = ()
    candidates: tuple[Meant, ...] = ()


def hear(tx: Transaction, conversation: Conversation, messages: Sequence[Message]) -> None:
    """Requests of the owner's own among these messages, and the assistant's echo of what was asked
    before. Messages that are not kept have no key."""
    talk = conversation.source not in _OF_MACHINES and not conversation.group
    if not (talk and conversation.owner.is_one_person):
        return
    asking = [(one, found) for one in messages if (found := _asked_in(one))]
    for message, found in asking:
        if source_of_message(conversation, message) == SourceClass.OWNER:
            for one in found:
                _hear(tx, conversation, message, one)
    _hide_echoes(tx, conversation, messages)


def ask(tx: Transaction, asked: Asked, *, facts: Collection[Fact] = (), most: int = MOST) -> Heard:
    """By words, or by statements. At most `most` are hidden; of more a person picks."""
    said = next(forgets(asked.about), None)
    meanings = meant_by(said.about, said.language) if said else meant_by(asked.about)
    if facts:
        found = Matches(facts=[*facts])
    else:
        found = match(asked.agent, asked.owner, meanings, said_at=tx.now, message=asked.message)
    return _answer(tx, asked, found, most)


def _asked_in(message: Message) -> list[Forget]:
    if message.role != Message.Role.USER:
        return []
    return list(forgets(message.content))


def _hear(tx: Transaction, conversation: Conversation, message: Message, said: Forget) -> None:
    """Its own sentence is hidden with it: what is to be forgotten is no news to write down."""
    agent, owner = conversation.agent, conversation.owner
    meanings = meant_by(said.about, said.language)
    found = match(agent, owner, meanings, said_at=message.timestamp, message=message)
    kept = message if message.pk else None
    about = credentials.mask(message.content[said.first : said.last].strip())[0]
    asked = Asked(agent, owner, Request.Via.MESSAGE, about, kept)
    heard = _answer(tx, asked, found, MOST)
    if kept is not None:
        hiding.add(heard.request, [said_place(message, said.first, said.last)])


def _answer(tx: Transaction, asked: Asked, found: Matches, most: int) -> Heard:
    if not 1 <= len(found.statements) <= most:
        offered = (found.places or unique(found.near))[:OFFERED]
        request = hiding.ask(tx, asked)
        hiding.hide(tx, request, (), candidates=offered)
        return Heard(request, candidates=tuple(offered))
    places, near = found.everywhere(asked.agent, asked.owner)
    if before := _asked_before(asked, places):
        hiding.add(before, places)
    request = before or hiding.ask(tx, asked)
    if not before:
        hiding.hide(tx, request, places, candidates=near)
    return Heard(request, tuple(found.places), tuple(near))


def _asked_before(asked: Asked, places: Sequence[Meant]) -> Request | None:
    """The request that hides all of it already: who asks twice undoes it once."""
    facts = {one.fact.pk for one in places if one.fact}
    messages = {one.message.pk for one in places if one.message and not facts}
    mine = Request.objects.of(asked.agent.pk, asked.owner.pk if asked.owner else None)
    for request in mine.filter(state__in=(Request.State.HIDDEN, Request.State.HELD)):
        away = of_targets(request.targets.filter(is_hidden=True))
        if (facts or messages) and facts <= away.facts and messages <= away.spans.keys():
            return request
    return None


def _hide_echoes(tx: Transaction, conversation: Conversation, messages: Sequence[Message]) -> None:
    """What the assistant repeats of what was asked in this conversation: in any words until the
    owner speaks again, later in the same ones."""
    said = [one for one in messages if one.pk and one.role == Message.Role.ASSISTANT]
    if not said:
        return
    for request in Request.objects.hiding().filter(conversation=conversation):
        texts = [fact.text for fact in Fact.objects.filter(pk__in=_hidden_facts(request))]
        for message in said:
            meanings = _meanings(request) if _is_answer(message, request) else ()
            if echoes := echoes_of(meanings, texts, message):
                hiding.add(request, echoes)


def _hidden_facts(request: Request) -> "QuerySet[Target, Any]":
    return request.targets.filter(fact__isnull=False, is_hidden=True).values("fact")


def _meanings(request: Request) -> tuple[Meaning, ...]:
    said = next(forgets(request.about), None)
    return meant_by(said.about, said.language) if said else ()


def _is_answer(message: Message, request: Request) -> bool:
    if request.message is None:
        return False
    first, last = request.message.position, message.position
    said = message.conversation.messages.filter(role=Message.Role.USER)
    return last > first and not said.filter(position__gt=first, position__lt=last).exists()
