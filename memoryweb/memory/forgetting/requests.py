"""Asking to forget in a few words: said in a conversation, by an agent's tool, or by the API
(SPEC §6.1). One to five statements are hidden at once, and five of a person's a day by what they
say; of more, or none, and of what may be pasted, a person picks or says yes. And forgetting what
somebody pointed at: statements, lines or words.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from memoryweb.agents.models import Agent, Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language import forget_requests
from memoryweb.language.ending_parts import claims_of
from memoryweb.language.forget_requests import meanings as meanings_of
from memoryweb.markdown.sections import with_bullet
from memoryweb.memory import models
from memoryweb.memory.forgetting import finding, hiding
from memoryweb.memory.forgetting.finding import (
    MOST,
    OFFERED,
    Finding,
    Matches,
    fact_mention,
    facts_of,
    message_mention,
    unique,
)
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.lines.source_classes import source_of_message
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.refusals import MemoryRefused, Stale
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer
from memoryweb.memory.visible import request_contents
from memoryweb.memory.visible.hidden import lines_saying, of_targets
from memoryweb.memory.writing import screening, write

_OF_MACHINES = frozenset({models.Conversation.Source.CRON, models.Conversation.Source.DREAM})

_ECHOED = _DAY = timedelta(days=1)  # open requests
_HEARD = 20  # requests of one batch that are looked for; all writers wait meanwhile
_ABOUT = 2000  # characters


class NothingNamed(MemoryRefused):
    code = "missing"
    sentence = _("Not found, or you don't have access.")


def hear(
    tx: Transaction, conversation: models.Conversation, messages: Sequence[models.Message]
) -> models.ForgetRequest | None:
    """Requests of the owner's own among these messages, their yes to what was offered, and the
    assistant's echo of what was asked before. Messages that are not kept have no key. The last
    request that waits for that yes."""
    is_talk = conversation.source not in _OF_MACHINES and not conversation.group
    if not (is_talk and conversation.owner.is_one_person):
        return None
    request, heard, late = None, 0, list[tuple[models.Message, list[forget_requests.Forget]]]()
    for message in messages:
        if message.role != models.Message.Role.USER:
            continue
        asked = list(forget_requests.forgets(message.raw_content))
        is_yes = (
            not asked and message.pk is not None and forget_requests.agrees(message.raw_content)
        )
        if (
            not (asked or is_yes)
            or source_of_message(conversation, message) != models.SourceClass.OWNER
        ):
            continue
        heard += len(asked)
        if asked and heard > _HEARD:
            late.append((message, asked))
        else:
            request = _hear(tx, message, asked) if asked else _hide_offered(tx, message)
    request = _hear_late(tx, late) if late else request
    _hide_echoes(tx, conversation, messages)
    return request if request and request.state == models.ForgetRequest.State.OPEN else None


def offer_to(
    now: datetime, agent: Agent, owner: Owner, talk: models.Conversation | None = None
) -> models.ForgetRequest | None:
    """What a yes of the owner's would hide, in this conversation or any: the last thing that they
    said asked for it, or the one before."""
    request = _latest_offer(now, agent, owner, talk)
    if request is None or request.message is None:
        return None
    heard = request.message.conversation.messages.filter(role=models.Message.Role.USER)
    since = heard.filter(position__gt=request.message.position).count()
    return request if since < 2 else None


def ask(tx: Transaction, asked: Wish) -> models.ForgetRequest:
    """By words."""
    return _ask(tx, asked, meanings_of(asked.about), tx.now)


def ask_of(tx: Transaction, asked: Wish, ids: Collection[str]) -> models.ForgetRequest:
    """By the ids of statements, or of what a request offered. Raises NothingNamed."""
    wanted = dict.fromkeys(ids)
    facts = [fact for fact in facts_of(asked.memory) if str(fact.pk) in wanted]
    said = [place for key, place in request_contents.offered(asked.memory) if key in wanted]
    if len(facts) + len(said) == len(wanted):
        return _answer(tx, asked, Matches(facts=facts, said=said))
    shared = [fact for fact in facts_of(asked.memory.shared) if str(fact.pk) in wanted]
    if len(shared) != len(wanted):
        raise NothingNamed
    return _offer(tx, _of_shared(asked), [fact_mention(fact) for fact in shared])


def offer(tx: Transaction, message: models.Message, about: str) -> None:
    """What a model takes for a request in the owner's own message, where rules heard none: nothing
    is hidden until a person picks."""
    conversation = message.conversation
    is_own = (
        not conversation.group
        and source_of_message(conversation, message) == models.SourceClass.OWNER
    )
    if not is_own or models.ForgetRequest.objects.filter(message=message).exists():
        return
    memory = Memory(conversation.agent, conversation.owner)
    asked = Wish(memory, models.ForgetRequest.Via.MESSAGE, about, message)
    found = finding.match(asked, meanings_of(about), message.timestamp)
    if places := found.places or unique(found.near):
        _offer(tx, asked, places)


def forget(
    tx: Transaction, asked: Wish, found: Finding, *, is_person: bool, is_theirs: bool
) -> models.ForgetRequest:
    """Hidden at once and erased after the time of a button, where a person forgets what is
    `is_theirs` to forget; what a program asks has a request's time, and `room`.
    All else is offered, for whoever may decide."""
    offers = not is_theirs or not (is_person or _things(found.meant) <= room(asked, tx.now))
    request = hiding.open_request(tx, asked)
    if offers:
        hiding.hide(tx, request, (), candidates=found.meant)
    else:
        seconds = settings.FORGET_UNDO_SECONDS if is_person else None
        hiding.hide(tx, request, found.meant, seconds=seconds, candidates=found.candidates)
    return request


def forget_fact(
    tx: Transaction,
    fact: models.Fact,
    *,
    writer: Writer,
    is_theirs: bool,
    keep: Collection[str] = (),
) -> models.ForgetRequest:
    """With all that says the same. Of its claims those to `keep` stay, as the person's word."""
    asked = Wish(Memory(fact.agent, fact.owner), models.ForgetRequest.Via.PAGE, by=writer.user)
    found = finding.of_facts(asked.memory, [fact])
    request = forget(tx, asked, found, is_person=True, is_theirs=is_theirs)
    kept = [one for one in claims_of(fact.raw_text) if one in keep]
    if kept and is_theirs and writer.is_own_hand:
        place = Place(fact.agent, fact.owner, fact.path)
        write.change(tx, place, partial(_with_kept, fact.heading, kept), writer=writer)
    return request


def _with_kept(heading: str, kept: Collection[str], content: str) -> str:
    for text in kept:
        content = with_bullet(content, heading, f"- {text[:1].upper()}{text[1:]}")
    return content


def forget_lines(
    tx: Transaction,
    file: models.File,
    numbers: Collection[int],
    *,
    expected: str,
    writer: Writer,
    is_theirs: bool,
) -> models.ForgetRequest:
    """Lines of the text that has this hash, with all that says the same. Raises Stale."""
    file = _unchanged(file, expected)
    asked = Wish(Memory(file.agent, file.owner), models.ForgetRequest.Via.PAGE, by=writer.user)
    found = finding.of_lines(file, numbers)
    return forget(tx, asked, found, is_person=True, is_theirs=is_theirs)


def undo_of_lines(
    tx: Transaction, file: models.File, numbers: Collection[int], *, expected: str, writer: Writer
) -> None:
    """Every request of its memory that hides one of these lines. Raises Stale, NothingToUndo."""
    file = _unchanged(file, expected)
    own = models.ForgetRequest.objects.hiding().of(file.agent_id, file.owner_id)
    its = models.Target.objects.filter(file=file, is_hidden=True, request__in=own)
    said = [row for row in its if lines_saying(file.raw_content, {row.fingerprint}) & {*numbers}]
    for request in own.filter(pk__in=[row.request_id for row in said]):
        hiding.undo(tx, request, writer.user)
    if not said:
        raise hiding.NothingToUndo


def undo_of_fact(tx: Transaction, fact: models.Fact, *, writer: Writer) -> None:
    """Every request of its memory that hides it. Raises NothingToUndo."""
    requests = [
        request for request in hiding_of(fact) if request.targets.filter(fact=fact, is_hidden=True)
    ]
    if not requests:
        raise hiding.NothingToUndo
    for request in requests:
        hiding.undo(tx, request, writer.user)


def hiding_of(fact: models.Fact) -> list[models.ForgetRequest]:
    """The requests of its own memory that hide it, or ask for it; what is erased last comes last:
    an owner's private request may hide a shared statement, too."""
    own = models.ForgetRequest.objects.hiding().of(fact.agent_id, fact.owner_id)
    found = own.filter(targets__fact=fact).distinct()
    return list(found.order_by("erase_at", "created_at"))


def _hear(
    tx: Transaction, message: models.Message, said: Sequence[forget_requests.Forget]
) -> models.ForgetRequest:
    """Its own sentences are hidden with it: what is to be forgotten is no news to write down."""
    places = [message_mention(message, sentence.first, sentence.last) for sentence in said]
    why = "" if all(sentence.is_sure for sentence in said) else models.ForgetRequest.Why.NONE
    if not forget_requests.is_own_wish(message.raw_content, said):
        why = models.ForgetRequest.Why.PASTED
    meanings = [
        meaning
        for sentence in said
        for meaning in forget_requests.meant_by(sentence.about, sentence.language)
    ]
    request = _ask(tx, _asked(message, places, why), meanings, message.timestamp)
    if message.pk:
        hiding.add(request, places)
    return request


def _hear_late(
    tx: Transaction, late: Sequence[tuple[models.Message, Sequence[forget_requests.Forget]]]
) -> models.ForgetRequest:
    """More than anybody says at once: one request of all, in which nothing was looked for."""
    places = [
        message_mention(message, sentence.first, sentence.last)
        for message, said in late
        for sentence in said
    ]
    asked = _asked(late[-1][0], places, models.ForgetRequest.Why.MANY)
    request = _offer(tx, replace(asked, about=asked.about[:_ABOUT]), ())
    if asked.message:
        hiding.add(request, places)
    return request


def _asked(message: models.Message, places: Iterable[Mention], why: str) -> Wish:
    """In the words of these sentences."""
    talk, about = message.conversation, " ".join(place.text.strip() for place in places)
    kept = message if message.pk else None
    via = models.ForgetRequest.Via.MESSAGE
    return Wish(Memory(talk.agent, talk.owner), via, about, kept, conversation=talk, why=why)


def _hide_offered(tx: Transaction, yes: models.Message) -> models.ForgetRequest | None:
    """All that was told, and no more: it is their own act, whatever was hidden that day."""
    talk = yes.conversation
    request = _latest_offer(tx.now, talk.agent, talk.owner, talk)
    if request is None or request.message is None or not _is_answer(yes, request.message):
        return None
    told = {pk for content in request_contents.offered_of(request) for pk in content.targets}
    rows = request.targets.filter(pk__in=told).select_related("fact__file", "file", "message")
    places = [request_contents.mention_of(row) for row in rows]
    if places:
        facts = [place.fact for place in places if place.fact]
        said = [place for place in places if not place.fact]
        request.targets.filter(is_hidden=False).delete()
        found = Matches(facts=facts, said=said).everywhere(Memory(talk.agent, talk.owner))
        hiding.hide(tx, request, found.meant, candidates=found.candidates)
    return request


def _is_answer(yes: models.Message, asked: models.Message) -> bool:
    """Right after it, or after an assistant who asks: a yes to another question is none."""
    turns = yes.conversation.messages.filter(
        position__gt=asked.position, position__lt=yes.position
    ).order_by("position")
    between = [
        turn
        for turn in turns
        if turn.role in {models.Message.Role.USER, models.Message.Role.ASSISTANT}
    ]
    others = [turn for turn in between if turn.role == models.Message.Role.USER]
    is_told = bool(between) and between[-1].role == models.Message.Role.ASSISTANT
    asks = forget_requests.asks_to_forget(between[-1].raw_content) if is_told else None
    return len(others) < 2 if asks else asks is None and not others


def _latest_offer(
    now: datetime, agent: Agent, owner: Owner, talk: models.Conversation | None
) -> models.ForgetRequest | None:
    found = _offers(agent.pk, owner.pk, now - _DAY, talk.pk if talk else None)
    return next(iter(found), None)


@PreparedQuery
def _offers(
    agent_id: UUID, owner_id: UUID, since: datetime, talk_id: UUID | None
) -> "QuerySet[models.ForgetRequest]":
    via, state = models.ForgetRequest.Via.MESSAGE, models.ForgetRequest.State.OPEN
    found = models.ForgetRequest.objects.of(agent_id, owner_id).filter(via=via, state=state)
    found = found.filter(message__isnull=False, created_at__gt=since)
    found = found.filter(conversation=talk_id) if talk_id else found
    return found.select_related("message__conversation").order_by("-created_at")[:1]


def _ask(
    tx: Transaction, asked: Wish, meanings: Collection[forget_requests.Meaning], said_at: datetime
) -> models.ForgetRequest:
    """What is not in the owner's own memory may be in the shared one: then it asks who decides
    about that."""
    found = finding.match(asked, meanings, said_at)
    if asked.memory.owner is not None and not (found.places or found.near):
        shared = replace(asked, memory=asked.memory.shared)
        of_all = finding.match(shared, meanings, said_at).places
        if of_all and asked.via != models.ForgetRequest.Via.MESSAGE:
            return _offer(tx, _of_shared(asked), of_all)
        if of_all:
            _offer(tx, _of_shared(asked), of_all)
    if any(meaning.is_all for meaning in meanings):  # "all of it" may mean a draft
        asked = replace(asked, why=asked.why or models.ForgetRequest.Why.ALL)
        return _offer(tx, asked, found.places or unique(found.near))
    return _answer(tx, asked, found)


def _of_shared(asked: Wish) -> Wish:
    """Who decides about shared memory reads what is offered, never what an owner said."""
    return replace(asked, memory=asked.memory.shared, about="", message=None, conversation=None)


def _answer(tx: Transaction, asked: Wish, found: Matches) -> models.ForgetRequest:
    if before := _asked_before(asked, found.places):
        return before
    if why := asked.why or _why(tx, asked, found.count):
        return _offer(tx, replace(asked, why=why), found.places or unique(found.near))
    everywhere = found.everywhere(asked.memory)
    request = hiding.open_request(tx, asked)
    hiding.hide(tx, request, everywhere.meant, candidates=everywhere.candidates)
    return request


def _why(tx: Transaction, asked: Wish, count: int) -> str:
    """It can only be offered."""
    if not count:
        return models.ForgetRequest.Why.NONE
    if count > MOST:
        return models.ForgetRequest.Why.MANY
    return "" if count <= room(asked, tx.now) else models.ForgetRequest.Why.DAILY


def room(asked: Wish, now: datetime) -> int:
    """How many statements may be hidden: a model that is led astray hides five, until a person
    decides or they are gone; what a person's messages say hides five a day, whoever wrote it."""
    if asked.memory.owner is None:
        return 0
    if asked.by is not None:
        return MOST
    unseen = models.ForgetRequest.objects.filter(
        decided_at=None, asked_by=None, owner=asked.memory.owner
    )
    if asked.via == models.ForgetRequest.Via.MESSAGE:
        unseen = unseen.filter(via=asked.via, created_at__gt=now - _DAY)
    else:
        unseen = unseen.filter(agent=asked.memory.agent).exclude(
            via=models.ForgetRequest.Via.MESSAGE
        )
    gone = (
        models.ForgetRequest.State.ERASED
        if asked.via == models.ForgetRequest.Via.MESSAGE
        else models.ForgetRequest.State.HELD
    )
    unseen = unseen.filter(
        state__in=(models.ForgetRequest.State.HIDDEN, models.ForgetRequest.State.HELD, gone)
    )
    return MOST - request_contents.statements(unseen)


def _offer(tx: Transaction, asked: Wish, places: Sequence[Mention]) -> models.ForgetRequest:
    """A person picks; who asks in the same words again, or without words for the same, asks the
    same."""
    mine = models.ForgetRequest.objects.of(*asked.memory.key)
    about = screening.mask_wish(asked.about)
    for before in mine.filter(state=models.ForgetRequest.State.OPEN, raw_about=about):
        if about or _keys(before) == {place.key for place in places[:OFFERED]}:
            if asked.message is not None:  # a yes answers what was said last
                before.message, before.conversation = asked.message, asked.conversation
                before.created_at = tx.now
                before.save(update_fields=["message", "conversation", "created_at"])
                follow(Kind.FORGET, [before.pk])
            return before
    request = hiding.open_request(tx, asked)
    hiding.hide(tx, request, (), candidates=places[:OFFERED])
    return request


def _keys(request: models.ForgetRequest) -> set[object]:
    """Of all places that it offers; see `Mention.key`."""
    rows = request.targets.filter(is_hidden=False).select_related("fact", "file", "message")
    return {request_contents.mention_of(row).key for row in rows}


def _asked_before(asked: Wish, places: Sequence[Mention]) -> models.ForgetRequest | None:
    """The request that hides all of it already: who asks twice undoes it once."""
    facts = {place.fact.pk for place in places if place.fact}
    messages = {place.message.pk for place in places if place.message}
    if not (facts or messages):
        return None
    mine = models.ForgetRequest.objects.of(*asked.memory.key)
    hiding_ones = mine.filter(
        state__in=(models.ForgetRequest.State.HIDDEN, models.ForgetRequest.State.HELD)
    )
    for request in hiding_ones.prefetch_related("targets"):
        away = of_targets(row for row in request.targets.all() if row.is_hidden)
        if facts <= away.facts and messages <= away.spans.keys():
            return request
    return None


def _hide_echoes(
    tx: Transaction, conversation: models.Conversation, messages: Sequence[models.Message]
) -> None:
    """What the assistant repeats of what was asked in this conversation: in any words until the
    owner speaks again, later in the same ones."""
    said = [
        message
        for message in messages
        if message.pk and message.role == models.Message.Role.ASSISTANT
    ]
    if not said:
        return
    lively = _lively(conversation.pk, conversation.owner_id, tx.now - _ECHOED)
    texts = {
        key: [content.text for content in of.hidden]
        for key, of in request_contents.tell_all(lively).items()
    }
    for message in said if lively else ():
        since = _heard_before(message)
        for request in lively:
            is_answer = request.message and since <= request.message.position <= message.position
            meanings = meanings_of(request.raw_about) if is_answer else ()
            if places := finding.echoes_of(meanings, texts[request.pk], message):
                hiding.add(request, places)


@PreparedQuery
def _lively(talk: UUID, owner: UUID, since: datetime) -> QuerySet[models.ForgetRequest]:
    asked = models.ForgetRequest.objects.hiding().filter(conversation=talk, owner=owner)
    is_idle = Q(state=models.ForgetRequest.State.OPEN) & (
        Q(created_at__lt=since)
        | ~Exists(models.Target.objects.filter(request=OuterRef("pk"), is_hidden=True))
    )
    return asked.exclude(is_idle).select_related("message")


def _heard_before(message: models.Message) -> int:
    """The position of what its user said last: nobody but the assistant has spoken since."""
    heard = message.conversation.messages.filter(role=models.Message.Role.USER)
    latest = heard.filter(position__lt=message.position).aggregate(last=Max("position"))
    return latest["last"] or 0


def _unchanged(file: models.File, expected: str) -> models.File:
    file = write.lock(file)
    if file.sha256 != expected:
        raise Stale(file)
    return file


def _things(meant: tuple[Mention, ...]) -> int:
    """How many things go, wherever each of them stands."""
    facts = {place.fact.pk for place in meant if place.fact}
    return len(facts) or len({place.text for place in meant})
