"""Asking to forget in a few words: said in a conversation, by an agent's tool, or by the API
(SPEC §6.1). One to five statements are hidden at once; of more, or none, a person picks.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q
from django.utils.translation import gettext as _

from memoryweb.conversations.models import Conversation, Message
from memoryweb.forgetting.models import Request, Target
from memoryweb.forgetting.queries import of_targets
from memoryweb.language.forget_requests import Forget, Meaning, forgets, meant_by
from memoryweb.language.secrets import credentials
from memoryweb.memory.exceptions import MemoryRefused
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
from memoryweb.memory.forgetting.request_contents import offered, tell_all
from memoryweb.memory.forgetting.targets import fact_place, facts_of, said_place
from memoryweb.memory.transaction import Transaction
from memoryweb.provenance.source_classes import source_of_message
from memoryweb.workspace.author_kinds import SourceClass

_OF_MACHINES = frozenset({Conversation.Source.CRON, Conversation.Source.DREAM})

_ECHOED = timedelta(days=1)  # open requests


class NothingNamed(MemoryRefused):
    code = "missing"

    def __init__(self) -> None:
        super().__init__(_("Not found, or you don't have access."))


def hear(tx: Transaction, conversation: Conversation, messages: Sequence[Message]) -> None:
    """Requests of the owner's own among these messages, and the assistant's echo of what was asked
    before. Messages that are not kept have no key."""
    is_talk = conversation.source not in _OF_MACHINES and not conversation.group
    if not (is_talk and conversation.owner.is_one_person):
        return
    for message in messages:
        asked = list(forgets(message.content)) if message.role == Message.Role.USER else []
        if asked and source_of_message(conversation, message) == SourceClass.OWNER:
            for one in asked:
                _hear(tx, conversation, message, one)
    _hide_echoes(tx, conversation, messages)


def ask(tx: Transaction, asked: Asked) -> Request:
    """By words."""
    return _ask(tx, asked, _meanings(asked.about), tx.now)


def ask_of(tx: Transaction, asked: Asked, ids: Collection[str]) -> Request:
    """By the ids of statements, or of what a request offered. Raises NothingNamed."""
    wanted = dict.fromkeys(ids)
    facts = [fact for fact in facts_of(asked.agent, asked.owner) if str(fact.pk) in wanted]
    said = [place for key, place in offered(asked.agent, asked.owner) if key in wanted]
    if len(facts) + len(said) == len(wanted):
        return _answer(tx, asked, Matches(facts=facts, said=said))
    shared = [fact for fact in facts_of(asked.agent, None) if str(fact.pk) in wanted]
    if len(shared) != len(wanted):
        raise NothingNamed
    return _offer(tx, _of_shared(asked), [fact_place(fact) for fact in shared])


def offer(tx: Transaction, message: Message, about: str) -> None:
    """What a model takes for a request in the owner's own message, where rules heard none: nothing
    is hidden until a person picks."""
    conversation = message.conversation
    is_own = (
        not conversation.group and source_of_message(conversation, message) == SourceClass.OWNER
    )
    if not is_own or Request.objects.filter(message=message).exists():
        return
    asked = Asked(conversation.agent, conversation.owner, Request.Via.MESSAGE, about, message)
    found = match(asked, _meanings(about), message.timestamp)
    if places := found.places or unique(found.near):
        _offer(tx, asked, places)


def _hear(tx: Transaction, conversation: Conversation, message: Message, said: Forget) -> None:
    """Its own sentence is hidden with it: what is to be forgotten is no news to write down."""
    kept = message if message.pk else None
    about = credentials.mask(message.content[said.first : said.last].strip())[0]
    asked = Asked(conversation.agent, conversation.owner, Request.Via.MESSAGE, about, kept)
    request = _ask(tx, asked, meant_by(said.about, said.language), message.timestamp)
    if kept is not None and request.owner_id:
        hiding.add(request, [said_place(message, said.first, said.last)])


def _ask(
    tx: Transaction, asked: Asked, meanings: Collection[Meaning], said_at: datetime
) -> Request:
    """What is not in the owner's own memory may be in the shared one: then it asks who decides
    about that."""
    found = match(asked, meanings, said_at)
    if asked.owner is not None and not (found.places or found.near):
        shared = replace(asked, owner=None)
        of_all = match(shared, meanings, said_at).places
        if of_all and asked.via != Request.Via.MESSAGE:
            return _offer(tx, _of_shared(asked), of_all)
        if of_all:
            _offer(tx, _of_shared(asked), of_all)
    if any(one.is_all for one in meanings):  # "all of it" may mean a draft
        return _offer(tx, asked, found.places or unique(found.near))
    return _answer(tx, asked, found)


def _of_shared(asked: Asked) -> Asked:
    """Who decides about shared memory reads what is offered, never what an owner said."""
    return replace(asked, owner=None, about="", message=None, conversation=None)


def _answer(tx: Transaction, asked: Asked, found: Matches) -> Request:
    if before := _asked_before(asked, found.places):
        return before
    if not 1 <= len(found.statements) <= room(asked):
        return _offer(tx, asked, found.places or unique(found.near))
    places, near = found.everywhere(asked.agent, asked.owner)
    request = hiding.ask(tx, asked)
    hiding.hide(tx, request, places, candidates=near)
    return request


def room(asked: Asked) -> int:
    """How many statements may be hidden: a model that is led astray hides five, until a person
    decides or they are gone."""
    if asked.owner is None:
        return 0
    if asked.via == Request.Via.MESSAGE or asked.by is not None:
        return MOST
    unseen = Request.objects.of(asked.agent.pk, asked.owner.pk).filter(
        state__in=(Request.State.HIDDEN, Request.State.HELD), decided_at=None, asked_by=None
    )
    told = tell_all([*unseen.exclude(via=Request.Via.MESSAGE)])
    return MOST - sum(len(one.hidden) for one in told.values())


def _offer(tx: Transaction, asked: Asked, places: Sequence[Meant]) -> Request:
    """A person picks; who asks in the same words again, or without words for the same, asks the
    same."""
    mine = Request.objects.of(asked.agent.pk, asked.owner.pk if asked.owner else None)
    for before in mine.filter(state=Request.State.OPEN, about=asked.about):
        if asked.about or _keys(before) == {one.key for one in places[:OFFERED]}:
            return before
    request = hiding.ask(tx, asked)
    hiding.hide(tx, request, (), candidates=places[:OFFERED])
    return request


def _keys(request: Request) -> set[object]:
    """Of all places that it offers; see `Meant.key`."""
    return {
        Meant(
            Target.Kind(row.kind),
            "",
            fact=row.fact,
            file=row.file,
            fingerprint=row.fingerprint,
            message=row.message,
            first=row.first,
        ).key
        for row in request.targets.filter(is_hidden=False).select_related("fact", "file", "message")
    }


def _asked_before(asked: Asked, places: Sequence[Meant]) -> Request | None:
    """The request that hides all of it already: who asks twice undoes it once."""
    facts = {one.fact.pk for one in places if one.fact}
    messages = {one.message.pk for one in places if one.message}
    if not (facts or messages):
        return None
    mine = Request.objects.of(asked.agent.pk, asked.owner.pk if asked.owner else None)
    for request in mine.filter(state__in=(Request.State.HIDDEN, Request.State.HELD)):
        away = of_targets(request.targets.filter(is_hidden=True))
        if facts <= away.facts and messages <= away.spans.keys():
            return request
    return None


def _hide_echoes(tx: Transaction, conversation: Conversation, messages: Sequence[Message]) -> None:
    """What the assistant repeats of what was asked in this conversation: in any words until the
    owner speaks again, later in the same ones."""
    said = [one for one in messages if one.pk and one.role == Message.Role.ASSISTANT]
    if not said:
        return
    asked = Request.objects.hiding().filter(conversation=conversation, owner=conversation.owner)
    is_idle = Q(state=Request.State.OPEN) & (
        Q(created_at__lt=tx.now - _ECHOED)
        | ~Exists(Target.objects.filter(request=OuterRef("pk"), is_hidden=True))
    )
    lively = list(asked.exclude(is_idle).select_related("message"))
    texts = {key: [one.text for one in of.hidden] for key, of in tell_all(lively).items()}
    for message in said if lively else ():
        since = _heard_before(message)
        for request in lively:
            is_answer = request.message and since <= request.message.position <= message.position
            meanings = _meanings(request.about) if is_answer else ()
            if places := echoes_of(meanings, texts[request.pk], message):
                hiding.add(request, places)


def _heard_before(message: Message) -> int:
    """The position of what its user said last: nobody but the assistant has spoken since."""
    heard = message.conversation.messages.filter(role=Message.Role.USER)
    latest = heard.filter(position__lt=message.position).aggregate(last=Max("position"))
    return latest["last"] or 0


def _meanings(about: str) -> tuple[Meaning, ...]:
    """Of a sentence that asks it, or of its object alone."""
    said = next(forgets(about), None)
    return meant_by(said.about, said.language) if said else meant_by(about)
