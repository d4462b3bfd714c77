"""Memory beside a talk: what was looked up for its last answer, and what is noted of it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.extraction.extractors import ExpectedLine, expected
from memoryweb.language.ending import ended_in
from memoryweb.language.normal_form import clean
from memoryweb.language.statement_comparison import overtakes
from memoryweb.markdown.marks import Ended
from memoryweb.memory.lines.origins import lines_from_messages
from memoryweb.memory.models import Conversation, Fact, File, Message, SourceClass
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.prompt import GivenMemory, given, last_prompt
from memoryweb.memory.visible.hidden import is_hidden, is_meant
from memoryweb.memory.visible.readable import Look, To, readable_files
from memoryweb.web.access import TeamRequest
from memoryweb.web.statements import Piece, struck
from memoryweb.web.wording import fact_url, file_url, talk_url

_LOOKED_AT = 300  # statements, the latest


@dataclass(frozen=True)
class UsedText:
    text: str
    url: str
    file: File | None = None
    message: Message | None = None


@dataclass(frozen=True)
class UsedMemory:
    """`count`: statements that were given beside what was looked up."""

    texts: Sequence[UsedText]
    count: int


def used_memory(request: TeamRequest, talk: Conversation) -> UsedMemory | None:
    """By its last prompt."""
    if (prompt := last_prompt(talk)) is None:
        return None
    memory = given(prompt)
    return UsedMemory(list(_texts(request, talk.agent, memory)), memory.count)


def _texts(request: TeamRequest, agent: Agent, given: GivenMemory) -> Iterator[UsedText]:
    """In the words of then, without what was hidden since."""
    files = [span.file for span in given.found if span.file]
    look = Look(To.PAGE, files=files, messages=[s.message for s in given.found if s.message])
    for span in given.found:
        if span.message:
            url = talk_url(request, span.message.conversation, span.message.position)
            yield UsedText(look.message(span.message).shown, url, message=span.message)
        elif span.file and (text := given.texts.get((span.file.pk, span.revision or 0))):
            lines = look.then(span.file, text).split("\n")[span.first_line - 1 : span.last_line]
            url = file_url(request, span.file, span.first_line, agent=agent)
            yield UsedText(" ".join(map(clean, lines)), url, file=span.file)


@dataclass(frozen=True)
class ExpectedRow:
    """`pieces`: the statement that it replaces, or ends a part of, with that struck; `said_on`:
    when the reader said that, if they did."""

    line: ExpectedLine
    pieces: tuple[Piece, ...] = ()
    said_on: date | None = None
    url: str = ""


def expected_rows(request: TeamRequest, talk: Conversation) -> list[ExpectedRow]:
    lines = expected(talk, request.visit.now)
    if not lines:
        return []
    theirs = talk.agent.facts.of(*Memory(talk.agent, request.visit.me).key)
    facts = theirs.living().annotate(is_hidden=is_hidden()).order_by("-changed_at")[:_LOOKED_AT]
    look = Look(To.PAGE, facts=facts)
    return [_expected(request, line, facts, look) for line in lines]


def _expected(
    request: TeamRequest, line: ExpectedLine, facts: Iterable[Fact], look: Look
) -> ExpectedRow:
    day = line.message.timestamp.astimezone(line.message.conversation.agent.zone).date()
    for fact in facts:
        readable = look.fact(fact)
        if readable.is_hidden:
            continue
        if pieces := _replaced(line.text, readable.text, day, fact.said_at):
            is_own = fact.said_at and fact.source == SourceClass.OWNER
            said_on = timezone.localtime(fact.said_at).date() if is_own else None
            return ExpectedRow(line, pieces, said_on, fact_url(request, fact))
    return ExpectedRow(line)


def _replaced(newer: str, older: str, day: date, said_at: datetime | None) -> tuple[Piece, ...]:
    """By the rules of dreams alone; a model may see more."""
    before = said_at.date() if said_at else None
    if words := ended_in(newer, older, day, before):
        return struck(older, [Ended(day, one) for one in words])
    is_whole = overtakes(newer, older, said=day, older_said=before)
    return (Piece(older, "old"),) if is_whole else ()


@dataclass(frozen=True)
class NotedLine:
    """A line of a note, as it stands in its file now, and the message that it came from."""

    message_id: int
    text: str
    file: File
    line: int
    url: str


def noted_lines(request: TeamRequest, messages: Collection[int]) -> list[NotedLine]:
    """What runs wrote down of these messages, the latest last."""
    rows = lines_from_messages(messages).filter(file__note_date__isnull=False)
    places: dict[tuple[File, int], Any] = {}
    for row in rows.annotate(is_meant=is_meant(file="file")):
        if request.visit.reads(row.file.owner_id):
            file: Any = row.file
            file.is_meant = row.is_meant
            places[file, row.line] = row.message_id
    texts = {one.id: one.lines for one in readable_files([file for file, _ in places], To.PAGE)}
    said = sorted(places, key=lambda place: (place[0].note_date, place[1]))
    found = []
    for file, line in said:
        text, url = clean(texts[file.pk][line - 1]), file_url(request, file, line)
        found.append(NotedLine(places[file, line], text, file, line, url))
    return found


def with_read(text: str, lines: Iterable[ExpectedLine]) -> list[Piece]:
    """A message, what is read in it apart."""
    at, pieces = 0, list[Piece]()
    for line in sorted(lines, key=lambda one: one.first):
        if line.first >= at:
            pieces += [Piece(text[at : line.first]), Piece(text[line.first : line.last], "read")]
            at = line.last
    return [*pieces, Piece(text[at:])]
