"""Where something stands that is to be forgotten: statements, lines and what was said.

What says it is meant; what only comes near it is offered, for a person to tick. Beside the memory
itself that is what others read of it and what stands on its owner's messages alone.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import speaker_id
from memoryweb.language.normal_form import clean
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.language.tokens import tokens
from memoryweb.memory.index import fulltext
from memoryweb.memory.index.indexing import TEXT, scope_key
from memoryweb.memory.models import Evidence, Fact, File, LineOrigin, Message, Passage, Target
from memoryweb.memory.models.forgetting import Meant
from memoryweb.memory.visible.text_matching import comes_near, says, sentences

MOST_CANDIDATES = 20
_AT_ONCE = 400  # passages that share most words with a text
_LEAST_MASS = 0.2  # of a text's words, by how rare they are


@dataclass(frozen=True)
class Found:
    meant: tuple[Meant, ...]
    candidates: tuple[Meant, ...] = ()

    @property
    def texts(self) -> list[str]:
        return list(dict.fromkeys(one.text for one in self.meant))


def of_text(agent: Agent, owner: Owner | None, text: str) -> Found:
    """All of one memory that has these words, or says just that."""
    return _Looking(agent, owner, [text]).found()


def of_facts(agent: Agent, owner: Owner | None, facts: Collection[Fact]) -> Found:
    """These statements, and wherever else the same is said."""
    return _Looking(agent, owner, [fact.raw_text for fact in facts]).found(facts)


def of_lines(file: File, numbers: Collection[int]) -> Found:
    """Lines of the current text, and wherever else the same is said."""
    lines = file.raw_content.split("\n")
    texts = [lines[n - 1] for n in sorted(numbers) if n <= len(lines) and lines[n - 1].strip()]
    looking = _Looking(file.agent, file.owner, [clean(text) for text in texts], file)
    looking.put(*(line_place(file, text) for text in texts))
    return looking.found()


class _Looking:
    def __init__(
        self, agent: Agent, owner: Owner | None, texts: Sequence[str], file: File | None = None
    ) -> None:
        """`file`: one that was read already."""
        self.agent, self.owner = agent, owner
        self._files = {file.pk: file} if file else {}
        self.owner_id = owner.pk if owner else None
        self.speaker_id = speaker_id(agent.team_id, self.owner_id)
        self.texts = list(dict.fromkeys(text for text in texts if text.strip()))
        self._meant: dict[object, Meant] = {}
        self._near: dict[object, Meant] = {}

    def _add(self, facts: Collection[Fact]) -> None:
        """With what they stand on."""
        files = {fact.file_id for fact in facts if fact.file_id} - self._files.keys()
        self._files |= File.objects.in_bulk(files) if files else {}
        for fact in facts:
            fact.file = self._files.get(fact.file_id) if fact.file_id else None
        notes, cited = _note_lines(facts), _cited(facts, self.speaker_id)
        for fact in facts:
            self.put(fact_place(fact), *notes[fact.pk], *cited[fact.pk])

    def put(self, *meant: Meant) -> None:
        for one in meant:
            self._meant.setdefault(one.key, one)

    def found(self, facts: Collection[Fact] = ()) -> Found:
        """Beside these statements, which are meant whatever they say."""
        same = (fact for fact in facts_of(self.agent, self.owner) if self._says(fact.raw_text))
        self._add(list({fact.pk: fact for fact in (*facts, *same)}.values()))
        for passages in self._passages():
            before = len(self._meant)
            self._look_at(passages)
            if len(self._meant) == before:
                break  # all others have less of the words
        for message in self._unindexed():
            self._look_at_message(message)
        near = [one for key, one in self._near.items() if key not in self._meant]
        return Found(tuple(self._once()), tuple(near[:MOST_CANDIDATES]))

    def _once(self) -> Iterator[Meant]:
        """A statement's own line is told by the statement."""
        told = {(one.file, one.fingerprint) for one in self._meant.values() if one.fact}
        for one in self._meant.values():
            if one.fact or one.message or (one.file, one.fingerprint) not in told:
                yield one

    def _says(self, text: str) -> bool:
        return any(says(text, one) for one in self.texts)

    def _look_at(self, passages: Iterable[Passage]) -> None:
        for passage in passages:
            if passage.file is not None:
                self._look_at_lines(passage, passage.file)
            elif passage.message is not None:
                self._look_at_message(passage.message)

    def _passages(self) -> Iterator[list[Passage]]:
        """Some at a time, those with the most of the words first."""
        reaches = [scope_key(self.agent.pk, one) for one in {self.speaker_id, None}]
        ranked = [key for key, _mass in _likely(self.texts, reaches).most_common()]
        for keys in (ranked[at : at + _AT_ONCE] for at in range(0, len(ranked), _AT_ONCE)):
            rows = Passage.objects.filter(pk__in=keys).defer("raw_tokens")
            found = {row.pk: row for row in rows.select_related("file", "message__conversation")}
            yield [found[key] for key in keys if key in found]

    def _unindexed(self) -> Iterator[Message]:
        """Messages that were reverted: kept, and in no index."""
        if self.speaker_id:
            rows = Message.objects.filter(
                conversation__agent=self.agent,
                conversation__owner=self.speaker_id,
                reverted_at__isnull=False,
            )
            yield from rows.select_related("conversation").order_by("-pk").iterator(_AT_ONCE)

    def _look_at_lines(self, passage: Passage, file: File) -> None:
        if file.owner_id != self.owner_id and not self._is_own(passage):
            return
        lines = passage.raw_text.split("\n")
        saying = [line for line in lines if self._says(line)]
        if not saying and self._says(passage.raw_text):
            saying = [passage.raw_text]
        self.put(*(line_place(file, line) for line in saying))
        if not saying and any(comes_near(passage.raw_text, one) for one in self.texts):
            near = line_place(file, passage.raw_text)
            self._near.setdefault(near.key, near)

    def _is_own(self, passage: Passage) -> bool:
        """A shared line that stands on nothing but this owner's messages."""
        span = (passage.line, passage.end_line)
        rows = LineOrigin.objects.filter(file=passage.file_id, line__range=span)
        owners = set(rows.values_list("message__conversation__owner", flat=True))
        return owners == {self.owner_id}

    def _look_at_message(self, message: Message) -> None:
        if message.conversation.owner_id != self.speaker_id:
            return
        for first, last, said in sentences(message.raw_content):
            one = said_place(message, first, last)
            if self._says(said):
                self.put(one)
            elif any(comes_near(said, text) for text in self.texts):
                self._near.setdefault(one.key, one)


def _likely(texts: Sequence[str], reaches: Sequence[str]) -> Counter[int]:
    """Passages of these scope keys by how much they have of one of the texts, in thousandths."""
    groups = [
        [f"{reach}{TEXT}{word}" for word in dict.fromkeys(tokens(text))]
        for text in texts
        for reach in reaches
    ]
    sizes = fulltext.extents([[reach] for reach in reaches]) * len(texts)
    wanted: Counter[int] = Counter()
    for its, there, extent in zip(groups, fulltext.find(groups), sizes, strict=True):
        rarity = {
            key: math.log(1 + extent.passages / len(there.postings.get(key, ()) or (0,)))
            for key in its
        }
        mass: Counter[int] = Counter()
        for key, passages in there.postings.items():
            for passage in passages:
                mass[passage] += round(1000 * rarity[key])
        least = _LEAST_MASS * 1000 * sum(rarity.values())
        wanted |= Counter({passage: n for passage, n in mass.items() if n >= least})
    return wanted


def facts_of(agent: Agent, owner: Owner | None, which: Q | None = None) -> Iterator[Fact]:
    """Whatever became of them; shared ones, where all that they stand on is the owner's."""
    rows = Fact.objects.filter(which or Q()).select_related("file").defer("file__raw_content")
    if owner is None:
        yield from rows.of(agent.pk, None)
    else:
        own = Evidence.objects.filter(message__conversation__owner=owner)
        shared = rows.of(agent.pk, None).filter(pk__in=own.values("fact"))
        others = Evidence.objects.exclude(message__conversation__owner=owner)
        shared = shared.exclude(pk__in=others.values("fact"))
        yield from rows.of(agent.pk, owner.pk).union(shared, all=True)


def fact_place(fact: Fact) -> Meant:
    where = fact.path
    file = fact.file or File.objects.of(fact.agent_id, fact.owner_id).filter(path=where).first()
    print_ = fact.fingerprint if file else ""
    return Meant(Target.Kind.FACT, fact.raw_text, where, fact=fact, file=file, fingerprint=print_)


def line_place(file: File, text: str) -> Meant:
    print_ = fingerprint(text)
    return Meant(Target.Kind.LINE, clean(text), file.path, file=file, fingerprint=print_)


def said_place(message: Message, first: int, last: int) -> Meant:
    where = message.conversation.external_id
    text = message.raw_content[first:last]
    return Meant(Target.Kind.MESSAGE, text, where, message=message, first=first, last=last)


def _note_lines(facts: Iterable[Fact]) -> Mapping[UUID, list[Meant]]:
    """By statement those of the notes that its line was made of."""
    of_line = defaultdict(list)
    for fact in facts:
        for n, line in enumerate(fact.file.raw_content.split("\n") if fact.file else (), 1):
            if fact.file_id and line.strip() and fingerprint(line) == fact.fingerprint:
                of_line[fact.file_id, n].append(fact)
    files, lines = {file for file, _line in of_line}, {line for _file, line in of_line}
    rows = LineOrigin.objects.filter(file__in=files, line__in=lines)
    found: dict[UUID, list[Meant]] = defaultdict(list)
    for row in rows.filter(source_file__isnull=False).select_related("source_file"):
        for fact in of_line.get((row.file_id, row.line), ()):
            found[fact.pk] += _note_line(fact, row)
    return found


def _note_line(fact: Fact, row: LineOrigin) -> Iterator[Meant]:
    note, number = row.source_file, row.source_line or 0
    lines = note.raw_content.split("\n") if note else []
    if note and note.owner_id == fact.owner_id and 0 < number <= len(lines):
        line = lines[number - 1]
        if line.strip() and not line.startswith("#"):
            yield line_place(note, line)


def _cited(facts: Collection[Fact], speaker_id: UUID | None) -> Mapping[UUID, list[Meant]]:
    """By statement what its owner said of it; where no characters are cited, nothing goes unseen:
    it is found by its words, or offered."""
    cited = Q(first__isnull=False, last__isnull=False, message__isnull=False)
    rows = Evidence.objects.filter(cited, fact__in=facts, message__conversation__owner=speaker_id)
    found = defaultdict(list)
    for row in rows.select_related("message__conversation"):
        if row.message is not None and row.first is not None and row.last is not None:
            found[row.fact_id].append(said_place(row.message, row.first, row.last))
    return found
