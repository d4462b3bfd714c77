"""The files of a prompt: each whole, or what of it fits and is worth most for the message."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from memoryweb.agents.models import GLOBAL_AGENT_ID, Reader, reading
from memoryweb.language.secrets import credentials
from memoryweb.language.tokens import tokens
from memoryweb.llm.tokens import estimate, fitting
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.parts import Part, Stretch, top, worthiest
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.render import render
from memoryweb.memory.index.relevance import Evidence, rarity, relevance
from memoryweb.memory.index.terms import Term, sentences_of, terms_of
from memoryweb.memory.models import File
from memoryweb.memory.visible.readable import ReadableFile, To, readable_files

_NOTE = 12  # tokens of “… (N characters more)”
_LEAST = 24  # tokens below which nothing worth reading of a file would fit
# A text and how many characters of it there is room for.
Choice = Callable[[str, int], Part]


@dataclass(frozen=True)
class PromptFile:
    """A file as it was put in: `rendered` with its fence, `lines` of it; `cut` characters were
    left out."""

    file: File
    rendered: str
    characters: int
    lines: tuple[Stretch, ...]
    tokens: int
    cut: int
    masked: int

    @property
    def is_left_out(self) -> bool:
        return not self.rendered

    @property
    def last_line(self) -> int:
        return self.lines[-1][1] if self.lines else 0

    def holds(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self.lines)


def shared(reader: Reader, room: int) -> tuple[PromptFile, ...]:
    """Those of every team first, then the agent's own; the same for every message."""
    with reading(reader):
        of_both = File.objects.filter(agent__in=[GLOBAL_AGENT_ID, reader.agent.pk], owner=None)
        files = sorted(
            of_both.enabled_in_order(), key=lambda file: file.agent_id == reader.agent.pk
        )
    return _include(files, room, top)


def personal(reader: Reader, room: int, message: str) -> tuple[PromptFile, ...]:
    """Of what does not fit, what has to do with the message."""
    if reader.owner is None:
        return ()
    files = File.objects.of(reader.agent.pk, reader.owner.pk).enabled_in_order()
    return _include(files, room, _relevant_part(message))


def line_count(text: str) -> int:
    """A newline at the end begins no line."""
    return text.removesuffix("\n").count("\n") + 1 if text else 0


def _relevant_part(message: str) -> Choice:
    terms = terms_of(message)
    sentences = sentences_of(message, terms)

    def chosen(content: str, limit: int) -> Part:
        if len(content) <= limit:
            return top(content, limit)
        said = {one.line: _terms_in(one.text, terms) for one in blocks(content)}
        having = Counter(chain.from_iterable(said.values()))
        rarities = [rarity(len(said), having[number]) for number in range(len(terms))]

        def worth(block: Block) -> float:
            above = _terms_in(" ".join(block.trail), terms) - said[block.line]
            return relevance(sentences, rarities, Evidence(said[block.line], above), ())

        return worthiest(content, limit, worth)

    return chosen


def _terms_in(text: str, terms: Sequence[Term]) -> frozenset[int]:
    words = set(tokens(text))
    return frozenset(number for number, term in enumerate(terms) if not words.isdisjoint(term))


def _include(files: Iterable[File], room: int, choice: Choice) -> tuple[PromptFile, ...]:
    included = []
    found = list(files)
    for file, read in zip(found, readable_files(found, To.PROGRAM), strict=True):
        one = _fitted(file, read, room, choice)
        room -= one.tokens
        included.append(one)
    return tuple(included)


def _fitted(file: File, read: ReadableFile, room: int, choice: Choice) -> PromptFile:
    """The file under its own limit and within the room; nothing of it where that is too small.

    Lines that wait for a person, and those that their owner spoke against, are left empty.
    """
    content, masked = credentials.mask(read.remaining)
    limit = kind_of(file.path).limit or len(content)
    part = choice(content, limit)
    rendered = render([(file.path, part.text)]) + "\n"
    while estimate(rendered) > room:
        header = estimate(f"--- {file.path} ---\n")
        # Escaping may add to it: each turn leaves a little more room.
        limit = min(fitting(content, room - header - _NOTE), limit * 9 // 10)
        if room < header + _LEAST or limit <= 0:
            return PromptFile(file, "", 0, (), 0, len(content), masked)
        part = choice(content, limit)
        rendered = render([(file.path, part.text)]) + "\n"
    # Masking may have taken lines away: then the whole file counts as given.
    lines = ((1, line_count(read.text)),) if masked else part.lines
    size = estimate(rendered)
    return PromptFile(file, rendered, len(content) - part.cut, lines, size, part.cut, masked)
