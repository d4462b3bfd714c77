"""Messages of a source that is taken back."""

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memoryweb.core.row_batches import batches
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import Conversation, Message, Passage
from memoryweb.memory.models.review_items import drop_empty
from memoryweb.memory.models.transaction import Transaction


def used(source: Source, talks: Q) -> "QuerySet[Message]":
    """Messages of the source that prompts, search and runs still use."""
    within = Conversation.objects.filter(talks, agent=source.agent)
    return source.messages.filter(reverted_at=None, conversation__in=within)


def unuse(tx: Transaction, source: Source, talks: Q) -> None:
    """Of an import nothing is left, so that it can come again; other messages are kept, and used
    for nothing."""
    going = used(source, talks)
    Passage.objects.filter(message__in=going.values("pk")).delete()
    if source.kind is not Kind.IMPORT:
        going.update(reverted_at=tx.now)
        return
    within = set(going.values_list("conversation", flat=True).distinct())
    going.delete()
    drop_empty()
    for some in batches(within):
        Conversation.objects.filter(pk__in=some, messages=None).delete()


def waiting(source: Source, talks: Q) -> "list[Conversation]":
    """Conversations with messages of the source that no extraction has looked at, and no other."""
    behind = Conversation.objects.filter(
        talks, agent=source.agent, message_count__gt=F("extracted_upto")
    )
    if source.kind is Kind.CONVERSATION:
        return list(behind.filter(pk=source.id))
    if source.kind is not Kind.TOKEN:
        return []
    fresh = source.messages.filter(
        conversation=OuterRef("pk"), position__gt=OuterRef("extracted_upto")
    )
    found = behind.filter(Exists(fresh)).order_by("pk")
    return [talk for talk in found if not _others_wait(source, talk)]


def _others_wait(source: Source, talk: Conversation) -> bool:
    rest = talk.messages.filter(position__gt=talk.extracted_upto)
    return rest.exclude(token=source.id).exists()
