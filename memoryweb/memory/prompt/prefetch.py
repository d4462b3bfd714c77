"""What memory holds for a message beside what stands in its prompt anyway; nothing where it has
no answer."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from memoryweb.agents.models import Reader, reading
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.secrets import credentials
from memoryweb.language.small_talk import asks_about_past, tells_nothing, without_courtesies
from memoryweb.llm import tokens
from memoryweb.markdown import marks
from memoryweb.markdown.file_kinds import WritingKind
from memoryweb.markdown.marks import Ended
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.hits import Hit, folded, unfolded
from memoryweb.memory.index.relevance import ANSWERS, FLOOR
from memoryweb.memory.lines.files import is_untouched
from memoryweb.memory.models import Fact
from memoryweb.memory.prompt.files import PromptFile
from memoryweb.memory.search import beside, search
from memoryweb.memory.visible.outdated import HitLook
from memoryweb.memory.visible.said_on import behind, told_of

HEADING = "found for this message"
_MOST, _CHARACTERS = 200, 600
_KINDS = ("file", "message")
_FIRST = 10  # what a search shows on its first page
_NEAR = 15  # whose neighbours are read, before it is known which of them may be told
_SHORT = 20  # tokens of a short hit: more of them would not fit


@dataclass(frozen=True)
class PromptHit:
    """A hit as it was put in: what was `said`, on one line of its own; behind it what of that has
    `ended`, and of a statement what is `told`: its day."""

    hit: Hit
    said: str
    ended: tuple[Ended, ...] = ()
    told: str = ""

    @property
    def added(self) -> str:
        return "".join([*(f" {one.told}" for one in self.ended), self.told])

    @property
    def line(self) -> str:
        until = f" (until {self.hit.until})" if self.hit.until else ""
        return f"- {place_of(self.hit)}: {self.said}{until}{self.added}\n"

    @property
    def tokens(self) -> int:
        return tokens.estimate(self.line)


def found_for(
    reader: Reader,
    message: str,
    files: Sequence[PromptFile],
    talk: tuple[UUID, int] | None,
    room: int,
) -> tuple[PromptHit, ...]:
    """As many hits as there is room for: the first ten as a search ranks them, with the turns that
    stand beside them, then those that answer most of the message.

    `files` and `talk`, a conversation from some position on, stand in the prompt.
    """
    room -= tokens.estimate(f"--- {HEADING} ---\n")
    asked = without_courtesies(message)
    if room <= 0 or not asked:
        return ()
    most = min(_MOST, room // _SHORT)
    query, kinds = query_syntax.plain(asked), _kinds(reader)
    hits = search(reader, query, limit=most, kinds=kinds, by_meaning=False).hits
    if not _answers(unfolded(hits)):
        return ()
    past = asks_about_past(asked)

    def is_fresh(hit: Hit) -> bool:
        """It says something, and something new."""
        is_said = (past or not _is_over(hit)) and not tells_nothing(hit.text)
        return is_said and not _is_given(hit, files, talk)

    turns = beside(reader, islice(filter(is_fresh, _answers(hits)), _NEAR))
    look = HitLook([*hits, *turns])
    answers = _answers([*filter(is_fresh, look.told(hits))])
    known = {hit.message: hit for hit in answers}
    first, rest = answers[:_FIRST], answers[_FIRST:]
    near = {(talk, at + step) for talk, at in map(_spot, first) if talk for step in (-1, 1)}
    told = folded(look.told(hit for hit in turns if _spot(hit) in near))
    wanted = [*first, *(known.get(hit.message, hit) for hit in filter(is_fresh, told)), *rest]
    return tuple(_fitting({id(hit): hit for hit in wanted}.values(), message, reader, room))


def _kinds(reader: Reader) -> Collection[str]:
    with reading(reader):
        return (*_KINDS, "fact") if _without_file(reader.sees()) else _KINDS


@PreparedQuery
def _without_file(which: Q) -> "QuerySet[Fact, UUID]":
    """Few memories have statements that MEMORY.md has no room for."""
    facts = Fact.objects.filter(which, file=None).living()
    return facts.values_list("pk", flat=True)[:1]


def _spot(hit: Hit) -> tuple[UUID | None, int]:
    """Where in which talk it was said."""
    return (hit.message.conversation_id, hit.message.position) if hit.message else (None, 0)


def _fitting(hits: Collection[Hit], message: str, reader: Reader, room: int) -> Iterator[PromptHit]:
    for hit, told in _with_days(hits, reader.agent.zone):
        one = _quote(hit, message, told)
        if one and (size := one.tokens) <= room:
            room -= size
            yield one


def in_order(quoted: Sequence[PromptHit]) -> list[PromptHit]:
    """Turns that stand side by side are read in the order of their talk, where the first of them
    would be."""
    turns = {_spot(one.hit): one for one in quoted if one.hit.message}
    told: dict[int, PromptHit] = {}
    for one in quoted:
        talk, at = _spot(one.hit)
        while talk and (talk, at - 1) in turns:
            at -= 1
        its = turns[talk, at] if talk else one
        told[id(its)] = its
        while talk and (talk, at + 1) in turns:
            at += 1
            told[id(turns[talk, at])] = turns[talk, at]
    return list(told.values())


def place_of(hit: Hit) -> str:
    """`memory/2026-11-20.md:7`, or who said it and when, or since when it is known."""
    if hit.file:
        return f"{hit.file.path}:{hit.line}"
    said = hit.message
    day = f"{hit.date:%Y-%m-%d}" if hit.date else ""
    if hit.fact:
        return f"known since {day}"
    who = " ".join((said.name if said else "").split()) or (said.role if said else "")
    return f"{who} on {day}"


def _answers(hits: Sequence[Hit]) -> list[Hit]:
    """Those that have to do with the message, if one of them answers it."""
    if max((hit.relevance for hit in hits), default=0.0) < ANSWERS:
        return []
    telling = [hit for hit in hits if hit.relevance >= FLOOR]
    first, rest = telling[:_FIRST], telling[_FIRST:]
    return [*first, *sorted(rest, key=lambda hit: hit.score * hit.relevance, reverse=True)]


def _is_over(hit: Hit) -> bool:
    """The diary tells what was replaced in the same breath as what took its place."""
    is_told = hit.file is not None and kind_of(hit.file.path).written is WritingKind.DREAMS
    return hit.until is not None or is_told


def _is_given(hit: Hit, files: Sequence[PromptFile], talk: tuple[UUID, int] | None) -> bool:
    """It stands in the prompt, or in a PROFILE.md that tells of nobody."""
    if hit.file:
        stands = (one.file.pk == hit.file.pk and one.holds(hit.line) for one in files)
        return any(stands) or is_untouched(hit.file)
    if hit.message is None or talk is None:
        return False
    conversation_id, first = talk
    return hit.message.conversation_id == conversation_id and hit.message.position >= first


def _with_days(hits: Collection[Hit], zone: ZoneInfo) -> Iterator[tuple[Hit, str]]:
    """Each with when it was said, if it is a statement."""
    files = {one.pk: one for hit in hits if (one := hit.file) and kind_of(one.path).holds_facts}
    told = told_of(files.values(), zone)
    for hit in hits:
        if hit.fact and hit.fact.said_at:
            yield hit, behind(hit.fact.said_at.astimezone(zone).date())
        else:
            yield hit, told.get(hit.file.pk, {}).get(hit.end_line, "") if hit.file else ""


def _quote(hit: Hit, message: str, told: str) -> PromptHit | None:
    text, ended = credentials.mask(hit.text)[0], hit.ended
    if hit.file:
        text = marks.without(text)
    text = " ".join(text.split()).removeprefix("- ")
    if text == " ".join(message.split()):  # the message itself, sent to the conversation already
        return None
    if len(text) > _CHARACTERS:
        text = f"{text[:_CHARACTERS].rsplit(' ', 1)[0]} …"
    return PromptHit(hit, text, ended, told)
