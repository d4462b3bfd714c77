"""What is said to the chat itself: `/new` and `/memory`."""

import re
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.agents.models import Reader, reading
from memoryweb.chat import compaction
from memoryweb.chat.compaction import TalkArchive
from memoryweb.chat.turn import ChatQuestion
from memoryweb.dreaming import schedule
from memoryweb.dreaming.schedule import CoolingDown
from memoryweb.extraction import requests as extraction
from memoryweb.memory import forgetting
from memoryweb.memory.forgetting import Matches, facts_of
from memoryweb.memory.models import ForgetRequest
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.search import known
from memoryweb.memory.visible.hidden import hidden_facts
from memoryweb.memory.visible.readable import To, readable_facts
from memoryweb.runs.models import Run

_COMMAND = re.compile(r"/(?P<name>new|memory)(?:\s+(?P<rest>\w+(?:\s+\w+)?))?\s*\Z")
_MOST = 50


@dataclass(frozen=True)
class CommandAnswer:
    """The answer, and the conversation that goes on."""

    answer: str
    conversation_id: str
    begins_anew: bool = False
    is_view: bool = False
    archived: TalkArchive | None = None


@dataclass(frozen=True)
class Rights:
    """`may_clear`: a person, who asks in person."""

    may_dream: bool
    may_clear: bool


def said_to(asked: ChatQuestion, rights: Rights) -> CommandAnswer | None:
    """None where the message is meant for the agent."""
    match = _COMMAND.match(asked.message.strip())
    if match is None:
        return None
    rest = " ".join((match["rest"] or "").casefold().split())
    if match["name"] == "new" and not rest:
        return begin_anew(asked)
    if match["name"] == "memory" and rest in {"", "view"}:
        return CommandAnswer(_remembered(asked), asked.conversation_id, is_view=True)
    return CommandAnswer(_done(asked, rest, rights), asked.conversation_id)


def in_words(archived: TalkArchive) -> str:
    """What was kept of it, for who goes on talking."""
    said = ngettext(
        "{n} earlier message is in “{name}”. In short: {summary}",
        "{n} earlier messages are in “{name}”. In short: {summary}",
        archived.count,
    )
    return said.format(n=archived.count, name=archived.name, summary=archived.summary)


def begin_anew(asked: ChatQuestion) -> CommandAnswer:
    """What was said is archived first, and read for memory without waiting for the quiet."""
    talk, reader = asked.conversation, Reader(asked.agent, asked.owner)
    begun, archived = compaction.begin_anew(talk, reader, asked.speaker, asked.actor)
    if talk is not None and talk.message_count:
        _extract(asked)
    said = _("A new conversation begins. What was said stays in memory.")
    if archived:
        said = f"{said}\n{in_words(archived)}"
    return CommandAnswer(said, begun, begins_anew=True, archived=archived)


def _done(asked: ChatQuestion, rest: str, rights: Rights) -> str:
    if rest in {"clear", "reset", "clear yes", "reset yes"}:
        return _cleared(asked, rights, is_sure=rest.endswith(" yes"))
    if rest not in {"enqueue", "rebuild"}:
        return _(
            "“/memory” takes view, clear, enqueue or rebuild: show what is known, forget it, read "
            "what was said, dream now."
        )
    if asked.owner is not None and not asked.owner.keeping:
        return _("You paused keeping: nothing is read, and no dream is started.")
    if not rights.may_dream:
        return _("Your role or token doesn't allow starting runs.")
    if rest == "enqueue":
        _extract(asked, trigger=Run.Trigger.API)
        return _("What was said and not read yet is read for memory now.")
    return _rebuilt(asked)


def _extract(asked: ChatQuestion, trigger: Run.Trigger = Run.Trigger.CONVERSATION) -> None:
    if asked.speaker.pk is None:
        return
    with write_transaction(asked.agent.team, actor=asked.actor) as tx:
        extraction.request(
            tx,
            agent=asked.agent,
            owner=asked.speaker,
            trigger=trigger,
            user=asked.user,
            integration=asked.integration,
            finished=True,
        )


def _rebuilt(asked: ChatQuestion) -> str:
    by = {"user": asked.user, "integration": asked.integration}
    try:
        with write_transaction(asked.agent.team, actor=asked.actor) as tx:
            trigger = Run.Trigger.API
            schedule.request(tx, Memory(asked.agent, asked.owner), trigger=trigger, **by)
    except CoolingDown as cooling:
        said = _("A manual dream has just finished. Try again in {n} seconds.")
        return said.format(n=cooling.seconds)
    return _("A dream over these notes is started.")


def _cleared(asked: ChatQuestion, rights: Rights, *, is_sure: bool) -> str:
    """One's own statements, and whatever says the same: as with any request to forget."""
    if asked.owner is None:
        return _("Shared memory is not cleared from a chat.")
    if not rights.may_clear:
        return _("Only the person can clear their memory: signed in, or with a My memory link.")
    with write_transaction(asked.agent.team, actor=asked.actor) as tx:
        memory = Memory(asked.agent, asked.owner)
        facts = list(facts_of(memory, ~Q(pk__in=hidden_facts())))
        count = len(facts)
        if not count:
            return _("Nothing learned yet.")
        if is_sure:
            via = ForgetRequest.Via.API
            of = forgetting.Wish(memory, via, about="", by=asked.user)
            found = Matches(facts=facts).everywhere(memory)
            request = forgetting.open_request(tx, of)
            forgetting.hide(tx, request, found.meant, candidates=found.candidates)
    if not is_sure:
        said = ngettext(
            "This forgets {n} statement about you, and what says the same. Send “/memory clear "
            "yes” to do it.",
            "This forgets {n} statements about you, and what says the same. Send “/memory clear "
            "yes” to do it.",
            count,
        )
        return said.format(n=count)
    minutes = settings.FORGET_REQUEST_SECONDS // 60
    said = ngettext(
        "{n} statement is hidden, and erased in {minutes} minutes. Until then My memory can undo "
        "it.",
        "{n} statements are hidden, and erased in {minutes} minutes. Until then My memory can undo "
        "it.",
        count,
    )
    return said.format(n=count, minutes=minutes)


def _remembered(asked: ChatQuestion) -> str:
    """What prompts may hold of this person, the newest first, and of what is shared."""
    is_used = asked.owner is not None and asked.owner.using
    reader = Reader(asked.agent, asked.owner if is_used else None)
    with reading(reader):
        found = known(reader, timezone.now()).order_by("-changed_at", "pk")
        own = found.exclude(owner=None) if reader.owner else found
        count, latest = own.count(), list(readable_facts(list(own[:_MOST]), To.PAGE))
    if not latest:
        return _("Nothing learned yet.")
    said = ngettext("{count} statement learned:", "{count} statements learned:", count)
    shown = "\n".join(f"- {one.text}" for one in latest)
    return f"{said.format(count=count)}\n{shown}"
