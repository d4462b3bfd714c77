"""What is to be forgotten is written down once more, by a program, an import or an older message,
before it is erased: hidden with the rest, it comes back with an undo and goes with the erasure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memoryweb.agents.owners import memory_of
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.models import Conversation, Fact, File, Message, Request, Target
from memoryweb.memory.visible.hidden import hiding, text_of
from memoryweb.memory.visible.text_matching import says, sentences
from memoryweb.memory.writing.tombstones import new_lines


def in_files(files: Iterable[File], before: Iterable[str]) -> None:
    """Their lines that did not stand in the texts before."""
    for file, text in zip(files, before, strict=True):
        fresh = list(new_lines(file.content, text))
        for request, texts in hidden_texts(file.agent_id, file.owner_id).items() if fresh else ():
            prints = {fingerprint(line) for line in fresh if _says(line, texts)}
            for fact in Fact.objects.filter(file=file, fingerprint__in=prints):
                _hide(request, Target.Kind.FACT, fact=fact, file=file, fingerprint=fact.fingerprint)
            for print_ in prints:
                _hide(request, Target.Kind.LINE, file=file, fingerprint=print_)


def in_messages(
    conversation: Conversation, rows: Iterable[Message], anew: Mapping[str, datetime]
) -> None:
    """But for what the owner says `anew`, after the request: that is news."""
    said = [(row, *sentence) for row in rows for sentence in sentences(row.content)]
    asked = hidden_texts(conversation.agent_id, memory_of(conversation.owner))
    for request, texts in asked.items():
        news = {text for text, at in anew.items() if at > request.created_at}
        for row, first, last, text in said:
            is_news = row.role == Message.Role.USER and text in news
            if not is_news and _says(text, texts):
                _hide(request, Target.Kind.MESSAGE, message=row, first=first, last=last)


def _says(text: str, hidden: Collection[str]) -> bool:
    return any(says(text, one) for one in hidden)


def hidden_texts(
    agent_id: UUID, owner_id: UUID | None
) -> Mapping[Request, Mapping[str, Collection[int]]]:
    """The requests of one memory with what each of them hides, but for its own sentence: texts,
    each with its targets."""
    asked = Request.objects.of(agent_id, owner_id)
    rows = hiding(Q(request__in=asked))
    found: dict[Request, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.select_related("request", "fact", "file", "message"):
        is_own = row.message_id is not None and row.message_id == row.request.message_id
        if not is_own and (text := text_of(row)):
            found[row.request][text].append(row.pk)
    return found


def _hide(request: Request, kind: Target.Kind, **place: Any) -> None:
    Target.objects.get_or_create(
        request=request, kind=kind, **place, is_hidden=True, defaults={"team_id": request.team_id}
    )
