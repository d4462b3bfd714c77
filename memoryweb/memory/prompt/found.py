"""What memory holds for a message beside what stands in its prompt anyway; nothing where it has
no answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from memoryweb.agents.readers import Reader
from memoryweb.facts.listing import trusts_of
from memoryweb.facts.trust import ranked
from memoryweb.language.courtesies import without_courtesies
from memoryweb.language.normal_form import clean
from memoryweb.language.past import asks_about_past
from memoryweb.language.secrets import credentials
from memoryweb.language.statements import fingerprint
from memoryweb.llm import tokens
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import placeholders
from memoryweb.memory.prompt.files import Included
from memoryweb.memory.search import search
from memoryweb.search import query_syntax
from memoryweb.search.hits import Hit
from memoryweb.search.relevance import ANSWERS, FLOOR

HEADING = "found for this message"
_MOST, _CHARACTERS = 200, 600
_SHORT = 20  # tokens of a short hit: more of them would not fit


@dataclass(frozen=True)
class Quoted:
    """A hit as it was put in: what was `said`, on one line of its own."""

    hit: Hit
    said: str

    @property
    def line(self) -> str:
        until = f" (until {self.hit.until})" if self.hit.until else ""
        return f"- {place_of(self.hit)}: {self.said}{until}\n"

    @property
    def tokens(self) -> int:
        return tokens.estimate(self.line)


def found_for(
    reader: Reader,
    message: str,
    files: Sequence[Included],
    talk: tuple[UUID, int] | None,
    room: int,
) -> tuple[Quoted, ...]:
    """As many hits as there is room for, those first that answer most of the message.

    `files` and `talk`, a conversation from some position on, stand in the prompt.
    """
    quoted: list[Quoted] = []
    room -= tokens.estimate(f"--- {HEADING} ---\n")
    asked = without_courtesies(message)
    if room <= 0 or not asked:
        return ()
    most = min(_MOST, room // _SHORT)
    hits = search(reader, query_syntax.plain(asked), limit=most).hits
    allowed = placeholders.allowed(hits, then=False)
    if not asks_about_past(asked):
        allowed = [hit for hit in allowed if not hit.until]
    for hit in _answers(allowed, files, talk):
        one = _quote(hit, message)
        if one and one.tokens <= room:
            room -= one.tokens
            quoted.append(one)
    return tuple(quoted)


def place_of(hit: Hit) -> str:
    """`memory/2026-11-20.md:7`, or who said it and when."""
    if hit.file:
        return f"{hit.file.path}:{hit.line}"
    said = hit.message
    day = f"{hit.date:%Y-%m-%d}" if hit.date else ""
    who = " ".join((said.name if said else "").split()) or (said.role if said else "")
    return f"{who} on {day}"


def _answers(
    hits: Iterable[Hit], files: Sequence[Included], talk: tuple[UUID, int] | None
) -> list[Hit]:
    """Those that say something new and have to do with the message, if one of them answers it."""
    fresh = [hit for hit in hits if not _is_given(hit, files, talk)]
    if max((hit.relevance for hit in fresh), default=0.0) < ANSWERS:
        return []
    telling = [hit for hit in fresh if hit.relevance >= FLOOR]
    places = {hit: place for hit in telling if (place := _statement(hit))}
    trusted = trusts_of(places.values(), timezone.now())

    def worth(hit: Hit) -> float:
        """What is no statement is neither trusted nor doubted."""
        trust = trusted.get(places[hit], 1.0) if hit in places else 1.0
        return hit.score * ranked(hit.relevance, trust)

    return sorted(telling, key=worth, reverse=True)


def _statement(hit: Hit) -> tuple[UUID, str] | None:
    """Where its statement stands, if it is one: the file, and the print of its text."""
    if hit.file is None or not kind_of(hit.file.path).holds_facts:
        return None
    return hit.file.pk, fingerprint(clean(hit.text))


def _is_given(hit: Hit, files: Sequence[Included], talk: tuple[UUID, int] | None) -> bool:
    if hit.file:
        return any(one.file.pk == hit.file.pk and one.holds(hit.line) for one in files)
    if hit.message is None or talk is None:
        return False
    conversation_id, first = talk
    return hit.message.conversation_id == conversation_id and hit.message.position >= first


def _quote(hit: Hit, message: str) -> Quoted | None:
    text = " ".join(credentials.mask(hit.text)[0].split()).removeprefix("- ")
    if text == " ".join(message.split()):  # the message itself, sent to the conversation already
        return None
    if len(text) > _CHARACTERS:
        text = f"{text[:_CHARACTERS].rsplit(' ', 1)[0]} …"
    return Quoted(hit, text)
