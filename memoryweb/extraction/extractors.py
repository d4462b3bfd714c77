"""The two extractors, rules and model: a window in, findings out. Nothing is written here."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Agent, Owner
from memoryweb.extraction import findings, requests, rules_extractor
from memoryweb.extraction.findings import ExtractionAnswer, Findings
from memoryweb.language.statement_comparison import cited
from memoryweb.llm import client, prompts
from memoryweb.llm.endpoint import configured
from memoryweb.llm.exceptions import BadAnswer
from memoryweb.markdown.paths import note_path
from memoryweb.memory.conversations import Window, next_window, note_date
from memoryweb.memory.lines.files import noted, untouched
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.writer import Memory, Place
from memoryweb.memory.visible.readable import To, readable_files
from memoryweb.memory.writing import screening, write
from memoryweb.runs.engine import GiveUp

MEMORY, PROFILE = "MEMORY.md", "PROFILE.md"
NOTE_CHARACTERS = 8_000  # of the day's note, its end
_TIMES = re.compile(r"^- \d\d:\d\d ", re.MULTILINE)  # the journal's: nobody said them


Part = tuple[Conversation, Window]


@dataclass(frozen=True)
class ExtractorAnswer:
    """What one extractor said, and what that cost."""

    findings: Findings
    extractor: str
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


def uses_model(agent: Agent) -> bool:
    if agent.extractor == Agent.Consolidator.RULES:
        return False
    has_model = configured(agent.team_id, local_only=agent.local_models_only)
    if agent.extractor == Agent.Consolidator.MODEL and not has_model:
        raise GiveUp(
            "no_model", error=_("This agent reads conversations with a model, and none is set up.")
        )
    return has_model


def memory_of(conversation: Conversation) -> Memory:
    """Whose files an extraction writes: the owner's, or the shared ones where owners aren't kept
    apart and for the system."""
    agent = conversation.agent
    return Memory.of(agent, conversation.owner if agent.owner_isolation else None)


def by_rules(conversation: Conversation, window: Window) -> ExtractorAnswer:
    zone = conversation.agent.zone
    senders = _senders(conversation, window)

    def heard(turn: Message) -> rules_extractor.Utterance:
        return rules_extractor.Utterance(
            str(turn.pk),
            turn.role,
            turn.name or senders.get(turn.token_id, ""),
            cut(window.texts[turn.pk]),
            turn.timestamp.astimezone(zone),
            conversation.is_room_at(turn.position),
        )

    found = rules_extractor.extract(
        [heard(turn) for turn in window.turns],
        speaker=speaker_of(conversation.owner),
        shared=memory_of(conversation).owner is None,
        before=heard(window.before) if window.before else None,
    )
    return ExtractorAnswer(findings.from_rules(found), "rules")


def note_place(conversation: Conversation, window: Window, now: datetime) -> Place:
    path = note_path(note_date(window.turns, now))
    return Place(conversation.agent, memory_of(conversation).owner, path)


@dataclass(frozen=True)
class ExpectedLine:
    """What a run is going to note, and the characters of the message that says it last."""

    text: str
    message: Message
    first: int
    last: int


def expected(conversation: Conversation, now: datetime) -> list[ExpectedLine]:
    """What the rules read in the messages that no run has read. Writes nothing, asks no model."""
    if requests.stopped(conversation):
        return []
    window = next_window(conversation, size=settings.EXTRACTION_WINDOW_MESSAGES)
    if window is None or not window.turns:
        return []
    lines = by_rules(conversation, window).findings.lines
    known = noted(write.find(note_place(conversation, window, now)))
    turns = {turn.pk: turn for turn in window.turns}
    found = []
    for line in findings.fresh(lines, known):
        message = turns[line.messages[-1]]
        said = window.texts[message.pk]
        found.append(ExpectedLine(line.text, message, *(cited(said, line.text) or (0, len(said)))))
    return found


def by_model(parts: Sequence[Part], now: datetime) -> list[ExtractorAnswer]:
    """Asks the model once, also of several conversations of one owner and day, and has an answer of
    each; what the call has cost stands in the first. Never inside a transaction. Raises
    ModelError."""
    conversation, window = parts[0]
    day = note_date(window.turns, now)
    said = client.complete(
        team_id=conversation.team_id,
        role="journal",
        system=prompts.load("extraction"),
        data=screening.data_for_prompt(
            _data(parts, day),
            conversation.team_id,
            owner_id=conversation.owner_id,
        ),
        schema=ExtractionAnswer,
        deadline=time.monotonic() + settings.EXTRACTION_TIMEOUT_SECONDS,
        daily_tokens=conversation.team.token_budget,
        local_only=conversation.agent.asks_local_only(),
    )
    try:
        found = list(_found(parts, said.value))
    except BadAnswer as error:
        error.tokens_in, error.tokens_out = said.tokens_in, said.tokens_out
        error.cost_micros = said.cost_micros
        raise
    cost = (said.tokens_in, said.tokens_out, said.cost_micros)
    first = ExtractorAnswer(found[0], "model", said.model, *cost)
    return [first, *(ExtractorAnswer(one, "model", said.model) for one in found[1:])]


def _found(parts: Sequence[Part], answer: ExtractionAnswer) -> Iterator[Findings]:
    owner, zone = speaker_of(parts[0][0].owner), parts[0][0].agent.zone
    if len(parts) > 1:
        findings.check_cited(answer, {one["id"] for one in _messages(parts)})
    for prefix, (_conversation, window) in zip(_prefixes(parts), parts, strict=True):
        yield findings.from_answer(answer, window, owner=owner, zone=zone, prefix=prefix)


def _prefixes(parts: Sequence[Part]) -> list[str]:
    """Of the messages' ids, which only one conversation has once."""
    return [f"{n}:" for n in range(1, len(parts) + 1)] if len(parts) > 1 else [""]


def _files(conversation: Conversation, day: date) -> dict[str, str]:
    """The texts that the model is given besides the window."""
    files = memory_of(conversation).files.present().exclude(untouched())
    found = list(files.filter(path__in=[MEMORY, PROFILE, note_path(day)]))
    return {one.path: one.remaining for one in readable_files(found, To.HOST)}


def _senders(conversation: Conversation, window: Window) -> Mapping[UUID | None, str]:
    """By the tokens of what was sent for all: its own owner is nobody."""
    if conversation.owner.source != "system":
        return {}
    ids = {turn.token_id for turn in window.turns if turn.token_id}
    found = Token.objects.filter(pk__in=ids, user__isnull=False).select_related("user")
    return {one.pk: str(one.user) for one in found}


def speaker_of(owner: Owner) -> str:
    return owner.person.name if owner.person else ""


def cut(content: str) -> str:
    return content[: settings.EXTRACTION_MESSAGE_CHARACTERS]


def turn_data(conversation: Conversation, window: Window) -> dict[str, object]:
    """What a journaler is given of a turn."""
    data = _data([(conversation, window)], note_date(window.turns, timezone.now()))
    return {name: data[name] for name in ("date", "note", "messages")}


def _data(parts: Sequence[Part], day: date) -> dict[str, object]:
    files = _files(parts[0][0], day)
    return {
        "profile": files.get(PROFILE, ""),
        "memory": files.get(MEMORY, ""),
        "date": day.isoformat(),
        "note": _TIMES.sub("- ", files.get(note_path(day), ""))[-NOTE_CHARACTERS:],
        "messages": list(_messages(parts)),
    }


def _messages(parts: Sequence[Part]) -> Iterator[dict[str, str]]:
    for prefix, (conversation, window) in zip(_prefixes(parts), parts, strict=True):
        senders = _senders(conversation, window)
        for turn in window.heard:
            name = turn.name or senders.get(turn.token_id) or _name(turn, conversation.owner)
            yield {
                "id": f"{prefix}{turn.external_id}",
                "role": turn.role,
                **({"name": name} if name else {}),
                "time": f"{turn.timestamp.astimezone(UTC):%Y-%m-%dT%H:%M}",
                "content": cut(window.texts[turn.pk]),
            }


def _name(turn: Message, owner: Owner) -> str:
    return speaker_of(owner) if turn.role == Message.Role.USER else ""
