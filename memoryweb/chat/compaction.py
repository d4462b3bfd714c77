"""Archiving the earlier part of a conversation, so that what is read on stays small.

What was said stays in the conversation. An archive entry sums it up, the month's HISTORY tells of
it, and a marker says from where on prompts read: all three in one transaction, or none.
"""

import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, Field

from memoryweb.agents.models import Owner, Reader
from memoryweb.audit.record import Actor
from memoryweb.language.secrets import credentials
from memoryweb.language.sentences import split
from memoryweb.language.small_talk import without_courtesies
from memoryweb.llm import client, prompts
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.tokens import fitting
from memoryweb.memory import entries
from memoryweb.memory.conversations import SPEAKING, last_marker
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Conversation, Marker, Message
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Transaction, Writer, write_transaction
from memoryweb.memory.prompt import KEPT_MESSAGES, MOST_TOKENS, Context, summary_of
from memoryweb.memory.visible.hidden import asked_since
from memoryweb.memory.visible.readable import To, readable_messages

_SECONDS = 30
_MOST = 1_000  # messages of one archive, the newest: those before stay in the conversation alone
_LINES, _CHARACTERS = 60, 200
_COMMENT = re.compile(r"<!--|-->")
Said = Mapping[int, str]  # message → its text as it may be told: masked, without what is hidden


@dataclass(frozen=True)
class TalkArchive:
    """What was taken out of prompts, and what they tell of it from now on."""

    name: str
    count: int
    summary: str


@dataclass(frozen=True)
class _Line:
    text: str
    said_by: tuple[Message, ...]


class Summary(BaseModel):
    summary: str = Field(min_length=1, max_length=4_000)


def when_due(
    talk: Conversation | None, reader: Reader, actor: Actor, built: Context
) -> TalkArchive | None:
    """Where more was said since the last archive than the window of messages takes, or than the
    prompt had room for."""
    if talk is None:
        return None
    upto = 0
    if talk.message_count - _begin(last_marker(talk)) > settings.CHAT_MEMORY_WINDOW:
        upto = talk.message_count - settings.CHAT_MEMORY_KEEP
    if built.gauge.dropped:
        upto = max(upto, _half_of_what_fits(talk, built))
    return compact(talk, reader, actor, upto) if upto else None


def _half_of_what_fits(talk: Conversation, built: Context) -> int:
    """The other half goes, too, lest the next turn archives again."""
    half = sum(turn.tokens for turn in built.talk) // 2
    kept = 0
    for turn in reversed(built.talk):
        half -= turn.tokens
        if half < 0 and kept >= KEPT_MESSAGES:
            break
        kept += 1
    said = talk.messages.filter(role__in=SPEAKING, reverted_at=None).order_by("-position")
    positions = list(said.values_list("position", flat=True)[:kept])
    return positions[-1] - 1 if positions else 0


def compact(talk: Conversation, reader: Reader, actor: Actor, upto: int) -> TalkArchive | None:
    """Up to a position, all since the last archive. None where nothing was to be archived, and
    where another turn did it meanwhile, or something of it is to be forgotten since: then the next
    turn archives."""
    if not talk.owner.keeping or talk.ephemeral:
        return None
    marker, began = last_marker(talk), timezone.now()
    rows = _rows(talk, _begin(marker), upto)
    said = {one.id: credentials.mask(one.text)[0] for one in readable_messages(rows, To.HOST)}
    if not any(said.values()):
        return None
    lines = _by_model(reader, rows, said) or list(_by_rules(rows, said))
    try:
        with write_transaction(reader.agent.team, actor=actor) as tx:
            if last_marker(talk) != marker or asked_since(rows, began):
                return None
            made = _keep(tx, talk, reader, rows, lines)
    except MemoryRefused:  # the workspace is full: prompts leave the earlier turns out
        return None
    return TalkArchive(made.archive_name, made.count, summary_of(reader, made.archive_name))


def _keep(
    tx: Transaction,
    talk: Conversation,
    reader: Reader,
    rows: Sequence[Message],
    lines: Sequence[_Line],
) -> Marker:
    writer = Writer(AuthorKind.EXTRACTION, conversation_id=talk.pk)
    title = f"# {rows[0].timestamp:%Y-%m-%d %H:%M} to {rows[-1].timestamp:%Y-%m-%d %H:%M}"
    content = "\n".join([title, "", *(line.text for line in lines), ""])
    origins = {number: _origin(line.said_by) for number, line in enumerate(lines, 3)}
    memory = Memory(reader.agent, reader.owner)
    entry = entries.archive(tx, memory, content, writer=writer, origins=origins)
    name = entries.name_of(entry)
    told = f"{len(rows)} messages are in “{name}”: {_short(lines)}"
    about = [Source(message_id=row.pk) for row in rows]
    entries.append_history(tx, memory, told, writer=writer, origins=about)
    return Marker.objects.create(
        team_id=talk.team_id,
        conversation=talk,
        upto=rows[-1].position,
        count=len(rows),
        archive_name=name,
        archived_at=tx.now,
    )


def begin_anew(
    talk: Conversation | None, reader: Reader, speaker: Owner, actor: Actor
) -> tuple[str, TalkArchive | None]:
    """The id of a conversation that follows this one, which is archived first."""
    fresh = f"chat-{uuid.uuid4().hex[:16]}"
    if talk is None or not talk.message_count or not speaker.keeping or talk.ephemeral:
        return fresh, None
    archived = compact(talk, reader, actor, talk.message_count)
    known = last_marker(talk)
    with write_transaction(reader.agent.team, actor=actor) as tx:
        begun = Conversation.objects.create(
            team=tx.team,
            agent=reader.agent,
            owner=speaker,
            external_id=fresh,
            source=Conversation.Source.CHAT,
            created_at=tx.now,
        )
        Marker.objects.create(
            team=tx.team,
            conversation=begun,
            upto=0,
            archive_name=known.archive_name if known else "",
            archived_at=known.archived_at if known else tx.now,
            recap_of=talk,
        )
    return fresh, archived


def _begin(marker: Marker | None) -> int:
    return marker.upto if marker else 0


def _rows(talk: Conversation, after: int, upto: int) -> list[Message]:
    found = talk.messages.filter(
        role__in=SPEAKING, reverted_at=None, position__gt=after, position__lte=upto
    )
    return list(found.order_by("-position")[:_MOST])[::-1]


def _by_model(reader: Reader, rows: Sequence[Message], said: Said) -> list[_Line]:
    """Nothing where it can't. Its answer is material: a list of plain sentences."""
    room = settings.MODEL_WINDOW // 2
    turns: list[dict[str, str]] = []
    for row in reversed(rows):
        text = said[row.pk][: fitting(said[row.pk], room)]
        room -= fitting(text, room) and len(text) // 3 + 8
        if room <= 0:
            break
        turns.append({"role": row.role, "said": text})
    try:
        found = client.complete(
            team_id=reader.agent.team_id,
            role="smol",
            system=prompts.load("summary"),
            data={"turns": turns[::-1]},
            schema=Summary,
            deadline=time.monotonic() + min(_SECONDS, settings.CHAT_TIMEOUT_SECONDS / 4),
            max_tokens=2 * MOST_TOKENS,
            daily_tokens=reader.agent.team.token_budget,
            local_only=reader.agent.local_models_only,
            chat_with=reader.agent.pk,
        ).value.summary
    except ModelError:
        return []
    text = credentials.mask(_COMMENT.sub(" ", found))[0]
    text = text[: fitting(text, MOST_TOKENS)]
    return [_Line(f"- {sentence}", tuple(rows)) for sentence in split(text)]


def _by_rules(rows: Sequence[Message], said: Said) -> Iterator[_Line]:
    """What was asked and told, each in its own first words; in the middle of many some are left
    out."""
    own = [row for row in rows if row.role == Message.Role.USER]
    found = [line for row in own if (line := _quoted(row, said[row.pk]))]
    left_out = len(found) - _LINES
    if left_out <= 0:
        yield from found or [_Line("- Nothing but courtesies was said.", tuple(rows[:1]))]
        return
    yield from found[: _LINES // 2]
    yield _Line(f"- … ({left_out} more)", tuple(rows[:1]))
    yield from found[-_LINES // 2 :]


def _quoted(row: Message, text: str) -> _Line | None:
    said = next(iter(split(without_courtesies(_COMMENT.sub(" ", text)))), "")
    if not said:
        return None
    short = said if len(said) <= _CHARACTERS else f"{said[:_CHARACTERS]}…"
    return _Line(f"- {row.timestamp:%H:%M} {row.name or 'user'}: {short}", (row,))


def _origin(said_by: Sequence[Message]) -> Origin:
    sources = tuple(Source(message_id=row.pk) for row in said_by)
    return Origin(sources, sums_up=len(sources) > 1)


def _short(lines: Sequence[_Line]) -> str:
    text = " ".join(line.text.removeprefix("- ") for line in lines)
    return text if len(text) <= 2 * _CHARACTERS else f"{text[: 2 * _CHARACTERS]}…"
