"""Where something stands that is to be forgotten: statements, lines and what was said. It is looked
for by texts, or by what somebody means who asks in a few words.

What says it is meant; what only comes near it is offered, for a person to tick. Beside the memory
itself that is what others read of it and what stands on its owner's messages alone. Statements are
counted once, wherever they stand: a message, the note line and the fact made of it say one thing.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from itertools import product
from operator import or_
from uuid import UUID

from django.db.models import Q, QuerySet

from memoryweb.agents.models import Owner
from memoryweb.language.extraction_rules import Claim, Kind
from memoryweb.language.forget_requests import Fit, Meaning, fit, forgets, tells_of_oneself
from memoryweb.language.normal_form import clean, normalise, read
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.language.tokens import tokens
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.index import fulltext
from memoryweb.memory.index.indexing import TEXT, scope_key
from memoryweb.memory.lines.revisions import cited_lines
from memoryweb.memory.models import Evidence, Fact, File, LineOrigin, Message, Passage, Target
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.visible.text_matching import comes_near, says, sentences
from memoryweb.memory.writing.learned import LEARNED

MOST = 5  # statements that are hidden at once; of more a person picks
OFFERED = 50
MOST_CANDIDATES = 20
_AT_ONCE = 400  # passages that are read at once
_LEAST_MASS = 0.2  # of a text's words, by how rare they are
_SPEAKING = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class Finding:
    meant: tuple[Mention, ...]
    candidates: tuple[Mention, ...] = ()


@dataclass
class Matches:
    """`facts` are statements that are meant, `said` lines and sentences that say so beside them;
    `history` and `echoes` go with them and are no statements by themselves: values of before, and
    what the assistant said, or who asked before. `near` is offered where nothing is meant."""

    facts: list[Fact] = field(default_factory=list)
    history: list[Fact] = field(default_factory=list)
    said: list[Mention] = field(default_factory=list)
    echoes: list[Mention] = field(default_factory=list)
    near: list[Mention] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Of statements: what two places say is counted for one."""
        texts = [fact.raw_text for fact in self.facts]
        for place in self.said:
            if not any(says(place.text, text) or says(text, place.text) for text in texts):
                texts.append(place.text)
        return len(texts) or len(self.history)

    @property
    def places(self) -> list[Mention]:
        """Each statement where it stands first."""
        return unique([*map(fact_mention, self.facts or self.history), *self.said])

    def everywhere(self, memory: Memory) -> Finding:
        """All places of it, and what comes near it."""
        facts = [*self.facts, *self.history]
        found = of_facts(memory, facts) if facts else Finding(())
        meant = unique([*found.meant, *self.said, *self.echoes])
        meant = unique([*meant, *_repeated(meant)])
        keys = {place.key for place in meant}
        near = (place for place in found.candidates if place.key not in keys)
        return Finding(tuple(meant), tuple(near))


# By texts.


def of_text(memory: Memory, text: str) -> Finding:
    """All of one memory that has these words, or says just that."""
    return _Search(memory, [text]).found()


def of_facts(memory: Memory, facts: Collection[Fact]) -> Finding:
    """These statements, and wherever else the same is said."""
    return _Search(memory, [fact.raw_text for fact in facts]).found(facts)


def of_lines(file: File, numbers: Collection[int]) -> Finding:
    """Lines of the current text, and wherever else the same is said."""
    lines = file.raw_content.split("\n")
    there = [lines[n - 1] for n in sorted(numbers) if n <= len(lines) and lines[n - 1].strip()]
    places = [line_mention(file, line) for line in there]
    search = _Search(Memory(file.agent, file.owner), [place.text for place in places], file)
    search.put(*places)
    return search.found()


class _Search:
    def __init__(self, memory: Memory, texts: Iterable[str], file: File | None = None) -> None:
        """`file`: one that was read already."""
        self.memory = memory
        self._files = {file.pk: file} if file else {}
        self.texts = list(dict.fromkeys(text for text in texts if text.strip()))
        self._meant: dict[object, Mention] = {}
        self._near: dict[object, Mention] = {}

    def put(self, *places: Mention) -> None:
        for place in places:
            self._meant.setdefault(place.key, place)

    def found(self, facts: Collection[Fact] = ()) -> Finding:
        """Beside these statements, which are meant whatever they say."""
        same = (fact for fact in facts_of(self.memory) if self._says(fact.raw_text))
        self._put_facts(list({fact.pk: fact for fact in (*facts, *same)}.values()))
        reaches = [scope_key(self.memory.agent.pk, key) for key in {self.memory.speaker_id, None}]
        ranked = [key for key, _mass in _likely(self.texts, reaches).most_common()]
        for passages in _passages(ranked):
            before = len(self._meant)
            for passage in passages:
                self._look_at(passage)
            if len(self._meant) == before:
                break  # all others have less of the words
        for message in self._unindexed():
            self._look_at_message(message)
        self.put(*_learned(self._meant.values()))
        # A statement's own line is told by the statement.
        told = {(place.file, place.fingerprint) for place in self._meant.values() if place.fact}
        meant = (
            place
            for place in self._meant.values()
            if place.fact or place.message or (place.file, place.fingerprint) not in told
        )
        near = [place for key, place in self._near.items() if key not in self._meant]
        return Finding(tuple(meant), tuple(near[:MOST_CANDIDATES]))

    def _put_facts(self, facts: Collection[Fact]) -> None:
        """With what they stand on."""
        files = {fact.file_id for fact in facts if fact.file_id} - self._files.keys()
        self._files |= File.objects.in_bulk(files) if files else {}
        for fact in facts:
            fact.file = self._files.get(fact.file_id) if fact.file_id else None
        notes, cited = _note_lines(facts), _cited(facts, self.memory.speaker_id)
        for fact in facts:
            self.put(fact_mention(fact), *notes[fact.pk], *cited[fact.pk])

    def _says(self, text: str) -> bool:
        return any(says(text, wanted) for wanted in self.texts)

    def _comes_near(self, text: str) -> bool:
        return any(comes_near(text, wanted) for wanted in self.texts)

    def _look_at(self, passage: Passage) -> None:
        if passage.message is not None:
            self._look_at_message(passage.message)
        if passage.file is None or not self._is_own(passage, passage.file):
            return
        file, block = passage.file, passage.raw_text
        saying = [line for line in block.split("\n") if self._says(line)]
        if saying or self._says(block):
            self.put(*(line_mention(file, text) for text in saying or [block]))
        elif self._comes_near(block):
            near = line_mention(file, block)
            self._near.setdefault(near.key, near)

    def _is_own(self, passage: Passage, file: File) -> bool:
        """Also a shared line that stands on nothing but this owner's messages."""
        if file.owner_id == self.memory.owner_id:
            return True
        span = (passage.line, passage.end_line)
        rows = LineOrigin.objects.filter(file=passage.file_id, line__range=span)
        owners = set(rows.values_list("message__conversation__owner", flat=True))
        return owners == {self.memory.owner_id}

    def _look_at_message(self, message: Message) -> None:
        if message.conversation.owner_id != self.memory.speaker_id:
            return
        for place in said_in(message):
            if self._says(place.text):
                self.put(place)
            elif self._comes_near(place.text):
                self._near.setdefault(place.key, place)

    def _unindexed(self) -> Iterator[Message]:
        """Messages that were reverted: kept, and in no index."""
        if self.memory.speaker_id:
            talks = {"agent": self.memory.agent, "owner": self.memory.speaker_id}
            its = {f"conversation__{name}": value for name, value in talks.items()}
            rows = Message.objects.filter(reverted_at__isnull=False, **its)
            yield from rows.select_related("conversation").order_by("-pk").iterator(_AT_ONCE)


def _learned(meant: Iterable[Mention]) -> Iterator[Mention]:
    """Lines of skills and of the summary that stand on lines that are meant: what a model made of
    them need not have all their words."""
    prints = defaultdict(set)
    for place in meant:
        if place.file:
            prints[place.file.pk].add(place.fingerprint)
    rows = LineOrigin.objects.filter(LEARNED, source_file__in=prints)
    cited = {
        row: (row.source_file_id, row.source_revision, row.source_line)
        for row in rows.select_related("file")
    }
    then = cited_lines(cited.values())
    for row, one in cited.items():
        if one[0] and one in then and fingerprint(then[one]) in prints[one[0]]:
            yield line_mention(row.file, row.file.raw_content.split("\n")[row.line - 1])


def _likely(texts: Sequence[str], reaches: Sequence[str]) -> Counter[int]:
    """Passages of these scope keys by how much they have of one of the texts, in thousandths."""
    words = list(dict.fromkeys(TEXT + word for text in texts for word in tokens(text)))
    finds = zip(reaches, fulltext.find([[reach] for reach in reaches], words), strict=True)
    wanted: Counter[int] = Counter()
    for text, (reach, there) in product(texts, finds):
        rarity = {
            key: math.log(1 + there.extent.passages / len(there.postings.get(key, ()) or (0,)))
            for key in (f"{reach}{TEXT}{word}" for word in tokens(text))
        }
        mass: Counter[int] = Counter()
        for key in rarity:
            for passage in there.postings.get(key, ()):
                mass[passage] += round(1000 * rarity[key])
        least = _LEAST_MASS * 1000 * sum(rarity.values())
        wanted |= Counter({passage: n for passage, n in mass.items() if n >= least})
    return wanted


def _note_lines(facts: Iterable[Fact]) -> Mapping[UUID, list[Mention]]:
    """By statement those of the notes that its line was made of."""
    of_line = defaultdict(list)
    for fact in facts:
        for n, line in enumerate(fact.file.raw_content.split("\n") if fact.file else (), 1):
            if fact.file_id and line.strip() and fingerprint(line) == fact.fingerprint:
                of_line[fact.file_id, n].append(fact)
    files, lines = {file for file, _line in of_line}, {line for _file, line in of_line}
    rows = LineOrigin.objects.filter(file__in=files, line__in=lines)
    found: dict[UUID, list[Mention]] = defaultdict(list)
    for row in rows.filter(source_file__isnull=False).select_related("source_file"):
        for fact in of_line.get((row.file_id, row.line), ()):
            found[fact.pk] += _note_line(fact, row)
    return found


def _note_line(fact: Fact, row: LineOrigin) -> Iterator[Mention]:
    note, number = row.source_file, row.source_line or 0
    lines = note.raw_content.split("\n") if note else []
    if note and note.owner_id == fact.owner_id and 0 < number <= len(lines):
        line = lines[number - 1]
        if line.strip() and not line.startswith("#"):
            yield line_mention(note, line)


def _cited(facts: Collection[Fact], speaker_id: UUID | None) -> Mapping[UUID, list[Mention]]:
    """By statement what its owner said of it; where no characters are cited, nothing goes unseen:
    it is found by its words, or offered."""
    cited = Q(first__isnull=False, last__isnull=False, message__isnull=False)
    rows = Evidence.objects.filter(cited, fact__in=facts, message__conversation__owner=speaker_id)
    found = defaultdict(list)
    for row in rows.select_related("message__conversation"):
        if row.message is not None and row.first is not None and row.last is not None:
            found[row.fact_id].append(message_mention(row.message, row.first, row.last))
    return found


# By what somebody means who asks in a few words.


def match(asked: Wish, meanings: Iterable[Meaning], said_at: datetime) -> Matches:
    """Nothing that was said later than the request itself."""
    found, names = Matches(), _names(asked.memory.owner)
    for meaning in meanings:
        if meaning.is_last:
            (_add_that if meaning.is_that else _add_last)(found, asked.message)
            continue
        for fact in facts_of(asked.memory, _may_fit(meaning)):
            kind, attribute = Kind(fact.kind), fact.attribute
            claim = Claim(kind, subject=fact.subject, attribute=attribute, durable=True)
            if fact.said_at is None or fact.said_at <= said_at:
                _add_fact(found, fact, fit(meaning, fact.raw_text, claim=claim, names=names))
        if not meaning.is_all:
            for passages in _passages(*_having(asked, meaning)):
                for passage in passages:
                    _add_passage(found, passage, meaning, said_at, asked.message)
    return found


def _may_fit(meaning: Meaning) -> Q:
    """For the database: more than what fits, as far as words tell it."""
    if meaning.is_all or meaning.stubs is None:
        return Q()
    found = Q(pk__in=[])
    for stub in meaning.stubs:
        found |= Q(raw_text__icontains=stub) | Q(subject__icontains=stub)
    if meaning.topics:  # their names are patterns, and kinds have no words
        kinds = {kind for topic in meaning.topics for kind in topic.kinds}
        found |= ~Q(attribute="") | Q(kind__in=kinds)
    return found


def _names(owner: Owner | None) -> list[str]:
    """As memory may call them, folded."""
    name = normalise(owner.person.name) if owner and owner.person else ""
    return [name, *name.split()]


def _add_fact(found: Matches, fact: Fact, how: Fit) -> None:
    is_over = fact.state in Fact.OVER
    if how is Fit.YES:
        (found.history if is_over else found.facts).append(fact)
    elif how is Fit.MAYBE and not is_over:
        found.near.append(fact_mention(fact))


def _having(asked: Wish, meaning: Meaning) -> tuple[list[int], "QuerySet[Passage]"]:
    """The passages of this very memory that have a word of it, the latest first."""
    own = Passage.objects.of(*asked.memory.key)
    words = [TEXT + word for word in meaning.searched]
    (there,) = fulltext.find([[scope_key(*asked.memory.key)]], words)
    found = set[int]().union(*there.postings.values())
    for way, text in (("file__", "raw_text"), ("message__conversation__", "message__raw_content")):
        if meaning.signs:  # by an index of files, and by one of messages
            its = {f"{way}agent": asked.memory.agent, f"{way}owner": asked.memory.owner}
            said = reduce(or_, (Q(**{f"{text}__contains": sign}) for sign in meaning.signs))
            found.update(Passage.objects.filter(said, **its).values_list("pk", flat=True))
    return sorted(found, reverse=True), own


def _add_passage(
    found: Matches, row: Passage, meaning: Meaning, said_at: datetime, asked: Message | None
) -> None:
    if row.file is not None:
        if row.file.note_date is None or row.file.note_date <= said_at.date():
            for line in row.raw_text.split("\n"):
                _add_said(found, meaning, line_mention(row.file, line), line)
    elif row.message is not None and _is_before(row.message, asked, said_at):
        for place in said_in(row.message):
            if row.message.role == Message.Role.USER and not any(forgets(place.text)):
                _add_said(found, meaning, place, place.text)
            elif fit(meaning, place.text) is Fit.YES:
                found.echoes.append(place)


def _add_said(found: Matches, meaning: Meaning, place: Mention, text: str) -> None:
    how = fit(meaning, text) if meaning.may_be_in(text) else Fit.NO
    if how is not Fit.NO:
        (found.said if how is Fit.YES else found.near).append(place)


def _add_last(found: Matches, asked: Message | None) -> None:
    """What its owner had said just before, and what was made of it."""
    last = _said_before(asked)
    if last is not None:
        found.said += said_in(last)
        made = Fact.objects.filter(evidence__message=last)
        found.facts += made.select_related("file").distinct()


def _said_before(asked: Message | None) -> Message | None:
    if asked is None or asked.pk is None:
        return None
    earlier = asked.conversation.messages.filter(role=Message.Role.USER)
    return earlier.filter(position__lt=asked.position).order_by("-position").first()


def _add_that(found: Matches, asked: Message | None) -> None:
    """The sentence before it that tells something of its owner: of the same message, else of the
    one before. Where several do, a person picks."""
    if asked is None:
        return
    start = min((wish.first for wish in forgets(asked.raw_content)), default=0)
    told = [one for one in _telling(asked) if one.last is not None and one.last <= start]
    if told and asked.pk:
        found.said.append(told[-1])
        return
    last = _said_before(asked)
    told = _telling(last) if last else []
    (found.said if len(told) == 1 else found.near).extend(told)
    if last and len(told) == 1:
        found.facts += Fact.objects.filter(evidence__message=last).select_related("file").distinct()


def _telling(message: Message) -> list[Mention]:
    return [one for one in said_in(message) if tells_of_oneself(one.text)]


def _is_before(message: Message, asked: Message | None, said_at: datetime) -> bool:
    if message.role not in _SPEAKING or message.pk == (asked.pk if asked else None):
        return False
    if asked is not None and asked.pk and message.conversation_id == asked.conversation_id:
        return message.position < asked.position
    return message.timestamp <= said_at


def echoes_of(
    meanings: Collection[Meaning], texts: Sequence[str], message: Message
) -> list[Mention]:
    """What an assistant repeats of it."""
    return [
        place
        for place in said_in(message)
        if any(fit(meaning, place.text) is Fit.YES for meaning in meanings)
        or any(_repeats(place.text, text) for text in texts)
    ]


def _repeats(said: str, text: str) -> bool:
    """ "At 62 kilos you can …" repeats "I weigh 62 kilos": its numbers and names tell it."""
    one, two = read(said), read(text)
    marks = two.numbers | two.names
    return says(said, text) or (bool(marks) and marks <= {*one.words, *one.numbers, *one.names})


def _repeated(meant: Iterable[Mention]) -> Iterator[Mention]:
    """What an assistant answered to what is hidden, in the same conversations."""
    heard = [(place.message, place.text) for place in meant if place.message is not None]
    texts = list(dict.fromkeys(text for _message, text in heard))
    for talk in {message.conversation_id for message, _text in heard}:
        first = min(m.position for m, _text in heard if m.conversation_id == talk)
        answers = Message.objects.filter(conversation=talk, role=Message.Role.ASSISTANT)
        answers = answers.filter(position__gt=first).select_related("conversation")
        for message in answers.order_by("position").iterator(_AT_ONCE):
            yield from echoes_of((), texts, message)


# What is looked through, and where it stands.


def facts_of(memory: Memory, which: Q | None = None) -> Iterator[Fact]:
    """Whatever became of them; shared ones, where all that they stand on is the owner's."""
    rows = Fact.objects.filter(which or Q()).select_related("file").defer("file__raw_content")
    if memory.owner is None:
        yield from rows.of(memory.agent.pk, None)
    else:
        own = Evidence.objects.filter(message__conversation__owner=memory.owner)
        shared = rows.of(memory.agent.pk, None).filter(pk__in=own.values("fact"))
        others = Evidence.objects.exclude(message__conversation__owner=memory.owner)
        shared = shared.exclude(pk__in=others.values("fact"))
        yield from rows.of(*memory.key).union(shared, all=True)


def _passages(
    keys: Sequence[int], among: "QuerySet[Passage] | None" = None
) -> Iterator[list[Passage]]:
    """Some at a time, in this order."""
    rows = (Passage.objects.all() if among is None else among).defer("raw_tokens")
    rows = rows.select_related("file", "message__conversation")
    for some in (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE)):
        found = {row.pk: row for row in rows.filter(pk__in=some)}
        yield [found[key] for key in some if key in found]


def unique(places: Iterable[Mention]) -> list[Mention]:
    return list({place.key: place for place in reversed([*places])}.values())[::-1]


def fact_mention(fact: Fact) -> Mention:
    where = fact.path
    file = fact.file or File.objects.of(fact.agent_id, fact.owner_id).filter(path=where).first()
    print_ = fact.fingerprint if file else ""
    return Mention(Target.Kind.FACT, fact.raw_text, where, fact=fact, file=file, fingerprint=print_)


def line_mention(file: File, text: str) -> Mention:
    print_ = fingerprint(text)
    return Mention(Target.Kind.LINE, clean(text), file.path, file=file, fingerprint=print_)


def message_mention(message: Message, first: int, last: int) -> Mention:
    where = message.conversation.external_id
    text = message.raw_content[first:last]
    return Mention(Target.Kind.MESSAGE, text, where, message=message, first=first, last=last)


def said_in(message: Message) -> list[Mention]:
    """Each of its sentences."""
    return [
        message_mention(message, first, last) for first, last, _ in sentences(message.raw_content)
    ]
