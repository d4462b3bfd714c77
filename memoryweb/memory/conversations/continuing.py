"""Programs that send a conversation whole each time: which one it is, and what of it is new."""

from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Q

from memoryweb.agents.models import Agent, Owner
from memoryweb.language.secrets import credentials
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.conversations.windows import SPEAKING
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.visible.hidden import MARK
from memoryweb.memory.writing import screening

_MOST = 50  # conversations that are compared
_SECRET = credentials.mark("").removesuffix("]")


def continued(
    agent: Agent, owner: Owner, turns: Sequence[NewMessage], answer: str
) -> Conversation | None:
    """The newest of theirs all of whose turns these begin with, and that holds an answer of ours,
    whose id ends so."""
    texts = {turn.content for turn in turns}
    same = Q(raw_content__in=texts) | Q(raw_content__contains=_SECRET)
    last = Message.objects.filter(
        same | Q(raw_content__contains=MARK),
        conversation=OuterRef("pk"),
        position=OuterRef("message_count"),
    )
    talks = agent.conversations.filter(Exists(last), owner=owner, message_count__lte=len(turns))
    for talk in talks.order_by("-last_message_at", "-created_at")[:_MOST]:
        kept = _kept(talk, len(turns))
        ours = (row for row in kept if row.external_id.endswith(answer))
        if _shared(kept, turns) == len(kept) and any(MARK not in row.raw_content for row in ours):
            return talk
    return None


def holding(agent: Agent, owner: Owner, message_id: str) -> Conversation | None:
    """Theirs that has a message of that id."""
    return agent.conversations.filter(owner=owner, messages__external_id=message_id).first()


def untold(talk: Conversation | None, turns: Sequence[NewMessage]) -> list[NewMessage]:
    """Those that the conversation does not hold yet, where only its end may have been sent."""
    kept = _kept(talk, 2 * len(turns)) if talk else []
    begun = _shared(kept, turns)
    return list(_others(kept[begun:], turns[begun:]))


def _kept(talk: Conversation, most: int) -> list[Message]:
    rows = talk.messages.filter(role__in=SPEAKING, reverted_at=None).order_by("-position")
    return list(rows.only("role", "external_id", "raw_content")[:most])[::-1]


def _shared(kept: Sequence[Message], turns: Sequence[NewMessage]) -> int:
    """How many they begin with alike; what was erased of one is not compared."""
    for at, (row, turn) in enumerate(zip(kept, turns, strict=False)):
        if row.role != turn.role or not (MARK in row.raw_content or _says(row, turn)):
            return at
    return min(len(kept), len(turns))


def _others(kept: Sequence[Message], turns: Sequence[NewMessage]) -> Iterator[NewMessage]:
    for turn in turns:
        found = (at for at, row in enumerate(kept) if row.role == turn.role and _says(row, turn))
        if (at := next(found, None)) is None:
            yield turn
        else:
            kept = kept[at + 1 :]


def _says(row: Message, turn: NewMessage) -> bool:
    if row.raw_content == turn.content:
        return True
    # Masking takes long: only where something was masked.
    return _SECRET in row.raw_content and row.raw_content == _masked(turn.content)


def _masked(text: str) -> str:
    return screening.mask_asking(screening.mask_all(text))[0]
