"""Programs that send a conversation whole each time: which one it is, and what of it is new."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryweb.language.secrets import credentials
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.conversations.windows import SPEAKING
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.visible.hidden import MARK
from memoryweb.memory.writing import screening

_MOST = 50  # conversations that are compared
_SECRET = credentials.mark("").removesuffix("]")


def continued(
    theirs: QuerySet[Conversation], turns: Sequence[NewMessage], answer: str
) -> Conversation | None:
    """The newest all of whose turns these begin with, and that holds an answer of ours, whose id
    ends so."""
    texts = {turn.content for turn in turns}
    changed = Q(raw_content__contains=_SECRET) | Q(raw_content__contains=MARK)
    last = Message.objects.filter(
        Q(raw_content__in=texts) | changed,
        conversation=OuterRef("pk"),
        position=OuterRef("message_count"),
    )
    talks = theirs.filter(Exists(last), message_count__lte=len(turns))
    masked = cache(_masked)
    for talk in talks.order_by("-last_message_at", "-created_at")[:_MOST]:
        pairs = list(zip(_kept(talk, len(turns)), turns, strict=False))
        ours = (row for row, _turn in pairs if row.external_id.endswith(answer))
        if all(_says(row, turn, masked) for row, turn in pairs) and any(
            MARK not in row.raw_content for row in ours
        ):
            return talk
    return None


def untold(talk: Conversation | None, turns: Sequence[NewMessage]) -> list[NewMessage]:
    """Those that the conversation does not hold yet, where only its end may have been sent."""
    kept = _kept(talk, 2 * len(turns)) if talk else []
    places = defaultdict[tuple[str, str], list[int]](list)
    for at, row in enumerate(kept):
        places[row.role, row.raw_content].append(at)
    is_masked = any(_SECRET in row.raw_content for row in kept)
    fresh, first = list[NewMessage](), 0
    for turn in turns:
        texts = {turn.content, _masked(turn.content)} if is_masked else {turn.content}
        same = (places[turn.role, text] for text in texts)
        found = [at for ats in same for at in ats[bisect_left(ats, first) :][:1]]
        following = kept[first : first + 1] if turn is not turns[-1] else []
        if any(row.role == turn.role and MARK in row.raw_content for row in following):
            found = [first]
        if found:
            first = min(found) + 1
        else:
            fresh.append(turn)
    return fresh


def _kept(talk: Conversation, most: int) -> list[Any]:
    rows = talk.messages.filter(role__in=SPEAKING, reverted_at=None).order_by("-position")
    return list(rows.values_list("role", "external_id", "raw_content", named=True)[:most])[::-1]


def _says(row: Any, turn: NewMessage, masked: Callable[[str], str]) -> bool:
    text: str = row.raw_content
    if row.role != turn.role or text == turn.content or MARK in text:  # the erased isn't compared
        return bool(row.role == turn.role)
    # Masking takes long: only where something was masked.
    return _SECRET in text and text == masked(turn.content)


def _masked(text: str) -> str:
    return screening.mask_asking(screening.mask_all(text))[0]
