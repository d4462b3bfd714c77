"""Conversations of an export: what would come, and how it comes, one conversation a transaction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.agents.models import Owner
from memoryweb.core.row_batches import batches
from memoryweb.language.secrets import in_names
from memoryweb.memory.conversations import (
    MAX_BATCH_BYTES,
    MAX_MESSAGES,
    NewMessage,
    add_messages,
    conversation_id,
    parse_message,
)
from memoryweb.memory.models import Conversation, Import, Message
from memoryweb.memory.models.refusals import BatchRefused
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.memory.snapshots.contents import Contents, IgnoredEntry, Talk

_TOLD = 20  # conversations that are left out, each with its reason; then how many more


@dataclass
class Talks:
    """`total` counts conversations that aren't taken, too. `known` messages are here already,
    `left_out` ones can't be kept."""

    total: int = 0
    conversations: int = 0
    messages: int = 0
    known: int = 0
    left_out: int = 0
    first: datetime | None = None
    last: datetime | None = None
    remembered: list[str] = field(default_factory=list)
    ignored: list[IgnoredEntry] = field(default_factory=list)

    @property
    def new(self) -> int:
        return self.messages - self.known


def look(memory: Memory, contents: Contents) -> Talks:
    """Goes through all of it, so that no damage shows when half has come. Raises ArchiveRefused."""
    found, wrong = Talks(), 0
    owner, here = memory.owner, _here(memory)
    for talk in contents.talks():
        found.total += 1
        found.remembered += talk.remembered
        key, reason = _checked(talk, owner)
        if reason:
            wrong += 1
            if wrong <= _TOLD:
                found.ignored.append(IgnoredEntry(key, "conversation_refused", reason))
            continue
        messages = list(parsed(talk))
        found.conversations += 1
        found.messages += len(messages)
        found.left_out += len(talk.messages) - len(messages)
        if key in here:
            known = _known(here[key])
            found.known += sum(message.id in known for message in messages)
        times = [message.timestamp for message in messages if message.timestamp]
        if times:
            found.first = min(filter(None, (found.first, *times)))
            found.last = max(filter(None, (found.last, *times)))
    found.ignored += _more(wrong - _TOLD, found.left_out)
    return found


def bring(tx: Transaction, batch: Import, owner: Owner, talk: Talk) -> int:
    """Keep the messages that aren't here yet; how many. What can't be kept was told before."""
    key, reason = _checked(talk, owner)
    if reason:
        return 0
    row = Conversation.objects.filter(agent=batch.agent, owner=owner, external_id=key).first()
    known = _known(row.pk) if row else set()
    fresh = [one for one in parsed(talk) if one.id not in known and not _is_secret(one)]
    added = 0
    for some in _batches(fresh):
        done = add_messages(
            tx,
            agent=batch.agent,
            owner=owner,
            conversation_id=key,
            messages=some,
            source=Conversation.Source.IMPORT,
            batch=batch,
        )
        added += done.added
    return added


def parsed(talk: Talk) -> Iterator[NewMessage]:
    """Those that can be kept, each once."""
    seen: set[str | None] = set()
    for value in talk.messages:
        try:
            message = parse_message(value, "message")
        except BatchRefused:
            continue
        if message.id not in seen:
            seen.add(message.id)
            yield message


def _is_secret(message: NewMessage) -> bool:
    return in_names.holds_secret(message.id or "")


def _checked(talk: Talk, owner: Owner | None) -> tuple[str, str]:
    """What a conversation is called here, and why it isn't taken."""
    told = str(talk.id)[:60]
    if talk.wrong:
        return told, talk.wrong
    if owner is None:
        return told, _("A conversation is somebody's: import it into a person's memory.")
    try:
        key = conversation_id(talk.id)
    except BatchRefused as refused:
        return told, str(refused)
    return key, _("Its id looks like a secret.") if in_names.holds_secret(key) else ""


def _more(wrong: int, messages: int) -> Iterator[IgnoredEntry]:
    if wrong > 0:
        said = ngettext(
            "{n} more conversation isn't taken.", "{n} more conversations aren't taken.", wrong
        )
        yield IgnoredEntry("…", "conversation_refused", said.format(n=wrong))
    if messages:
        said = ngettext(
            "{n} message can't be kept: it is too long, or no text.",
            "{n} messages can't be kept: they are too long, or no text.",
            messages,
        )
        yield IgnoredEntry("…", "message_refused", said.format(n=messages))


def _here(memory: Memory) -> dict[str, UUID]:
    if memory.owner is None or memory.owner._state.adding:
        return {}
    rows = memory.agent.conversations.filter(owner=memory.owner)
    return dict(rows.values_list("external_id", "pk"))


def _known(conversation_pk: UUID) -> set[str]:
    rows = Message.objects.filter(conversation=conversation_pk)
    return set(rows.values_list("external_id", flat=True))


def _batches(messages: Sequence[NewMessage]) -> Iterator[list[NewMessage]]:
    most = max((len(one.content.encode()) for one in messages), default=1)
    return batches(messages, min(MAX_MESSAGES, max(1, MAX_BATCH_BYTES // max(most, 1))))
